package finetune

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
)

// Split is a part of a dataset.
type Split string

const (
	Train      Split = "train"
	Validation Split = "validation"
	Test       Split = "test"
)

// Splits returns all splits, in their order.
func Splits() []Split { return []Split{Train, Validation, Test} }

// Options say how a dataset is made of examples.
type Options struct {
	Task   Task       // of all examples; if empty, of the first
	Shares [3]float64 // of train, validation and test, in any unit, such as 90, 5, 5; all zero: all is train
	// By is the unit that is split: "group" (also if empty), or "scenario", in which case examples
	// without a scenario go by their group. Where an example says its split, it goes there, and with it
	// what belongs together.
	By        string
	Seed      uint64
	Trainer   string                    // whose limit MaxTokens is, for the report; may be empty
	MaxTokens int                       // longer examples are dropped; 0: none is
	Counter   Counter                   // the zero Counter is Estimate()
	Holdout   iter.Seq2[Example, error] // evaluation examples elsewhere that nothing may leak into; may be nil
	// Progress, if there is one, is called by one goroutine at a time now and then: with stage "read",
	// "hold out", "compare" or "leaks", and with what is done of it. A total of 0 is not known yet.
	Progress func(stage string, done, total int64)
}

// Build reads examples once and makes a dataset of them: it takes out personal data, drops examples
// that are too long, duplicates, near duplicates and those that share a passage with evaluation, and
// splits what is left. The same examples and options give the same dataset, whatever the machine.
//
// An error of the stream that is a *Dropped is recorded, and the stream goes on. Any other error ends
// the build. All examples are held in memory, with about as much again for the search of passages:
// 100,000 windows of 2 KB need about 1.2 GB.
func Build(ctx context.Context, xs iter.Seq2[Example, error], o Options) (*Built, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Counter.Count == nil {
		o.Counter = Estimate()
	}
	b := &builder{o: o, report: &Report{}}
	for _, step := range []func(context.Context) error{
		func(ctx context.Context) error { return b.read(ctx, xs) }, b.holdOut, b.duplicates, b.near, b.divide,
		b.heldExactly, b.leaks, b.unique, b.sum,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return &Built{b}, nil
}

// builder is a dataset while it is made.
type builder struct {
	o       Options
	report  *Report
	entries []entry
	held    []entry   // evaluation examples elsewhere
	gone    []Dropped // given up by their sources
	uneven  []string  // warnings about the splits

	stage       string
	done, total int64
}

// entry is an example with its hashes and lengths, and why it was dropped.
type entry struct {
	x      Example  // without personal data
	digest [32]byte // of the messages, folded
	answer [32]byte // of the completion alone
	sketch sketch
	words  int // of the Body
	tokens Tokens
	scrubs Scrubs // of the messages
	why    *Dropped
	given  bool // the split is the source's
	rank   int  // among the examples of evaluation
}

func (e *entry) kept() bool { return e.why == nil }

// drop takes an example out of the dataset; with is the one that it resembles, or nil.
func (b *builder) drop(e *entry, r Reason, detail string, with *Example) {
	e.why = &Dropped{ID: e.x.ID, Group: e.x.Group, Source: e.x.Source, Reason: r, Detail: detail}
	if with != nil {
		e.why.With = with.ID
	}
}

func (b *builder) begin(stage string, total int) {
	b.stage, b.done, b.total = stage, 0, int64(total)
	b.tell()
}

func (b *builder) tell() {
	if b.o.Progress != nil {
		b.o.Progress(b.stage, b.done, b.total)
	}
}

// step counts one more item of the stage, and returns the context's error now and then.
func (b *builder) step(ctx context.Context) error {
	if b.done++; b.done%1024 == 0 {
		b.tell()
		return ctx.Err()
	}
	return nil
}

// read takes the examples in.
func (b *builder) read(ctx context.Context, xs iter.Seq2[Example, error]) error {
	b.begin("read", 0)
	for e, err := range parallel(ctx, 4*runtime.GOMAXPROCS(0), xs, func(_ context.Context, x Example) (entry, error) { return b.enter(x) }) {
		b.report.Read++
		var gone *Dropped
		switch {
		case errors.As(err, &gone):
			b.gone = append(b.gone, *gone)
			continue
		case err != nil:
			return err
		case b.o.Task == "":
			b.o.Task = e.x.Task
		}
		if e.x.Task != b.o.Task {
			return fmt.Errorf("example %s is of the task %q in a dataset of the task %q; build one dataset for each", e.x.ID, e.x.Task, b.o.Task)
		}
		b.entries = append(b.entries, e)
		if err := b.step(ctx); err != nil {
			return err
		}
	}
	if len(b.entries) == 0 {
		return b.nothing()
	}
	return nil
}

// enter checks, scrubs, hashes and counts an example.
func (b *builder) enter(x Example) (entry, error) {
	if err := x.Validate(); err != nil {
		return entry{}, err
	}
	if x.Split != "" && !slices.Contains(Splits(), x.Split) {
		return entry{}, fmt.Errorf("example %s: its source puts it into the split %q; there are train, validation and test", x.ID, x.Split)
	}
	e := newEntry(x)
	if e.x.Rejected != "" && e.x.Rejected == e.x.Completion[0].Content {
		b.drop(&e, Alike, "without personal data, the chosen and the rejected message are the same", nil)
	}
	e.tokens = b.o.Counter.Of(&e.x)
	if b.o.MaxTokens > 0 && e.tokens.Length > b.o.MaxTokens {
		b.drop(&e, TooLong, fmt.Sprintf("%d tokens%s, and the limit is %d", e.tokens.Length, b.about(), b.o.MaxTokens), nil)
	}
	return e, nil
}

// newEntry scrubs and hashes an example.
func newEntry(x Example) entry {
	e := entry{x: x, given: x.Split != ""}
	var text, answer []byte
	for i, list := range []*[]Message{&e.x.Prompt, &e.x.Completion} {
		*list = slices.Clone(*list) // the source may hold on to its messages
		for j := range *list {
			m := &(*list)[j]
			m.Content = Scrub(m.Content, &e.scrubs)
			text = append(append(append(append(text, m.Role...), 0), fold(m.Content)...), 0)
			if i == 1 {
				answer = append(append(append(append(answer, m.Role...), 0), fold(m.Content)...), 0)
			}
		}
	}
	e.x.Rejected = Scrub(e.x.Rejected, &e.scrubs)
	e.x.Body = Scrub(e.x.Body, new(Scrubs))
	rejected := fold(e.x.Rejected)
	e.digest, e.answer = sha256.Sum256(append(text, rejected...)), sha256.Sum256(append(answer, rejected...))
	var hashes []uint64
	hashes, e.words = grams(bodyOf(&e.x), nearWords)
	e.sketch = newSketch(hashes)
	return e
}

// holdOut takes in the evaluation examples elsewhere.
func (b *builder) holdOut(ctx context.Context) error {
	if b.o.Holdout == nil {
		return nil
	}
	b.begin("hold out", 0)
	groups := map[string]bool{}
	for i := range b.entries {
		groups[b.entries[i].x.Group] = true
	}
	for e, err := range parallel(ctx, 4*runtime.GOMAXPROCS(0), b.o.Holdout, func(_ context.Context, x Example) (entry, error) { return newEntry(x), nil }) {
		switch {
		case dropped(err):
			continue
		case err != nil:
			return err
		case groups[e.x.Group]:
			return fmt.Errorf("the group %q is in the examples and in the holdout as well, so what is tested would be learned; build without it, or take it out of the holdout", e.x.Group)
		}
		b.held = append(b.held, e)
		if err := b.step(ctx); err != nil {
			return err
		}
	}
	b.report.Held = len(b.held)
	return nil
}

// duplicates drops the examples whose messages came earlier.
func (b *builder) duplicates(context.Context) error {
	first := make(map[[32]byte]*entry, len(b.entries))
	for i := range b.entries {
		if e := &b.entries[i]; !e.kept() {
			continue
		} else if was := first[e.digest]; was != nil {
			b.drop(e, Duplicate, "the same messages", &was.x)
		} else {
			first[e.digest] = e
		}
	}
	return nil
}

// heldExactly drops the examples of train that the holdout has as well, however short they are.
func (b *builder) heldExactly(context.Context) error {
	first := make(map[[32]byte]*entry, len(b.held))
	for i := range slices.Backward(b.held) {
		first[b.held[i].digest] = &b.held[i]
	}
	for i := range b.entries {
		e := &b.entries[i]
		if held := first[e.digest]; held != nil && e.kept() && e.x.Split == Train {
			b.drop(e, Contaminated, "the same messages", &held.x)
		}
	}
	return nil
}

// unique returns an error where two examples have one id.
func (b *builder) unique(context.Context) error {
	seen := make(map[string]*entry, len(b.entries))
	for i := range b.entries {
		e := &b.entries[i]
		if !e.kept() {
			e.why.Split = e.x.Split
			continue
		}
		if was := seen[e.x.ID]; was != nil {
			return fmt.Errorf("two examples have the id %q, of %q and of %q; give their sources different names, or build without one of them", e.x.ID, was.x.Source, e.x.Source)
		}
		seen[e.x.ID] = e
	}
	return nil
}

// about marks an estimated number of tokens.
func (b *builder) about() string {
	if b.o.Counter.Exact {
		return ""
	}
	return " (approximate)"
}

// Built is a finished dataset.
type Built struct{ b *builder }

// Examples yields the examples of a split in the order in which they came; no error comes with them.
// The examples may be read again and again, and by several goroutines at once.
func (b *Built) Examples(s Split) iter.Seq2[Example, error] {
	return func(yield func(Example, error) bool) {
		for i := range b.b.entries {
			e := &b.b.entries[i]
			x := e.x
			if !e.given {
				x.Split = "" // the source said none
			}
			if e.kept() && e.x.Split == s && !yield(x, nil) {
				return
			}
		}
	}
}

// Dropped returns the examples that are not in the dataset: first those that their sources gave up,
// then those that the build dropped, both in the order in which they came.
func (b *Built) Dropped() []Dropped {
	list := slices.Clone(b.b.gone)
	for i := range b.b.entries {
		if why := b.b.entries[i].why; why != nil {
			list = append(list, *why)
		}
	}
	return list
}

// Report returns what is known of the dataset.
func (b *Built) Report() *Report { return b.b.report }

// Uneven returns the warnings of the report about splits that are empty or nearly so.
func (b *Built) Uneven() []string { return b.b.uneven }
