package view

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// Plot draws itself as one SVG element. The id is the prefix of all ids in it.
type Plot interface{ SVG(id string) string }

// Figure is a plot with its caption, and the numbers that it shows as a table.
type Figure struct {
	ID      string // an anchor, unique within the page
	Caption string
	Plot    Plot
	Numbers *Table // nil: the plot has them in it
}

// Drawing returns the plot for the page's template.
func (f *Figure) Drawing() template.HTML { return template.HTML(f.Plot.SVG(f.ID)) }

// Of the drawings, in pixels at the size that they are made for.
const (
	plotWidth  = 720.0
	letter     = 6.6 // mean advance of a letter of the labels, 12 px high
	seriesKept = 6   // colours; more series begin again
)

// seriesClass names the colour and the mark of a series.
func seriesClass(i int) string { return fmt.Sprintf("s%d", ((i%seriesKept)+seriesKept)%seriesKept+1) }

// drawing collects the elements of an SVG.
type drawing struct{ b strings.Builder }

// finish wraps what was drawn, with the title and the description that stand for it where it cannot
// be seen.
func (d *drawing) finish(id, title, description string, height float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-title" aria-describedby="%s-desc"><title id="%s-title">%s</title><desc id="%s-desc">%s</desc>%s</svg>`,
		px(plotWidth), px(height), escape(id), escape(id), escape(id), escape(title), escape(id), escape(description), d.b.String())
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.b, `<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, px(x1), px(y1), px(x2), px(y2))
}

func (d *drawing) rect(class string, x, y, w, h float64) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, px(x), px(y), px(max(0, w)), px(max(0, h)))
}

// shade is a rect that is as strong as its share of 0 to 1.
func (d *drawing) shade(class string, x, y, w, h, share float64) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" fill-opacity="%s"/>`, class, px(x), px(y), px(w), px(h), strconv.FormatFloat(share, 'f', 2, 64))
}

func (d *drawing) path(class, shape string) {
	fmt.Fprintf(&d.b, `<path class="%s" d="%s"/>`, class, shape)
}

// text writes a label; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, px(x), px(y), escape(s))
}

// label writes a text that has to fit a width; what is cut off stands in its tooltip.
func (d *drawing) label(class, anchor string, x, y, width float64, s string) {
	if class == "group" {
		width *= 0.85 // bold is wider
	}
	cut := fit(s, width)
	if cut == oneLine(s) {
		d.text(class, anchor, x, y, cut)
		return
	}
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="%s" x="%s" y="%s"><title>%s</title>%s</text>`, class, anchor, px(x), px(y), escape(s), escape(cut))
}

// slanted writes a label that rises to the right from its start.
func (d *drawing) slanted(class string, x, y, width float64, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" transform="translate(%s %s) rotate(-35)"><title>%s</title>%s</text>`, class, px(x), px(y), escape(s), escape(fit(s, width)))
}

// mark draws the sign of a series: each has its shape, so that colour alone tells nothing.
func (d *drawing) mark(class string, series int, x, y, r float64) {
	class = "mark " + class + " " + seriesClass(series)
	at := func(dx, dy float64) string { return px(x+dx*r) + " " + px(y+dy*r) }
	switch ((series % seriesKept) + seriesKept) % seriesKept {
	case 0:
		fmt.Fprintf(&d.b, `<circle class="%s" cx="%s" cy="%s" r="%s"/>`, class, px(x), px(y), px(r))
	case 1:
		d.rect(class, x-0.9*r, y-0.9*r, 1.8*r, 1.8*r)
	case 2:
		d.path(class, "M"+at(0, -1.15)+"L"+at(1.1, 0.85)+"L"+at(-1.1, 0.85)+"Z")
	case 3:
		d.path(class, "M"+at(0, -1.25)+"L"+at(1.25, 0)+"L"+at(0, 1.25)+"L"+at(-1.25, 0)+"Z")
	case 4:
		d.path(class, "M"+at(0, 1.15)+"L"+at(1.1, -0.85)+"L"+at(-1.1, -0.85)+"Z")
	case 5:
		d.path(class, "M"+at(-1.1, -0.4)+"L"+at(0, -1.2)+"L"+at(1.1, -0.4)+"L"+at(0.7, 1)+"L"+at(-0.7, 1)+"Z")
	}
}

// px is a length with one decimal, or none where that is 0.
func px(v float64) string {
	if math.IsNaN(v) { // of an axis without end
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// escape makes a text safe within an XML element or attribute.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(oneLine(s))) // to a builder it cannot fail
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// advance estimates how wide a text is. There are no fonts to ask.
func advance(s string) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me):
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0x1f000:
			w += 2 * letter
		default:
			w += letter
		}
	}
	return w
}

// fit cuts a text to a width.
func fit(s string, width float64) string {
	s = oneLine(s)
	if advance(s) <= width {
		return s
	}
	w := letter // of the ellipsis
	for i, r := range s {
		if w += advance(string(r)); w > width {
			return strings.TrimRight(s[:i], " ") + "…"
		}
	}
	return s
}

// widest is the width of the widest of some labels, at most a limit.
func widest(limit float64, labels ...string) float64 {
	w := 0.0
	for _, s := range labels {
		w = max(w, advance(oneLine(s)))
	}
	return min(w, limit)
}
