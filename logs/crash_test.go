//go:build unix

package logs_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/logs"
)

// The test binary is its own child: these variables say what it is to do there.
const (
	writeDir  = "LOGS_TEST_WRITE" // write turns into the directory until killed
	writeSize = "LOGS_TEST_LIMIT" // with this as the largest size of a file
	lockDir   = "LOGS_TEST_LOCK"  // hold the directory until standard input ends
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(writeDir) != "":
		fmt.Println(writeUntilKilled(os.Getenv(writeDir), os.Getenv(writeSize)))
		os.Exit(1)
	case os.Getenv(lockDir) != "":
		if _, err := logs.Lock(os.Getenv(lockDir)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("locked")
		os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeUntilKilled has four goroutines append turns, each of its own session.
func writeUntilKilled(dir, limit string) error {
	if limit != "" {
		var r syscall.Rlimit
		fmt.Sscan(limit, &r.Cur)
		r.Max = r.Cur
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &r); err != nil {
			return err
		}
	}
	j, err := logs.Open(dir, []string{"calls", "events"}, logs.Options{})
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for w := range errs {
		wg.Go(func() {
			for n := 0; errs[w] == nil; n++ {
				errs[w] = j.Append(turn(j, fmt.Sprintf("%d-%d", os.Getpid(), w), n))
			}
		})
	}
	wg.Wait()
	return errors.Join(errors.Join(errs...), j.Close())
}

func child(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// check reads what a dead writer left: whole rows in order, none without those that it needs.
func check(t *testing.T, dir string) (calls, events int) {
	t.Helper()
	have := map[string]bool{}
	list, err := read[call](filepath.Join(dir, "calls.jsonl"))
	if err != nil && !logs.IsTorn(err) {
		t.Fatal(err)
	}
	for _, c := range list {
		have[c.ID] = true
	}
	next := map[string]int{}
	rows, err := read[event](filepath.Join(dir, "events.jsonl"))
	if err != nil && !logs.IsTorn(err) {
		t.Fatal(err)
	}
	for _, e := range rows {
		if e.Seq != next[e.Session] {
			t.Fatalf("session %s: event %d follows %d", e.Session, e.Seq, next[e.Session]-1)
		}
		next[e.Session]++
		if id := fmt.Sprintf("%s/%d", e.Session, e.Turn); !have[id] {
			t.Fatalf("event %s/%d stands without the call %s", e.Session, e.Seq, id)
		}
	}
	return len(list), len(rows)
}

func TestKillAtRandomMoments(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(3, 7))
	events := 0
	for range 20 { // all in one directory: each writer goes on behind what the last one left
		cmd := child(t, writeDir+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // only the first waits, for the others random moments are of the start too
			if info, err := os.Stat(filepath.Join(dir, "events.jsonl")); err == nil && info.Size() > 0 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(random.IntN(40_000)) * time.Microsecond)
		cmd.Process.Kill()
		cmd.Wait()
		_, events = check(t, dir)
	}
	if events == 0 {
		t.Error("no writer lived long enough to write an event")
	}
}

func TestFileSizeLimit(t *testing.T) {
	dir := t.TempDir()
	out, err := child(t, writeDir+"="+dir, writeSize+"=100000").Output()
	if err == nil || !strings.Contains(string(out), "write the journal "+dir) || !strings.Contains(string(out), "file too large") {
		t.Fatalf("%v: %s", err, out)
	}
	if calls, _ := check(t, dir); calls < 100 {
		t.Errorf("%d calls are readable of 100 kB", calls)
	}
}

func TestLock(t *testing.T) {
	dir := t.TempDir()
	release, err := logs.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	var held *logs.Locked
	if _, err := logs.Lock(dir); !errors.As(err, &held) || held.PID != os.Getpid() || held.Dir != dir {
		t.Error("locked twice:", err)
	}
	if out, err := child(t, lockDir+"="+dir).Output(); err == nil || !strings.Contains(string(out), fmt.Sprintf("process %d writes %s", os.Getpid(), dir)) {
		t.Errorf("locked by two processes: %v: %s", err, out)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}

	cmd := child(t, lockDir+"="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 7)
	if _, err := out.Read(line); string(line) != "locked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := logs.Lock(dir); !errors.As(err, &held) || held.PID != cmd.Process.Pid {
		t.Errorf("locked by two processes: %v, not %d", err, cmd.Process.Pid)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := logs.Lock(copied); !errors.As(err, &held) || held.Of != dir || !strings.Contains(err.Error(), fmt.Sprintf("is a copy of %s, which process %d still writes", dir, cmd.Process.Pid)) {
		t.Errorf("the copy of a directory that is written is locked: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if release, err = logs.Lock(copied); err != nil {
		t.Fatal("the copy of what is no longer written:", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	release, err = logs.Lock(dir)
	if err != nil {
		t.Fatal("a killed process still holds it:", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	if _, err := logs.Lock(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
