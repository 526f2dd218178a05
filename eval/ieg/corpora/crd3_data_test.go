package corpora_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/eval/ieg"
	"parley/eval/ieg/corpora"
)

var episodes = []string{"C2E012", "C2E023", "C2E026"}

// shared returns a file of the data kept beside the project.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "shared", "data", "crd3", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the shared data are not here: %v", err)
	}
	return path
}

// published returns the windows that are published, by episode.
func published(t *testing.T) map[string][]ieg.Interaction {
	t.Helper()
	windows := map[string][]ieg.Interaction{}
	for _, split := range []string{"train", "val", "test"} {
		f, err := os.Open(shared(t, "windows_"+split+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for x, err := range ieg.Read(f, f.Name()) {
			if err != nil {
				t.Fatal(err)
			}
			windows[x.Group] = append(windows[x.Group], x)
		}
	}
	return windows
}

func read(t *testing.T, episode string) []ieg.Interaction {
	t.Helper()
	names, err := os.Open(shared(t, episode+"_names.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer names.Close()
	people, err := corpora.ReadPeople(names, names.Name())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(shared(t, episode+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return collect(t, corpora.Readers["crd3"], corpora.File{Name: f.Name(), Group: episode, Content: f, People: people})
}

func collect(t *testing.T, reader corpora.Reader, f corpora.File) []ieg.Interaction {
	t.Helper()
	var all []ieg.Interaction
	for x, err := range reader([]corpora.File{f}) {
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	return all
}

func at(t *testing.T, x *ieg.Interaction) int {
	t.Helper()
	n, err := strconv.Atoi(x.ID[strings.LastIndexByte(x.ID, ':')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// same says whether a mined window is a published one: the turns are at most two apart, the
// intentions the same.
func same(t *testing.T, a, b *ieg.Interaction) bool {
	if d := at(t, a) - at(t, b); d < -2 || d > 2 || len(a.Intentions) != len(b.Intentions) {
		return false
	}
	return !slices.ContainsFunc(a.Intentions, func(i ieg.Intention) bool { return !slices.Contains(b.Intentions, i) })
}

// What the rules have to reach on each whole episode alone. They were made with all three at hand, and
// with the fragments below, which are 77 other episodes and hold the rules from fitting these.
func TestWholeEpisodes(t *testing.T) {
	truth := published(t)
	for _, episode := range episodes {
		t.Run(episode, func(t *testing.T) {
			want, got := truth[episode], read(t, episode)
			hits, tiers, lines := 0, 0, 0
			for i := range want {
				k := slices.IndexFunc(got, func(x ieg.Interaction) bool { return same(t, &x, &want[i]) })
				if k < 0 {
					t.Logf("not found: %s %v", want[i].ID, want[i].Intentions)
					continue
				}
				hits++
				if got[k].Tier == want[i].Tier {
					tiers++
				}
				if at(t, &got[k]) == at(t, &want[i]) && slices.Equal(got[k].Lines, want[i].Lines) {
					lines++
				}
			}
			beyond := 0
			for i := range got {
				if !slices.ContainsFunc(want, func(x ieg.Interaction) bool { return same(t, &x, &got[i]) }) {
					t.Logf("beyond: %s %v", got[i].ID, got[i].Intentions)
					beyond++
				}
			}
			recall, excess := float64(hits)/float64(len(want)), float64(beyond)/float64(len(want))
			t.Logf("%s: %d published, %d mined, recall %.1f %%, excess %.1f %%; of the found, tier agrees in %d, lines in %d", episode, len(want), len(got), 100*recall, 100*excess, tiers, lines)
			if lines != hits {
				t.Errorf("of %d windows found, %d have the published lines", hits, lines)
			}
			if recall < 0.9 || excess > 0.15 {
				t.Errorf("recall %.3f, want 0.9 or more; excess %.3f, want 0.15 or less", recall, excess)
			}
		})
	}
}

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
