package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// judgeApp runs one of the commands about judges by itself.
func judgeApp(args ...string) (stdout string, err error) {
	var out, talk bytes.Buffer
	app := &cli.App{
		Writer: &out, ErrWriter: &talk, ExitErrHandler: func(*cli.Context, error) {},
		Commands: []*cli.Command{evalJudgeCheckCommand(), evalAnnotateCommand()},
	}
	settle(app.Commands, "parley")
	err = app.Run(flagsFirst(app.Commands, append([]string{"parley"}, args...)))
	return out.String(), err
}

func TestJudgeCheckRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.jsonl", `{"id":"a","raw":"{'score': '4/5'}","offered":{"type":"object","properties":{"score":{"type":"integer","minimum":1,"maximum":5}},"required":["score"]}}

{"id":2,"raw":"{\"x\": \"good\", \"y\": \"odd\"}","offered":{"type":"object","properties":{"x":{"enum":["good"]},"y":{"enum":["good"]}},"required":["x","y"]}}
{"id":"c","raw":"VERDICT: I"}`)
	out, err := judgeApp("judge-check", "read", good)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{
		`{"id":"a","status":"scored","value":{"score":4},"reason":"","method":"loose json"}`,
		`{"id":2,"status":"unparsed","value":null,"reason":"\"y\": \"odd\" is not one of \"good\"","method":"","keys":{"x":{"id":"x","status":"scored","value":"good","reason":"","method":"json"},"y":{"id":"y","status":"unparsed","value":null,"reason":"\"odd\" is not one of \"good\"","method":""}}}`,
		`{"id":"c","status":"scored","value":"I","reason":"","method":"line"}`,
	} {
		if i >= len(lines) || lines[i] != want {
			t.Errorf("line %d of\n%s\nwant %s", i+1, out, want)
		}
	}
	out, err = judgeApp("judge-check", "read", good, "--json")
	var report struct {
		Results              []map[string]any
		Scored, Unparsed, Of int
	}
	if err != nil || json.Unmarshal([]byte(out), &report) != nil || len(report.Results) != 3 || report.Scored != 2 || report.Unparsed != 1 || report.Of != 3 {
		t.Errorf("%v: %s", err, out)
	}
	for text, want := range map[string]string{
		"{\"id\":1,\"raw\":\"x\"}\n{": "bad.jsonl:2: ",
		`{"id":1}`:                    `bad.jsonl:1: there is no "raw"`,
		`{"id":1,"raw":"x","offered":{"type":"nonsense"}}`: "bad.jsonl:1: the schema of the verdict is not valid",
	} {
		if _, err := judgeApp("judge-check", "read", file("bad.jsonl", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	var usage usageError
	if _, err := judgeApp("judge-check", "read"); !errors.As(err, &usage) {
		t.Errorf("without a file: %v", err)
	}
}

func TestAnnotate(t *testing.T) {
	dir := t.TempDir()
	items, sheet, verdicts := filepath.Join(dir, "items.jsonl"), filepath.Join(dir, "sheet.csv"), filepath.Join(dir, "verdicts.jsonl")
	text := `{"id":"1","subject":"orla","text":"a, b","offered":{"type":"integer","minimum":0,"maximum":4}}` + "\n"
	if err := os.WriteFile(items, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := judgeApp("annotate", items, "--annotator", "anna", "--annotator", "ben", "--out", sheet); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(sheet)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	rows[1][6] = "3" // ben leaves his empty
	var filled bytes.Buffer
	if err := csv.NewWriter(&filled).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sheet, filled.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var partial partialError
	if _, err := judgeApp("annotate", "--read", sheet, "--out", verdicts); !errors.As(err, &partial) {
		t.Errorf("one of two is empty: %v", err)
	}
	got, err := os.ReadFile(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"1","subject":"orla","annotator":"anna","status":"scored","value":3,"reason":"","method":"human"}
{"id":"1","subject":"orla","annotator":"ben","status":"failed","value":null,"reason":"left empty","method":"human"}
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	var usage usageError
	for _, args := range [][]string{{"annotate"}, {"annotate", items}, {"annotate", sheet, "--annotator", "x"}} {
		if _, err := judgeApp(args...); !errors.As(err, &usage) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestAnnotateRun(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	var out, talk bytes.Buffer
	if status := Main(t.Context(), []string{"parley", "run", "--sessions", "2", "--turns", "6", "--seed", "3", "--control", "none", "--out", run}, &out, &talk); status != exitOK {
		t.Fatalf("status %d: %s", status, talk.String())
	}
	sheet, err := judgeApp("annotate", run, "--annotator", "anna")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(sheet)).ReadAll()
	if err != nil || len(rows) != 1+2*3 { // two sessions of three players
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if text := rows[1][3]; !strings.Contains(text, "KEY FACTS\n1. ") || !strings.Contains(text, "\nANSWER\n") {
		t.Errorf("the text is\n%s", text)
	}
	if rows[1][5] == "" || !strings.Contains(rows[1][8], `"minimum":0`) {
		t.Errorf("row %q", rows[1])
	}
}
