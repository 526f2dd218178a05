package formats

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode/utf16"

	"parley/finetune"
)

// written are the files of a directory in the making.
type written struct {
	format *Format
	dir    string
	o      WriteOptions
	task   finetune.Task // of the examples
	rows   map[finetune.Split]*File
	known  *memory // rows that are written
	buffer []byte  // of the row that is written last
}

// name returns the data file of a split.
func (w *written) name(s finetune.Split) string {
	if name := w.format.Files[s]; name != "" {
		return name
	}
	return string(s) + ".jsonl"
}

// tokens returns the length that settings name.
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
	var files []File
	for _, s := range finetune.Splits() {
		f, err := w.split(s, examples(s))
		if err != nil {
			return nil, err
		}
		if f != nil {
			w.rows[s] = f
			files = append(files, *f)
		}
	}
	switch {
	case w.rows[finetune.Train] == nil:
		return nil, errors.New("there is no example to learn from")
	case w.format.NeedsValidation && w.rows[finetune.Validation] == nil:
		return nil, fmt.Errorf("the validation split is empty, and %s wants rows in %s: give it a share with --split", w.format.Name, w.name(finetune.Validation))
	}
	small := func(name, content, settings string) error {
		files = append(files, File{Name: name, Bytes: int64(len(content)), Settings: settings})
		return os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o644)
	}
	for _, name := range slices.Sorted(maps.Keys(w.format.extra)) {
		if err := small(name, w.fill(w.format.extra[name]), ""); err != nil {
			return nil, err
		}
	}
	page := w.readme()
	return files, small("README.md", page, page)
}

// split writes the rows of one split, if there are any.
func (w *written) split(s finetune.Split, examples iter.Seq2[finetune.Example, error]) (*File, error) {
	file := &File{Name: w.name(s), Split: s}
	path := filepath.Join(w.dir, file.Name)
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w.known.file(source{})
	out := bufio.NewWriterSize(f, chunk)
	if w.format.BOM {
		out.Write(mark)
	}
	for x, err := range examples {
		if err == nil {
			err = w.example(out, file, &x)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := errors.Join(out.Flush(), f.Sync()); err != nil {
		return nil, err
	}
	if file.Rows == 0 {
		return nil, os.Remove(path)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file.Bytes = info.Size()
	return file, nil
}

// example writes the rows of an example that are not written yet.
func (w *written) example(out *bufio.Writer, file *File, x *finetune.Example) error {
	if err := w.fits(x); err != nil {
		return err
	}
	altered, err := prepare(x, w.o)
	if err != nil {
		return err
	}
	file.Altered += altered
	for _, row := range samples(x, w.format.Layout.EachAnswer) {
		b := append(w.format.encode(w.buffer[:0], &row), '\n')
		w.buffer = b
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
	return nil
}

// fits says whether an example can be in the files.
func (w *written) fits(x *finetune.Example) error {
	if err := w.format.Holds(x.Task); err != nil {
		return err
	}
	if w.task == "" {
		w.task = x.Task
	}
	if (x.Task == finetune.Preference) != (w.task == finetune.Preference) {
		return fmt.Errorf("example %s: preferences and other tasks cannot be in one dataset", x.ID)
	}
	return nil
}

// lengthOf returns the tokens of a row, by a cautious estimate.
func lengthOf(s *sample) int {
	return finetune.Estimate().Of(&finetune.Example{Prompt: s.prompt, Completion: s.completion, Rejected: s.rejected}).Length
}

// settings fill the templates of trainers/.
type settings struct {
	Train, Validation string // names of files; Validation is empty where there is none
	Splits            []File
	Rows, Fewest      int // rows to learn from; those of the smallest split, at most 4
	Tokens            int // length of sequences
	Dataset           string
	Preference, BOM   bool
}

var functions = template.FuncMap{"json": asciiJSON}

// asciiJSON returns a JSON string in ASCII.
func asciiJSON(s string) (string, error) {
	raw, err := json.Marshal(s)
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(string(raw))) {
		if unit < 0x80 {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String(), err
}

// fill executes a template of the format.
func (w *written) fill(t *template.Template) string {
	s := settings{
		Train: w.name(finetune.Train), Rows: int(w.rows[finetune.Train].Rows), Fewest: 4, Tokens: w.tokens(), Dataset: w.o.Dataset,
		Preference: w.task == finetune.Preference, BOM: w.format.BOM,
	}
	for _, split := range finetune.Splits() {
		if f := w.rows[split]; f != nil {
			s.Splits = append(s.Splits, *f)
			s.Fewest = min(s.Fewest, int(f.Rows))
		}
	}
	if f := w.rows[finetune.Validation]; f != nil {
		s.Validation = f.Name
	}
	var b strings.Builder
	if err := t.Execute(&b, s); err != nil {
		panic(err) // the templates are part of the program
	}
	return b.String()
}

// readme says what the files are and how to train on them.
func (w *written) readme() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", w.format.Name, w.format.About)
	b.WriteString("| file | rows | longest row, in tokens |\n|---|---|---|\n")
	altered, repeated := int64(0), int64(0)
	for _, s := range finetune.Splits() {
		if f := w.rows[s]; f != nil {
			fmt.Fprintf(&b, "| %s | %d | about %d |\n", f.Name, f.Rows, f.Longest)
			altered += f.Altered
			repeated += f.Repeated
		}
	}
	fmt.Fprintf(&b, "\n## Settings\n\n%s\n", strings.Trim(w.fill(w.format.usage), "\n"))
	fmt.Fprintf(&b, "\n## Check\n\n    parley finetune validate --for %s DIR\n", w.format.Name)
	if repeated > 0 {
		fmt.Fprintf(&b, "\n%d rows were left out, as the same rows are in these files already: conversations that begin alike share their first answers.\n", repeated)
	}
	if altered > 0 {
		fmt.Fprintf(&b, "\nIn %d messages a marker such as `<|im_end|>` got a space, so that no tokenizer takes it for the end of a turn.\n", altered)
	}
	return b.String()
}
