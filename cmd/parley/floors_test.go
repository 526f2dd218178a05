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

// floors says which packages of parley each package may import, and which kits. A new arrow is a
// decision taken here. A trailing /... stands for the packages below.
var floors = map[string][]string{
	"characters":          {"characters/yamlfile"},
	"characters/yamlfile": {},
	"eval/stat":           {},
	"eval/stat/table":     {"eval", "eval/stat"},
	"logs":                {},
	"sim/dice":            {},
	"sim/llm":             {"characters/yamlfile"},
	"sim/llm/wire":        {"sim/llm"},
	"sim/llm/openai":      {"sim/llm", "sim/llm/wire", openaiKit},
	"sim/llm/ollama":      {"sim/llm", "sim/llm/wire", ollamaKit},
	"sim/llm/llmtest":     {"sim/llm"},
	"sim/llm/loose":       {},
	"scenarios":           {"characters", "characters/yamlfile"},
	"sim":                 {"characters", "characters/yamlfile", "scenarios", "sim/llm", "sim/dice"},
	"sim/agent":           {"characters", "scenarios", "sim/llm", "sim/dice", "sim", "sim/llm/loose"},
	"sim/reference":       {"characters", "characters/yamlfile", "scenarios", "sim/llm", "sim/dice", "sim"},
	"sim/fleet":           {},
	"sim/simtest":         {"characters", "scenarios", "sim/llm", "sim/dice", "sim"},
	"eval":                {"characters", "scenarios", "sim/llm", "sim/dice", "sim", "eval/stat"},
	"eval/run":            {"characters/yamlfile", "sim/llm", "sim/fleet", "eval", "logs"},
	"eval/run/runtest":    {"sim/llm", "eval/run"},
	"eval/report":         {"sim/llm", "eval", "eval/run", "eval/report/view"},
	"eval/report/view":    {},
	"eval/session":        {"eval/report", "eval/report/view", "characters", "scenarios", "sim/llm", "sim", "sim/agent", "sim/reference", "eval", "eval/run", "eval/judge", "eval/iep", "logs"},
	"eval/annotate":       {"scenarios", "sim", "eval", "eval/judge", "eval/session"},
	"eval/judge":          {"characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "sim/llm/loose"},
	"eval/iep":            {"characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "eval/judge", "sim/llm/loose", "eval/iep/wordnet"},
	"eval/iep/wordnet":    {},
	"eval/survey":         {"logs", "eval/run", "eval/report", "eval/report/view", "sim/reference", "characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "eval/judge", "eval/survey/form"},
	"eval/survey/form":    {"sim/llm/loose"},
	"eval/ieg":            {"characters", "scenarios", "sim", "eval", "eval/stat"},
	"eval/ieg/corpora":    {"characters", "eval/ieg"},
	"finetune":            {"eval/run", "eval/session", "eval/script", "eval/survey", "characters", "scenarios", "sim", "sim/agent", "sim/llm", "eval", "eval/stat", "eval/judge", "eval/ieg", "eval/script", "eval/survey", "finetune/vdm", "sim/llm/loose"},
	"finetune/publish":    {"characters", "finetune", "finetune/formats", "finetune/recipe", "logs"},
	"finetune/formats":    {"finetune"},
	"finetune/gguf":       {ollamaKit},
	"finetune/hosted":     {"logs", "sim/llm", "sim/llm/wire", "finetune", "sim/llm/loose"},
	"finetune/hosted/...": {},
	"finetune/recipe":     {"logs", "finetune"},
	"finetune/serve":      {"sim/llm", "sim/llm/ollama", "finetune/gguf"},
	"finetune/vdm":        {"characters", "scenarios", "sim/llm", "sim", "eval", "eval/stat", "eval/judge", "eval/ieg", "sim/llm/loose"},
	"eval/script":         {"logs", "eval/run", "eval/report", "eval/report/view", "sim/reference", "characters", "sim/llm", "eval", "eval/stat", "eval/judge", "eval/script/sqlite", "sim/llm/loose"},
	"eval/script/sqlite":  {},
	"cmd/parley":          {"..."},
	"eval/planning":       {"sim/llm", "sim/llm/loose", "sim/agent", "sim", "eval", "eval/stat", "eval/run", "eval/report", "eval/report/view", "logs", "eval/planning/..."},
	"eval/planning/...":   {"eval/planning/..."},
}

// The kits, each of which stands in one place.
const (
	openaiKit  = "github.com/sashabaranov/go-openai"
	ollamaKit  = "github.com/ollama/ollama"
	parquetKit = "github.com/parquet-go/parquet-go"
	cliKit     = "github.com/urfave/cli"
)

var kits = map[string]string{
	openaiKit: "sim/llm/openai", ollamaKit: "sim/llm/ollama", parquetKit: "logs", cliKit: "cmd/parley",
	"github.com/nats-io": "sim/fleet",
}

// What only cmd may use: the process's own flags, environment, streams and randomness.
var cmdOnly = []string{"flag", "os/signal"}

// Names that say nothing.
var emptyNames = []string{"util", "utils", "common", "helpers", "types", "misc", "base"}

func TestFloors(t *testing.T) {
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
			checkImport(t, pkg, path, strings.Trim(spec.Path.Value, "`\""), strings.HasSuffix(path, "_test.go"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range floors {
		if !strings.HasSuffix(pkg, "/...") && !seen[pkg] {
			t.Errorf("the table knows %s, which is not there", pkg)
		}
	}
}

// checkImport holds an import against the table. Tests may join what shipped code may not, kits
// excepted.
func checkImport(t *testing.T, pkg, path, imported string, test bool) {
	t.Helper()
	allowed, known := floors[pkg]
	for pattern, may := range floors {
		if below, ok := strings.CutSuffix(pattern, "/..."); ok && strings.HasPrefix(pkg, below+"/") {
			allowed, known = may, true
		}
	}
	if !known {
		t.Errorf("%s: the table of floors does not know the package %s", path, pkg)
		return
	}
	for kit, home := range kits {
		if (imported == kit || strings.HasPrefix(imported, kit+"/")) && pkg != home {
			t.Errorf("%s imports %s, which stands in %s only", path, imported, home)
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
		t.Errorf("%s imports %s, which stands on no floor below it", path, imported)
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
