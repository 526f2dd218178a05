package finetune

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Built is a finished dataset. Its examples lie in temporary files until it is closed.
type Built struct{ b *builder }

// Examples are the examples of a split in the order in which they came. They may be read again and
// again, and by several goroutines at once.
func (b *Built) Examples(s Split) iter.Seq2[Example, error] {
	split := slices.Index(Splits(), s)
	return func(yield func(Example, error) bool) {
		in := b.b.spool.reader()
		for i := range b.b.entries {
			if e := &b.b.entries[i]; e.fate != kept || int(e.split) != split {
				continue
			}
			x, err := b.b.read(in, i)
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}

// Dropped are the examples that are not in the dataset: first those that their sources gave up, then
// those that the build dropped, both in the order in which they came.
func (b *Built) Dropped() iter.Seq2[Dropped, error] {
	return func(yield func(Dropped, error) bool) {
		in := b.b.gone.reader()
		for in.at < b.b.gone.size {
			record, err := in.record(in.at)
			var d Dropped
			if err == nil {
				err = json.Unmarshal(record, &d)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
		in = b.b.spool.reader()
		for i := range b.b.entries {
			if b.b.entries[i].fate == kept {
				continue
			}
			x, err := b.b.read(in, i)
			var d Dropped
			if err == nil {
				d, err = b.b.why(i, &x)
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// why says why an example was dropped.
func (b *builder) why(i int, x *Example) (d Dropped, err error) {
	e := &b.entries[i]
	d = Dropped{ID: x.ID, Group: x.Group, Source: x.Source, Split: Splits()[e.split], Reason: fates[e.fate]}
	switch e.fate {
	case tooLong:
		d.Detail = fmt.Sprintf("%d tokens%s, and %d are the limit", e.length, b.about(), b.o.MaxTokens)
	case alike:
		d.Detail = "without personal data, the chosen and the rejected message are the same"
	case duplicate:
		d.With, _, err = b.other(int(e.with))
		d.Detail = "the same messages"
	case nearDuplicate:
		d.With, _, err = b.other(int(e.with))
		d.Detail = fmt.Sprintf("shares about %.0f %% of its runs of %d words", 100*e.share, nearWords)
	case contaminated:
		l := b.leaked[i]
		d.With, _, err = b.other(l.with)
		if d.Detail = "the same messages"; l.gram != 0 {
			d.Detail = "shares with evaluation: " + passage(bodyOf(x), leakWords, l.gram)
		}
	}
	return d, err
}

// about marks an estimated number of tokens.
func (b *builder) about() string {
	if b.o.Counter.Exact {
		return ""
	}
	return " (approximate)"
}

// Report is what is known of the dataset.
func (b *Built) Report() *Report { return b.b.report }

// Close removes the temporary files. Examples and Dropped cannot be read after it.
func (b *Built) Close() error {
	if err := b.b.close(); err != nil {
		return fmt.Errorf("remove the temporary files of the build: %w", err)
	}
	return nil
}
