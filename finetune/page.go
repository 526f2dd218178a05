package finetune

import (
	_ "embed"
	"fmt"
	"io"
	"parley/sim/llm"
	"slices"
	"strings"
	"text/tabwriter"
	"text/template"
)

//go:embed pages/card.md
var cardText string

//go:embed pages/report.txt
var reportText string

var pages = template.Must(template.Must(template.New("card").Funcs(template.FuncMap{
	"escape": escape, "clean": llm.Clean, "plural": Plural[int], "splits": Splits, "shares": shares, "drifts": drifts, "buckets": buckets,
	"inBucket": func(list []Bucket, up int) int {
		if i := slices.IndexFunc(list, func(b Bucket) bool { return b.UpTo == up }); i >= 0 {
			return list[i].N
		}
		return 0
	},
	"percent":  func(x float64) string { return fmt.Sprintf("%.0f", 100*x) },
	"percent1": func(x float64) string { return fmt.Sprintf("%.1f", 100*x) },
	"first":    func(list []LabelRow, n int) []LabelRow { return list[:min(len(list), n)] },
	"more":     func(n, shown int) int { return max(0, n-shown) },
}).Parse(cardText)).New("report").Parse(reportText))

// Write writes the report for people.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if err := pages.ExecuteTemplate(t, "report", r); err != nil {
		return fmt.Errorf("write the report of a dataset: %w", err)
	}
	return t.Flush()
}

// buckets are the upper ends of the histogram over the lengths of all splits.
func buckets(r *Report) (list []int) {
	for _, s := range r.Splits {
		for _, b := range s.Lengths.Buckets {
			list = append(list, b.UpTo)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// shares are the shares that were asked for, such as 90/5/5.
func shares(r *Report) string {
	var parts []string
	for _, s := range Splits() {
		parts = append(parts, fmt.Sprintf("%.4g", 100*r.Shares[s]))
	}
	return strings.Join(parts, "/")
}

// drifts says how far the labels of evaluation are from those of train; empty where it is not known.
func drifts(r *Report) string {
	var parts []string
	for _, s := range Splits()[1:] {
		if d := r.Drift[s]; d != nil {
			parts = append(parts, fmt.Sprintf("%.3f bits to %s", *d, s))
		}
	}
	return strings.Join(parts, ", ")
}

// String writes the counts in a line.
func (s Scrubs) String() string {
	return strings.Join([]string{
		Plural(s.Email, "e-mail address"), Plural(s.Phone, "phone number"), Plural(s.IP, "public IP address"), Plural(s.Key, "key"),
	}, ", ")
}

// Plural writes a number with its noun.
func Plural[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

var marks = strings.NewReplacer(func() (pairs []string) {
	for _, c := range "\\`*_{}[]()#+!|~>$" {
		pairs = append(pairs, string(c), `\`+string(c))
	}
	return append(pairs, "<", "&lt;", "&", "&amp;")
}()...)

// escape writes a foreign text so that Markdown takes none of it for its own.
func escape(text string) string { return marks.Replace(llm.Clean(text)) }
