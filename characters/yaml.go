package characters

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// largest is how many bytes of YAML Read takes, which is thousands of sheets.
const largest = 8 << 20

// Finding is one thing that is wrong with a file of characters.
type Finding struct {
	File string
	Line int // from 1
	Text string
}

func (f *Finding) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Text) }

// Read reads the characters of a YAML file: one sheet or a list of them, in one or more documents. It
// is strict. Everything that is wrong is reported, each as a Finding, joined; there are then no
// sheets. Characters of one file have different IDs and names.
func Read(r io.Reader, file string) ([]*Sheet, error) {
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err != nil {
		return nil, fmt.Errorf("read characters: %w", err)
	}
	d := &decoder{file: file, ids: map[ID]int{}, names: map[string]int{}}
	if len(data) > largest {
		d.find(1, "larger than %d MiB; divide it into several files", largest>>20)
		return nil, errors.Join(d.findings...)
	}
	d.documents(data)
	if len(d.findings) == 0 && len(d.sheets) == 0 {
		d.find(1, "no characters in it; write one sheet or a list of sheets")
	}
	if len(d.findings) > 0 {
		return nil, errors.Join(d.findings...)
	}
	return d.sheets, nil
}

// decoder turns the tree of a file into sheets and findings.
type decoder struct {
	file     string
	findings []error
	sheets   []*Sheet
	ids      map[ID]int     // lines
	names    map[string]int // lines, by folded name
	// lines of the present sheet's fields; those in bad have been complained about already.
	lines map[string]int
	bad   map[string]bool
}

func (d *decoder) find(line int, format string, args ...any) {
	d.findings = append(d.findings, &Finding{d.file, max(line, 1), fmt.Sprintf(format, args...)})
}

// documents parses the file. Should the parser panic on a broken document, that is a finding like any
// other: such files come from strangers.
func (d *decoder) documents(data []byte) {
	defer func() {
		if p := recover(); p != nil {
			d.find(1, "not YAML: the parser gave up (%v); look for unbalanced quotes, brackets or indentation", p)
		}
	}()
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		var bad yaml.Error
		if errors.As(err, &bad) && bad.GetToken() != nil {
			d.find(bad.GetToken().Position.Line, "not YAML: %s", bad.GetMessage())
		} else {
			d.find(1, "not YAML: %v", err)
		}
		return
	}
	for _, doc := range tree.Docs {
		switch body := doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
		case *ast.SequenceNode:
			for _, item := range body.Values {
				d.sheet(item)
			}
		default:
			d.sheet(body)
		}
	}
}

// pairs returns the fields of a mapping.
func pairs(node ast.Node) ([]*ast.MappingValueNode, bool) {
	switch m := node.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

func line(node ast.Node) int {
	if node == nil || node.GetToken() == nil || node.GetToken().Position == nil {
		return 1
	}
	return node.GetToken().Position.Line
}

// sheet decodes one character and checks it.
func (d *decoder) sheet(node ast.Node) {
	fields, ok := pairs(node)
	if !ok {
		d.find(line(node), "a character is a list of fields such as name: Orla Venn, not %s", kind(node))
		return
	}
	s := &Sheet{}
	start := line(node)
	if len(fields) > 0 {
		start = line(fields[0].Key)
	}
	d.lines, d.bad = map[string]int{}, map[string]bool{}
	for _, f := range fields {
		d.field(s, f)
	}
	required := []string{"id", "name", "race", "class", "background", "alignment", "level", "abilities", "skills"}
	for _, f := range s.texts() {
		required = append(required, f.name)
	}
	for _, name := range required {
		if d.lines[name] == 0 {
			d.bad[name] = true
			d.find(start, "%s: %s", name, missing)
		}
	}
	for _, p := range s.problems() {
		parent, _, _ := strings.Cut(p.field, ".")
		parent, _, _ = strings.Cut(parent, "[")
		if d.bad[p.field] || d.bad[parent] {
			continue
		}
		at := d.lines[p.field]
		if at == 0 {
			at = start
		}
		d.find(at, "%s: %s", p.field, p.text)
	}
	if at := d.ids[s.ID]; at > 0 && s.ID != "" {
		d.find(d.lines["id"], "id: %s is the id of the character in line %d already; write another", s.ID, at)
	}
	if at := d.names[fold(s.Name)]; at > 0 && s.Name != "" {
		d.find(d.lines["name"], "name: %s is the name of the character in line %d already; write another", s.Name, at)
	}
	d.ids[s.ID], d.names[fold(s.Name)] = start, start
	d.sheets = append(d.sheets, s)
}

// field decodes one field of a sheet.
func (d *decoder) field(s *Sheet, f *ast.MappingValueNode) {
	name, ok := d.key("", f)
	if !ok {
		return
	}
	switch name {
	case "id":
		s.ID = ID(d.text(name, f.Value))
	case "name":
		s.Name = d.text(name, f.Value)
	case "race":
		s.Race = d.text(name, f.Value)
	case "class":
		s.Class = d.text(name, f.Value)
	case "background":
		s.Background = d.text(name, f.Value)
	case "alignment":
		s.Alignment = d.text(name, f.Value)
	case "level":
		s.Level = d.number(name, f.Value)
	case "abilities":
		d.abilities(&s.Abilities, f.Value)
	case "skills":
		for _, skill := range d.list(name, f.Value) {
			s.Skills = append(s.Skills, Skill(skill))
		}
	case "secrets":
		s.Secrets = d.list(name, f.Value)
	default:
		for _, p := range s.texts() {
			if p.name == name {
				*p.text = d.text(name, f.Value)
				return
			}
		}
		d.find(d.lines[name], "unknown field %q; a sheet has id, name, race, class, background, alignment, level, abilities, skills, trait, ideal, bond, flaw, appearance, voice, secrets and description", name)
	}
}

// key returns the name of a field and notes its line; not ok where it has none or came before.
func (d *decoder) key(parent string, f *ast.MappingValueNode) (string, bool) {
	at := line(f.Key)
	key, ok := ast.Node(f.Key).(*ast.StringNode)
	if !ok {
		d.find(at, "a field's name is a plain word, not %s", kind(f.Key))
		return "", false
	}
	path := parent + key.Value
	if before := d.lines[path]; before > 0 {
		d.find(at, "%s: stands in line %d already; remove one", path, before)
		return "", false
	}
	d.lines[path] = at
	return key.Value, true
}

func (d *decoder) abilities(a *Abilities, node ast.Node) {
	fields, ok := pairs(node)
	if !ok {
		d.mistyped("abilities", node, "the six scores, such as {str: 8, dex: 15, con: 12, int: 13, wis: 14, cha: 10}")
		return
	}
	for _, f := range fields {
		name, ok := d.key("abilities.", f)
		if !ok {
			continue
		}
		score := a.score(Ability(name))
		if score == nil {
			d.find(line(f.Key), "abilities: unknown ability %q; write str, dex, con, int, wis and cha", name)
			continue
		}
		*score = d.number("abilities."+name, f.Value)
	}
	for _, ability := range []Ability{Strength, Dexterity, Constitution, Intelligence, Wisdom, Charisma} {
		if path := "abilities." + string(ability); d.lines[path] == 0 {
			d.bad[path] = true
			d.find(d.lines["abilities"], "%s: %s", path, missing)
		}
	}
}

// mistyped complains of a value that is of the wrong type.
func (d *decoder) mistyped(path string, node ast.Node, want string) {
	d.bad[path] = true
	if _, null := node.(*ast.NullNode); null || node == nil {
		d.find(d.lines[path], "%s: nothing there; write %s", path, want)
		return
	}
	d.find(line(node), "%s: %s where there should be %s", path, kind(node), want)
}

// text reads a text. The white space around it, which block texts end in, is not part of it.
func (d *decoder) text(path string, node ast.Node) string {
	switch n := node.(type) {
	case *ast.StringNode:
		return strings.TrimSpace(n.Value)
	case *ast.LiteralNode:
		return strings.TrimSpace(n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		d.mistyped(path, node, "a text; put quotes around it")
	default:
		d.mistyped(path, node, "a text")
	}
	return ""
}

func (d *decoder) number(path string, node ast.Node) int {
	if n, ok := node.(*ast.IntegerNode); ok {
		if value, err := strconv.Atoi(n.GetToken().Value); err == nil {
			return value
		}
	}
	d.mistyped(path, node, "a whole number without quotes")
	return 0
}

// list reads a list of texts and notes the line of each.
func (d *decoder) list(path string, node ast.Node) []string {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		d.mistyped(path, node, "a list")
		return nil
	}
	var texts []string
	for i, item := range seq.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		d.lines[at] = line(item)
		texts = append(texts, d.text(at, item))
	}
	return texts
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
	case *ast.TagNode:
		return "a tag (they are not read here)"
	}
	return "something else"
}
