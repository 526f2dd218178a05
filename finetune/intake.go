package finetune

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
)

// incoming is what a stream yields: an example, or one that its source gave up.
type incoming struct {
	x    Example
	gone *Dropped
}

func arrive(xs iter.Seq2[Example, error]) iter.Seq2[incoming, error] {
	return func(yield func(incoming, error) bool) {
		for x, err := range xs {
			in := incoming{x: x}
			if errors.As(err, &in.gone) {
				err = nil
			}
			if !yield(in, err) {
				return
			}
		}
	}
}

// made is an example as the workers leave it.
type made struct {
	incoming
	entry  entry
	record []byte
	sketch []byte
	scrubs Scrubs
}

// desk is what a worker writes on.
type desk struct {
	text  []byte
	grams []uint64
}

// make scrubs, hashes and counts an example.
func (b *builder) make(in incoming, d *desk) (m made, err error) {
	m.incoming = in
	if in.gone != nil {
		return m, nil
	}
	x := &m.x
	if err := x.Validate(); err != nil {
		return m, err
	}
	e := &m.entry
	if x.Split != "" {
		split := slices.Index(Splits(), x.Split)
		if split < 0 {
			return m, fmt.Errorf("example %s: its source puts it into the split %q; there are train, validation and test", x.ID, x.Split)
		}
		e.split, e.given = uint8(split), true
	}
	m.scrub()
	if x.Rejected != "" && x.Rejected == x.Completion[0].Content {
		e.fate = alike
	}
	t := b.o.Counter.Of(x)
	e.length, e.all, e.learned = uint32(t.Length), uint32(t.All), uint32(t.Learned)
	if b.o.MaxTokens > 0 && t.Length > b.o.MaxTokens {
		e.fate = tooLong
	}
	m.hash(d)
	m.sketch = sketch(nil, d.grams)
	m.record = encode(nil, x)
	return m, nil
}

// hash sets an entry's hashes and words, and leaves its grams on the desk.
func (m *made) hash(d *desk) {
	x, e := &m.x, &m.entry
	d.text = d.text[:0]
	lesson := 0
	for i, list := range [][]Message{x.Prompt, x.Completion} {
		if i == 1 {
			lesson = len(d.text)
		}
		for j := range list {
			d.text = append(append(d.text, list[j].Role...), 0)
			d.text = append(fold(d.text, list[j].Content), 0)
		}
	}
	d.text = fold(d.text, x.Rejected)
	sum := sha256.Sum256(d.text)
	e.digest = [16]byte(sum[:])
	e.lesson = hashOf(string(d.text[lesson:]))
	e.id, e.group = hashOf(x.ID), hashOf(x.Group)
	if x.Scenario != "" {
		e.scenario = hashOf("scenario\x00" + x.Scenario)
	}
	var words int
	d.grams, words = grams(d.grams[:0], bodyOf(x), nearWords)
	e.words = uint32(words)
}

// scrub takes personal data out of all texts. What stands in the messages is counted.
func (m *made) scrub() {
	x := &m.x
	for _, list := range []*[]Message{&x.Prompt, &x.Completion} {
		mine := false // the source may hold on to its messages
		for i := range *list {
			text := Scrub((*list)[i].Content, &m.scrubs)
			if text == (*list)[i].Content {
				continue
			}
			if !mine {
				*list, mine = slices.Clone(*list), true
			}
			(*list)[i].Content = text
		}
	}
	x.Rejected = Scrub(x.Rejected, &m.scrubs)
	var twice Scrubs
	x.Body = Scrub(x.Body, &twice)
}

// bodyOf is the play in an example: its Body, or all its messages where it has none.
func bodyOf(x *Example) string {
	if x.Body != "" {
		return x.Body
	}
	var out strings.Builder
	for _, list := range [][]Message{x.Prompt, x.Completion} {
		for i := range list {
			out.WriteString(list[i].Content)
			out.WriteByte('\n')
		}
	}
	out.WriteString(x.Rejected)
	return out.String()
}

// readAll takes the examples in.
func (b *builder) readAll(ctx context.Context, xs iter.Seq2[Example, error]) error {
	b.begin("read", 0)
	err := ordered(ctx, arrive(xs), b.make, func(m made) error {
		if b.report.Read++; b.report.Read%1024 == 0 {
			b.progress(int64(b.report.Read))
		}
		if m.gone != nil {
			b.reasons[m.gone.Reason]++
			record, err := json.Marshal(m.gone)
			if err == nil {
				_, err = b.gone.append(record)
			}
			return err
		}
		if b.o.Task == "" {
			b.o.Task = m.x.Task
		}
		if m.x.Task != b.o.Task {
			return fmt.Errorf("example %s is of the task %q in a dataset of the task %q; build one dataset for each", m.x.ID, m.x.Task, b.o.Task)
		}
		e := m.entry
		e.source, e.model = b.names.id(m.x.Source), b.names.id(m.x.Model)
		e.labels = b.names.id(strings.Join(m.x.Labels, labelMark))
		var err error
		if e.at, err = b.spool.append(m.record); err != nil {
			return err
		}
		if err := b.sketches.raw(m.sketch); err != nil {
			return err
		}
		if m.scrubs != (Scrubs{}) {
			b.scrubbed = append(b.scrubbed, scrubbed{len(b.entries), m.scrubs})
		}
		b.entries = append(b.entries, e)
		return nil
	})
	if err != nil {
		return err
	}
	b.progress(int64(b.report.Read))
	if len(b.entries) == 0 {
		return b.nothing()
	}
	return errors.Join(b.spool.flush(), b.sketches.flush(), b.gone.flush())
}

// holdOut takes in the evaluation examples that stand elsewhere.
func (b *builder) holdOut(ctx context.Context) error {
	if b.o.Holdout == nil {
		return nil
	}
	b.begin("hold out", 0)
	groups := make(map[uint64]bool)
	for i := range b.entries {
		groups[b.entries[i].group] = true
	}
	work := func(in incoming, d *desk) (m made, err error) {
		m.incoming = in
		m.scrub()
		m.hash(d)
		m.record = encode(nil, &Example{ID: m.x.ID, Body: bodyOf(&m.x)})
		return m, nil
	}
	err := ordered(ctx, arrive(b.o.Holdout), work, func(m made) error {
		if m.gone != nil {
			return nil
		}
		if groups[m.entry.group] {
			return fmt.Errorf("the group %q stands in the examples and in the holdout as well: what is tested would be learned; build without it, or take it out of the holdout", m.x.Group)
		}
		at, err := b.holdout.append(m.record)
		e := m.entry
		b.held = append(b.held, held{at: at, digest: e.digest, group: e.group, scenario: e.scenario, words: int(e.words)})
		if len(b.held)%1024 == 0 {
			b.progress(int64(len(b.held)))
		}
		return err
	})
	if err != nil {
		return err
	}
	b.report.Held = len(b.held)
	return b.holdout.flush()
}
