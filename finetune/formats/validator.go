package formats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"parley/finetune"
)

// loader names the program that reads a file for a trainer.
type loader string

const (
	service loader = "service" // a provider's own check on upload
	arrow   loader = "arrow"   // datasets.load_dataset, that is pyarrow
	python  loader = "python"  // json.loads of each line
)

// source is a file that is to be read, and what is known of it beforehand.
type source struct {
	path  string
	split finetune.Split // as its name says; empty: it does not
	check func(v *validator, row *value)
	usual int // tokens of a row that the trainer's settings allow; 0: the usual limit
}

// validator compares files with a format.
type validator struct {
	ctx   context.Context
	f     *Format
	o     ValidateOptions
	yield func(Finding) error
	err   error // yield's

	sum    Summary
	counts map[countKey]int64
	notes  map[string]bool
	known  *memory
	total  int64 // bytes of all files

	file  source // that is read
	line  int64
	since int64 // line of a row that advice about the file refers to
	rows  int64 // of the file
	seen  map[string]bool
	tally
	shape shape
	state any // what a format remembers of the file
}

func newValidator(ctx context.Context, f *Format, o ValidateOptions, yield func(Finding) error) *validator {
	if o.MaxLine <= 0 {
		o.MaxLine = longest
	}
	if o.Remember <= 0 {
		o.Remember = remembered
	}
	if o.Counter.Count == nil {
		o.Counter = finetune.Estimate()
	}
	return &validator{
		ctx: ctx, f: f, o: o, yield: yield, counts: map[countKey]int64{}, notes: map[string]bool{},
		known: newMemory(o.Remember), seen: map[string]bool{},
	}
}

func (v *validator) run(paths []string) error {
	var sources []source
	for _, path := range paths {
		some, err := v.sources(path)
		if err != nil {
			return err
		}
		sources = append(sources, some...)
	}
	for _, s := range sources {
		if info, err := os.Stat(s.path); err == nil {
			v.total += info.Size()
		}
	}
	for _, s := range sources {
		if err := v.read(s); err != nil {
			return err
		}
	}
	return v.err
}

// sources returns what is to be read where a user names a path.
func (v *validator) sources(path string) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	v.file, v.line = source{path: path}, 0
	switch {
	case v.f.way.open != nil:
		return v.f.way.open(v, path, info.IsDir())
	case info.IsDir():
		return v.folder(path)
	}
	return []source{{path: path}}, nil
}

// folder returns the data files of a directory, the training files first.
func (v *validator) folder(dir string) ([]source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []source
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.Type()&fs.ModeDir == 0 && (ext == ".jsonl" || ext == ".json" && v.f.Loader == arrow && e.Name() != infoFile) {
			out = append(out, source{path: filepath.Join(dir, e.Name())})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no data file; %s reads *.jsonl there", dir, v.f.Name)
	}
	rank := func(s source) int { return slices.Index(finetune.Splits(), splitOf(s.path)) }
	slices.SortStableFunc(out, func(a, b source) int { return rank(a) - rank(b) })
	return out, nil
}

// splitOf returns the split that a file's name tells, by the words that datasets looks for, or "".
func splitOf(path string) finetune.Split {
	name := strings.ToLower(filepath.Base(path))
	for _, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "train", "training":
			return finetune.Train
		case "validation", "valid", "val", "dev":
			return finetune.Validation
		case "test", "testing", "eval", "evaluation":
			return finetune.Test
		}
	}
	return ""
}

// teaches says whether the file is one to learn from.
func (v *validator) teaches() bool { return v.file.split == "" || v.file.split == finetune.Train }

// read compares one file with the format.
func (v *validator) read(s source) error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s.split == "" {
		s.split = splitOf(s.path)
	}
	done := v.f.way.done
	if s.check == nil {
		s.check = v.f.way.check
	} else {
		done = nil
	}
	v.file, v.line, v.rows, v.tally, v.shape, v.state = s, 0, 0, tally{}, shape{}, nil
	clear(v.seen)
	v.known.file(s)
	v.sum.Files = append(v.sum.Files, s.path)
	v.beforeRows(info.Size())
	r := newReader(f, v.o.MaxLine)
	v.layout(r)
	if err := v.eachRow(r); err != nil {
		return err
	}
	v.sum.Rows += v.rows
	v.line = 0
	v.afterRows()
	if done != nil && v.err == nil {
		done(v)
	}
	return v.err
}

// layout looks at the first bytes of a file, and decides whether it is read by lines.
func (v *validator) layout(r *reader) {
	v.line = 1
	switch there := r.bom(); {
	case v.f.BOM && !there:
		v.report("bom_missing")
	case !v.f.BOM && there:
		v.report("bom_present:" + string(v.f.Loader))
	}
	isLines := filepath.Ext(v.file.path) == ".jsonl"
	isList := r.isList()
	switch {
	case isList && v.f.Loader != arrow:
		v.report("list_not_lines", "stops", v.stops())
	case isList && isLines:
		v.report("list_in_jsonl")
	}
	if isList || v.f.Loader == arrow && !isLines {
		r.asValues(isList)
	}
	v.line = 0
}

// eachRow reads the rows of a file.
func (v *validator) eachRow(r *reader) error {
	before, shown := v.sum.Bytes, int64(0)
	for n := 0; v.err == nil; n++ {
		if n%256 == 0 || r.bytes > shown+8<<20 {
			if err := v.ctx.Err(); err != nil {
				return err
			}
			if shown = r.bytes; v.o.Progress != nil {
				v.o.Progress(before+r.bytes, v.total)
			}
		}
		next, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, errRest) {
			return fmt.Errorf("%s:%d: %w", v.file.path, next.line, err)
		}
		v.line = next.line
		if next.raw == nil {
			v.rows++
			v.report("row_too_long", "size", next.size>>20, "max", v.o.MaxLine>>20)
		} else {
			v.row(next.raw)
		}
		if err != nil {
			v.notes[v.file.path+": "+err.Error()] = true
			break
		}
	}
	v.sum.Bytes = before + r.bytes
	return nil
}

// row compares one row with what all formats have in common, and then with its format.
func (v *validator) row(raw []byte) {
	if len(bytes.TrimSpace(raw)) == 0 {
		if v.f.Loader == arrow {
			v.report("blank_line:arrow")
		} else {
			v.report("blank_line")
		}
		return
	}
	d, err := parse(raw)
	if err != nil && v.f.Loader == arrow && v.several(raw) {
		return
	}
	v.rows++
	if err != nil {
		v.broken(raw, err)
		return
	}
	v.strings(d)
	v.object(&d.value)
}

// several reads a line that begins with a whole value and goes on, as pyarrow does. It returns false
// if the line is not one.
func (v *validator) several(raw []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var first json.RawMessage
	if dec.Decode(&first) != nil {
		return false
	}
	rest := raw[dec.InputOffset():]
	if len(bytes.TrimSpace(rest)) == 0 { // one value, that is refused for another reason
		return false
	}
	if v.once("several") {
		v.report("several_in_line")
	}
	v.row(first)
	v.row(rest)
	return true
}

// object compares a row that could be read with its format.
func (v *validator) object(row *value) {
	if row.kind() != object {
		v.report("data_type", "kind", row.kind(), "stops", v.stops())
		return
	}
	v.repeated(row)
	if v.f.Loader == arrow {
		v.shape.top.object(v, row, "", 0)
	}
	v.texts, v.answer = v.texts[:0], 0
	v.file.check(v, row)
	v.length()
}
