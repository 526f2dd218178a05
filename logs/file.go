package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// WriteFile replaces a file whole or not at all, also when the machine dies: the data are written
// under a temporary name in the same directory, synced, renamed, and the directory is synced.
func WriteFile(path string, data []byte) error {
	return replace(path, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// WriteJSON writes a value as indented JSON by WriteFile.
func WriteJSON(path string, value any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteFile(path, b.Bytes())
}

// replace puts in place of a file what write leaves in a temporary one, which is gone on an error.
func replace(path string, write func(*os.File) error) error {
	dir, name := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, "."+name+".*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// syncDir makes names that were created or renamed in a directory last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || os.IsPermission(err) {
		err = nil // a file system or system that syncs no directories
	}
	return errors.Join(err, d.Close())
}
