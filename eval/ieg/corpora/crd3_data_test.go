package corpora_test

import (
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
