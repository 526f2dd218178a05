package view

import "fmt"

// Heat is a table of numbers whose size is shown by how strong their fields are.
type Heat struct {
	Title   string
	Rows    []string
	Columns []string
	Cells   [][]Field // by row, then column: one for each of both
}

// Field is one number of a heat map.
type Field struct {
	Share *float64 // 0 to 1 of the strongest colour; nil: nothing to show
	Text  string
}

// SVG draws the fields with their texts in them, the names of the columns above.
func (p *Heat) SVG(id string) string {
	const row = 30.0
	d := &drawing{}
	left := 12 + widest(260, p.Rows...)
	head := 16 + 0.58*widest(170, p.Columns...)
	width := min(96, (plotWidth-left-60)/float64(len(p.Columns)))
	for i, name := range p.Columns {
		d.slanted("name", left+(float64(i)+0.45)*width, head-6, 170, name)
	}
	for i, name := range p.Rows {
		y := head + float64(i)*row
		d.label("name", "end", left-8, y+row/2+4, left-8, name)
		for j := range p.Columns {
			x := left + float64(j)*width
			cell := p.Cells[i][j]
			if !known(cell.Share) {
				d.rect("void", x+1, y+1, width-2, row-2)
				continue
			}
			// The strongest colour still lets the ink on it be read.
			d.rect("field", x+1, y+1, width-2, row-2)
			d.shade("heat", x+1, y+1, width-2, row-2, 0.55*min(1, max(0, *cell.Share)))
			d.text("value", "middle", x+width/2, y+row/2+4, cell.Text)
		}
	}
	return d.finish(id, p.Title, p.describe(), head+float64(len(p.Rows))*row+6)
}

func (p *Heat) describe() string {
	var parts []string
	for i, cells := range p.Cells {
		for j, cell := range cells {
			if known(cell.Share) && *cell.Share > 0 {
				parts = append(parts, fmt.Sprintf("%s, %s: %s", p.Rows[i], p.Columns[j], cell.Text))
			}
		}
	}
	return listed(parts)
}
