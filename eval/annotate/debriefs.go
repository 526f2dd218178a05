package annotate

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/eval/session"
	"parley/scenarios"
	"parley/sim"
)

// Origin is where in a run an item comes from. Nothing of it is in a blind sheet.
type Origin struct {
	Session string `json:"session"`
	Subject string `json:"subject"` // the character who answers
	Arm     string `json:"arm"`
	Control string `json:"control"`
	Of      int    `json:"of"` // key facts
}

// Key maps the ids of a blind sheet back to a run.
type Key struct {
	Run   string            `json:"run"`
	Items map[string]Origin `json:"items"`
}

// Debriefs returns the debriefs of a run of sessions, controls too, each with the key facts that it may tell, in random
// order and under ids that say nothing of where they come from. The verdict asked for is how many of the facts an
// answer tells. A session without knowledge has nothing to judge. With sample above 0 only so many are taken, as evenly
// from the arms and controls as can be.
func Debriefs(dir string, sample int, seed uint64) ([]Item, *Key, error) {
	if _, _, err := session.Read(dir); err != nil {
		return nil, nil, err
	}
	rows := map[string]session.Row{}
	facts := map[string][]scenarios.Fact{} // by session
	for row, err := range session.Sessions.Read(dir) {
		if err != nil {
			return nil, nil, err
		}
		var s scenarios.Scenario
		if err := json.Unmarshal([]byte(row.Scenario), &s); err != nil {
			return nil, nil, fmt.Errorf("%s: the scenario of session %s: %w", dir, row.ID, err)
		}
		if s.Knowledge != nil {
			rows[row.ID], facts[row.ID] = row, s.Knowledge.Facts
		}
	}
	var debriefs []debrief
	for e, err := range session.Events.Read(dir) {
		if err != nil {
			return nil, nil, err
		}
		known, ok := facts[e.Session]
		if e.Kind != sim.KindDebrief || !ok {
			continue
		}
		var text strings.Builder
		text.WriteString("KEY FACTS\n")
		for i, f := range known {
			fmt.Fprintf(&text, "%d. %s\n", i+1, f.Text)
		}
		debriefs = append(debriefs, debrief{
			Origin{e.Session, string(e.Actor), rows[e.Session].Arm, e.Control, len(known)},
			Item{Text: text.String() + "\nANSWER\n" + e.Text, Offered: json.RawMessage(fmt.Sprintf(
				`{"type":"integer","minimum":0,"maximum":%d,"description":"how many of the key facts the answer tells"}`, len(known)))},
		})
	}
	return blind(dir, debriefs, sample, seed)
}

// debrief is an item with its origin.
type debrief struct {
	from Origin
	item Item
}

// blind draws a sample that is stratified by arm and control, shuffles it, and gives it ids that say nothing.
func blind(dir string, all []debrief, sample int, seed uint64) ([]Item, *Key, error) {
	r := sim.Rand(seed)
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	strata, order := map[[2]string][]debrief{}, [][2]string{}
	for _, d := range all {
		at := [2]string{d.from.Arm, d.from.Control}
		if strata[at] == nil {
			order = append(order, at)
		}
		strata[at] = append(strata[at], d)
	}
	var taken []debrief
	for i := 0; len(taken) < len(all) && (sample <= 0 || len(taken) < sample); i = (i + 1) % len(order) {
		if left := strata[order[i]]; len(left) > 0 {
			taken, strata[order[i]] = append(taken, left[0]), left[1:]
		}
	}
	r.Shuffle(len(taken), func(i, j int) { taken[i], taken[j] = taken[j], taken[i] })
	key := &Key{Run: dir, Items: map[string]Origin{}}
	items := make([]Item, 0, len(taken))
	for i, d := range taken {
		d.item.ID = fmt.Sprintf("item-%0*d", len(fmt.Sprint(len(taken))), i+1)
		key.Items[d.item.ID] = d.from
		items = append(items, d.item)
	}
	return items, key, nil
}
