package finetune_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/finetune"
)

// example is one with a body of its own, in a group.
func example(id, group, body string) finetune.Example {
	return finetune.Example{
		ID: id, Task: finetune.DM, Group: group, Source: "test", Body: body, Labels: []string{"Stealth"},
		Prompt:     []finetune.Message{{Role: finetune.System, Content: "Who tries what?"}, {Role: finetune.User, Content: body}},
		Completion: []finetune.Message{{Role: finetune.Assistant, Content: `[{"character":"Orla","skill":"Stealth"}]`}},
	}
}

// prose is a text of n random words, each seed's own.
func prose(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 7))
	var out strings.Builder
	for i := range n {
		if i > 0 {
			out.WriteByte(' ')
		}
		for range 2 + r.IntN(7) {
			out.WriteByte("abcdefghijklmnopqrstuvwxyz"[r.IntN(26)])
		}
	}
	return out.String()
}

func stream(xs ...finetune.Example) iter.Seq2[finetune.Example, error] {
	return func(yield func(finetune.Example, error) bool) {
		for _, x := range xs {
			if !yield(x, nil) {
				return
			}
		}
	}
}

// many are groups of examples, all different.
func many(groups, each int) (xs []finetune.Example) {
	for g := range groups {
		for i := range each {
			id := fmt.Sprintf("g%d/%d", g, i)
			x := example(id, fmt.Sprintf("g%d", g), prose(uint64(g*1000+i), 60))
			x.Scenario = fmt.Sprintf("s%d", g%7)
			xs = append(xs, x)
		}
	}
	return xs
}

func build(t *testing.T, xs iter.Seq2[finetune.Example, error], o finetune.Options) *finetune.Built {
	t.Helper()
	b, err := finetune.Build(t.Context(), xs, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t *testing.T, b *finetune.Built, s finetune.Split) (xs []finetune.Example) {
	t.Helper()
	for x, err := range b.Examples(s) {
		if err != nil {
			t.Fatal(err)
		}
		xs = append(xs, x)
	}
	return xs
}

func TestExamplesComeBack(t *testing.T) {
	score := 0.25
	xs := many(3, 4)
	xs[1].Score, xs[2].Model, xs[3].Labels = &score, "openai:gpt", nil
	xs[5].Prompt = append(xs[5].Prompt, finetune.Message{Role: finetune.Assistant, Content: "I see.\u2028"}, finetune.Message{Role: finetune.User, Content: "And?"})
	b := build(t, stream(xs...), finetune.Options{})
	for range 2 {
		if diff := cmp.Diff(xs, read(t, b, finetune.Train)); diff != "" {
			t.Fatal(diff)
		}
	}
	if got := read(t, b, finetune.Test); len(got) > 0 {
		t.Errorf("test has %d examples though it has no share", len(got))
	}
}

func TestDrops(t *testing.T) {
	body := prose(1, 80)
	words := strings.Fields(body)
	near := strings.Join(append(append([]string{}, words[:78]...), "something", "else"), " ")
	far := strings.Join(append(append([]string{}, words[:40]...), strings.Fields(prose(2, 40))...), " ")
	first := example("first", "a", body)
	tests := []struct {
		name   string
		next   finetune.Example
		reason finetune.Reason // empty: it is kept
	}{
		{"the same messages in another group", example("x", "b", body), finetune.Duplicate},
		{"other case, width and white space", example("x", "b", "  "+strings.ToUpper(body)+"\n\n"), finetune.Duplicate},
		{"two words of eighty are different", example("x", "b", near), finetune.NearDuplicate},
		{"half is different", example("x", "b", far), ""},
		{"nearly the same window of the same group, and the same is learned", example("x", "a", near), finetune.NearDuplicate},
		{"nearly the same window of the same group, and something else is learned", func() finetune.Example {
			x := example("x", "a", near)
			x.Completion = []finetune.Message{{Role: finetune.Assistant, Content: "[]"}}
			return x
		}(), ""},
		{"four words are too few to compare by runs of five", example("x", "b", "one two three four"), ""},
		{"too long", example("x", "b", prose(3, 3000)), finetune.TooLong},
		{"without a body the messages are compared", func() finetune.Example {
			x := example("x", "b", near)
			x.Body = ""
			return x
		}(), finetune.NearDuplicate},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := build(t, stream(first, test.next), finetune.Options{MaxTokens: 4000})
			ds := b.Dropped()
			if test.reason == "" {
				if len(ds) > 0 {
					t.Fatalf("dropped: %+v", ds[0])
				}
				return
			}
			if len(ds) != 1 || ds[0].ID != "x" || ds[0].Reason != test.reason {
				t.Fatalf("dropped: %+v, want x for %q", ds, test.reason)
			}
			if test.reason != finetune.TooLong && ds[0].With != "first" {
				t.Errorf("it is dropped for %q, want first", ds[0].With)
			}
			if got := read(t, b, finetune.Train); len(got) != 1 || got[0].ID != "first" {
				t.Errorf("the first is not the one that is kept: %v", got)
			}
		})
	}
}

// A chain of windows, each near to the next, is thinned out and not dropped but for its first.
func TestChains(t *testing.T) {
	words := strings.Fields(prose(9, 400))
	var xs []finetune.Example
	for i := range 60 {
		xs = append(xs, example(fmt.Sprint(i), "a", strings.Join(words[5*i:5*i+100], " ")))
	}
	b := build(t, stream(xs...), finetune.Options{})
	if n := len(read(t, b, finetune.Train)); n < 10 || n > 30 {
		t.Errorf("%d of 60 windows are kept, want about every fourth", n)
	}
}

func TestContamination(t *testing.T) {
	xs := many(40, 3)
	b := build(t, stream(xs...), finetune.Options{Shares: [3]float64{50, 25, 25}, Seed: 1})
	if ds := b.Dropped(); len(ds) > 0 {
		t.Fatalf("of examples that are all different, %+v is dropped", ds[0])
	}
	test, train := read(t, b, finetune.Test)[0], read(t, b, finetune.Train)
	passage := func(n int) string { return strings.Join(strings.Fields(test.Body)[3:3+n], " ") }
	// plant puts a passage into the first example of some groups of train.
	plant := func(text string, groups int) (out []finetune.Example) {
		seen := map[string]bool{}
		for _, x := range xs {
			if strings.HasSuffix(x.ID, "/0") && x.Group != test.Group && x.Scenario != test.Scenario && len(seen) < groups {
				for _, y := range train {
					if y.ID == x.ID {
						x.Body += " " + text
						seen[x.Group] = true
						break
					}
				}
			}
			out = append(out, x)
		}
		return out
	}
	tests := []struct {
		name         string
		text         string
		groups, want int
	}{
		{"twelve words", passage(12), 1, 1},
		{"as others write them", strings.ToUpper(strings.ReplaceAll(passage(12), " ", ", ")) + "!", 1, 1},
		{"eleven words are no passage", passage(11), 1, 0},
		{"three groups", passage(14), 3, 3},
		{"six groups of forty have it: a formula", passage(12), 5, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := build(t, stream(plant(tt.text, tt.groups)...), finetune.Options{Shares: [3]float64{50, 25, 25}, Seed: 1})
			ds := b.Dropped()
			if len(ds) != tt.want {
				t.Fatalf("%d are dropped, want %d: %+v", len(ds), tt.want, ds)
			}
			for _, d := range ds {
				if d.Reason != finetune.Contaminated || d.With != test.ID || d.Split != finetune.Train {
					t.Errorf("dropped: %+v", d)
				}
				found := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(d.Detail, "shares with evaluation: "), ",", ""))
				if !strings.Contains(test.Body, found) || len(strings.Fields(found)) != 12 {
					t.Errorf("the detail %q does not show the passage", d.Detail)
				}
			}
			if r := b.Report(); (r.Leaks.Formulas > 0) != (tt.groups >= 5) {
				t.Errorf("%d formulas are reported", r.Leaks.Formulas)
			}
		})
	}
}

// Where a scenario stands on both sides, what most of its sessions say is its own text.
func TestScenariosText(t *testing.T) {
	told := prose(77, 20)
	xs := many(60, 1)
	for i := range xs {
		if xs[i].Scenario == "s3" {
			xs[i].Body += " " + told
		}
	}
	b := build(t, stream(xs...), finetune.Options{Shares: [3]float64{50, 25, 25}, Seed: 1})
	if ds := b.Dropped(); len(ds) > 0 {
		t.Errorf("dropped: %+v", ds[0])
	}
}

func TestHoldout(t *testing.T) {
	xs := many(10, 2)
	held := example("theirs", "elsewhere", prose(5, 40)+" "+strings.Join(strings.Fields(xs[3].Body)[:20], " "))
	short := example("short", "elsewhere", "I pass.")
	mine := example("mine", "g0", "I pass.")
	b := build(t, stream(append(xs, mine)...), finetune.Options{Holdout: stream(held, short)})
	ds := b.Dropped()
	if len(ds) != 2 || ds[0].ID != xs[3].ID || ds[0].With != "theirs" || ds[1].ID != "mine" || ds[1].With != "short" {
		t.Errorf("dropped: %+v", ds)
	}
	_, err := finetune.Build(t.Context(), stream(xs...), finetune.Options{Holdout: stream(example("y", "g4", "x"))})
	if err == nil || !strings.Contains(err.Error(), `"g4"`) {
		t.Errorf("a shared group is answered with %v", err)
	}
}

func TestDeterministic(t *testing.T) {
	xs := many(50, 10)
	for i := range xs {
		if i%9 == 0 {
			xs[i].Body = xs[i/2].Body + " but not quite"
		}
	}
	dump := func(procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		b := build(t, stream(xs...), finetune.Options{Shares: [3]float64{8, 1, 1}, Seed: 5, Counter: finetune.OpenAI("")})
		raw, err := json.Marshal([]any{b.Report(), b.Dropped(), read(t, b, finetune.Train), read(t, b, finetune.Test)})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	first := dump(1)
	for range 3 {
		if again := dump(4); again != first {
			t.Fatal(cmp.Diff(first, again))
		}
	}
}

func TestGivenUp(t *testing.T) {
	xs := func(yield func(finetune.Example, error) bool) {
		_ = yield(example("a", "g", prose(1, 20)), nil) &&
			yield(finetune.Example{}, &finetune.Dropped{ID: "b", Group: "g", Reason: "malformed turn", Detail: "no JSON"}) &&
			yield(example("c", "g", prose(2, 20)), nil)
	}
	b := build(t, xs, finetune.Options{})
	if ds := b.Dropped(); len(ds) != 1 || ds[0].ID != "b" || ds[0].Detail != "no JSON" {
		t.Errorf("dropped: %+v", ds)
	}
	if r := b.Report(); r.Read != 3 || r.Kept != 2 || len(r.Dropped) != 1 || r.Dropped[0] != (finetune.Count{Name: "malformed turn", N: 1}) {
		t.Errorf("the report says %+v", r)
	}
}

func TestErrors(t *testing.T) {
	bad := example("bad", "g", "x")
	bad.Completion = nil
	other := example("other", "g", "x y")
	other.Task = finetune.Roleplay
	torn := errors.New("torn")
	tests := []struct {
		name, want string
		xs         iter.Seq2[finetune.Example, error]
		o          finetune.Options
	}{
		{"no examples", "no examples to build", stream(), finetune.Options{}},
		{"all given up", "3 malformed turn", func(yield func(finetune.Example, error) bool) {
			for range 3 {
				if !yield(finetune.Example{}, &finetune.Dropped{ID: "x", Reason: "malformed turn"}) {
					return
				}
			}
		}, finetune.Options{}},
		{"all too long", "--max-tokens 1", stream(many(2, 2)...), finetune.Options{MaxTokens: 5}},
		{"an invalid example", "example bad", stream(example("a", "g", "x"), bad), finetune.Options{}},
		{"two tasks", "other", stream(example("a", "g", "x"), other), finetune.Options{}},
		{"the stream's error", "torn", func(yield func(finetune.Example, error) bool) { yield(finetune.Example{}, torn) }, finetune.Options{}},
		{"one id twice", `"a"`, stream(example("a", "g", prose(1, 20)), example("a", "g", prose(2, 20))), finetune.Options{}},
		{"no train", "train", stream(many(2, 2)...), finetune.Options{Shares: [3]float64{0, 1, 1}}},
		{"all in evaluation", "100/0/0", stream(many(1, 2)...), finetune.Options{Shares: [3]float64{1e-9, 1, 0}}},
		{"by nothing known", "by group or by scenario", stream(many(1, 2)...), finetune.Options{By: "coin"}},
		{"a negative share", "-1", stream(many(1, 2)...), finetune.Options{Shares: [3]float64{2, -1, 0}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := finetune.Build(t.Context(), test.xs, test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	xs := func(yield func(finetune.Example, error) bool) {
		for { // without an end
			if n++; n == 1000 {
				cancel()
			}
			if !yield(example(fmt.Sprint(n), "g", prose(uint64(n), 10)), nil) {
				return
			}
		}
	}
	if _, err := finetune.Build(ctx, xs, finetune.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
