package logs

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Meta is kept in the footer of a Parquet file.
type Meta struct {
	Program, Version string // who wrote it
	Values           map[string]string
}

// A row group ends at either limit, so that memory stays bounded whatever the rows hold.
const (
	groupRows  = 100_000
	groupBytes = 64 << 20
)

// WriteParquet writes rows as one file, zstd, data page version 1, replacing it whole or not at all:
// after an error, the rows' own included, nothing is left of it. Text is made UTF-8. It returns how
// many rows there are.
func WriteParquet[T any](path string, rows iter.Seq2[T, error], meta Meta) (n int64, err error) {
	err = replace(path, func(f *os.File) error {
		n, err = writeParquet(f, rows, meta)
		return err
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

func writeParquet[T any](f io.Writer, rows iter.Seq2[T, error], meta Meta) (n int64, err error) {
	if err := checkTags(reflect.TypeFor[T](), ""); err != nil {
		return 0, err
	}
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{}),
		parquet.DataPageVersion(1),
		parquet.MaxRowsPerRowGroup(groupRows),
		parquet.PageBufferSize(1 << 20),
		// They repeat the least and greatest text of a page four times, whatever its length. The same are
		// in the footer, cut, for readers to skip pages by.
		parquet.DataPageStatistics(false),
	}
	if meta.Program != "" {
		options = append(options, parquet.CreatedBy(meta.Program, meta.Version, ""))
	}
	for k, v := range meta.Values {
		options = append(options, parquet.KeyValueMetadata(k, v))
	}
	w := parquet.NewGenericWriter[T](f, options...)
	size := 0
	chunk := make([]T, 0, 256)
	write := func() error {
		_, err := w.Write(chunk)
		clear(chunk)
		chunk = chunk[:0]
		if err == nil && size > groupBytes {
			size = 0
			err = w.Flush()
		}
		return err
	}
	for row, rowErr := range rows {
		if err = rowErr; err != nil {
			break
		}
		bytes, valid := measure(&row)
		if !valid {
			if row, err = throughJSON(&row); err != nil {
				break
			}
		}
		size += bytes
		chunk = append(chunk, row)
		n++
		if len(chunk) == cap(chunk) || size > groupBytes {
			if err = write(); err != nil {
				break
			}
		}
	}
	if err == nil && len(chunk) > 0 {
		err = write()
	}
	if err != nil {
		return n, err // without Close: the file is thrown away
	}
	return n, w.Close()
}

// throughJSON returns a row in the form in which a journal would keep it.
func throughJSON[T any](row *T) (own T, err error) {
	data, err := AppendJSON(nil, row)
	if err == nil {
		err = parseJSON(data, &own)
	}
	return own, err
}

// checkTags refuses what would not come back as it was, or not for every reader.
func checkTags(t reflect.Type, name string) error {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("a row of Parquet is a struct, not %s", t)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := strings.Split(f.Tag.Get("parquet"), ",")
		if tag[0] == "-" || !f.IsExported() {
			continue
		}
		inner, err := checkField(f.Type, name+f.Name, tag[1:])
		if err == nil && inner.Kind() == reflect.Struct && inner != timeType {
			err = checkTags(inner, name+f.Name+".")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkField returns an error where the options of a field's tag do not fit its type, else the type of what is
// in it.
func checkField(t reflect.Type, field string, options []string) (inner reflect.Type, err error) {
	has := func(option string) bool { return slices.Contains(options, option) }
	inner = t
	switch kind := t.Kind(); {
	case has("json"):
		return nil, fmt.Errorf("the field %s has the tag json, which loses values: keep the JSON as text", field)
	case t == timeType && !has("timestamp(microsecond)"):
		return nil, fmt.Errorf("the field %s needs the tag timestamp(microsecond)", field)
	case kind == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		if !has("list") || has("optional") {
			return nil, fmt.Errorf("the field %s needs the tag list, without optional", field)
		}
		inner = t.Elem()
	case kind == reflect.Pointer:
		if !has("optional") {
			return nil, fmt.Errorf("the field %s needs the tag optional", field)
		}
		inner = t.Elem()
	case has("optional"):
		return nil, fmt.Errorf("the field %s is optional and no pointer: its zero would come back as null", field)
	case kind == reflect.Map, kind == reflect.Interface:
		return nil, fmt.Errorf("the field %s is a %s, which does not come back as it was: keep it as JSON text", field, kind)
	}
	if inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice && inner != t && inner.Elem().Kind() != reflect.Uint8 {
		return nil, fmt.Errorf("the field %s nests lists or pointers directly: put a struct between", field)
	}
	return inner, nil
}

// ReadParquet reads the rows of a file in their order, in the form in which Read yields them. Columns
// that the file lacks are zero. Columns that the type lacks are not read, so a type of one column is a
// fast way to count.
func ReadParquet[T any](path string) iter.Seq2[T, error] {
	return ReadParquetSpan[T](path, Span{0, math.MaxInt64})
}

// ReadParquetSpan reads the rows of a file within spans, one after the other, as far as there are any. Pages
// outside of them are not read.
func ReadParquetSpan[T any](path string, spans ...Span) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		all := len(spans) == 1 && spans[0].From == 0
		file, table, err := openParquet(path, parquet.SkipPageIndex(all))
		if err != nil {
			yield(none, err)
			return
		}
		defer file.Close()
		var r *parquet.GenericReader[T]
		err = guard(func() error { r = parquet.NewGenericReader[T](table); return nil })
		if err != nil {
			yield(none, fmt.Errorf("read %s: %w", path, err))
			return
		}
		defer r.Close()
		for _, s := range spans {
			if !all {
				err = guard(func() error { return r.SeekToRow(s.From) })
			}
			if err != nil {
				yield(none, fmt.Errorf("read %s from row %d: %w", path, s.From, err))
				return
			}
			if more := readRows(r, path, s.To-s.From, yield); !more {
				return
			}
		}
	}
}

// readRows yields the next rows, as far as there are so many, and reports whether to go on.
func readRows[T any](r *parquet.GenericReader[T], path string, left int64, yield func(T, error) bool) bool {
	var none T
	rows := make([]T, max(0, min(256, left)))
	for left > 0 {
		rows = rows[:min(int64(len(rows)), left)]
		clear(rows) // lists and pointers of the last ones are the caller's now
		n := 0
		err := guard(func() (err error) { n, err = r.Read(rows); return err })
		for i := range rows[:n] {
			normalize(&rows[i], unwrap)
			if !yield(rows[i], nil) {
				return false
			}
		}
		if left -= int64(n); err == io.EOF {
			return true
		}
		if err == nil && n == 0 {
			err = io.ErrNoProgress
		}
		if err != nil {
			yield(none, fmt.Errorf("read %s: %w", path, err))
			return false
		}
	}
	return true
}

// unwrap finds the microseconds of a time again that the Parquet reader made nanoseconds of, which do
// not fit 64 bits outside of the years 1678 to 2262, so not for the zero time. What is left of their
// product with 1000 = 8 * 125 still tells numbers of 61 bits apart, which last for 36,000 years each
// way.
func unwrap(t time.Time) time.Time {
	const inverse = 0x1cac083126e978d5 // of 125, modulo 2^64
	us := uint64(t.UnixNano()>>3) * inverse
	return time.UnixMicro(int64(us<<3) >> 3).UTC()
}

// guard makes an error of the panic by which the Parquet reader answers some damaged files.
func guard(read func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged or has other columns: %v", r)
		}
	}()
	return read()
}

func openParquet(path string, options ...parquet.FileOption) (*os.File, *parquet.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	var table *parquet.File
	err = guard(func() (err error) {
		options = append([]parquet.FileOption{parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true)}, options...)
		table, err = parquet.OpenFile(f, info.Size(), options...)
		return err
	})
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s is no whole Parquet file, its writer may have been stopped: "+
			"delete it and make it again from the journal, if that is there: %w", path, err)
	}
	return f, table, nil
}
