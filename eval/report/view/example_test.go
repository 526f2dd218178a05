package view_test

import (
	"os"
	"strings"

	"parley/eval/report/view"
)

// A page is sections of blocks; foreign text in them stays text.
func Example() {
	mean, low, high := 42.5, 40.9, 44.2
	page := view.Page{Title: "Results", Sections: []view.Section{{ID: "results", Title: "Results", Blocks: []view.Block{
		&view.Figure{ID: "means", Caption: "Means", Plot: &view.Dots{Title: "Means", Rows: []view.Dot{
			{Label: "first <arm>", Value: &mean, Low: &low, High: &high},
		}}},
	}}}}
	var html strings.Builder
	if err := page.Write(&html); err != nil {
		panic(err)
	}
	_, description, _ := strings.Cut(html.String(), `<desc id="means-desc">`)
	description, _, _ = strings.Cut(description, "</desc>")
	os.Stdout.WriteString(description)
	// Output: first &lt;arm&gt;: 42.5 (40.9 to 44.2).
}
