package compare

import (
	"fmt"
	"math"
	"strings"

	"parley/eval/report"
)

// conclude says in a sentence what follows from the headline metric, what does not, and how many more
// situations would settle it.
func (r *Report) conclude() string {
	title := r.metric(r.Headline).Title
	if len(r.Arms) == 0 || r.Arms[0].Metrics[r.Headline].Value == nil {
		return "Nothing can be concluded: no arm has a score of " + title + "."
	}
	if len(r.Arms) == 1 {
		v := r.Arms[0].Metrics[r.Headline]
		return fmt.Sprintf("%s of %s is %s over %d sessions; whether that is good, only another --player tells.", title, r.Arms[0].Arm, within(v.Value, v.Low, v.High, 1), r.Arms[0].Sessions)
	}
	reference, family := r.reference(), 0
	var ahead, behind, open []string
	var widest *Difference
	for i := range r.Differences {
		d := &r.Differences[i]
		if d.Metric != r.Headline {
			continue
		}
		family++
		switch {
		case d.B != reference:
		case d.clear() && (*d.Value < 0) == r.metric(r.Headline).Higher:
			behind = append(behind, d.A)
		case d.clear():
			ahead = append(ahead, d.A)
		default:
			open = append(open, d.A)
			if widest == nil || d.Needed != nil && (widest.Needed == nil || *d.Needed > *widest.Needed) {
				widest = d
			}
		}
	}
	var parts []string
	if len(behind) > 0 {
		parts = append(parts, fmt.Sprintf("by %s, %s is better than %s", title, reference, and(behind)))
	}
	if len(ahead) > 0 {
		parts = append(parts, fmt.Sprintf("by %s, %s is worse than %s", title, reference, and(ahead)))
	}
	if len(open) > 0 {
		parts = append(parts, fmt.Sprintf("whether %s and %s differ cannot be concluded%s", reference, and(open), widest.settle(family)))
	}
	if len(parts) == 0 {
		return "Nothing can be concluded: no two arms have scores of the same situations."
	}
	text := strings.Join(parts, "; ")
	if len(open) == 0 {
		text += " (every p below 0.05 after Holm's correction)"
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// reference returns the arm that others are compared with: the baseline, else the best.
func (r *Report) reference() string {
	if r.Baseline != "" {
		return r.Baseline
	}
	return r.Arms[0].Arm
}

// settle says how many more situations would show the difference.
func (d *Difference) settle(family int) string {
	text := fmt.Sprintf(" from %d situations", d.Pairs)
	switch {
	case d.Needed != nil && *d.Needed > d.Pairs:
		text += fmt.Sprintf(": a difference of %.1f would take about %s more to be seen 4 times in 5", math.Abs(*d.Value), report.Grouped(int64(*d.Needed-d.Pairs)))
	case d.Needed != nil:
		text += fmt.Sprintf(", though %d would show a difference of %.1f 4 times in 5", *d.Needed, math.Abs(*d.Value))
	case d.Value != nil && *d.Value == 0 && d.Pairs > 1:
		text += ", in which there was no difference at all"
	case d.Pairs < 2:
		return text + ": play at least 2, better 30, that both have scores of"
	}
	if least, ok := d.detectable(family); ok {
		text += fmt.Sprintf(" (so many show one of %.1f or more)", least)
	}
	return text
}

// and joins names.
func and(names []string) string {
	if len(names) > 4 {
		names = append(names[:3:3], fmt.Sprintf("%d others", len(names)-3))
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// against returns the difference of an arm from the reference in a metric; nil where there is none.
func (r *Report) against(arm, metric string) *Difference {
	reference := r.reference()
	for i := range r.Differences {
		if d := &r.Differences[i]; d.Metric == metric && d.A == arm && d.B == reference {
			return d
		}
	}
	return nil
}
