package logs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Locked says that another process, or another part of this one, writes a directory.
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
// *Locked where somebody else holds it.
func Lock(dir string) (release func() error, err error) {
	release, err = lock(filepath.Join(dir, ".lock"), dir)
	if err != nil {
		if _, held := err.(*Locked); !held {
			err = fmt.Errorf("lock %s: %w", dir, err)
		}
		return nil, err
	}
	return release, nil
}

// holder reads the process id that a lock file names.
func holder(path string) int {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0
	}
	return pid
}
