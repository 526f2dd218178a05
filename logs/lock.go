package logs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/gofrs/flock"
)

// Locked is the error of Lock where another process, or another part of this one, holds the directory.
type Locked struct {
	Dir string
	PID int // 0 where it could not be read
	// Of is the directory that Dir is a copy of, where it was copied while that was written.
	Of string
}

func (e *Locked) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	if e.Of != "" {
		return fmt.Sprintf("%s is a copy of %s, which %s still writes: go on with that one, or wait for it and copy it again; if it is none, remove %s",
			e.Dir, e.Of, who, filepath.Join(e.Dir, lockName))
	}
	return fmt.Sprintf("%s writes %s: wait for it or end it", who, e.Dir)
}

// Lock holds a directory for one writer until release is called or the process ends. It returns a
// *Locked where the directory is held already, or was copied while it was. The file .lock stays when it is released: were it removed,
// a process that has it open could hold a lock on a file that others no longer find.
func Lock(dir string) (release func() error, err error) {
	path := filepath.Join(dir, lockName)
	file := flock.New(path, flock.SetPermissions(0o666))
	switch held, err := file.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	case !held:
		pid, _, _ := holder(path)
		return nil, &Locked{Dir: dir, PID: pid}
	}
	here := place(dir)
	// What is left of a holder that died, or was copied with the directory.
	if pid, host, of := holder(path); of != "" && of != here && host == hostName() && lives(pid) {
		return nil, errors.Join(&Locked{dir, pid, of}, file.Unlock())
	}
	// For the errors of others only. Windows lets no other handle write the file while it is locked.
	os.WriteFile(path, fmt.Appendf(nil, "%d %s\n%s\n", os.Getpid(), hostName(), here), 0o666)
	return func() error {
		os.Truncate(path, 0)
		return file.Unlock()
	}, nil
}

// lockName is the file that is locked.
const lockName = ".lock"

// holder reads what a lock file says of the process that holds it: nothing where it names none.
func holder(path string) (pid int, host, dir string) {
	data, err := os.ReadFile(path)
	if err != nil || len(data) > 8<<10 {
		return 0, "", ""
	}
	first, dir, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	number, host, _ := strings.Cut(first, " ")
	pid, _ = strconv.Atoi(number)
	return pid, host, dir
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "?"
	}
	return name
}

// place is a directory's absolute path without symbolic links, so that two names of it are equal.
func place(dir string) string {
	path, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// lives reports whether a process runs on this machine.
func lives(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
