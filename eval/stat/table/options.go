package table

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/eval/stat"
)

// settings are the options of a statistic beside the columns, checked.
type settings struct {
	level, power float64
	diff         *float64
	alternative  stat.Alternative
	zeros        stat.Zeros
	method       string
	boot         stat.Bootstrap
	of           *Statistic
	labels       []string
}

// Options are what a user asks for: the columns by name, and the settings of the statistic. Empty ones are the
// defaults of the command.
type Options struct {
	X, Y, Group, Raters, Labels string
	Of, Method                  string
	Zeros, Alternative          string
	Level, Power                float64
	Diff                        *float64 // of means; nil: the one in the table
	Draws                       int
	Seed                        uint64
}

// Usage is an error in the options, not in the table.
type Usage struct{ text string }

func (u *Usage) Error() string { return u.text }

func usage(format string, args ...any) error { return &Usage{fmt.Sprintf(format, args...)} }

// settings checks the options of a statistic.
func (s *Statistic) settings(o Options) (*settings, error) {
	if err := s.Check(o); err != nil {
		return nil, err
	}
	out := &settings{level: o.Level, power: o.Power, diff: o.Diff, zeros: stat.Zeros(o.Zeros), method: o.Method}
	if o.Alternative != "two-sided" {
		out.alternative = stat.Alternative(o.Alternative)
	}
	if o.Method == "" && len(s.methods) > 0 {
		out.method = s.methods[0]
	}
	if o.Labels != "" {
		for l := range strings.SplitSeq(o.Labels, ",") {
			out.labels = append(out.labels, labelOf(l))
		}
	}
	out.boot = stat.Bootstrap{Draws: o.Draws, Level: o.Level, BCa: out.method == "bca", Rand: rand.New(rand.NewPCG(o.Seed, o.Seed))}
	var err error
	out.of, err = s.resampled(o)
	return out, err
}

// Check reports what is wrong with options before a table is read.
func (s *Statistic) Check(o Options) error {
	switch {
	case !slices.Contains([]string{"two-sided", "greater", "less"}, o.Alternative):
		return usage("--alternative %s is none of two-sided, greater and less", o.Alternative)
	case o.Alternative != "two-sided" && !s.sided:
		return usage("%s is two-sided only", s.Name)
	case o.Method != "" && len(s.methods) == 0:
		return usage("%s takes no --method", s.Name)
	case o.Method != "" && !slices.Contains(s.methods, o.Method):
		return usage("--method %s of %s is none of %s", o.Method, s.Name, strings.Join(s.methods, ", "))
	case o.Zeros != string(stat.DropZeros) && o.Zeros != string(stat.RankZeros):
		return usage("--zeros %s is neither wilcox nor pratt", o.Zeros)
	case !(o.Level > 0 && o.Level < 1):
		return usage("--level %v is not between 0 and 1", o.Level)
	case !(o.Power > 0 && o.Power < 1):
		return usage("--power %v is not between 0 and 1", o.Power)
	case o.Draws < stat.MinDraws:
		return usage("--draws %d are too few for an interval: take %d or more", o.Draws, stat.MinDraws)
	}
	_, err := s.resampled(o)
	return err
}

// resampled returns the statistic that a bootstrap resamples; nil: this is no bootstrap.
func (s *Statistic) resampled(o Options) (*Statistic, error) {
	switch {
	case s.Name != "bootstrap" && o.Of != "":
		return nil, usage("--of goes with --test bootstrap")
	case s.Name != "bootstrap":
		return nil, nil
	}
	of, err := Find(cmp.Or(o.Of, "mean"))
	if err == nil && of.value == nil {
		err = usage("--of %s cannot be resampled row by row", of.Name)
	}
	return of, err
}

// column returns the column that an option names.
func (o *Options) column(flag string) string {
	return map[string]string{"x": o.X, "y": o.Y, "group": o.Group, "raters": o.Raters}[flag]
}
