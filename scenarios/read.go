package scenarios

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"parley/characters"
)

const (
	largest = 4 << 20 // bytes of YAML that are read; some ten thousand pieces
	deepest = 32      // brackets within brackets; the parser recurses
	most    = 200     // findings; a file with more is no file of ours
)

// ReadKnowledge reads the pieces of knowledge in a YAML file: one, or a list of them. It is strict.
// Everything that is wrong is reported, each as a *characters.Finding with file and line, joined;
// there is then no knowledge.
func ReadKnowledge(r io.Reader, file string) ([]Knowledge, error) {
	return read(r, file, "knowledge", func(d *decoder, node ast.Node) (Knowledge, string) {
		var k Knowledge
		d.fields("", node, map[string]func(string, ast.Node){
			"id": d.text(&k.ID), "title": d.text(&k.Title), "topic": d.text(&k.Topic), "hook": d.text(&k.Hook),
			"text": d.text(&k.Text), "source": d.text(&k.Source),
			"facts": d.list(func(path string, node ast.Node) {
				var f Fact
				d.fields(path+".", node, map[string]func(string, ast.Node){
					"text": d.text(&f.Text), "aspect": d.text((*string)(&f.Aspect)),
				})
				k.Facts = append(k.Facts, f)
			}),
		})
		d.problems(k.Problems())
		return k, k.ID
	})
}

// ReadScenes reads the scenes in a YAML file: one, or a list of them, as strictly as ReadKnowledge.
func ReadScenes(r io.Reader, file string) ([]Scene, error) {
	return read(r, file, "scenes", func(d *decoder, node ast.Node) (Scene, string) {
		var s Scene
		d.fields("", node, map[string]func(string, ast.Node){
			"id": d.text(&s.ID), "title": d.text(&s.Title), "premise": d.text(&s.Premise),
			"aims": d.list(func(path string, node ast.Node) {
				var a Aim
				d.fields(path+".", node, map[string]func(string, ast.Node){
					"skill": d.text((*string)(&a.Skill)), "brief": d.text(&a.Brief),
				})
				s.Aims = append(s.Aims, a)
			}),
		})
		d.problems(s.Problems())
		return s, s.ID
	})
}

// read takes a file apart and has each of its pieces decoded.
func read[T any](r io.Reader, file, what string, piece func(*decoder, ast.Node) (T, string)) ([]T, error) {
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	d := &decoder{file: file}
	var out []T
	ids := map[string]int{}
	for _, node := range d.pieces(data) {
		d.start, d.lines, d.done = line(node), map[string]int{}, map[string]bool{}
		value, id := piece(d, node)
		if before := ids[id]; before > 0 && id != "" {
			d.find(d.lines["id"], "id: %s is the id of line %d already; write another", id, before)
		}
		ids[id] = max(d.lines["id"], 1)
		out = append(out, value)
	}
	if len(d.findings) == 0 && len(out) == 0 {
		d.find(1, "no %s in it; write a list of pieces, each beginning with - id:", what)
	}
	if len(d.findings) > 0 {
		return nil, errors.Join(d.findings...)
	}
	return out, nil
}

// decoder collects what is wrong with a file.
type decoder struct {
	file     string
	findings []error
	start    int             // line of the present piece
	lines    map[string]int  // of what the present piece holds, by path
	done     map[string]bool // paths complained about already
}

func (d *decoder) find(line int, format string, args ...any) {
	switch n := len(d.findings); {
	case n > most:
		return
	case n == most:
		format, args = "and more from here on; see to these first", nil
	}
	d.findings = append(d.findings, &characters.Finding{File: d.file, Line: max(line, 1), Text: fmt.Sprintf(format, args...)})
}

// pieces returns the nodes of a file's list.
func (d *decoder) pieces(data []byte) (nodes []ast.Node) {
	// The parser panics on some broken documents, which are findings like any other.
	defer func() {
		if p := recover(); p != nil {
			d.find(1, "not YAML: the parser gave up (%v); look for unbalanced quotes, brackets or indentation", p)
		}
	}()
	if len(data) > largest {
		d.find(1, "larger than %d MiB; divide it into several files", largest>>20)
		return nil
	}
	if at := tooDeep(data); at > 0 {
		d.find(at, "nested more than %d levels deep, or long dashes in a row; put such a text in quotes on lines of its own", deepest)
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
		switch body := doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		case *ast.SequenceNode:
			nodes = append(nodes, body.Values...)
		default:
			nodes = append(nodes, body)
		}
	}
	return nodes
}

// tooDeep returns the line in which a document nests deeper than any piece does, or 0. Brackets in
// texts count too, which does no harm: they balance.
func tooDeep(data []byte) int {
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
		if depth > deepest || dashes > deepest {
			return at
		}
	}
	return 0
}

func line(node ast.Node) int {
	if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 {
		node = m.Values[0].Key
	}
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return 1
	}
	return node.GetToken().Position.Line
}

// fields decodes a mapping, and complains of fields that are unknown or stand twice.
func (d *decoder) fields(prefix string, node ast.Node, known map[string]func(string, ast.Node)) {
	var values []*ast.MappingValueNode
	switch m := node.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		path := strings.TrimSuffix(prefix, ".")
		d.done[path] = true
		d.find(line(node), "%s: %s where there should be fields, each as name: text", at(path), kind(node))
		return
	}
	for _, f := range values {
		key, ok := ast.Node(f.Key).(*ast.StringNode)
		if !ok {
			d.find(line(f.Key), "a field's name is a plain word, not %s", kind(f.Key))
			continue
		}
		path := prefix + key.Value
		decode, ok := known[key.Value]
		switch {
		case !ok:
			d.find(line(key), "unknown field %q; known here are %s", path, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case d.lines[path] > 0:
			d.find(line(key), "%s: stands in line %d already; remove one", path, d.lines[path])
		default:
			d.lines[path] = line(key)
			decode(path, f.Value)
		}
	}
}

// text returns a decoder of a text. The white space around it, which block texts end in, is not part
// of it.
func (d *decoder) text(into *string) func(string, ast.Node) {
	return func(path string, node ast.Node) {
		switch n := node.(type) {
		case *ast.StringNode:
			*into = strings.TrimSpace(n.Value)
		case *ast.LiteralNode:
			*into = strings.TrimSpace(n.Value.Value)
		case nil, *ast.NullNode:
			// As if it were not there, which is complained about where it has to be.
		default:
			d.done[path] = true
			d.find(line(node), "%s: %s where there should be a text; put quotes around it", path, kind(node))
		}
	}
}

// list returns a decoder of a list.
func (d *decoder) list(each func(string, ast.Node)) func(string, ast.Node) {
	return func(path string, node ast.Node) {
		seq, ok := node.(*ast.SequenceNode)
		if !ok {
			d.done[path] = true
			d.find(d.lines[path], "%s: %s where there should be a list, each entry on a line that begins with -", path, kind(node))
			return
		}
		for i, item := range seq.Values {
			entry := fmt.Sprintf("%s[%d]", path, i)
			d.lines[entry] = line(item)
			each(entry, item)
		}
	}
}

// problems reports what is wrong with a decoded piece, except for what follows from findings made
// before.
func (d *decoder) problems(list []Problem) {
next:
	for _, p := range list {
		where := d.start
		for i := range len(p.Path) + 1 {
			if i == len(p.Path) || p.Path[i] == '.' || p.Path[i] == '[' {
				if d.done[p.Path[:i]] {
					continue next
				}
				if at := d.lines[p.Path[:i]]; at > 0 {
					where = at
				}
			}
		}
		if cut, _, dotted := strings.Cut(p.Path, "."); dotted && d.done[cut] || d.done[""] {
			continue
		}
		d.find(where, "%s: %s", at(p.Path), p.Text)
	}
}

func at(path string) string {
	if path == "" {
		return "a piece"
	}
	return path
}

// kind names a node's type in the words of somebody who writes YAML.
func kind(node ast.Node) string {
	switch node.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a list of fields"
	case *ast.AliasNode, *ast.AnchorNode, *ast.MergeKeyNode:
		return "an anchor or alias (they are not read here)"
	}
	return "something else"
}
