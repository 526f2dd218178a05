package view

import (
	"fmt"
	"strings"
)

// Curve is lines over a common axis, each with the band of its intervals.
type Curve struct {
	Title string
	X, Y  Axis
	Lines []Trace
}

// Trace is one line.
type Trace struct {
	Label  string
	Series int
	Points []Point // in the order of X
}

// Point is one value of a line. Without Y the line has a gap there.
type Point struct {
	X            float64
	Y, Low, High *float64
}

// SVG draws the lines with their marks, the bands under them and the legend above.
func (p *Curve) SVG(id string) string {
	const left, right, plot = 52.0, 20.0, 250.0
	d := &drawing{}
	var xs, ys []*float64
	for i := range p.Lines {
		for j := range p.Lines[i].Points {
			pt := &p.Lines[i].Points[j]
			xs, ys = append(xs, &pt.X), append(ys, pt.Y, pt.Low, pt.High)
		}
	}
	top := p.legend(d, left) + 10
	bottom := top + plot
	x, y := p.X.scale(left, plotWidth-right, 60, xs...), p.Y.scale(bottom, top, 45, ys...)
	for _, v := range y.ticks() {
		d.line("grid", left, y.at(v), plotWidth-right, y.at(v))
		d.text("tick", "end", left-8, y.at(v)+4, y.name(v))
	}
	d.line("zero", left, bottom, plotWidth-right, bottom)
	for _, v := range x.ticks() {
		d.line("zero", x.at(v), bottom, x.at(v), bottom+4)
		d.text("tick", "middle", x.at(v), bottom+18, x.name(v))
	}
	d.text("axis", "middle", (left+plotWidth-right)/2, bottom+38, p.X.Name)
	d.text("axis", "start", 0, top-10, p.Y.Name)
	for _, l := range p.Lines {
		l.band(d, x, y)
	}
	for _, l := range p.Lines {
		l.draw(d, x, y)
	}
	return d.finish(id, p.Title, p.describe(), bottom+46)
}

// legend writes the names of the lines in as many rows as they need, and returns where they end.
func (p *Curve) legend(d *drawing, left float64) float64 {
	at, y := left, 14.0
	for _, l := range p.Lines {
		w := min(advance(oneLine(l.Label)), 300) + 40
		if at+w > plotWidth {
			at, y = left, y+20
		}
		d.line("trace "+seriesClass(l.Series), at, y-4, at+20, y-4)
		d.mark("", l.Series, at+10, y-4, 4)
		d.label("name", "start", at+27, y, 300, l.Label)
		at += w
	}
	return y + 22
}

// runs splits a line at its gaps.
func (l *Trace) runs(has func(*Point) bool) [][]Point {
	var all [][]Point
	open := false
	for i := range l.Points {
		if !has(&l.Points[i]) {
			open = false
			continue
		}
		if !open {
			all, open = append(all, nil), true
		}
		all[len(all)-1] = append(all[len(all)-1], l.Points[i])
	}
	return all
}

func (l *Trace) band(d *drawing, x, y scale) {
	for _, run := range l.runs(func(p *Point) bool { return known(p.Low) && known(p.High) }) {
		if len(run) < 2 {
			continue
		}
		var b strings.Builder
		for i, p := range run {
			fmt.Fprintf(&b, "%s%s %s", first(i), px(x.at(p.X)), px(y.at(*p.High)))
		}
		for i := len(run) - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "L%s %s", px(x.at(run[i].X)), px(y.at(*run[i].Low)))
		}
		d.path("band "+seriesClass(l.Series), b.String()+"Z")
	}
}

func (l *Trace) draw(d *drawing, x, y scale) {
	colour := seriesClass(l.Series)
	for _, run := range l.runs(func(p *Point) bool { return known(p.Y) }) {
		if len(run) > 1 {
			var b strings.Builder
			for i, p := range run {
				fmt.Fprintf(&b, "%s%s %s", first(i), px(x.at(p.X)), px(y.at(*p.Y)))
			}
			d.path("trace "+colour, b.String())
		}
		for _, p := range run {
			if known(p.Low) && known(p.High) {
				d.line("whisker "+colour, x.at(p.X), y.at(*p.Low), x.at(p.X), y.at(*p.High))
			}
			d.mark("", l.Series, x.at(p.X), y.at(*p.Y), 4)
		}
	}
}

func first(i int) string {
	if i == 0 {
		return "M"
	}
	return "L"
}

func (p *Curve) describe() string {
	var parts []string
	for _, l := range p.Lines {
		var points []string
		for _, pt := range l.Points {
			points = append(points, fmt.Sprintf("%s at %s", Number(pt.Y), strings.TrimSuffix(Number(&pt.X), ".0")))
		}
		parts = append(parts, l.Label+": "+strings.TrimSuffix(listed(points), "."))
	}
	return listed(parts)
}
