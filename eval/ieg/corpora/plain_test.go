//go:build !race

package corpora_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/eval/ieg/corpora"
)

// Other episodes are known only by their published windows. A window's context shows what came
// before it, the request and the answers of the window before included, so that the turns that two
// windows share can be mined like a small episode.
func TestFragmentsOfOtherEpisodes(t *testing.T) {
	const tail = 9 // turns after a request that decide who rolls
	windows, hits, beyond, all := published(t), 0, 0, 0
	for episode, truth := range windows {
		if slices.Contains(episodes, episode) {
			continue
		}
		turns := map[int]ieg.Line{}
		people := corpora.People{DMs: []string{ieg.DM}, Players: map[string]string{}}
		for i := range truth {
			for k, l := range truth[i].Lines {
				turns[at(t, &truth[i])-len(truth[i].Lines)+k] = l
				for _, s := range strings.Split(l.Speaker, " & ") {
					if s != ieg.DM {
						people.Players[s] = s
					}
				}
			}
		}
		known := func(n int) bool {
			for k := n; k <= n+tail; k++ {
				if _, ok := turns[k]; !ok {
					return false
				}
			}
			return true
		}
		type row struct {
			NAMES, UTTERANCES []string
			NUMBER            int
		}
		for start := range turns {
			if _, before := turns[start-1]; before {
				continue
			}
			var rows []row
			for n := start; ; n++ {
				l, ok := turns[n]
				if !ok {
					break
				}
				rows = append(rows, row{strings.Split(l.Speaker, " & "), []string{l.Text}, n})
			}
			if !slices.ContainsFunc(rows, func(r row) bool { return slices.Contains(r.NAMES, ieg.DM) }) {
				continue
			}
			data, err := json.Marshal(map[string]any{"TURNS": rows})
			if err != nil {
				t.Fatal(err)
			}
			got := collect(t, corpora.Readers["crd3"], corpora.File{Name: episode, Group: episode, Content: strings.NewReader(string(data)), People: people})
			for i := range truth {
				n := at(t, &truth[i])
				if n < start || n >= start+len(rows) || !known(n) {
					continue
				}
				all++
				if slices.ContainsFunc(got, func(x ieg.Interaction) bool { return same(t, &x, &truth[i]) }) {
					hits++
				} else if testing.Verbose() {
					t.Logf("not found: %s %v in %q", truth[i].ID, truth[i].Intentions, turns[n].Text)
				}
			}
			for i := range got {
				n := at(t, &got[i])
				cut := slices.ContainsFunc(truth, func(x ieg.Interaction) bool { d := n - at(t, &x); return d > 0 && d <= 6 && at(t, &x) < start })
				if known(n) && !cut && !slices.ContainsFunc(truth, func(x ieg.Interaction) bool { return same(t, &x, &got[i]) }) {
					beyond++
				}
			}
		}
	}
	recall, excess := float64(hits)/float64(all), float64(beyond)/float64(all)
	t.Logf("%d windows in fragments of other episodes: recall %.1f %%, excess %.1f %%", all, 100*recall, 100*excess)
	if recall < 0.9 || excess > 0.15 {
		t.Errorf("recall %.3f, want 0.9 or more; excess %.3f, want 0.15 or less", recall, excess)
	}
}
