package logs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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

// Replace writes a file by a function, whole or not at all, as WriteFile does.
func Replace(path string, write func(io.Writer) error) error {
	return replace(path, func(f *os.File) error {
		w := bufio.NewWriterSize(f, 64<<10)
		if err := write(w); err != nil {
			return err
		}
		return w.Flush()
	})
}

// replace gives path what write leaves in a temporary file, which is removed on an error.
func replace(path string, write func(*os.File) error) error {
	f, err := createTemp(filepath.Split(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	} else {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// createTemp makes a file in a directory like os.CreateTemp, but with the permissions that the umask
// leaves.
func createTemp(dir, name string) (f *os.File, err error) {
	for range 1000 {
		path := filepath.Join(dir, fmt.Sprintf(".%s.%08x%s", name, rand.Uint32(), tempSuffix))
		if f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); !errors.Is(err, os.ErrExist) {
			break
		}
	}
	return f, err
}

// tempSuffix ends the names of temporary files, which begin with a dot.
const tempSuffix = ".parley.tmp"

// removeTemp removes the temporary files that a writer left in a directory when it was killed.
func removeTemp(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") && strings.HasSuffix(e.Name(), tempSuffix) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// syncDir makes names last that were created or renamed in a directory.
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

// WriteRows writes rows to a file: as Parquet where its name ends in .parquet, else as JSON Lines; as these also to w
// where the name is "-".
func WriteRows[T any](w io.Writer, name string, rows []T) error {
	if filepath.Ext(name) == ".parquet" {
		_, err := WriteParquet(name, func(yield func(T, error) bool) {
			for _, r := range rows {
				if !yield(r, nil) {
					return
				}
			}
		}, Meta{})
		return err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	if name == "-" {
		_, err := w.Write(b.Bytes())
		return err
	}
	return WriteFile(name, b.Bytes())
}
