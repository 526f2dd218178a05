package finetune

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// Split is a part of a dataset.
type Split string

const (
	Train      Split = "train"
	Validation Split = "validation"
	Test       Split = "test"
)

// Splits are all splits, in their order.
func Splits() []Split { return []Split{Train, Validation, Test} }

// Options say how a dataset is made of examples.
type Options struct {
	Task   Task       // of all examples; if empty, of the first
	Shares [3]float64 // of train, validation and test, in any unit, such as 90, 5, 5; all zero: all is train
	// By is what is split: "group" (also if empty), or "scenario", in which case examples without a
	// scenario go by their group. Where an example says its split, it goes there, and with it what
	// belongs together.
	By        string
	Seed      uint64
	Trainer   string                    // whose limit MaxTokens is, for the report; may be empty
	MaxTokens int                       // longer examples are dropped; 0: none is
	Counter   Counter                   // the zero Counter is Estimate()
	Holdout   iter.Seq2[Example, error] // evaluation examples elsewhere that nothing may leak into; may be nil
	Dir       string                    // an existing directory for temporary files; empty: the system's
	// Progress, if there is one, is called by one goroutine at a time now and then: with stage "read",
	// "hold out", "compare" or "leaks", and with what is done of it. A total of 0 is not known yet.
	Progress func(stage string, done, total int64)
}

// Build reads examples once and makes a dataset of them: it takes out personal data, drops examples
// that are too long, duplicates, near duplicates and those that share a passage with evaluation, and
// splits what is left. The same examples and options give the same dataset, whatever the machine.
//
// An error of the stream that is a *Dropped stands for an example that its source gave up: it is
// recorded, and the stream goes on. Any other error ends the build. The stream is read by another
// goroutine. Examples lie in temporary files, so that a million of them needs a few hundred megabytes
// of memory. The caller has to Close what Build returns.
func Build(ctx context.Context, xs iter.Seq2[Example, error], o Options) (_ *Built, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Counter.Count == nil {
		o.Counter = Estimate()
	}
	b := &builder{o: o, report: &Report{}, names: newNames(), reasons: map[Reason]int{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.close())
		}
	}()
	for _, s := range []**spool{&b.spool, &b.sketches, &b.gone, &b.holdout} {
		if *s, err = newSpool(o.Dir); err != nil {
			return nil, err
		}
	}
	if err := b.readAll(ctx, xs); err != nil {
		return nil, err
	}
	if err := b.holdOut(ctx); err != nil {
		return nil, err
	}
	b.duplicates()
	if err := b.near(ctx); err != nil {
		return nil, err
	}
	if err := b.sketches.close(); err != nil {
		return nil, broken(err)
	}
	b.sketches = nil
	if err := b.divide(); err != nil {
		return nil, err
	}
	b.heldExactly()
	if err := b.leaks(ctx); err != nil {
		return nil, err
	}
	if err := b.unique(); err != nil {
		return nil, err
	}
	if err := b.sum(); err != nil {
		return nil, err
	}
	return &Built{b: b}, nil
}

// builder is a dataset while it is made.
type builder struct {
	o       Options
	report  *Report
	entries []entry
	names   *names
	reasons map[Reason]int // of the examples that their sources gave up

	spool    *spool // the examples, scrubbed
	sketches *spool // of equal length, without heads
	gone     *spool // what sources gave up, as JSON
	holdout  *spool
	held     []held
	leaked   map[int]leak
	scrubbed []scrubbed
	stage    string
	total    int64
}

// entry is what is kept in memory of an example.
type entry struct {
	at                      int64
	digest                  [16]byte // of the messages, folded
	id                      uint64
	group, scenario, lesson uint64 // hashes; lesson is of the completion
	length, all, learned    uint32 // tokens
	words                   uint32 // of the Body
	source, model, labels   uint32 // in names
	with                    uint32 // the entry that it is a duplicate of
	share                   float32
	fate, split             uint8
	given                   bool // the split is the source's
}

// What becomes of an entry.
const (
	kept uint8 = iota
	tooLong
	alike
	duplicate
	nearDuplicate
	contaminated
)

var fates = [...]Reason{tooLong: TooLong, alike: Alike, duplicate: Duplicate, nearDuplicate: NearDuplicate, contaminated: Contaminated}

// held is an evaluation example that stands elsewhere.
type held struct {
	at              int64
	digest          [16]byte
	group, scenario uint64
	words           int
}

type scrubbed struct {
	index  int
	counts Scrubs
}

func (b *builder) close() (err error) {
	for _, s := range []*spool{b.spool, b.sketches, b.gone, b.holdout} {
		if s != nil {
			err = errors.Join(err, s.close())
		}
	}
	return err
}

func (b *builder) progress(done int64) {
	if b.o.Progress != nil {
		b.o.Progress(b.stage, done, b.total)
	}
}

func (b *builder) begin(stage string, total int) {
	b.stage, b.total = stage, int64(total)
	b.progress(0)
}

// duplicates drops the examples whose messages came earlier.
func (b *builder) duplicates() {
	order := make([]int32, 0, len(b.entries))
	for i := range b.entries {
		if b.entries[i].fate == kept {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(bytes.Compare(b.entries[x].digest[:], b.entries[y].digest[:]), cmp.Compare(x, y))
	})
	first := 0
	for i := 1; i < len(order); i++ {
		if b.entries[order[i]].digest != b.entries[order[first]].digest {
			first = i
			continue
		}
		e := &b.entries[order[i]]
		e.fate, e.with = duplicate, uint32(order[first])
	}
}

// heldExactly drops the examples of train that the holdout has as well, however short they are.
func (b *builder) heldExactly() {
	b.leaked = make(map[int]leak)
	if len(b.held) == 0 {
		return
	}
	first := make(map[[16]byte]int, len(b.held))
	for i := range b.held {
		if _, ok := first[b.held[i].digest]; !ok {
			first[b.held[i].digest] = i
		}
	}
	for i := range b.entries {
		e := &b.entries[i]
		if with, ok := first[e.digest]; ok && e.fate == kept && e.split == 0 {
			e.fate = contaminated
			b.leaked[i] = leak{with: len(b.entries) + with}
		}
	}
}

// unique makes sure that an id names one example.
func (b *builder) unique() error {
	order := make([]int32, 0, len(b.entries))
	for i := range b.entries {
		if b.entries[i].fate == kept {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(b.entries[x].id, b.entries[y].id), cmp.Compare(x, y))
	})
	for i := 1; i < len(order); i++ {
		if b.entries[order[i]].id != b.entries[order[i-1]].id {
			continue
		}
		x, err := b.one(int(order[i-1]))
		if err != nil {
			return err
		}
		y, err := b.one(int(order[i]))
		if err != nil {
			return err
		}
		if x.ID != y.ID { // their hashes are the same, which may happen
			continue
		}
		return fmt.Errorf("two examples have the id %q, of %q and of %q; give their sources different names, or build without one of them", y.ID, x.Source, y.Source)
	}
	return nil
}

// one reads an entry's example wherever it lies.
func (b *builder) one(i int) (Example, error) {
	record, err := b.spool.one(b.entries[i].at)
	if err != nil {
		return Example{}, err
	}
	return decode(record)
}

// other reads the id and the body of a play: of an entry or of the holdout.
func (b *builder) other(index int) (id, body string, err error) {
	var x Example
	if n := len(b.entries); index < n {
		x, err = b.one(index)
	} else {
		var record []byte
		if record, err = b.holdout.one(b.held[index-n].at); err == nil {
			x, err = decode(record)
		}
	}
	return x.ID, bodyOf(&x), err
}

// read reads an entry's example where entries are read in their order.
func (b *builder) read(in *reader, i int) (Example, error) {
	record, err := in.record(b.entries[i].at)
	if err != nil {
		return Example{}, err
	}
	return decode(record)
}
