package logs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// Locked is the error of Lock where another process, or another part of this one, holds the directory.
type Locked struct {
	Dir string
	PID int // 0 where it could not be read
}

func (e *Locked) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = fmt.Sprintf("process %d", e.PID)
	}
	return fmt.Sprintf("%s writes %s: wait for it or end it", who, e.Dir)
}

// Lock holds a directory for one writer until release is called or the process ends. It returns a
// *Locked where the directory is held already. The file .lock stays when it is released: were it removed,
// a process that has it open could hold a lock on a file that others no longer find.
func Lock(dir string) (release func() error, err error) {
	path := filepath.Join(dir, ".lock")
	file := flock.New(path, flock.SetPermissions(0o666))
	switch held, err := file.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	case !held:
		return nil, &Locked{dir, holder(path)}
	}
	// For the error of others only. Windows lets no other handle write the file while it is locked.
	os.WriteFile(path, fmt.Appendln(nil, os.Getpid()), 0o666)
	return func() error {
		os.Truncate(path, 0)
		return file.Unlock()
	}, nil
}

// holder reads the process id that a lock file names, 0 where it names none.
func holder(path string) int {
	data, err := os.ReadFile(path)
	pid, bad := strconv.Atoi(strings.TrimSpace(string(data)))
	if errors.Join(err, bad) != nil {
		return 0
	}
	return pid
}
