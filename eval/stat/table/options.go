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
	out := &settings{level: o.Level, power: o.Power, diff: o.Diff, zeros: stat.Zeros(o.Zeros), method: o.Method}
	switch o.Alternative {
	case "two-sided":
	case "greater", "less":
		if !s.sided {
			return nil, usage("%s is two-sided only", s.Name)
		}
		out.alternative = stat.Alternative(o.Alternative)
	default:
		return nil, usage("--alternative %s is none of two-sided, greater and less", o.Alternative)
	}
	switch {
	case o.Method != "" && len(s.methods) == 0:
		return nil, usage("%s takes no --method", s.Name)
	case o.Method != "" && !slices.Contains(s.methods, o.Method):
		return nil, usage("--method %s of %s is none of %s", o.Method, s.Name, strings.Join(s.methods, ", "))
	case out.zeros != stat.DropZeros && out.zeros != stat.RankZeros:
		return nil, usage("--zeros %s is neither wilcox nor pratt", o.Zeros)
	case !(o.Level > 0 && o.Level < 1):
		return nil, usage("--level %v is not between 0 and 1", o.Level)
	case !(o.Power > 0 && o.Power < 1):
		return nil, usage("--power %v is not between 0 and 1", o.Power)
	case o.Draws < stat.MinDraws:
		return nil, usage("--draws %d are too few for an interval: take %d or more", o.Draws, stat.MinDraws)
	case s.Name != "bootstrap" && o.Of != "":
		return nil, usage("--of goes with --test bootstrap")
	}
	if o.Method == "" && len(s.methods) > 0 {
		out.method = s.methods[0]
	}
	if o.Labels != "" {
		for _, l := range strings.Split(o.Labels, ",") {
			out.labels = append(out.labels, labelOf(l))
		}
	}
	out.boot = stat.Bootstrap{Draws: o.Draws, Level: o.Level, BCa: out.method == "bca", Rand: rand.New(rand.NewPCG(o.Seed, o.Seed))}
	if s.Name == "bootstrap" {
		of, err := Find(cmp.Or(o.Of, "mean"))
		if err != nil {
			return nil, err
		}
		if of.value == nil {
			return nil, usage("--of %s cannot be resampled row by row", of.Name)
		}
		out.of = of
	}
	return out, nil
}

// Check reports what is wrong with options before a table is read.
func (s *Statistic) Check(o Options) error {
	_, err := s.settings(o)
	return err
}

// column returns the column that an option names.
func (o *Options) column(flag string) string {
	return map[string]string{"x": o.X, "y": o.Y, "group": o.Group, "raters": o.Raters}[flag]
}
