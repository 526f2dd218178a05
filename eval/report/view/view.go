// Package view writes a self-contained page of results: headings, tables, folded parts, transcripts
// and plots in one HTML file that needs no network, reads in light and dark, prints, and runs no
// foreign code.
//
// It knows what a table, an interval or a speech is, and not what a run, a model or a score is. All
// text that it is given is foreign: it is escaped, and what cannot be seen in it is made visible.
package view

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

// Page is a whole document.
type Page struct {
	Title    string
	Subtitle string
	Sections []Section
	Foot     string
}

// Section is a part of a page with its own heading and its own line in the table of contents.
type Section struct {
	ID     string // an anchor: letters, digits and hyphens, unique within the page
	Title  string
	Blocks []Block
}

// Block is something that stands in a section: Text, Code, Facts, Tiles, *Table, *Figure, *Fold or
// *Talk.
type Block interface{ block() }

// Text is a paragraph.
type Text string

// Code is text in which spaces and line ends matter.
type Code string

// Facts is a list of names and what they stand for.
type Facts []Fact

// Fact is one line of Facts. With several texts, each has a line of its own.
type Fact struct {
	Name string
	Text []string
}

// Tiles are the few numbers to see first.
type Tiles []Tile

// Tile is one number with what it is of.
type Tile struct {
	Name, Value, Note string
	Series            int // 0, 1, 2 ...: the colour that stands for the same thing in plots
}

// Fold hides its blocks behind a line until it is opened. Paper shows all of it.
type Fold struct {
	ID      string // an anchor, or empty; a link to it opens it
	Summary string
	Open    bool
	Blocks  []Block
}

func (Text) block()    {}
func (Code) block()    {}
func (Facts) block()   {}
func (Tiles) block()   {}
func (*Table) block()  {}
func (*Figure) block() {}
func (*Fold) block()   {}
func (*Talk) block()   {}

//go:embed page.html
var pageSource string

//go:embed page.css
var style string

// script opens the fold that a link points into, and all folds for the printer. Without it the page
// reads as well.
//
//go:embed page.js
var script string

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	var out bytes.Buffer // nothing is written unless all of it is
	if err := pages.ExecuteTemplate(&out, "page", p); err != nil {
		return fmt.Errorf("write the page %q: %w", p.Title, err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// pages holds the templates; each kind of block has one of its own.
var pages *template.Template

func init() {
	pages = template.New("page.html")
	pages.Funcs(template.FuncMap{
		"render":  Render,
		"visible": Visible,
		"series":  seriesClass,
		"style":   func() template.CSS { return template.CSS(style) },
		"script":  func() template.JS { return template.JS(script) },
		"policy": func() string {
			return "default-src 'none'; style-src '" + digest(style) + "'; script-src '" + digest(script) + "'; base-uri 'none'; form-action 'none'"
		},
	})
	template.Must(pages.Parse(pageSource))
}

// Style returns the style sheet of pages.
func Style() string { return style }

// digest is how a content security policy names the one text that may run or style.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Render writes a block by the template of its kind, for a page that has the style of Style.
func Render(b Block) (template.HTML, error) {
	name := ""
	switch b.(type) {
	case Text:
		name = "text"
	case Code:
		name = "code"
	case Facts:
		name = "facts"
	case Tiles:
		name = "tiles"
	case *Table:
		name = "table"
	case *Figure:
		name = "figure"
	case *Fold:
		name = "fold"
	case *Talk:
		name = "talk"
	default:
		return "", fmt.Errorf("there is no template for a %T", b)
	}
	var out bytes.Buffer
	err := pages.ExecuteTemplate(&out, name, b)
	return template.HTML(out.String()), err
}
