//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package logs

import (
	"errors"
	"fmt"
	"os"
)

// lock relies on the file's existence. The file of a process that was killed stays, and a person has
// to remove it.
func lock(path, dir string) (func() error, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w (if no such process runs, remove %s)", &Locked{dir, holder(path)}, path)
	}
	if err != nil {
		return nil, err
	}
	if _, err = fmt.Fprintf(f, "%d\n", os.Getpid()); err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(path))
	}
	return func() error { return os.Remove(path) }, nil
}
