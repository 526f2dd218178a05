package corpora

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/logs"
)

// Open names files for an import. Each is opened when it is read. People come from the names file, or without one from
// the file beside each log that ends with _names.json.
func Open(paths []string, names string, stretch bool) ([]File, error) {
	var files []File
	for _, path := range paths {
		people, err := peopleOf(path, names)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: path, Group: groupOf(path), Content: &onDemand{path: path}, People: people, Stretch: stretch})
	}
	return files, nil
}

// groupOf names a file's session or episode: the file's name without endings.
func groupOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

func peopleOf(file, names string) (People, error) {
	beside := filepath.Join(filepath.Dir(file), groupOf(file)+"_names.json")
	f, err := os.Open(cmp.Or(names, beside))
	if names == "" && errors.Is(err, fs.ErrNotExist) {
		return People{}, nil
	}
	if err != nil {
		return People{}, fmt.Errorf("read names: %w", err)
	}
	defer f.Close()
	return ReadPeople(f, f.Name())
}

// onDemand is a file that is opened when it is read, and closed at its end.
type onDemand struct {
	path string
	f    *os.File
	err  error // that ended it
}

func (o *onDemand) Read(p []byte) (n int, err error) {
	switch {
	case o.err != nil:
		return 0, o.err
	case o.f == nil:
		if o.f, err = os.Open(o.path); err != nil {
			return 0, err
		}
	}
	if n, err = o.f.Read(p); err != nil {
		o.err = err
		o.f.Close()
	}
	return n, err
}

// ImportTo imports files into a new one, which is there only when all went well; without a name nothing is written.
func ImportTo(ctx context.Context, out, format string, files []File, tally *Tally) (did *Summary, err error) {
	if out == "" {
		return Import(ctx, io.Discard, format, files, tally)
	}
	var bad error
	err = logs.Replace(out, func(w io.Writer) error {
		did, bad = Import(ctx, w, format, files, tally)
		return bad
	})
	if bad != nil || err != nil {
		return nil, cmp.Or(bad, err)
	}
	did.Out = out
	return did, nil
}
