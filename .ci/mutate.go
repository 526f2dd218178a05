// Mutate changes the code of a package in small ways, one at a time, and runs the package's own tests on each: a change
// that no test notices is printed with its place. It is no part of the gate.
//
//	go run .ci/mutate.go [-n 80] [-seed 1] [-short] ./eval ./eval/stat
//
// All changes of a package are compiled into one test binary, and an environment variable switches one of them on: the
// other side of a comparison (negated, or with its bound), of a sum or a product, of "and" and "or", a number
// one larger. Only the tests that reach a change are run on it, the quick ones first. Changes in code that the tests do not reach count as not noticed. Left out is what no caller can see but
// in the wording of an error or in time and memory: the arguments of fmt.Errorf and panic, capacities and size hints,
// durations, the modes of files, and numbers that are returned beside an error or false.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// runtime is compiled into the package.
const runtime = `package %s

import "os"

var mutantOn, _ = mutantNumber(os.Getenv("MUTANT"))
var mutantTrace, mutantSeen = os.Getenv("MUTANT_TRACE"), [%d]bool{}

func mutantNumber(text string) (n int, ok bool) {
	n = -1
	for _, c := range text {
		n = max(n, 0)*10 + int(c-'0')
	}
	return n, true
}

func mutant(k int) bool {
	if mutantTrace != "" && !mutantSeen[k] {
		mutantSeen[k] = true
		f, _ := os.OpenFile(mutantTrace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		digits := []byte{'\n'}
		for n := k; n > 0 || len(digits) == 1; n /= 10 {
			digits = append([]byte{byte('0' + n%%10)}, digits...)
		}
		f.Write(digits)
		f.Close()
	}
	return k == mutantOn
}

type mutantNumeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func mutantNot(k int, v bool) bool { return v != mutant(k) }

func mutantOrder[T mutantNumeric | ~string](k int, less, equal bool, a, b T) bool {
	if mutant(k + 1) {
		equal = !equal
	}
	return (a < b && less || a > b && !less || a == b && equal) != mutant(k)
}

func mutantBoth(k int, and, a bool, b func() bool) bool {
	if mutant(k) {
		and = !and
	}
	if and {
		return a && b()
	}
	return a || b()
}

func mutantSum[T mutantNumeric](k int, plus bool, a, b T) T {
	if plus != mutant(k) {
		return a + b
	}
	return a - b
}

func mutantProduct[T mutantNumeric](k int, times bool, a, b T) T {
	if times != mutant(k) {
		return a * b
	}
	return a / b
}

func mutantMore[T mutantNumeric](k int, v T) T {
	if mutant(k) {
		v++
	}
	return v
}
`

type change struct {
	at, what string
	line     string // file:line
}

// edit replaces the text of a file from an offset.
type edit struct {
	offset, length int
	text           string
}

type pack struct {
	Dir, Name, ImportPath string
	GoFiles               []string
	TestGoFiles           []string
	XTestGoFiles          []string
}

// mutator collects the changes of one package.
type mutator struct {
	fset    *token.FileSet
	info    *types.Info
	changes []change
	skip    map[string]bool // lines whose changes do not compile
	path    string
}

func (m *mutator) add(pos token.Pos, what ...string) (k int, ok bool) {
	p := m.fset.Position(pos)
	line := fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
	if m.skip[line] {
		return 0, false
	}
	for _, w := range what {
		m.changes = append(m.changes, change{fmt.Sprintf("%s:%d", line, p.Column), w, line})
	}
	return len(m.changes) - len(what), true
}

// qualify names the package of a type as a file that imports it does.
func (m *mutator) qualify(p *types.Package) string {
	if p.Path() == m.path {
		return ""
	}
	return p.Name()
}

func (m *mutator) constant(e ast.Expr) bool { return m.info.Types[e].Value != nil }

func (m *mutator) basic(e ast.Expr, of types.BasicInfo) bool {
	t := m.info.Types[e].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&of != 0 && b.Info()&types.IsUntyped == 0
}

// editor collects the edits of one file.
type editor struct {
	*mutator
	starts, ends []edit
}

// edits returns the edits of a file.
func (m *mutator) edits(f *ast.File) []edit {
	e := &editor{mutator: m}
	ast.PreorderStack(f, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST && n.Tok != token.TYPE
		case *ast.ArrayType, *ast.FuncType:
			return false
		case *ast.CallExpr:
			return e.call(n)
		case *ast.BinaryExpr:
			return e.binary(n)
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				if k, ok := m.add(n.OpPos, "! left out"); ok {
					e.wrap(n, fmt.Sprintf("mutantNot(%d, ", k), ")")
				}
			}
		case *ast.AssignStmt:
			e.assignment(n)
		case *ast.IncDecStmt:
			if simple(n.X) && m.basic(n.X, types.IsNumeric) {
				if k, ok := m.add(n.TokPos, n.Tok.String()+" to the other"); ok {
					e.put(n.TokPos, 2, fmt.Sprintf(" = mutantSum(%d, %t, %s, 1)", k, n.Tok == token.INC, types.ExprString(n.X)))
				}
			}
		case *ast.BasicLit:
			e.number(n, stack[len(stack)-1])
		}
		return true
	})
	return slices.Concat(e.starts, e.ends)
}

func (e *editor) offset(p token.Pos) int { return e.fset.Position(p).Offset }

// put replaces some characters at a place.
func (e *editor) put(p token.Pos, length int, text string) {
	e.starts = append(e.starts, edit{e.offset(p), length, text})
}

// wrap puts texts around a node.
func (e *editor) wrap(n ast.Node, before, after string) {
	e.put(n.Pos(), 0, before)
	e.ends = append([]edit{{e.offset(n.End()), 0, after}}, e.ends...)
}

// call reports whether the arguments of a call are changed too, and changes those of make that are a length.
func (e *editor) call(n *ast.CallExpr) bool {
	switch types.ExprString(n.Fun) {
	case "fmt.Errorf", "panic", "slices.Grow":
		return false
	case "make":
		_, slice := e.info.Types[n.Args[0]].Type.Underlying().(*types.Slice)
		return slice && len(n.Args) == 2
	}
	return true
}

// binary changes an operator, and reports whether its operands are changed too.
func (e *editor) binary(n *ast.BinaryExpr) bool {
	op, call := n.Op.String(), ""
	change := func(form string, second bool, what ...string) {
		if k, ok := e.add(n.OpPos, what...); ok {
			call = fmt.Sprintf(form, k, second)
		}
	}
	switch {
	case e.constant(n):
		return false
	case n.Op == token.EQL || n.Op == token.NEQ:
		if k, ok := e.add(n.OpPos, op+" negated"); ok {
			e.wrap(n, fmt.Sprintf("mutantNot(%d, ", k), ")")
		}
	case n.Op == token.LAND || n.Op == token.LOR:
		if k, ok := e.add(n.OpPos, op+" to the other"); ok {
			e.wrap(n, fmt.Sprintf("mutantBoth(%d, %t, ", k, n.Op == token.LAND), ")})")
			e.put(n.OpPos, 2, ", func() bool { return (")
		}
	case n.Op == token.LSS || n.Op == token.LEQ || n.Op == token.GTR || n.Op == token.GEQ:
		change("mutantOrder(%d, "+strconv.FormatBool(op[0] == '<')+", %t, ", len(op) == 2, op+" negated", op+" with the other bound")
	case (n.Op == token.ADD || n.Op == token.SUB) && e.basic(n, types.IsNumeric):
		change("mutantSum(%d, %t, ", op == "+", op+" to the other")
	case (n.Op == token.MUL || n.Op == token.QUO) && e.basic(n, types.IsNumeric):
		change("mutantProduct(%d, %t, ", op == "*", op+" to the other")
	}
	if call != "" {
		e.wrap(n, call, ")")
		e.put(n.OpPos, len(op), ",")
	}
	return true
}

// assignment changes += and -=.
func (e *editor) assignment(n *ast.AssignStmt) {
	if n.Tok != token.ADD_ASSIGN && n.Tok != token.SUB_ASSIGN || !simple(n.Lhs[0]) || !e.basic(n.Lhs[0], types.IsNumeric) {
		return
	}
	if k, ok := e.add(n.TokPos, n.Tok.String()+" to the other"); ok {
		e.put(n.TokPos, 2, fmt.Sprintf("= mutantSum(%d, %t, %s, ", k, n.Tok == token.ADD_ASSIGN, types.ExprString(n.Lhs[0])))
		e.ends = append([]edit{{e.offset(n.End()), 0, ")"}}, e.ends...)
	}
}

// number changes a number that is no key, no part of a constant, no time and no file's mode.
func (e *editor) number(n *ast.BasicLit, parent ast.Node) {
	t := e.info.Types[n].Type
	if p, ok := parent.(ast.Expr); t == nil || ok && e.constant(p) || !e.basic(n, types.IsNumeric) {
		return
	}
	if kv, ok := parent.(*ast.KeyValueExpr); ok && kv.Key == n {
		return
	}
	if name := types.TypeString(types.Unalias(t), nil); name == "time.Duration" || name == "io/fs.FileMode" {
		return
	}
	if call, ok := parent.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "strconv.ParseFloat" {
		return // 64 and more are the same
	}
	if r, ok := parent.(*ast.ReturnStmt); ok && e.fails(r) {
		return
	}
	if k, ok := e.add(n.Pos(), n.Value+" one larger"); ok {
		e.wrap(n, fmt.Sprintf("mutantMore(%d, %s(", k, types.TypeString(t, e.qualify)), "))")
	}
}

// fails reports whether a statement returns an error that is not nil, or false, beside other values.
func (e *editor) fails(r *ast.ReturnStmt) bool {
	last := r.Results[len(r.Results)-1]
	if id, ok := last.(*ast.Ident); ok && (id.Name == "false" || id.Name == "nil") {
		return id.Name == "false"
	}
	t := e.info.Types[last].Type
	return t != nil && types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// simple reports whether an expression can be evaluated twice.
func simple(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.CallExpr, *ast.BasicLit, *ast.BinaryExpr, *ast.UnaryExpr:
			ok = false
		}
		return ok
	})
	return ok
}

func apply(src []byte, list []edit) []byte {
	// At one offset, what ends comes before what begins; each kind is in the order in which it was added.
	slices.SortStableFunc(list, func(a, b edit) int {
		ends := func(e edit) int {
			if strings.HasPrefix(e.text, ")") || strings.HasPrefix(e.text, "}") {
				return 0
			}
			return 1
		}
		if a.offset != b.offset {
			return a.offset - b.offset
		}
		return ends(a) - ends(b)
	})
	var out bytes.Buffer
	last := 0
	for _, e := range list {
		out.Write(src[last:e.offset])
		out.WriteString(e.text)
		last = e.offset + e.length
	}
	out.Write(src[last:])
	return out.Bytes()
}

var errorLine = regexp.MustCompile(`([\w.-]+\.go):(\d+):`)

// build writes the changed files and compiles the tests, leaving out the changes that do not compile.
func build(p pack, dir string) (binary string, changes []change, err error) {
	exports := map[string]string{}
	list, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", p.ImportPath).Output()
	if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(list)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
	}
	skip := map[string]bool{}
	for range 12 {
		m := &mutator{fset: token.NewFileSet(), skip: skip, path: p.ImportPath, info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(m.fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				return "", nil, err
			}
			files = append(files, f)
		}
		conf := types.Config{Importer: importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
		if _, err := conf.Check(p.ImportPath, m.fset, files, m.info); err != nil {
			return "", nil, err
		}
		replace := map[string]string{}
		put := func(name string, text []byte) {
			replace[filepath.Join(p.Dir, name)] = filepath.Join(dir, name)
			os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		for i, f := range files {
			src, _ := os.ReadFile(filepath.Join(p.Dir, p.GoFiles[i]))
			put(p.GoFiles[i], apply(src, m.edits(f)))
		}
		put("zz_mutants.go", fmt.Appendf(nil, runtime, p.Name, len(m.changes)+1))
		overlay, _ := json.Marshal(map[string]any{"Replace": replace})
		os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)
		binary = filepath.Join(dir, "test")
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, p.ImportPath).CombinedOutput()
		if err == nil {
			return binary, m.changes, nil
		}
		before := len(skip)
		for _, at := range errorLine.FindAllStringSubmatch(string(out), -1) {
			skip[at[1]+":"+at[2]] = true
		}
		if len(skip) == before {
			return "", nil, fmt.Errorf("%s", out)
		}
	}
	return "", nil, fmt.Errorf("%s does not compile", p.ImportPath)
}

func main() {
	n, seed, short := flag.Int("n", 80, "changes of each package, drawn"), flag.Uint64("seed", 1, "of the draw"), flag.Bool("short", false, "leave out long tests")
	flag.Parse()
	for _, name := range flag.Args() {
		if err := mutate(name, *n, *seed, *short); err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			os.Exit(1)
		}
	}
}

func mutate(name string, n int, seed uint64, short bool) error {
	var p pack
	out, err := exec.Command("go", "list", "-json=Dir,Name,ImportPath,GoFiles,TestGoFiles,XTestGoFiles", name).Output()
	if err != nil || json.Unmarshal(out, &p) != nil {
		return fmt.Errorf("no package: %w", err)
	}
	if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
		fmt.Printf("%s has no tests of its own\n", name)
		return nil
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, changes, err := build(p, dir)
	if err != nil {
		return err
	}
	test := func(limit time.Duration, tests []string, env string) error {
		cmd := exec.Command(binary, "-test.failfast", "-test.short="+strconv.FormatBool(short), "-test.timeout="+limit.String(), "-test.run=^("+strings.Join(tests, "|")+")$")
		cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), env)
		return cmd.Run()
	}
	names, err := exec.Command(binary, "-test.list=^(Test|Fuzz|Example)").Output()
	if err != nil {
		return err
	}
	begin, took, reached := time.Now(), map[string]time.Duration{}, map[string][]string{}
	for _, name := range strings.Fields(string(names)) {
		start, trace := time.Now(), filepath.Join(dir, name)
		if err := test(10*time.Minute, []string{name}, "MUTANT_TRACE="+trace); err != nil {
			return fmt.Errorf("%s fails without a change: %w", name, err)
		}
		took[name] = time.Since(start)
		lines, _ := os.ReadFile(trace)
		for line := range strings.Lines(string(lines)) {
			reached[strings.TrimSpace(line)] = append(reached[strings.TrimSpace(line)], name)
		}
	}
	whole := time.Since(begin)
	lives := func(k int) bool { // the quick tests first
		var quick, slow []string
		for _, name := range reached[strconv.Itoa(k)] {
			if took[name] < whole/20 {
				quick = append(quick, name)
			} else {
				slow = append(slow, name)
			}
		}
		for _, tests := range [][]string{quick, slow} {
			if len(tests) > 0 && test(10*time.Second+4*whole, tests, "MUTANT="+strconv.Itoa(k)) != nil {
				return false
			}
		}
		return true
	}
	drawn := rand.New(rand.NewPCG(seed, 0)).Perm(len(changes))
	drawn = drawn[:min(n, len(drawn))]
	slices.Sort(drawn)
	lived := make([]string, len(drawn))
	var group sync.WaitGroup
	slots := make(chan bool, 2)
	for i, k := range drawn {
		group.Go(func() {
			slots <- true
			defer func() { <-slots }()
			if reached[strconv.Itoa(k)] == nil {
				lived[i] = "not reached"
			} else if lives(k) {
				lived[i] = "lived"
			}
		})
	}
	group.Wait()
	noticed := 0
	for i, k := range drawn {
		if lived[i] == "" {
			noticed++
		} else {
			fmt.Printf("%s/%s: %s: %s\n", name, changes[k].at, changes[k].what, lived[i])
		}
	}
	fmt.Printf("%s: %d of %d noticed, %.0f %%, drawn from %d\n", name, noticed, len(drawn), 100*float64(noticed)/float64(max(len(drawn), 1)), len(changes))
	return nil
}
