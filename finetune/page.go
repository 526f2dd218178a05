package finetune

import (
	"fmt"
	"io"
	"strings"
)

const (
	shownSources = 30
	listedLabels = 100
)

var aboutTasks = map[Task]string{
	DM:         "From a window of tabletop role-play to who tries which skill: the prompt is the window, the completion a JSON list of pairs of character and skill.",
	Roleplay:   "From what a character is told and perceives to its turn in a tabletop role-play session. Only the character's own turns are to be learned.",
	Preference: "Two turns for the same view of a tabletop role-play session, the better one being the completion and the worse one rejected.",
	Judge:      "From a judge's question about play to its verdict.",
}

// page writes what follows the metadata.
func (c *Card) page(w io.Writer, r *Report) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	p("\n%s\n", aboutTasks[r.Task])
	if c.About != "" {
		p("\n%s\n", strings.TrimSpace(c.About))
	}
	p("\n## Loading\n\n```python\nfrom datasets import load_dataset\n\ndata = load_dataset(\"path/of/this/directory\")\n```\n")
	p("\n`messages` is prompt and completion in one; only the assistant's messages of the completion are to be learned. `prompt` and `completion` are the same apart.\n")

	p("\n## Splits\n\nBy %s, with the seed %d, asked for as %s. What stands in one split stands in no other: no %s is torn apart", r.By, r.Seed, shares(r), r.By)
	if r.Given > 0 {
		p("; %d examples stand where their source puts them", r.Given)
	}
	p(".\n\n")
	p("| split | examples | groups | scenarios | tokens | learned | mean | median | p90 | p99 | longest |\n|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range r.Splits {
		l := s.Lengths
		p("| %s | %d | %d | %d | %d | %d | %.1f | %d | %d | %d | %d |\n", s.Split, s.Examples, s.Groups, s.Scenarios, l.All, l.Learned, l.Mean, l.Median, l.P90, l.P99, l.Max)
	}
	if r.Tokens.Exact {
		p("\nTokens are counted with %s, what a chat template adds included.", escape(r.Tokens.Counter))
	} else {
		p("\nTokens are approximate (an estimate from the letters of the text).")
	}
	if r.Tokens.Limit > 0 {
		p(" The limit was %d", r.Tokens.Limit)
		if r.Tokens.Trainer != "" {
			p(", for %s", escape(r.Tokens.Trainer))
		}
		p("; longer examples are dropped, none is cut.")
	}
	if r.Tokens.Setting != "" {
		p(" Train with `%s`.", r.Tokens.Setting)
	}
	p("\n\n| up to so many tokens |")
	var ups []int
	for _, s := range r.Splits {
		if len(s.Lengths.Buckets) > 0 {
			for _, b := range s.Lengths.Buckets {
				if len(ups) == 0 || b.UpTo > ups[len(ups)-1] {
					ups = append(ups, b.UpTo)
				}
			}
		}
		p(" %s |", s.Split)
	}
	p("\n|---|%s\n", strings.Repeat("---|", len(r.Splits)))
	for _, up := range ups {
		p("| %d |", up)
		for _, s := range r.Splits {
			p(" %d |", inBucket(s.Lengths.Buckets, up))
		}
		p("\n")
	}

	c.quality(w, r)
	if len(r.Labels) > 0 {
		p("\n## Labels\n\nExamples that have a label, and their share of the split. %s\n\n| label | train | validation | test |\n|---|---|---|---|\n", drifts(r))
		for _, row := range r.Labels[:min(len(r.Labels), listedLabels)] {
			p("| %s |", escape(row.Label))
			for _, s := range Splits() {
				p(" %d (%.1f %%) |", row.N[s], 100*row.Shares[s])
			}
			p("\n")
		}
		if n := len(r.Labels) - listedLabels; n > 0 {
			p("| and %d rarer ones | | | |\n", n)
		}
		var without []string
		for _, s := range r.Splits {
			without = append(without, fmt.Sprintf("%d of %s", s.Unlabeled, s.Split))
		}
		p("\nWithout a label: %s.\n", strings.Join(without, ", "))
	}
	p("\n## Privacy\n\nTaken out of the messages of all splits and replaced by `%s`, `%s`, `%s` and `%s`: %s.\n\n| split | e-mail | phone | public IP | key |\n|---|---|---|---|---|\n", noEmail, noPhone, noIP, noKey, r.Scrubbed)
	for _, s := range r.Splits {
		p("| %s | %d | %d | %d | %d |\n", s.Split, s.Scrubbed.Email, s.Scrubbed.Phone, s.Scrubbed.IP, s.Scrubbed.Key)
	}
	p("\nNames are not taken out, and what only may be a number of a person is left: read before you publish.\n")
	p("\n## Provenance\n\nThe text of the play was written by people or by language models, as the sources say; check the licence of both.\n\n")
	listed(w, "source", r.Sources, "unnamed")
	listed(w, "written by", r.Models, "people, or not known")
	if len(c.Made) > 0 {
		p("Made so:\n\n")
		for _, line := range c.Made {
			p("    %s\n", clean(line))
		}
		p("\n")
	}
	p("`report.json` holds every number of this page, `dropped.jsonl` each example that was dropped, and why.\n")
}

// quality writes what was dropped, how it was found, and what to look at.
func (c *Card) quality(w io.Writer, r *Report) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format, args...) }
	p("\n## Quality\n\nOf %d examples %d are kept.\n\n| dropped because | examples |\n|---|---|\n", r.Read, r.Kept)
	for _, d := range r.Dropped {
		p("| %s | %d |\n", escape(d.Name), d.N)
	}
	p(`
- Duplicates have the same messages but for case, white space and Unicode's compatibility forms (NFKC).
- Near duplicates share %.0f %% or more of their runs of %d words, estimated by MinHash in %d bands of %d. The first is kept. Within a group, where windows overlap, they have to teach the same as well.
- Contaminated is an example of train that shares %d words in a row with one of validation, test or the holdout (%s).
`, 100*r.Near.Threshold, r.Near.Words, r.Near.Bands, r.Near.Rows, r.Leaks.Words, plural(r.Held, "example"))
	if n := r.Leaks.Formulas; n > 0 {
		p("- %s so many groups say that they are formulas and no leak:", plural(n, "passage"))
		for i, f := range r.Leaks.Shown {
			mark := ";"
			if i == 0 {
				mark = ""
			}
			p("%s \"%s\" (%d groups or more)", mark, escape(f.Name), f.N)
		}
		p(".\n")
	}
	if len(r.Warnings) > 0 {
		p("\nTo look at before training:\n\n")
		for _, warning := range r.Warnings {
			p("- %s\n", escape(warning))
		}
	}
}

func inBucket(buckets []Bucket, up int) int {
	for _, b := range buckets {
		if b.UpTo == up {
			return b.N
		}
	}
	return 0
}

// shares are the shares that were asked for, such as 90/5/5.
func shares(r *Report) string {
	var parts []string
	for _, s := range Splits() {
		parts = append(parts, fmt.Sprintf("%.4g", 100*r.Shares[s]))
	}
	return strings.Join(parts, "/")
}

// drifts says how far the labels of evaluation are from train's.
func drifts(r *Report) string {
	var parts []string
	for _, s := range Splits()[1:] {
		if d := r.Drift[s]; d != nil {
			parts = append(parts, fmt.Sprintf("%.3f bits to %s", *d, s))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Drift from train (Jensen-Shannon divergence, 0 is none and 1 is all): " + strings.Join(parts, ", ") + "."
}

// listed writes a table of names.
func listed(w io.Writer, what string, list []Count, unnamed string) {
	fmt.Fprintf(w, "| %s | examples |\n|---|---|\n", what)
	for _, c := range list[:min(len(list), shownSources)] {
		name := escape(c.Name)
		if c.Name == "" {
			name = unnamed
		}
		fmt.Fprintf(w, "| %s | %d |\n", name, c.N)
	}
	if n := len(list) - shownSources; n > 0 {
		fmt.Fprintf(w, "| and %d more | |\n", n)
	}
	fmt.Fprintln(w)
}
