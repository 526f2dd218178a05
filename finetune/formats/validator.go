package formats

import (
	"bytes"
	"context"
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

// loader is what reads a file for a trainer.
type loader uint8

const (
	service loader = iota // a provider's own check on upload
	arrow                 // datasets.load_dataset, that is pyarrow
	python                // json.loads of each line
)

// source is a file that is to be read, and what is known of it beforehand.
type source struct {
	path  string
	split finetune.Split // as its name says; empty: it does not
	check func(v *validator, row value)
	done  func(v *validator)
}

// validator holds files against a format.
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

	file source // that is read
	line int64
	rows int64 // of the file
	seen map[string]bool
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

// sources says what is to be read where a user points at a path.
func (v *validator) sources(path string) ([]source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	v.file, v.line = source{path: path}, 0
	if v.f.open != nil {
		return v.f.open(v, path, info.IsDir())
	}
	if !info.IsDir() {
		return []source{{path: path}}, nil
	}
	return v.folder(path)
}

// folder returns the data files of a directory, those to learn from first.
func (v *validator) folder(dir string) ([]source, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []source
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if e.Type()&fs.ModeDir == 0 && (ext == ".jsonl" || ext == ".json" && v.f.loader == arrow && e.Name() != infoFile) {
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

// splitOf says which split a file's name tells of, by the words that datasets looks for.
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

// read holds one file against the format.
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
	if s.check == nil {
		s.check, s.done = v.f.check, v.f.done
	}
	v.file, v.line, v.rows, v.tally, v.shape, v.state = s, 0, 0, tally{}, shape{}, nil
	clear(v.seen)
	v.known.file(s)
	v.sum.Files = append(v.sum.Files, s.path)
	v.beforeRows(info.Size())
	r := newReader(f, v.o.MaxLine)
	v.mark(r.bom())
	r.values = v.f.loader == arrow && (filepath.Ext(s.path) != ".jsonl" || r.starts('['))
	if r.values && filepath.Ext(s.path) == ".jsonl" {
		v.findAt(s.path, 1, Warning, "list_in_jsonl", "name it .json, or write one object a line", "the name says lines and the file is one list: datasets takes it, readers of lines do not")
	}
	before := v.sum.Bytes
	var d document
	for n := 0; v.err == nil; n++ {
		if n%256 == 0 || r.bytes > v.sum.Bytes-before+8<<20 {
			if err := v.ctx.Err(); err != nil {
				return err
			}
			v.sum.Bytes = before + r.bytes
			if v.o.Progress != nil {
				v.o.Progress(v.sum.Bytes, v.total)
			}
		}
		raw, line, length, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", s.path, line, err)
		}
		v.line = line
		if length > int64(v.o.MaxLine) {
			v.rows++
			v.bad("row_too_long", "split the row, or raise the limit", "the row has %d MiB, and more than %d MiB of a row are not read", length>>20, v.o.MaxLine>>20)
			continue
		}
		v.row(&d, raw)
	}
	v.sum.Bytes = before + r.bytes
	v.sum.Rows += v.rows
	v.line = 0
	v.afterRows()
	if s.done != nil && v.err == nil {
		s.done(v)
	}
	return v.err
}

// row holds one row against what all formats have in common, and then against its format.
func (v *validator) row(d *document, raw []byte) {
	if len(bytes.TrimSpace(raw)) == 0 {
		v.blank()
		return
	}
	for more := true; more; raw = raw[d.at:] {
		v.rows++
		row, err := d.parse(raw)
		more = err != nil && d.more && v.f.loader == arrow
		switch {
		case err != nil && !more:
			v.broken(raw, err)
			return
		case more && v.once("several"):
			v.warn("several_in_line", "write one object a line", "the line holds several values: datasets takes it, readers of lines do not")
		}
		v.strings(d)
		v.object(row)
	}
}

// object holds a row that could be read against its format.
func (v *validator) object(row value) {
	if row.kind() != object {
		v.bad("data_type", `write one JSON object a line, such as {"messages": [...]}`, "the row is %s and not an object: %s", row.kind(), v.stops())
		return
	}
	v.repeated(row)
	if v.f.loader == arrow {
		v.shape.row(v, row)
	}
	v.file.check(v, row)
}
