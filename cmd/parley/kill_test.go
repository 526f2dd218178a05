package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/eval/run"
)

// A run that is killed at random moments and resumed each time ends with the same rows and results as
// one that nobody disturbed: nothing that was played is lost or doubled.
func TestKilledRunEndsAsIfUndisturbed(t *testing.T) {
	kills, sessions := 4, 120
	if text := os.Getenv("PARLEY_TEST_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		kills, sessions = n, 40*n
	}
	dir := t.TempDir()
	parley := filepath.Join(dir, "parley")
	if out, err := exec.Command("go", "build", "-o", parley, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, got := filepath.Join(dir, "want"), filepath.Join(dir, "got")
	args := []string{"run", "--seed", "5", "--sessions", strconv.Itoa(sessions), "--control", "no-conversation,told", "--order", "shuffled", "--referee", "dice", "--json"}
	start := time.Now()
	undisturbed, err := exec.Command(parley, append(args, "--out", want)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	r := rand.New(rand.NewPCG(uint64(start.UnixNano()), 1))
	killed, played := 0, int64(0)
	next := append(args, "--out", got)
	for range kills {
		command := exec.Command(parley, next...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		// Somewhere in the time that a part of the run takes.
		time.Sleep(time.Duration(r.Float64() * 2.5 * float64(whole) / float64(kills)))
		if command.Process.Kill() == nil {
			killed++
		}
		_ = command.Wait() // it was killed, or it was done
		if exists(filepath.Join(got, run.ManifestName)) {
			next = []string{"resume", got, "--json"}
		}
		size := journalSize(t, got)
		if size == 0 && !exists(parquetPath(got, "events")) && played > 0 {
			t.Fatal("what was played is gone")
		}
		played = size
	}
	resumed, err := exec.Command(parley, next...).Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("killed %d times", killed)
	a, err := verifyRun(want)
	if err != nil {
		t.Fatal(err)
	}
	b, err := verifyRun(got)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range tableNames {
		if a.Tables[stream].Rows != b.Tables[stream].Rows || a.Tables[stream].Untimed != b.Tables[stream].Untimed {
			t.Errorf("%s: %d rows, undisturbed %d; digests %.12s, %.12s", stream, b.Tables[stream].Rows, a.Tables[stream].Rows, b.Tables[stream].Untimed, a.Tables[stream].Untimed)
		}
	}
	if len(a.Findings)+len(b.Findings) > 0 {
		t.Errorf("findings: %v %v", a.Findings, b.Findings)
	}
	if x, y := strings.ReplaceAll(string(undisturbed), want, "DIR"), strings.ReplaceAll(string(resumed), got, "DIR"); x != y {
		t.Errorf("results differ:\n%s\n%s", x, y)
	}
}

func journalSize(t *testing.T, dir string) int64 {
	t.Helper()
	info, err := os.Stat(journalPath(dir, "events"))
	if err != nil {
		return 0
	}
	return info.Size()
}
