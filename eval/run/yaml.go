package run

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"parley/characters/yamlfile"
)

// ReadConfig reads the one YAML document of an experiment file over the values that a configuration has.
// Reading is strict; an error names file, line and column, and
// is a UsageError where the file is there.
func ReadConfig(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := DecodeConfig(path, data, into); err != nil {
		return UsageError{err}
	}
	return nil
}

// DecodeConfig is ReadConfig of data that were read already.
func DecodeConfig(path string, data []byte, into any) (err error) {
	defer func() {
		if p := recover(); p != nil { // the parser gives up so on some broken files
			err = fmt.Errorf("%s: the YAML cannot be read: %v", path, p)
		}
	}()
	if line := yamlfile.TooDeep(data); line > 0 {
		return fmt.Errorf("%s:%d: nested too deeply", path, line)
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return yamlError(path, err)
	}
	var body ast.Node
	for _, doc := range tree.Docs {
		switch doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
			continue
		}
		if body != nil {
			return fmt.Errorf("%s:%d: a second YAML document; keep one, without --- between", path, doc.Body.GetToken().Position.Line)
		}
		body = doc.Body
	}
	if body == nil {
		return fmt.Errorf("%s:1: no experiment in it; write at least one key, such as seed: 7", path)
	}
	numbers := &wholeNumbers{keys: map[string]bool{}, seen: map[reflect.Type]bool{}}
	numbers.of(reflect.TypeOf(into))
	ast.Walk(numbers, body)
	if numbers.err != nil {
		return yamlError(path, numbers.err)
	}
	if err := yaml.NodeToValue(body, into, yaml.Strict()); err != nil {
		return yamlError(path, err)
	}
	return nil
}

// yamlError says where in a file the YAML is wrong, as file:line:column.
func yamlError(path string, err error) error {
	var y yaml.Error
	if errors.As(err, &y) && y.GetToken() != nil {
		p := y.GetToken().Position
		return fmt.Errorf("%s:%d:%d: %s", path, p.Line, p.Column, y.GetMessage())
	}
	return fmt.Errorf("%s: %w", path, err)
}

// wholeNumbers visits a file for numbers that the YAML package would round, and for turns of 0, which it
// cannot tell from turns that are not written.
type wholeNumbers struct {
	keys map[string]bool
	seen map[reflect.Type]bool // structs, which may hold themselves
	err  error
}

// of collects the keys that hold whole numbers.
func (n *wholeNumbers) of(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		n.of(t.Elem())
	case reflect.Struct:
		if n.seen[t] {
			return
		}
		n.seen[t] = true
		for i := range t.NumField() {
			f := t.Field(i)
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			n.keys[key] = n.keys[key] || inner != reflect.TypeFor[time.Duration]() && reflect.Int <= inner.Kind() && inner.Kind() <= reflect.Uint64
			n.of(f.Type)
		}
	}
}

// Visit looks at one key with its value.
func (n *wholeNumbers) Visit(node ast.Node) ast.Visitor {
	pair, ok := node.(*ast.MappingValueNode)
	if !ok || n.err != nil || !n.keys[pair.Key.GetToken().Value] {
		return n
	}
	bad := func(format string, args ...any) {
		n.err = &yaml.SyntaxError{Message: fmt.Sprintf(format, args...), Token: pair.Value.GetToken()}
	}
	switch key, text := pair.Key.GetToken().Value, pair.Value.GetToken().Value; v := pair.Value.(type) {
	case *ast.FloatNode:
		if v.Value != math.Trunc(v.Value) {
			bad("%s is %s: a whole number is needed", key, text)
		}
	case *ast.IntegerNode:
		if few, err := strconv.Atoi(text); err == nil && few < 1 && (key == "turns" || key == "rounds") {
			bad("%s is %s: at least 1 is needed", key, text)
		}
	}
	return n
}

// EncodeConfig writes a configuration as a file that reads back as the same. Empty makes an empty
// configuration to read it into.
func EncodeConfig(config any, empty func() any) ([]byte, error) {
	text, err := yaml.MarshalWithOptions(config, yaml.CustomMarshaler(yamlText))
	if err != nil {
		return nil, err
	}
	again := empty()
	if err := DecodeConfig("the printed configuration", text, again); err != nil {
		return nil, err
	}
	if twice, err := yaml.MarshalWithOptions(again, yaml.CustomMarshaler(yamlText)); err != nil || !bytes.Equal(text, twice) {
		return nil, errors.Join(errors.New("the configuration cannot be written as YAML that reads back as the same"), err)
	}
	return text, nil
}

var unquoted = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./:?=&@+-]*$`)

// yamlText writes a text in quotes unless it is plainly one word: the YAML package reads some blocks and some
// plain texts back as others.
func yamlText(text string) ([]byte, error) {
	if unquoted.MatchString(text) && !token.IsNeedQuoted(text) {
		return []byte(text), nil
	}
	return []byte(strconv.QuoteToASCII(text)), nil
}

// SpecNode is a model in a YAML file.
type SpecNode string

// UnmarshalYAML reads a model.
func (s *SpecNode) UnmarshalYAML(node ast.Node) error {
	text, ok := SpecText(node)
	if !ok {
		return &yaml.SyntaxError{Message: "a model is written scheme:name[?key=value][@base-url]", Token: node.GetToken()}
	}
	*s = SpecNode(text)
	return nil
}

// SpecText returns the text of a model in a YAML file. Within [brackets] the YAML parser takes scheme:name for
// a mapping, of which the text is put together again.
func SpecText(node ast.Node) (string, bool) {
	switch n := node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.MappingNode:
		if len(n.Values) == 1 {
			return SpecText(n.Values[0])
		}
	case *ast.MappingValueNode:
		key := n.Key.GetToken()
		if key.Next == nil || key.Next.Next == nil || key.Next.Next.Position.Offset != key.Next.Position.Offset+1 {
			return "", false // a space after the colon: a mapping is meant
		}
		rest, ok := SpecText(n.Value)
		if !ok {
			rest = n.Value.GetToken().Value
		}
		return key.Value + ":" + rest, true
	}
	return "", false
}
