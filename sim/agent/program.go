package agent

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"text/template"
	"text/template/parse"
)

// program is a template made ready for data of one type. Prompts are rendered again for every
// session, which text/template would make a tenth of the engine's work: it looks up every field by
// its name. A program does the same for what prompts are made of: text, fields, if, with, range, eq
// and ne of texts. It reports false where only text/template knows what to do, such as for a field of
// a nil pointer.
type program func(out *bytes.Buffer, dot reflect.Value) bool

// operand is what a pipeline gives.
type operand struct {
	value func(dot reflect.Value) (reflect.Value, bool)
	typ   reflect.Type
}

// compile makes a program of a template for data of a type, or nil where the template needs
// text/template itself.
func compile(t *template.Template, data reflect.Type) program {
	if t.Tree == nil || t.Tree.Root == nil {
		return nil
	}
	return list(t.Tree.Root, data)
}

func list(nodes *parse.ListNode, dot reflect.Type) program {
	if nodes == nil {
		return func(*bytes.Buffer, reflect.Value) bool { return true }
	}
	steps := make([]program, 0, len(nodes.Nodes))
	for _, n := range nodes.Nodes {
		if _, comment := n.(*parse.CommentNode); comment {
			continue
		}
		step := node(n, dot)
		if step == nil {
			return nil
		}
		steps = append(steps, step)
	}
	return func(out *bytes.Buffer, dot reflect.Value) bool {
		for _, step := range steps {
			if !step(out, dot) {
				return false
			}
		}
		return true
	}
}

func node(n parse.Node, dot reflect.Type) program {
	switch n := n.(type) {
	case *parse.TextNode:
		return func(out *bytes.Buffer, _ reflect.Value) bool { out.Write(n.Text); return true }
	case *parse.ActionNode:
		if o, ok := pipeline(n.Pipe, dot); ok {
			return show(o)
		}
	case *parse.IfNode:
		return branch(&n.BranchNode, dot, false)
	case *parse.WithNode:
		return branch(&n.BranchNode, dot, true)
	case *parse.RangeNode:
		return loop(n, dot)
	}
	return nil
}

// branch is an if, or a with, which makes what it asks for the dot.
func branch(n *parse.BranchNode, dot reflect.Type, with bool) program {
	o, ok := pipeline(n.Pipe, dot)
	if !ok {
		return nil
	}
	inner := dot
	if with {
		inner = o.typ
	}
	then, other, empty := list(n.List, inner), list(n.ElseList, dot), emptiness(o.typ)
	if then == nil || other == nil || empty == nil {
		return nil
	}
	return func(out *bytes.Buffer, dot reflect.Value) bool {
		v, ok := o.value(dot)
		if !ok {
			return false
		}
		switch {
		case empty(v):
			return other(out, dot)
		case with:
			return then(out, v)
		}
		return then(out, dot)
	}
}

// emptiness returns what tells an empty value of a type, which text/template takes for false.
func emptiness(t reflect.Type) func(reflect.Value) bool {
	switch t.Kind() {
	case reflect.String, reflect.Slice:
		return func(v reflect.Value) bool { return v.Len() == 0 }
	case reflect.Pointer:
		return reflect.Value.IsNil
	case reflect.Bool:
		return func(v reflect.Value) bool { return !v.Bool() }
	case reflect.Int:
		return func(v reflect.Value) bool { return v.Int() == 0 }
	}
	return nil
}

func loop(n *parse.RangeNode, dot reflect.Type) program {
	o, ok := pipeline(n.Pipe, dot)
	if !ok || o.typ.Kind() != reflect.Slice {
		return nil
	}
	each, other := list(n.List, o.typ.Elem()), list(n.ElseList, dot)
	if each == nil || other == nil {
		return nil
	}
	return func(out *bytes.Buffer, dot reflect.Value) bool {
		v, ok := o.value(dot)
		if !ok {
			return false
		}
		if v.Len() == 0 {
			return other(out, dot)
		}
		for i := range v.Len() {
			if !each(out, v.Index(i)) {
				return false
			}
		}
		return true
	}
}

var (
	boolType     = reflect.TypeFor[bool]()
	errorType    = reflect.TypeFor[error]()
	stringerType = reflect.TypeFor[fmt.Stringer]()
)

// pipeline compiles a field, the dot, or eq and ne of two texts.
func pipeline(p *parse.PipeNode, dot reflect.Type) (operand, bool) {
	if p == nil || len(p.Decl) > 0 || len(p.Cmds) != 1 {
		return operand{}, false
	}
	args := p.Cmds[0].Args
	if len(args) == 1 {
		return argument(args[0], dot)
	}
	name, ok := args[0].(*parse.IdentifierNode)
	if !ok || len(args) != 3 || name.Ident != "eq" && name.Ident != "ne" {
		return operand{}, false
	}
	a, okA := argument(args[1], dot)
	b, okB := argument(args[2], dot)
	if !okA || !okB || a.typ.Kind() != reflect.String || b.typ.Kind() != reflect.String {
		return operand{}, false
	}
	same := name.Ident == "eq"
	return operand{func(dot reflect.Value) (reflect.Value, bool) {
		x, ok := a.value(dot)
		if !ok {
			return x, false
		}
		y, ok := b.value(dot)
		if !ok {
			return y, false
		}
		return reflect.ValueOf((x.String() == y.String()) == same), true
	}, boolType}, true
}

func argument(n parse.Node, dot reflect.Type) (operand, bool) {
	switch n := n.(type) {
	case *parse.DotNode:
		return operand{func(dot reflect.Value) (reflect.Value, bool) { return dot, true }, dot}, true
	case *parse.StringNode:
		v := reflect.ValueOf(n.Text)
		return operand{func(reflect.Value) (reflect.Value, bool) { return v, true }, v.Type()}, true
	case *parse.FieldNode:
		var path []int
		at := dot
		for _, name := range n.Ident {
			if at.Kind() == reflect.Pointer {
				at = at.Elem()
			}
			if at.Kind() != reflect.Struct {
				return operand{}, false
			}
			f, ok := at.FieldByName(name)
			// text/template looks for a method first.
			if _, method := reflect.PointerTo(at).MethodByName(name); !ok || method || len(f.Index) != 1 || !f.IsExported() {
				return operand{}, false
			}
			path, at = append(path, f.Index[0]), f.Type
		}
		return operand{func(v reflect.Value) (reflect.Value, bool) {
			for _, i := range path {
				if v.Kind() == reflect.Pointer {
					if v.IsNil() {
						return v, false
					}
					v = v.Elem()
				}
				v = v.Field(i)
			}
			return v, true
		}, at}, true
	}
	return operand{}, false
}

// show prints a value as text/template does, if that is what fmt does with its kind.
func show(o operand) program {
	for _, t := range []reflect.Type{o.typ, reflect.PointerTo(o.typ)} {
		if t.Implements(errorType) || t.Implements(stringerType) {
			return nil
		}
	}
	switch o.typ.Kind() {
	case reflect.String:
		return func(out *bytes.Buffer, dot reflect.Value) bool {
			v, ok := o.value(dot)
			if ok {
				out.WriteString(v.String())
			}
			return ok
		}
	case reflect.Int:
		return func(out *bytes.Buffer, dot reflect.Value) bool {
			v, ok := o.value(dot)
			if ok {
				out.Write(strconv.AppendInt(out.AvailableBuffer(), v.Int(), 10))
			}
			return ok
		}
	}
	return nil
}
