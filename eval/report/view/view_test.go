package view_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"parley/eval/report/view"
)

var update = flag.Bool("update", false, "write the goldens anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", name, diff)
	}
}

func num(v float64) *float64 { return &v }

const nasty = "Zéphyrine <b> & \"co\" 'x' </script></svg>]]>\x00\x1b[31m\u202egnihton\u2028\ufffe\xff"

// plots are one of each kind, with what is missing, hostile, not a number or on the edge.
func plots() map[string]view.Plot {
	return map[string]view.Plot{
		"dots": &view.Dots{Title: "Measures", Axis: view.Axis{Name: "percent", To: num(100)}, Rows: []view.Dot{
			{Group: "first arm", Label: "IEP", Value: num(42.53), Low: num(40.9), High: num(44.2), Note: "120 of 120 players"},
			{Group: "first arm", Label: "told", Value: num(100), Low: num(100), High: num(100), Hollow: true, Note: "120 of 120 players"},
			{Group: nasty, Label: nasty, Value: num(7), Series: 1, Note: nasty},
			{Group: "third arm", Label: "IEP", Missing: "unscored: the judge said nothing", Series: 2},
			{Group: "third arm", Label: "not a number", Value: num(math.NaN()), Low: num(math.Inf(-1)), High: num(math.Inf(1)), Series: 2},
		}},
		"differences": &view.Dots{Title: "Differences", Axis: view.Axis{Name: "difference"}, Rows: []view.Dot{
			{Group: "b minus a", Label: "difference", Value: num(-57.47), Low: num(-59.1), High: num(-55.8), Series: 1},
			{Group: "c minus a", Label: "difference", Value: num(0.31), Low: num(-1.2), High: num(1.8), Series: 3},
		}},
		"curve": &view.Curve{Title: "Recall", X: view.Axis{Name: "turns"}, Y: view.Axis{Name: "recall, %", To: num(100)}, Lines: []view.Trace{
			{Label: "first arm", Points: []view.Point{{X: 10, Y: num(42), Low: num(39), High: num(45)}, {X: 20, Y: num(99), Low: num(98), High: num(100)}, {X: 30, Y: num(100), Low: num(100), High: num(100)}}},
			{Label: "with a gap", Series: 4, Points: []view.Point{{X: 10, Y: num(7)}, {X: 20}, {X: 30, Y: num(43)}}},
			{Label: nasty, Series: 5, Points: []view.Point{{X: 10, Y: num(1)}}},
		}},
		"histogram": &view.Bars{Title: "Spread", X: view.Axis{Name: "IEP"}, Y: view.Axis{Name: "players"}, Labels: []string{"0", "25", "50", "75", "100"}, Panels: []view.Panel{
			{Label: "first arm", Values: []float64{0, 3, 12, 120}}, {Label: nasty, Series: 1, Values: []float64{1, 0, 0, 2}},
		}},
		"bars": &view.Bars{Title: "Endings", X: view.Axis{Name: "ended by"}, Y: view.Axis{Name: "sessions"}, Labels: []string{"turns", "all passed"}, Panels: []view.Panel{{Label: "first arm", Values: []float64{30, 10}}}},
		"heat": &view.Heat{Title: "Malformed turns", Rows: []string{"first arm", nasty}, Columns: []string{"empty", "speaks for others", nasty}, Cells: [][]view.Field{
			{{Share: num(0), Text: "0"}, {Share: num(0.5), Text: "12"}, {Share: num(1), Text: "24"}}, {{Share: num(0.1), Text: nasty}, {}, {}},
		}},
		"bars-in-dots": &view.Dots{Title: "Bars", Axis: view.Axis{Name: "points", From: num(0), To: num(40)}, Bars: true, Rows: []view.Dot{
			{Label: "box and whiskers", Value: num(20), Low: num(10), High: num(30), Least: num(5), Most: num(38)},
			{Label: "above the axis", Value: num(50), Low: num(30), High: num(60), Series: 1},
			{Label: "half an interval", Value: num(3), Low: num(2), Series: 2}, {Label: "its other half", Value: num(3), High: num(4), Series: 2},
			{Label: "half of the whiskers", Value: num(3), Low: num(2), High: num(4), Least: num(1), Series: 6}, {Label: "no value", Series: -1, Note: "0 of 3"},
			{Label: "small", Value: num(0.04), Series: 5},
		}},
		"long-names": &view.Curve{Title: "Long names", X: view.Axis{Name: "share", From: num(0), To: num(1)}, Y: view.Axis{Name: "y"}, Lines: []view.Trace{
			{Label: strings.Repeat("long name ", 9), Points: []view.Point{{X: 0, Y: num(0)}, {X: 0.5, Y: num(-0.12), Low: num(-0.2), High: num(0)}, {X: 1, Y: num(0.031), Low: num(0.01), High: num(0.05)}}},
			{Label: "short", Series: 1, Points: []view.Point{{X: 0.5, Y: num(0.2), Low: num(0.1)}, {X: 1, Y: num(0.2), High: num(0.3)}}},
			{Label: "你好，世界 👩 e\u0301 Z", Series: 2}, {Label: "the last of four", Series: 3, Points: []view.Point{{X: 0.25, Y: num(0.1)}, {X: 0.75, Y: num(0.1)}}},
		}},
		"one-bar": &view.Bars{Title: "One", Y: view.Axis{To: num(2)}, Labels: []string{"only"}, Panels: []view.Panel{{Label: "arm", Values: []float64{1.5}}, {Label: "none", Values: []float64{0}}}},
		"many-bars": &view.Bars{Title: "Many", Labels: strings.Split("abcdefghijklmnopqrstuvwx", ""), Panels: []view.Panel{
			{Label: "arm", Values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}}, {Label: "another", Values: []float64{1}},
		}},
		"wide-heat": &view.Heat{Title: "Wide", Rows: []string{"row"}, Columns: strings.Split("abcdefghijklmnop", ""), Cells: [][]view.Field{append([]view.Field{
			{Share: num(-1), Text: "under"}, {Share: num(2), Text: "over"}, {Share: num(0.25), Text: "3"}, {}, {Share: num(math.NaN()), Text: "none"},
		}, make([]view.Field, 11)...)}},
		"nothing": &view.Dots{Title: "Nothing", Axis: view.Axis{Name: "x"}},
		"no-line": &view.Curve{Title: "Nothing"}, "no-bar": &view.Bars{Title: "Nothing"}, "no-field": &view.Heat{Title: "Nothing"},
	}
}

func TestPlots(t *testing.T) {
	for name, plot := range plots() {
		t.Run(name, func(t *testing.T) {
			svg := plot.SVG("fig-" + name)
			text := wellFormed(t, svg)
			if !strings.Contains(svg, `role="img"`) || !strings.Contains(svg, "<title ") || !strings.Contains(svg, "<desc ") {
				t.Error("it has no title or text alternative")
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Error("it places something at no number")
			}
			if strings.ContainsFunc(text, hidden) {
				t.Errorf("it holds characters that cannot be seen: %q", text)
			}
			golden(t, name+".svg", strings.ReplaceAll(svg, "><", ">\n<")+"\n")
		})
	}
}

// wellFormed returns the text of an XML document.
func wellFormed(t *testing.T, doc string) string {
	t.Helper()
	var text strings.Builder
	dec := xml.NewDecoder(strings.NewReader(doc))
	depth := 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			if depth != 0 {
				t.Fatalf("%d elements are open at the end", depth)
			}
			return text.String()
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, doc)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			text.Write(tok)
		}
	}
}

// hidden are the characters that Visible has to show.
func hidden(r rune) bool {
	return r != '\n' && r != '\t' && r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

func TestVisible(t *testing.T) {
	for _, test := range []struct{ give, want, reason string }{
		{"plain\ttext\nhere", "plain\ttext\nhere", "line ends and tabs stay"},
		{"a\r\nb\rc", "a\nb␍c", "a lone return goes over what stands before it"},
		{"\x1b[2Jx\x00\x7f", "␛[2Jx␀␡", "terminal sequences"},
		{"\u0085", "⟦U+0085⟧", "C1 controls"},
		{"a\u202eb\u2066c", "a⟦U+202E⟧b⟦U+2066⟧c", "they turn the text round"},
		{"x\u200by\ufeffz\u00ad", "x⟦U+200B⟧y⟦U+FEFF⟧z⟦U+00AD⟧", "words that look alike"},
		{"\U000e0041", "⟦U+E0041⟧", "tags carry hidden instructions"},
		{"\u2028", "⟦U+2028⟧", "a line end in scripts"},
		{"\ufffe\uffff", "⟦U+FFFE⟧⟦U+FFFF⟧", "no characters of XML"},
		{"a\xffb", "a\ufffdb", "broken UTF-8"},
		{" ~\x1f", " ~␟", "the ends of what is plain"},
		{"👩\u200d🚀 می\u200cروم é 你好", "👩\u200d🚀 می\u200cروم é 你好", "joiners are spelling"},
	} {
		if got := view.Visible(test.give); got != test.want {
			t.Errorf("Visible(%q) = %q, want %q: %s", test.give, got, test.want, test.reason)
		}
	}
}

func TestClip(t *testing.T) {
	for _, test := range []struct {
		give string
		n    int
		want string
	}{{"été", 3, "été"}, {"étés", 3, "été … (1 more characters)"}, {"", 0, ""}, {"abc", 0, " … (3 more characters)"}} {
		if got := view.Clip(test.give, test.n); got != test.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", test.give, test.n, got, test.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		give *float64
		want string
	}{
		{nil, "–"}, {num(math.NaN()), "–"}, {num(math.Inf(1)), "–"}, {num(0), "0.0"}, {num(-0.04), "0.0"}, {num(-0.06), "−0.1"},
		{num(42.25), "42.2"}, {num(-3), "−3.0"}, {num(1234.56), "1234.6"},
	} {
		if got := view.Number(test.give); got != test.want {
			t.Errorf("%v is %q, want %q", test.give, got, test.want)
		}
	}
}

// Ticks are round numbers with as many decimals as their step needs, and values have two decimals where all are shares.
func TestTicks(t *testing.T) {
	for _, test := range []struct {
		to          float64
		ticks, last string
	}{
		{10.8, "0 1 2", "10"}, {10.81, "0 2 4", "10"}, {54, "0 5 10", "50"}, {0.54, "0.00 0.05 0.10", "0.50"}, {108, "0 10 20", "100"}, {60, "0 10 20", "60"},
		{1.08e-6, "0.000000 0.000000 0.000000", "0.000001"},
	} {
		svg := (&view.Curve{X: view.Axis{To: &test.to}, Y: view.Axis{From: num(0), To: num(0.5)}}).SVG("x")
		var ticks []string
		for _, m := range regexp.MustCompile(`text-anchor="middle"[^>]*>([^<]+)<`).FindAllStringSubmatch(svg, -1) {
			ticks = append(ticks, m[1])
		}
		if got := strings.Join(ticks[:3], " "); got != test.ticks || ticks[len(ticks)-1] != test.last {
			t.Errorf("to %v: %q, want %s to %s", test.to, ticks, test.ticks, test.last)
		}
	}
	for value, want := range map[float64]string{1: ">1.00<", -1: ">−1.00<", 1.01: ">1.0<"} {
		if svg := (&view.Dots{Rows: []view.Dot{{Value: &value}}}).SVG("x"); !strings.Contains(svg, want) {
			t.Errorf("%v is not written as %s: %s", value, want, svg)
		}
	}
}

// A text is cut at what is pointed out; of stretches that overlap the first one has the marks of all.
func TestStretches(t *testing.T) {
	for _, test := range []struct {
		found, want string // what is found, parted by /; parts of the text, with the number of their marks
		reason      string
	}{
		{"", "the old bell rings", "nothing"},
		{"old", "the |old 1| bell rings", "in the middle"},
		{"rings/the", "the 1| old bell |rings 1", "at both ends"},
		{"the old/ bell", "the old 1| bell 1| rings", "one after the other"},
		{"old bell/bell rings", "the |old bell rings 2", "they overlap"},
		{"old bell rings/bell", "the |old bell rings 2", "one within the other"},
		{"old/old bell", "the |old bell 2| rings", "both begin there"},
		{"old/old", "the |old 2| bell rings", "the same twice"},
		{"new", "the old bell rings", "what is not there"},
		{"the old bell rings", "the old bell rings 1", "all of it"},
	} {
		var l view.Line
		for f := range strings.SplitSeq(test.found, "/") {
			l.Found = append(l.Found, view.Found{Text: f})
		}
		var got []string
		for _, s := range l.Stretches("the old bell rings") {
			if n := len(s.Marks); n > 0 {
				s.Text += fmt.Sprint(" ", n)
			}
			got = append(got, s.Text)
		}
		if got := strings.Join(got, "|"); got != test.want {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
	}
	if l := (&view.Line{Found: []view.Found{{Text: "x"}}}); len(l.Stretches("")) != 0 {
		t.Error("an empty text has stretches")
	}
}

func TestTable(t *testing.T) {
	table := &view.Table{Head: view.Columns("Name", "#Value", "", "#")}
	table.Add("a", "1", "x", "2", "without a head")
	for column, want := range []bool{false, true, false, true, false} {
		if table.Number(column) != want {
			t.Errorf("column %d holds numbers: %t", column, !want)
		}
	}
	t.Run("empty columns", func(t *testing.T) {
		table := &view.Table{Head: view.Columns("#", "Cost", "Unit", "Note", "Zero"), Rows: [][]view.Cell{{{Text: "1"}, {Text: "–"}, {Text: "-"}, {}, {Text: "0"}}, {{Text: "2"}, {Text: "3"}, {Text: "0"}, {}, {}}}}
		table.DropEmpty("Cost", "Unit", "Zero", "", "none")
		if want := []view.Column{{Number: true}, {Name: "Cost"}, {Name: "Note"}}; !slices.Equal(table.Head, want) || len(table.Rows[1]) != 3 || table.Rows[1][1].Text != "3" {
			t.Errorf("%+v", table)
		}
	})
	if table.Head[1].Name != "Value" || table.Rows[0][4].Text != "without a head" {
		t.Errorf("%+v", table)
	}
	for text, want := range map[string]bool{strings.Repeat("é", 22): true, strings.Repeat("a", 23): false} {
		if (view.Cell{Text: text}).Short() != want {
			t.Errorf("%q is short: %t", text, !want)
		}
	}
}

// page is a small one with every kind of block.
func page() *view.Page {
	table := &view.Table{Caption: "Values", Head: view.Columns("Name", "#Value"), Rows: [][]view.Cell{
		{{Text: "first", To: "talk-1"}, {Text: "1"}}, {{Text: nasty}, {Text: "unscored", Note: nasty, Grey: true}},
	}}
	return &view.Page{
		Title: "A page " + nasty, Subtitle: "of everything", Foot: "end " + nasty,
		Sections: []view.Section{
			{ID: "one", Title: "One", Blocks: []view.Block{
				view.Tiles{{Name: nasty, Value: "42", Note: "of 100"}}, view.Text(nasty), view.Code(nasty),
				view.Facts{{Name: nasty, Text: []string{nasty, "second"}}}, table,
			}},
			{ID: "two", Title: "Two", Blocks: []view.Block{
				&view.Figure{ID: "fig", Caption: nasty, Plot: plots()["dots"], Numbers: table},
				&view.Fold{ID: "talk-1", Summary: nasty, Blocks: []view.Block{&view.Talk{Lines: []view.Line{
					{Mark: "0", Text: nasty},
					{Mark: "1", Who: nasty, To: nasty, Speech: nasty, Deed: nasty, Notes: []string{nasty}},
					{Mark: "2", Who: "x", Series: -1, Faults: []string{nasty}, Raw: nasty},
					{Mark: "3", Who: "x", Aside: true, Text: "an answer"},
				}}}},
			}},
		},
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := page().Write(&b); err != nil {
		t.Fatal(err)
	}
	html := b.String()
	if bad := external(html); bad != nil {
		t.Errorf("it refers to what is outside: %q", bad)
	}
	if n := strings.Count(html, "<script"); n != 1 {
		t.Errorf("%d script elements, want the one of the page itself", n)
	}
	if regexp.MustCompile(`\s(on\w+|style)\s*=\s*["']`).MatchString(html) {
		t.Error("it has a handler or a style in an attribute, which its own policy forbids")
	}
	if strings.Contains(html, "<b>") && strings.Contains(html, "Zéphyrine <b>") {
		t.Error("foreign text became markup")
	}
	if strings.ContainsFunc(html, hidden) {
		t.Error("it holds characters that cannot be seen")
	}
	for _, element := range []string{"script", "style"} {
		text := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(html)
		if text == nil {
			t.Fatalf("no %s", element)
		}
		sum := sha256.Sum256([]byte(text[1]))
		// In an attribute, + is written as a reference.
		hash := strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;")
		if !strings.Contains(html, element+"-src &#39;sha256-"+hash) {
			t.Errorf("the policy does not allow the page's own %s", element)
		}
	}
	head, rest, _ := strings.Cut(html, "<style>")
	_, rest, _ = strings.Cut(rest, "</style>")
	body, _, _ := strings.Cut(rest, "<script>")
	golden(t, "page.html", regexp.MustCompile(`sha256-[^ ]*&#39;`).ReplaceAllString(head, "HASH")+"\n"+strings.ReplaceAll(body, "><", ">\n<"))
}

// external finds references that a browser would follow out of the page.
func external(html string) []string {
	var bad []string
	for _, m := range regexp.MustCompile(`(?i)\s(?:src|srcset|href|xlink:href|action|data|poster|background)\s*=\s*["']?([^"'\s>]*)`).FindAllStringSubmatch(html, -1) {
		if !strings.HasPrefix(m[1], "#") {
			bad = append(bad, m[0])
		}
	}
	return append(bad, regexp.MustCompile(`(?i)url\s*\(|@import|<link|<iframe|<object|<embed|<base`).FindAllString(html, -1)...)
}

// Links on the page lead to something on the page.
func TestAnchors(t *testing.T) {
	var b bytes.Buffer
	if err := page().Write(&b); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for _, m := range regexp.MustCompile(`\sid="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
		if ids[m[1]]++; ids[m[1]] > 1 {
			t.Errorf("two elements are called %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`(?:href="#|aria-labelledby="|aria-describedby=")([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
		if ids[m[1]] == 0 {
			t.Errorf("%s leads nowhere", m[0])
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteError(t *testing.T) {
	if err := page().Write(broken{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("err = %v", err)
	}
}

// Whatever a label, a number or an axis is, a plot is well-formed and says it.
func FuzzSVG(f *testing.F) {
	f.Add(nasty, 1.0, -3.0, 100.0)
	f.Add("]]>&#0;<!--", math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64)
	f.Fuzz(func(t *testing.T, label string, a, b, c float64) {
		for _, p := range []view.Plot{
			&view.Dots{Title: label, Axis: view.Axis{Name: label, From: &c}, Rows: []view.Dot{{Group: label, Label: label, Value: &a, Low: &b, High: &c, Note: label, Missing: label}}},
			&view.Curve{Title: label, X: view.Axis{Name: label}, Lines: []view.Trace{{Label: label, Points: []view.Point{{X: a, Y: &b, Low: &b, High: &c}, {X: c, Y: &a, Low: &a, High: &b}}}}},
			&view.Bars{Title: label, Labels: []string{label}, Panels: []view.Panel{{Label: label, Values: []float64{a, b, c}}}},
			&view.Heat{Title: label, Rows: []string{label}, Columns: []string{label, "x"}, Cells: [][]view.Field{{{Share: &a, Text: label}, {Share: &b}}}},
		} {
			svg := p.SVG(label)
			text := wellFormed(t, svg)
			if strings.ContainsFunc(text, hidden) {
				t.Errorf("%T holds characters that cannot be seen: %q", p, text)
			}
			if bad := regexp.MustCompile(`="[^"]*(NaN|Inf)[^"]*"`).FindString(regexp.MustCompile(`(id|aria-\w+)="[^"]*"`).ReplaceAllString(svg, "")); bad != "" {
				t.Errorf("%T places something at %s", p, bad)
			}
		}
	})
}
