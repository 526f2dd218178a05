package formats

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley/finetune"
)

// written is a directory in the making.
type written struct {
	format *Format
	dir    string
	o      WriteOptions
	task   finetune.Task // of the examples
	rows   map[finetune.Split]*File
	known  *memory           // rows that are written
	temps  map[string]string // final name -> temporary path
}

// name is the data file of a split.
func (w *written) name(s finetune.Split) string {
	if name := w.format.files[s]; name != "" {
		return name
	}
	return string(s) + ".jsonl"
}

// has says whether there are rows of a split.
func (w *written) has(s finetune.Split) bool { return w.rows[s] != nil }

// tokens is the length that settings name.
func (w *written) tokens() int {
	if w.o.MaxTokens > 0 {
		return w.o.MaxTokens
	}
	most := 0
	for _, f := range w.rows {
		most = max(most, f.Longest)
	}
	return (most + 255) / 256 * 256
}

func (w *written) all(examples func(finetune.Split) iter.Seq2[finetune.Example, error]) ([]File, error) {
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return nil, err
	}
	w.temps = map[string]string{}
	for _, s := range finetune.Splits() {
		if err := w.split(s, examples(s)); err != nil {
			return nil, err
		}
	}
	if !w.has(finetune.Train) {
		return nil, errors.New("there is no example to learn from")
	}
	extra := map[string]string{}
	if w.format.extra != nil {
		var err error
		if extra, err = w.format.extra(w); err != nil {
			return nil, err
		}
	}
	readme := w.readme()
	extra[readmeFile] = readme
	for name, content := range extra {
		if _, err := w.temp(name, func(f *bufio.Writer) error { _, err := f.WriteString(content); return err }); err != nil {
			return nil, err
		}
	}
	var files []File
	for _, s := range finetune.Splits() {
		if f := w.rows[s]; f != nil {
			files = append(files, *f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if name != readmeFile {
			files = append(files, File{Name: name, Bytes: int64(len(extra[name]))})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.temps)) {
		if err := os.Rename(w.temps[name], filepath.Join(w.dir, name)); err != nil {
			return nil, err
		}
		delete(w.temps, name)
	}
	for _, s := range finetune.Splits() { // a split of an earlier build would pass for one of this
		if w.has(s) {
			continue
		}
		if err := os.Remove(filepath.Join(w.dir, w.name(s))); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return append(files, File{Name: readmeFile, Bytes: int64(len(readme)), Settings: readme}), nil
}

// drop removes what is not finished.
func (w *written) drop() {
	for _, path := range w.temps {
		os.Remove(path)
	}
}

// temp writes a file under a temporary name.
func (w *written) temp(name string, write func(*bufio.Writer) error) (int64, error) {
	f, err := os.CreateTemp(w.dir, "."+name+".*.tmp")
	if err != nil {
		return 0, err
	}
	w.temps[name] = f.Name()
	out := bufio.NewWriterSize(f, chunk)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	size := int64(0)
	if info, e := f.Stat(); e == nil {
		size = info.Size()
	}
	for _, step := range []func() error{func() error { return f.Chmod(0o644) }, f.Sync} {
		if err == nil {
			err = step()
		}
	}
	if shut := f.Close(); err == nil {
		err = shut
	}
	return size, err
}

// split writes the rows of one split, if there are any.
func (w *written) split(s finetune.Split, examples iter.Seq2[finetune.Example, error]) error {
	file := &File{Name: w.name(s), Split: s}
	w.known.file(source{})
	size, err := w.temp(file.Name, func(out *bufio.Writer) error {
		if w.format.bom {
			out.Write(mark)
		}
		var b []byte
		for x, err := range examples {
			if err != nil {
				return err
			}
			if err := w.fits(&x); err != nil {
				return err
			}
			altered, err := prepare(&x, w.o)
			if err != nil {
				return err
			}
			file.Altered += altered
			for _, row := range samples(&x, w.format.each) {
				b = append(w.format.encode(b[:0], &row), '\n')
				if _, _, met := w.known.see(b, file.Rows); met {
					file.Repeated++
					continue
				}
				if _, err := out.Write(b); err != nil {
					return err
				}
				file.Rows++
				file.Longest = max(file.Longest, lengthOf(&row))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if file.Rows == 0 {
		os.Remove(w.temps[file.Name])
		delete(w.temps, file.Name)
		return nil
	}
	file.Bytes = size
	w.rows[s] = file
	return nil
}

// fits says whether an example can stand in the files.
func (w *written) fits(x *finetune.Example) error {
	if err := w.format.Holds(x.Task); err != nil {
		return err
	}
	if w.task == "" {
		w.task = x.Task
	}
	if (x.Task == finetune.Preference) != (w.task == finetune.Preference) {
		return fmt.Errorf("example %s: preferences and other tasks cannot stand in one dataset", x.ID)
	}
	return nil
}

// lengthOf is how many tokens a row has, by a cautious estimate.
func lengthOf(s *sample) int {
	return finetune.Estimate().Of(&finetune.Example{Prompt: s.prompt, Completion: s.completion, Rejected: s.rejected}).Length
}
