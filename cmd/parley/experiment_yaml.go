package main

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
)

// readExperiment reads an experiment file over the defaults.
func readExperiment(path string) (*Experiment, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return decodeExperiment(path, data)
}

// decodeExperiment reads the one document of an experiment file.
func decodeExperiment(path string, data []byte) (e *Experiment, err error) {
	defer func() {
		if p := recover(); p != nil { // the parser gives up so on some broken files
			err = fmt.Errorf("%s: the YAML cannot be read: %v", path, p)
		}
	}()
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlError(path, err)
	}
	var body ast.Node
	for _, doc := range tree.Docs {
		switch doc.Body.(type) {
		case nil, *ast.NullNode, *ast.CommentGroupNode:
			continue
		}
		if body != nil {
			return nil, fmt.Errorf("%s:%d: a second YAML document; keep one, without --- between", path, doc.Body.GetToken().Position.Line)
		}
		body = doc.Body
	}
	if body == nil {
		return nil, fmt.Errorf("%s:1: no experiment in it; write at least one key, such as sessions: 12", path)
	}
	numbers := &wholeNumbers{keys: map[string]bool{}}
	numbers.of(reflect.TypeFor[Experiment]())
	ast.Walk(numbers, body)
	if numbers.err != nil {
		return nil, yamlError(path, numbers.err)
	}
	e = defaultExperiment()
	e.Turns = 0
	if err := yaml.NodeToValue(body, e, yaml.Strict()); err != nil {
		return nil, yamlError(path, err)
	}
	return e, nil
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

// wholeNumbers visits a file for numbers that the YAML kit would round, and for turns that it cannot
// tell from turns that nobody wrote.
type wholeNumbers struct {
	keys map[string]bool
	err  error
}

// of collects the keys that hold whole numbers.
func (n *wholeNumbers) of(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		n.of(t.Elem())
	case reflect.Struct:
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

// encode writes the experiment as a file that reads back as the same.
func (e *Experiment) encode() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(e, yaml.CustomMarshaler(yamlText))
	if err != nil {
		return nil, err
	}
	again, err := decodeExperiment("the printed configuration", text)
	if err != nil {
		return nil, err
	}
	if twice, err := yaml.MarshalWithOptions(again, yaml.CustomMarshaler(yamlText)); err != nil || !bytes.Equal(text, twice) {
		return nil, errors.Join(errors.New("the configuration cannot be written as YAML that reads back as the same"), err)
	}
	return text, nil
}

var unquoted = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./:?=&@+-]*$`)

// yamlText writes a text in quotes unless it is plainly one word: of blocks and of plain texts, the YAML
// kit reads some back as others.
func yamlText(text string) ([]byte, error) {
	if unquoted.MatchString(text) && !token.IsNeedQuoted(text) {
		return []byte(text), nil
	}
	return []byte(strconv.QuoteToASCII(text)), nil
}
