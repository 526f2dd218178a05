package view

import (
	"fmt"
	"math"
	"strings"
)

// Dots is values with their intervals, one a row.
type Dots struct {
	Title string
	Axis  Axis
	Rows  []Dot
	Bars  bool // draw values as bars from the start of the axis
}

// Dot is one value. What has none says why.
type Dot struct {
	Group            string // a new one gets a line of its own above
	Label            string
	Value, Low, High *float64
	Least, Most      *float64 // with them, low to high is a box, and these are the ends of its whiskers
	Series           int
	Hollow           bool   // a control: drawn as an outline
	Note             string // at the end of the row, such as n of n
	Missing          string // instead of a value
}

// SVG draws the rows below each other, the axis under them.
func (p *Dots) SVG(id string) string {
	const row, top = 24.0, 8.0
	var labels, notes []string
	var values []*float64
	for _, r := range p.Rows {
		labels, notes = append(labels, r.Label), append(notes, r.Note)
		values = append(values, r.Value, r.Low, r.High, r.Least, r.Most)
	}
	left, right := 16+widest(230, labels...), 66+widest(190, notes...)
	s := p.Axis.scale(left+10, plotWidth-right, 60, values...)
	d, decimals := &drawing{}, 2 // of shares
	for _, v := range values {
		if known(v) && math.Abs(*v) > 1 {
			decimals = 1
		}
	}
	height, group := top, ""
	for _, r := range p.Rows {
		if r.Group != group {
			height += row
			group = r.Group
		}
		height += row
	}
	bottom := height + 2
	for _, v := range s.ticks() {
		class := "grid"
		if v == 0 && s.from < 0 {
			class = "zero"
		}
		d.line(class, s.at(v), top, s.at(v), bottom)
		d.text("tick", "middle", s.at(v), bottom+16, s.name(v))
	}
	d.text("axis", "middle", (s.start+s.end)/2, bottom+36, p.Axis.Name)
	y := top
	group = ""
	for _, r := range p.Rows {
		if r.Group != group {
			group = r.Group
			d.label("group", "start", 0, y+16, plotWidth, group)
			y += row
		}
		mid := y + row/2
		d.label("name", "end", left, mid+4, left-4, r.Label)
		class := ""
		if r.Hollow {
			class = "hollow"
		}
		if p.Bars && known(r.Value) {
			d.rect("band "+seriesClass(r.Series), s.start, mid-7, s.at(*r.Value)-s.start, 14)
		}
		r.drawSpread(d, s, mid)
		if known(r.Value) {
			d.mark(class, r.Series, s.at(*r.Value), mid, 5)
			d.text("value", "end", plotWidth-right+54, mid+4, Decimals(r.Value, decimals))
		} else {
			d.label("missing", "start", s.start+6, mid+4, plotWidth-right-s.start-12, r.missing())
		}
		d.label("note", "start", plotWidth-right+66, mid+4, right-62, r.Note)
		y += row
	}
	return d.finish(id, p.Title, p.describe(), bottom+44)
}

// drawSpread draws the interval of a row, or its box with whiskers.
func (r *Dot) drawSpread(d *drawing, s scale, mid float64) {
	if !known(r.Low) || !known(r.High) {
		return
	}
	colour, low, high := seriesClass(r.Series), s.at(*r.Low), s.at(*r.High)
	if known(r.Least) && known(r.Most) {
		d.rect("box "+colour, low, mid-7, high-low, 14)
		d.line("whisker "+colour, s.at(*r.Least), mid, low, mid)
		d.line("whisker "+colour, high, mid, s.at(*r.Most), mid)
		low, high = s.at(*r.Least), s.at(*r.Most)
	} else {
		d.line("whisker "+colour, low, mid, high, mid)
	}
	d.line("whisker "+colour, low, mid-4, low, mid+4)
	d.line("whisker "+colour, high, mid-4, high, mid+4)
}

func (r *Dot) missing() string {
	if r.Missing == "" {
		return "no value"
	}
	return r.Missing
}

// describe says in words what the plot shows, as far as a listener has patience.
func (p *Dots) describe() string {
	var parts []string
	for _, r := range p.Rows {
		text := strings.TrimSpace(r.Group+" "+r.Label) + ": "
		switch {
		case !known(r.Value):
			text += r.missing()
		case known(r.Low) && known(r.High):
			text += fmt.Sprintf("%s (%s to %s)", Number(r.Value), Number(r.Low), Number(r.High))
		default:
			text += Number(r.Value)
		}
		parts = append(parts, text)
	}
	return listed(parts)
}

func listed(parts []string) string {
	const most = 24
	if len(parts) > most {
		parts = append(parts[:most:most], fmt.Sprintf("and %d more", len(parts)-most))
	}
	return strings.Join(parts, "; ") + "."
}
