package finetune

import (
	"fmt"
	"slices"
)

// From where on something is worth a warning.
const (
	muchOfLabel  = 0.5     // of the examples of train
	muchDrift    = 0.1     // bits
	enoughLabels = 100     // examples of a split, below which drift is chance
	muchLeaked   = 0.1     // of train
	minOfShare   = 1.0 / 3 // of the share of a split that was asked for
)

// warn puts into the report what a person should look at before training.
func (b *builder) warn() {
	b.report.Warnings = []string{}
	b.warnOfSplits()
	b.uneven = slices.Clone(b.report.Warnings)
	b.warnOfLabels()
	b.warnOfDropped()
}

func (r *Report) say(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func (b *builder) warnOfSplits() {
	r := b.report
	units := r.Groups
	if r.By == "scenario" && r.Scenarios > 0 {
		units = r.Scenarios
	}
	for _, part := range r.Splits {
		got := float64(part.Examples) / float64(r.Kept)
		asked := r.Shares[part.Split]
		switch {
		case asked == 0:
		case r.Given == r.Kept && part.Examples == 0:
			r.say("%s is empty: no source puts an example there", part.Split)
		case r.Given == 0 && part.Examples == 0:
			r.say("%s is empty, as there are only %s to divide: take more data, another seed or a larger share", part.Split, Plural(units, r.By))
		case r.Given == 0 && got < minOfShare*asked:
			r.say("%s is nearly empty: it has %.1f %% of the examples, and %.1f %% were asked for, as there are only %s to divide: take more data, another seed, or --split-by group", part.Split, 100*got, 100*asked, Plural(units, r.By))
		}
	}
}

// warnOfLabels looks at labels that are to be predicted; of the other tasks they only say what kind of turn is
// learned.
func (b *builder) warnOfLabels() {
	r := b.report
	if len(r.Labels) > 1 && (r.Task == DM || r.Task == Judge) {
		for _, row := range r.Labels {
			if share := row.Shares[Train]; share > muchOfLabel {
				r.say("the label %q is in %.0f %% of train: a model that always says it will look good", row.Label, 100*share)
			}
		}
	}
	for _, part := range r.Splits[1:] {
		if d := r.Drift[part.Split]; d != nil && *d > muchDrift && part.Examples >= enoughLabels {
			r.say("the labels of %s are distributed otherwise than those of train (Jensen-Shannon %.2f bits)", part.Split, *d)
		}
	}
}

func (b *builder) warnOfDropped() {
	r := b.report
	dropped := map[Reason]int{}
	for _, c := range r.Dropped {
		dropped[Reason(c.Name)] = c.N
	}
	train := r.Splits[0].Examples
	if n := dropped[Contaminated]; train > 0 && float64(n) > muchLeaked*float64(train+n) {
		how := ""
		if r.By == "group" && r.Scenarios > 1 {
			how = ", as the same scenarios are on both sides: splitting by scenario would keep more"
		}
		r.say("%d of %d examples of train shared a passage with evaluation and are dropped%s", n, train+n, how)
	}
	if n := dropped[NearDuplicate] + dropped[Duplicate]; 2*n > r.Read {
		r.say("%d of %d examples are duplicates or nearly so: the play repeats itself", n, r.Read)
	}
	if n := dropped[TooLong]; n > 0 {
		cut := ""
		if t, err := LookupTrainer(b.o.Trainer); err == nil {
			cut = " (" + t.Cut + ")"
		}
		r.say("%d examples have more than %d tokens%s and are dropped%s: --max-tokens sets the limit", n, b.o.MaxTokens, b.about(), cut)
	}
}
