package finetune

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"
)

const shownLabels = 20

// Write writes the report for people.
func (r *Report) Write(w io.Writer) error {
	var out bytes.Buffer
	p := func(format string, args ...any) { fmt.Fprintf(&out, format, args...) }
	p("%d of %d examples of the task %s are kept, of %s", r.Kept, r.Read, r.Task, plural(r.Groups, "group"))
	if r.Scenarios > 0 {
		p(" in %s", plural(r.Scenarios, "scenario"))
	}
	p("\n")
	for _, c := range r.Dropped {
		p("  dropped: %d %s\n", c.N, clean(c.Name))
	}
	about := "counted with " + r.Tokens.Counter
	if !r.Tokens.Exact {
		about = "approximate"
	}
	p("\nSplit by %s, seed %d; tokens %s\n", r.By, r.Seed, about)
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "split\texamples\tgroups\tscenarios\ttokens\tlearned\tmedian\tp90\tp99\tlongest\tscrubbed\t")
	for _, s := range r.Splits {
		l := s.Lengths
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", s.Split, s.Examples, s.Groups, s.Scenarios, l.All, l.Learned, l.Median, l.P90, l.P99, l.Max, s.Scrubbed.Total())
	}
	t.Flush()
	if r.Tokens.Limit > 0 {
		p("limit %d tokens", r.Tokens.Limit)
		if r.Tokens.Trainer != "" {
			p(" for %s", r.Tokens.Trainer)
		}
		p(", the longest example has %d%s\n", r.Tokens.Longest, r.about())
	}
	if r.Tokens.Setting != "" {
		p("train with %s, so that nothing is cut\n", r.Tokens.Setting)
	}
	p("taken out: %s\n", r.Scrubbed)
	if len(r.Labels) > 0 {
		p("\n")
		t = tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "label\ttrain\t%\tvalidation\t%\ttest\t%")
		for _, row := range r.Labels[:min(len(r.Labels), shownLabels)] {
			fmt.Fprint(t, clean(row.Label))
			for _, s := range Splits() {
				fmt.Fprintf(t, "\t%d\t%.1f", row.N[s], 100*row.Shares[s])
			}
			fmt.Fprintln(t)
		}
		t.Flush()
		if n := len(r.Labels) - shownLabels; n > 0 {
			p("and %s\n", plural(n, "rarer label"))
		}
		for _, s := range Splits()[1:] {
			if d := r.Drift[s]; d != nil {
				p("drift of labels from train to %s: %.3f bits (Jensen-Shannon)\n", s, *d)
			}
		}
	}
	for _, w := range r.Warnings {
		p("\nwarning: %s", clean(w))
	}
	if len(r.Warnings) > 0 {
		p("\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (r *Report) about() string {
	if r.Tokens.Exact {
		return ""
	}
	return " (approximate)"
}

// String writes the counts in a line.
func (s Scrubs) String() string {
	return strings.Join([]string{
		plural(s.Email, "e-mail address"), plural(s.Phone, "phone number"), plural(s.IP, "public IP address"), plural(s.Key, "key"),
	}, ", ")
}

// clean makes one printable line of a foreign text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError || unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r) || unicode.IsControl(r):
			return ' '
		}
		return r
	}, text)
}
