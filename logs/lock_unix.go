//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package logs

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock leaves the file behind when it is released: to remove it would let a process that has it open
// already hold a lock on a file that nobody else finds.
func lock(path, dir string) (func() error, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == syscall.EWOULDBLOCK {
		f.Close()
		return nil, &Locked{dir, holder(path)}
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error { return errors.Join(f.Truncate(0), f.Close()) }, nil
}
