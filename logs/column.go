package logs

import (
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
)

// ReadColumn reads one text column of a Parquet file, a value a row, without the rest of the rows:
// what a count needs costs a hundredth of reading them. The text is valid until the next one. A column
// of a list or of other than text is an error.
func ReadColumn(path, name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		file, table, err := openParquet(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer file.Close()
		leaf, ok := table.Schema().Lookup(name)
		if !ok || leaf.Node.Repeated() || leaf.Node.Type().Kind() != parquet.ByteArray {
			yield(nil, fmt.Errorf("read %s: it has no text column %s", path, name))
			return
		}
		values := make([]parquet.Value, 1024)
		for _, group := range table.RowGroups() {
			more := true
			err := guard(func() error {
				return chunkValues(group.ColumnChunks()[leaf.ColumnIndex], values, func(v parquet.Value) bool {
					more = yield(v.ByteArray(), nil)
					return more
				})
			})
			if !more {
				return
			}
			if err != nil {
				yield(nil, fmt.Errorf("read %s, column %s: %w", path, name, err))
				return
			}
		}
	}
}

// chunkValues hands on the values of a chunk, page by page, until it is told to stop.
func chunkValues(chunk parquet.ColumnChunk, values []parquet.Value, each func(parquet.Value) bool) error {
	pages := chunk.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		more, err := true, error(nil)
		for r := page.Values(); more && err == nil; {
			var n int
			n, err = r.ReadValues(values)
			for i := 0; i < n && more; i++ {
				more = each(values[i])
			}
		}
		parquet.Release(page)
		if !more {
			return nil
		}
		if err != io.EOF {
			return err
		}
	}
}
