package annotate

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
)

// Debriefs yields the debriefs of a run of sessions, controls too, each with the key facts that it may tell. The
// verdict asked for is how many of them it tells. A session without knowledge has nothing to judge.
func Debriefs(dir string, yield func(Item) error) error {
	if _, _, err := session.Read(dir); err != nil {
		return err
	}
	facts := map[string][]scenarios.Fact{} // by session
	for row, err := range session.Sessions.Read(dir) {
		if err != nil {
			return err
		}
		var s scenarios.Scenario
		if err := json.Unmarshal([]byte(row.Scenario), &s); err != nil {
			return fmt.Errorf("%s: the scenario of session %s: %w", dir, row.ID, err)
		}
		if s.Knowledge != nil {
			facts[row.ID] = s.Knowledge.Facts
		}
	}
	for e, err := range session.Events.Read(dir) {
		if err != nil {
			return err
		}
		known, ok := facts[e.Session]
		if e.Kind != sim.KindDebrief || !ok {
			continue
		}
		item := Item{ID: e.Session + "/" + string(e.Actor), Subject: string(e.Actor)}
		if e.Control != "" {
			item.ID += "/" + e.Control
		}
		var text strings.Builder
		text.WriteString("KEY FACTS\n")
		for i, f := range known {
			fmt.Fprintf(&text, "%d. %s\n", i+1, f.Text)
		}
		item.Text = text.String() + "\nANSWER\n" + e.Text
		item.Offered = json.RawMessage(fmt.Sprintf(
			`{"type":"integer","minimum":0,"maximum":%d,"description":"how many of the key facts the answer tells"}`, len(known)))
		if err := yield(item); err != nil {
			return err
		}
	}
	return nil
}
