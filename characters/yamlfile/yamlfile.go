// Package yamlfile reads files that people write by hand, strictly, and writes such files.
//
// What a file may hold is given by Go types and their yaml tags. Every key that is unknown or written
// twice, every value of the wrong type, and everything that a type's own Problems method finds is
// reported with file, line and remedy, all at once. Anchors, aliases and tags are not read. The size
// and the depth of a file are checked before it is parsed, so that a file made to exhaust memory is
// an error like any other.
package yamlfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxBytes    = 4 << 20 // of a file; thousands of characters
	maxDepth    = 32      // brackets within brackets; the parser recurses
	maxLexed    = 256 << 10
	maxFindings = 200 // reported of a file
)

// Finding is one thing that is wrong with a file.
type Finding struct {
	File string
	Line int // from 1
	Text string
}

// Error returns "file:line: text".
func (f *Finding) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Problem is one thing that is wrong with a value, and where in it: a path such as facts[2].text, or
// empty for the whole.
type Problem struct{ Path, Text string }

// Key is a value that no two items of a file may share, at the path where it is written.
type Key struct {
	Path  string
	Text  string // as it is shown
	Value string // as it is compared
}

// Checker is a value that can tell what is wrong with it beyond its types. A value that also has a
// method Complete is completed first: it fills in what follows from the rest.
type Checker interface{ Problems() []Problem }

// Shorthand is a value that may be written as a text instead of as fields.
type Shorthand interface{ SetShort(text string) }

// Format describes files that hold one T or a list of them, in one or more documents.
type Format[T any] struct {
	Noun, Nouns string        // "character", "characters"
	New         func() T      // returns a pointer to a value with its defaults, to be decoded into
	Keys        func(T) []Key // nil: items need not differ
}

// Read reads the items of a file. Everything that is wrong is reported, each as a *Finding, joined;
// there are then no items.
func (f *Format[T]) Read(r io.Reader, file string) ([]T, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	d := &decoder{file: file}
	var items []T
	lines := map[[2]string]int{} // of keys, by path and value
	for _, node := range d.documents(data) {
		nodes := []ast.Node{node}
		if list, ok := node.(*ast.SequenceNode); ok {
			nodes = list.Values
		}
		for _, node := range nodes {
			item := f.New()
			d.item(node, "the "+f.Noun, item)
			if f.Keys != nil {
				for _, key := range f.Keys(item) {
					at := d.lineOf(key.Path)
					if before := lines[[2]string{key.Path, key.Value}]; before > 0 && key.Value != "" {
						d.find(at, "%s: %s is the %s of the %s in line %d already; write another", key.Path, key.Text, key.Path, f.Noun, before)
					}
					lines[[2]string{key.Path, key.Value}] = d.start
				}
			}
			items = append(items, item)
		}
	}
	if len(d.findings) == 0 && len(items) == 0 {
		d.find(1, "no %s in it; write one, or a list of them", f.Nouns)
	}
	if len(d.findings) > 0 {
		return nil, errors.Join(d.findings...)
	}
	return items, nil
}

// Load returns the items of several files in order. The name "library" stands for the library. Two items of one
// key are an error, also across files.
func (f *Format[T]) Load(files []string, library func() []T, open func(name string) (io.ReadCloser, error)) ([]T, error) {
	var all []T
	var wrong []error
	in := map[[2]string]string{} // file, by path and value of a key
	for _, file := range files {
		var items []T
		if file == "library" {
			items = library()
		} else {
			r, err := open(file)
			if err == nil {
				items, err = f.Read(r, file)
				r.Close()
			}
			if err != nil {
				wrong = append(wrong, err)
			}
		}
		for _, item := range items {
			for _, key := range f.Keys(item) {
				at := [2]string{key.Path, key.Value}
				if before, ok := in[at]; ok {
					wrong = append(wrong, fmt.Errorf("%s: the %s %s is in %s too; keep one of the two", file, key.Path, key.Text, before))
				}
				in[at] = file
			}
		}
		all = append(all, items...)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return all, nil
}

// Value reads a file of one document into a value, over what the value holds already. Findings are
// reported as by Format.Read; the value may then be partly set.
func Value(data []byte, file string, into any) error {
	d := &decoder{file: file}
	switch nodes := d.documents(data); {
	case len(d.findings) > 0:
	case len(nodes) == 0:
		d.find(1, "the file is empty")
	case len(nodes) > 1:
		d.find(line(nodes[1]), "a second YAML document; keep one, without --- between")
	default:
		d.item(nodes[0], "the file", into)
	}
	return errors.Join(d.findings...)
}

// decoder collects what is wrong with a file.
type decoder struct {
	file     string
	findings []error
	start    int             // line of the present item
	lines    map[string]int  // of what the present item holds, by path
	done     map[string]bool // paths that were complained about
}

func (d *decoder) find(line int, format string, args ...any) {
	switch n := len(d.findings); {
	case n > maxFindings:
		return
	case n == maxFindings:
		format, args = "and more from here on; see to these first", nil
	}
	d.findings = append(d.findings, &Finding{File: d.file, Line: max(line, 1), Text: fmt.Sprintf(format, args...)})
}

// documents returns the bodies of the documents that are not empty.
func (d *decoder) documents(data []byte) (nodes []ast.Node) {
	// The parser panics on some broken documents, which are findings like any other.
	defer func() {
		if p := recover(); p != nil {
			d.find(1, "not YAML: the parser gave up (%v); look for unbalanced quotes, brackets or indentation", p)
		}
	}()
	if len(data) > maxBytes {
		d.find(1, "larger than %d MiB; divide it into several files", maxBytes>>20)
		return nil
	}
	if at := TooDeep(data); at > 0 {
		d.find(at, "nested more than %d levels deep, or more than %[1]d dashes in a row; put such a text in quotes", maxDepth)
		return nil
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		var bad yaml.Error
		if errors.As(err, &bad) && bad.GetToken() != nil {
			d.find(bad.GetToken().Position.Line, "not YAML: %s", bad.GetMessage())
		} else {
			d.find(1, "not YAML: %v", err)
		}
		return nil
	}
	for _, doc := range tree.Docs {
		switch doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		default:
			nodes = append(nodes, doc.Body)
		}
	}
	return nodes
}

// TooDeep returns the line in which a document nests deeper than 32 levels, or 0: the parser
// recurses, and takes gigabytes for a file of brackets. Brackets within texts do not count in a file
// of up to 256 KiB; in a larger one they do unless they balance, since the lexer takes 300 bytes for
// each bracket.
func TooDeep(data []byte) int {
	at := deepBytes(data)
	if at > 0 && len(data) <= maxLexed {
		return deepTokens(lexer.Tokenize(string(data)))
	}
	return at
}

// deepBytes looks at brackets, and at signs of block nesting at the start of a line, wherever they are.
func deepBytes(data []byte) int {
	depth, at, dashes, indent := 0, 1, 0, true
	for _, c := range data {
		switch c {
		case '\n':
			at, dashes, indent = at+1, 0, true
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?', ':':
			if indent {
				dashes++
			}
		case ' ', '\t':
		default:
			indent = false
		}
		if depth > maxDepth || dashes > maxDepth {
			return at
		}
	}
	return 0
}

// deepTokens looks at the brackets and signs that are no part of a text.
func deepTokens(tokens token.Tokens) int {
	depth, at, signs := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != at {
			at, signs = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth = max(0, depth-1)
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			if depth == 0 {
				signs++
			}
		}
		if depth > maxDepth || signs > maxDepth {
			return at
		}
	}
	return 0
}

// item decodes one value and reports its problems, except for those that follow from earlier findings.
func (d *decoder) item(node ast.Node, what string, into any) {
	d.start, d.lines, d.done = line(node), map[string]int{}, map[string]bool{}
	v := reflect.ValueOf(into).Elem()
	if v.Kind() == reflect.Struct && !isMapping(node) {
		d.find(line(node), "%s: %s where there should be fields, each as name: value", what, kind(node))
		return
	}
	d.value("", node, v)
	if c, ok := into.(interface{ Complete() }); ok {
		c.Complete()
	}
	checker, ok := into.(Checker)
	if !ok {
		return
	}
next:
	for _, p := range checker.Problems() {
		for i := range len(p.Path) + 1 {
			if (i == len(p.Path) || p.Path[i] == '.' || p.Path[i] == '[') && d.done[p.Path[:i]] {
				continue next
			}
		}
		d.find(d.lineOf(p.Path), "%s: %s", cmp.Or(p.Path, what), p.Text)
	}
}

// lineOf returns the line of the longest part of a path that the present item holds.
func (d *decoder) lineOf(path string) int {
	at := d.start
	for i := range len(path) + 1 {
		if i == len(path) || path[i] == '.' || path[i] == '[' {
			if l := d.lines[path[:i]]; l > 0 {
				at = l
			}
		}
	}
	return at
}

func line(node ast.Node) int {
	if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 {
		node = m.Values[0].Key
	}
	if m, ok := node.(*ast.MappingValueNode); ok {
		node = m.Key
	}
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return 1
	}
	return node.GetToken().Position.Line
}

func isMapping(node ast.Node) bool {
	switch node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return true
	}
	return false
}

// kind names a node's type in the words of somebody who writes YAML.
func kind(node ast.Node) string {
	switch node.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode, *ast.FloatNode:
		return "a number"
	case *ast.InfinityNode, *ast.NanNode:
		return "no finite number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a list of fields"
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode:
		return "an anchor or alias (they are not read here)"
	case *ast.TagNode:
		return "a tag (tags are not read here)"
	}
	return "something else"
}

// DidYouMean suggests the known word that a word may be a misspelling of: "did you mean WORD? ", or nothing.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

// Nearest returns the one of the known words that a word is most likely a misspelling of, or "".
func Nearest(word string, known []string) string {
	for limit := range 1 + min(2, (len(word)+1)/2) {
		for _, k := range known {
			if Within(strings.ToLower(word), strings.ToLower(k), limit) {
				return k
			}
		}
	}
	return ""
}

// Within reports whether at most so many bytes have to be inserted, removed or replaced to get from one
// word to the other (Levenshtein).
func Within(a, b string, limit int) bool {
	if d := len(a) - len(b); d > limit || d < -limit {
		return false
	}
	var room [64]int // most words are shorter
	row := append(room[:0], make([]int, len(b)+1)...)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		least := row[0]
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
			least = min(least, row[j+1])
		}
		if least > limit {
			return false
		}
	}
	return row[len(b)] <= limit
}
