package view

import (
	"fmt"
	"math"
)

// Bars is one panel of bars a series, all on one scale: counts by category, or a histogram.
type Bars struct {
	Title  string
	X, Y   Axis     // of X only the name counts
	Labels []string // of the categories; of a histogram, the edges of its bins, which are one more
	Panels []Panel
}

// Panel is the bars of one series.
type Panel struct {
	Label  string
	Series int
	Values []float64
}

// SVG draws the panels below each other. Where the labels are one more than the bars, they stand at
// the edges of the bars, else under them.
func (b *Bars) SVG(id string) string {
	p := *b // with its axis settled
	const left, right, panel, gap = 52.0, 10.0, 92.0, 30.0
	d := &drawing{}
	bars, most := 1, 0.0
	for i := range p.Panels {
		bars = max(bars, len(p.Panels[i].Values))
		for _, v := range p.Panels[i].Values {
			if known(&v) {
				most = max(most, v)
			}
		}
	}
	width := (plotWidth - left - right) / float64(bars)
	edges := len(p.Labels) == bars+1
	if p.Y.To == nil {
		p.Y.To = &most // the highest bar fills its panel
	}
	bottom := 10.0
	for _, s := range p.Panels {
		top := bottom + gap
		bottom = top + panel
		y := p.Y.scale(bottom, top+12, 30)
		y.step = max(1, y.step) // they are counts
		d.mark("", s.Series, 6, top-14, 4)
		d.label("group", "start", 16, top-10, plotWidth-16, s.Label)
		for _, v := range y.ticks() {
			d.line("grid", left, y.at(v), plotWidth-right, y.at(v))
			d.text("tick", "end", left-8, y.at(v)+4, y.name(v))
		}
		for i, v := range s.Values {
			if !known(&v) || v == 0 {
				continue
			}
			x := left + float64(i)*width
			d.rect("bar "+seriesClass(s.Series), x+1.5, y.at(v), width-3, bottom-y.at(v))
			if width > 34 {
				d.text("value", "middle", x+width/2, y.at(v)-3, count(v))
			}
		}
		d.line("zero", left, bottom, plotWidth-right, bottom)
	}
	for i, label := range p.Labels {
		x := left + float64(i)*width
		if !edges {
			x += width / 2
		}
		d.label("tick", "middle", x, bottom+18, max(width, 24), label)
	}
	d.text("axis", "middle", (left+plotWidth-right)/2, bottom+38, p.X.Name)
	d.text("axis", "start", 0, 11, p.Y.Name)
	return d.finish(id, p.Title, p.describe(edges), bottom+46)
}

func count(v float64) string {
	if v == math.Trunc(v) {
		return fmt.Sprintf("%.0f", v)
	}
	return Number(&v)
}

func (p *Bars) describe(edges bool) string {
	var parts []string
	for _, s := range p.Panels {
		for i, v := range s.Values {
			if v == 0 || i >= len(p.Labels) {
				continue
			}
			name := p.Labels[i]
			if edges {
				name += " to " + p.Labels[i+1]
			}
			parts = append(parts, fmt.Sprintf("%s, %s: %s", s.Label, name, count(v)))
		}
	}
	return listed(parts)
}
