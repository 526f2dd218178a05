package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval/session"
	"parley/scenarios"
)

// What a character did not perceive is in nothing that is shown through its eyes: no secret of
// somebody else, and of the NPC's knowledge nothing where nobody asked for it.
func TestShowAsHoldsNothingUnperceived(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	runParley(t, exitOK, "run", "--sessions", "1", "--turns", "8", "--player", "reference:silent", "--control", "told",
		"--judge", judgeServer(t), "--out", dir)
	whole, err := session.ReadTranscript(dir, "1", true)
	if err != nil {
		t.Fatal(err)
	}
	var s scenarios.Scenario
	if err := json.Unmarshal([]byte(whole.Row.Scenario), &s); err != nil {
		t.Fatal(err)
	}
	all, _ := runParley(t, exitOK, "show", "--session", "1", "--calls", dir)
	if !strings.Contains(all, s.Knowledge.Facts[0].Text) || !strings.Contains(all, "judge:iep-match") {
		t.Fatal("there is nothing to hide")
	}
	for _, eyes := range s.Players() {
		for _, form := range []string{"--json=true", "--json=false"} {
			shown, _ := runParley(t, exitOK, "show", "--session", "1", "--as", string(eyes.ID), "--calls", form, dir)
			for _, f := range s.Knowledge.Facts {
				if strings.Contains(shown, f.Text) {
					t.Errorf("%s sees %q (%s)", eyes.ID, f.Text, form)
				}
			}
			for _, other := range s.Cast {
				for _, secret := range other.Secrets {
					if other.ID != eyes.ID && strings.Contains(shown, secret) {
						t.Errorf("%s sees what %s hides: %q (%s)", eyes.ID, other.ID, secret, form)
					}
				}
			}
		}
	}
}
