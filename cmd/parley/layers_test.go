package main_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers says which packages of parley each package may import, and which modules that belong to one place. A
// trailing /... means the packages below.
var layers = map[string][]string{
	"characters":          {"characters/yamlfile"},
	"characters/yamlfile": {},
	"eval/stat":           {},
	"eval/stat/table":     {"eval", "eval/stat"},
	"logs":                {},
	"sim/dice":            {},
	"sim/llm":             {"characters/yamlfile"},
	"sim/llm/wire":        {"characters/yamlfile", "sim/llm"},
	"sim/llm/openai":      {"sim/llm", "sim/llm/wire", openaiModule},
	"sim/llm/ollama":      {"sim/llm", "sim/llm/wire", ollamaModule},
	"sim/llm/llmtest":     {"sim/llm"},
	"sim/llm/loose":       {},
	"sim/prose":           {},
	"scenarios":           {"characters", "characters/yamlfile", "sim/prose"},
	"sim":                 {"characters", "characters/yamlfile", "scenarios", "sim/llm", "sim/dice"},
	"sim/agent":           {"characters", "scenarios", "sim/llm", "sim/dice", "sim", "sim/llm/loose"},
	"sim/reference":       {"sim/prose", "characters", "characters/yamlfile", "scenarios", "sim/llm", "sim/dice", "sim"},
	"sim/fleet":           {},
	"sim/simtest":         {"characters", "scenarios", "sim/llm", "sim/dice", "sim"},
	"eval":                {"characters", "scenarios", "sim/llm", "sim/dice", "sim", "eval/stat"},
	"eval/run":            {"characters/yamlfile", "sim/llm", "sim/fleet", "eval", "logs"},
	"eval/run/runtest":    {"sim/llm", "eval/run", "logs"},
	"eval/compare":        {"characters/yamlfile", "sim/llm", "eval", "eval/stat", "eval/run", "eval/report", "eval/report/view"},
	"eval/report":         {"sim/llm", "eval", "eval/run", "eval/report/view"},
	"eval/report/view":    {},
	"eval/session":        {"characters/yamlfile", "eval/compare", "eval/report", "eval/report/view", "characters", "scenarios", "sim/llm", "sim", "sim/agent", "sim/reference", "eval", "eval/run", "eval/judge", "eval/iep", "logs"},
	"eval/annotate":       {"eval/iep", "eval/run", "eval/stat", "logs", "scenarios", "sim", "eval", "eval/judge", "eval/session"},
	"eval/viewer":         {"characters", "logs", "sim", "eval", "eval/run", "eval/session", "eval/report", "eval/report/view"},
	"eval/judge":          {"sim/prose", "characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "sim/llm/loose"},
	"eval/iep":            {"sim/prose", "characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "eval/judge", "sim/llm/loose", "eval/iep/wordnet"},
	"eval/iep/wordnet":    {},
	"eval/survey":         {"characters/yamlfile", "logs", "eval/run", "eval/report", "eval/report/view", "sim/reference", "characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "eval/judge", "eval/survey/form"},
	"eval/survey/form":    {"sim/llm/loose", "eval/iep/wordnet"},
	"eval/ieg":            {"characters", "scenarios", "sim", "eval", "eval/stat", "eval/run", "sim/llm", "eval/report", "eval/report/view", "logs"},
	"eval/ieg/corpora":    {"logs", "characters", "eval/ieg"},
	"finetune":            {"eval/run", "eval/session", "eval/script", "eval/survey", "characters", "scenarios", "sim", "sim/agent", "sim/llm", "eval", "eval/stat", "eval/judge", "eval/ieg", "eval/script", "eval/survey", "finetune/vdm", "sim/llm/loose", "sim/reference"},
	"finetune/publish":    {"characters", "finetune", "finetune/formats", "finetune/recipe", "logs"},
	"finetune/formats":    {"finetune", "sim/llm"},
	"finetune/gguf":       {ollamaModule},
	"finetune/hosted":     {"eval/run", "finetune/formats", "sim/llm/openai", "logs", "sim/llm", "sim/llm/wire", "finetune", "sim/llm/loose"},
	"finetune/hosted/...": {},
	"finetune/recipe":     {"logs", "finetune"},
	"finetune/serve":      {"sim/llm", "sim/llm/wire", "sim/llm/ollama", "finetune/gguf"},
	"finetune/vdm":        {"characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "eval/judge", "eval/ieg", "sim/llm/loose"},
	"eval/script":         {"sim/prose", "logs", "eval/run", "eval/report", "eval/report/view", "sim/reference", "characters", "sim", "sim/llm", "eval", "eval/stat", "eval/judge", "eval/script/sqlite", "sim/llm/loose"},
	"eval/utility":        {"characters/yamlfile", "logs", "sim", "sim/prose", "sim/llm", "sim/llm/loose", "eval", "eval/stat", "eval/run", "eval/judge", "eval/session", "eval/iep", "eval/report", "eval/report/view"},
	"eval/script/sqlite":  {},
	"cmd/parley":          {"..."},
	"eval/planning":       {"sim/llm", "sim/llm/loose", "sim/agent", "sim", "eval", "eval/stat", "eval/run", "eval/report", "eval/report/view", "logs", "eval/planning/..."},
	"eval/planning/...":   {"eval/planning/..."},
}

// The modules, each of which is imported in one place.
const (
	openaiModule  = "github.com/sashabaranov/go-openai"
	ollamaModule  = "github.com/ollama/ollama"
	parquetModule = "github.com/parquet-go/parquet-go"
	cliModule     = "github.com/urfave/cli"
)

var modules = map[string]string{
	openaiModule: "sim/llm/openai", ollamaModule: "sim/llm/ollama", parquetModule: "logs", cliModule: "cmd/parley",
	"github.com/nats-io": "sim/fleet",
}

// What only cmd may use: the process's own flags, environment, streams and randomness.
var cmdOnly = []string{"flag", "os/signal"}

// Names that say nothing.
var emptyNames = []string{"util", "utils", "common", "helpers", "types", "misc", "base"}

func TestLayers(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		seen[pkg] = true
		if slices.Contains(emptyNames, filepath.Base(pkg)) {
			t.Errorf("%s: the name says nothing", pkg)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			checkImport(t, pkg, path, strings.Trim(spec.Path.Value, "`\""), strings.HasSuffix(path, "_test.go") || pkg == "eval/run/runtest") // which only tests import
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range layers {
		if !strings.HasSuffix(pkg, "/...") && !seen[pkg] {
			t.Errorf("the table has %s, which is not there", pkg)
		}
	}
}

// checkImport holds an import against the table. Tests may join what shipped code may not, modules
// excepted.
func checkImport(t *testing.T, pkg, path, imported string, test bool) {
	t.Helper()
	allowed, known := layers[pkg]
	for pattern, may := range layers {
		if below, ok := strings.CutSuffix(pattern, "/..."); ok && strings.HasPrefix(pkg, below+"/") {
			allowed, known = may, true
		}
	}
	if !known {
		t.Errorf("%s: the table of layers has no package %s", path, pkg)
		return
	}
	for module, home := range modules {
		if (imported == module || strings.HasPrefix(imported, module+"/")) && pkg != home {
			t.Errorf("%s imports %s, which belongs in %s only", path, imported, home)
		}
	}
	if test {
		return
	}
	if pkg != "cmd/parley" && slices.Contains(cmdOnly, imported) {
		t.Errorf("%s imports %s, which is for cmd", path, imported)
	}
	inner, ours := strings.CutPrefix(imported, "parley/")
	if !ours {
		return
	}
	if strings.HasSuffix(inner, "test") {
		t.Errorf("%s imports %s, which is for tests", path, imported)
	}
	if !slices.ContainsFunc(allowed, func(may string) bool {
		below, tree := strings.CutSuffix(may, "...")
		return may == inner || tree && strings.HasPrefix(inner, below)
	}) {
		t.Errorf("%s imports %s, which is on no layer below it", path, imported)
	}
}

// Shipped code outside of cmd asks nobody but its arguments: no environment, no streams, no clock, no
// global randomness.
func TestNothingIsReadBehindTheBack(t *testing.T) {
	root := filepath.Join("..", "..")
	forbidden := []string{"os.Getenv(", "os.Environ(", "os.LookupEnv(", "os.Stdout", "os.Stderr", "os.Stdin", "os.Args", "time.Now()", "rand.Int(", "rand.IntN(", "rand.Float64()", "rand.Shuffle(", "rand.Perm("}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() && (strings.HasPrefix(rel, "cmd") || rel != "." && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			for _, f := range forbidden {
				if i := strings.Index(code, f); i >= 0 && (i == 0 || !strings.ContainsAny(code[i-1:i], ".abcdefghijklmnopqrstuvwxyz")) {
					t.Errorf("%s:%d: %s is for cmd", rel, n+1, f)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The command is thin: short files without columns of tables; and the code uses nothing unsafe.
func TestCommandIsThin(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		if strings.Contains(string(text), "\t\"unsafe\"\n") {
			t.Errorf("%s imports unsafe", name)
		}
		if !strings.HasPrefix(filepath.ToSlash(name), "cmd/") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if n := strings.Count(string(text), "\n"); n > maxLines {
			t.Errorf("%s has %d lines, and %d are allowed: its logic belongs in a package", name, n, maxLines)
		}
		if strings.Contains(string(text), "parquet:\"") {
			t.Errorf("%s has columns of a table, which belong in a package", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// maxLines is how long a file of the command may be.
const maxLines = 200
