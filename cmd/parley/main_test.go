package main

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"parley": main})
}

// TestScripts runs the command as a user does: see testdata/*.txtar.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error { // the secret that signs runs is kept there
			env.Setenv("HOME", env.WorkDir)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"same":   sameRuns,
			"status": wantStatus,
			"json":   checkJSON,
		},
	})
}

// sameRuns (same A B [STREAM...]) says whether two runs hold the same, times aside.
func sameRuns(ts *testscript.TestScript, neg bool, args []string) {
	compared := tableNames
	if len(args) > 2 {
		compared = args[2:]
	}
	a, err := verifyRun(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := verifyRun(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(a.Findings)+len(b.Findings) > 0 {
		ts.Fatalf("findings: %v %v", a.Findings, b.Findings)
	}
	same := true
	for _, stream := range compared {
		same = same && a.Tables[stream].Untimed == b.Tables[stream].Untimed && a.Tables[stream].Rows == b.Tables[stream].Rows
	}
	if same == neg {
		ts.Fatalf("same is %t: %v %v", same, a.Tables, b.Tables)
	}
}

// wantStatus (status N parley ...) runs a command and wants an exit status. What it printed can be
// matched with stdout and stderr.
func wantStatus(ts *testscript.TestScript, _ bool, args []string) {
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if args[0] != strconv.Itoa(got) {
		ts.Fatalf("status %d, want %s\n%s%s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// checkJSON (json FILE key key ...) says that a file is one JSON object with these keys and no more
// after it.
func checkJSON(ts *testscript.TestScript, _ bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	var object map[string]json.RawMessage
	ts.Check(dec.Decode(&object))
	if dec.More() {
		ts.Fatalf("%s holds more than one object", args[0])
	}
	for _, key := range args[1:] {
		if _, ok := object[key]; !ok {
			ts.Fatalf("%s has no %q", args[0], key)
		}
	}
}
