package eval

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
)

// EachRow reads a table of comma-separated values whose first line names its columns, and calls read for each row
// below it, with a function that returns the cell of a column: empty where the row or the table has none. Names
// are in small letters, whatever their case in the file. Head, which may be nil, is given the names that are
// there. Errors name the file and, below the head, the line.
func EachRow(r io.Reader, name string, head func(has map[string]bool) error, read func(cell func(column string) string) error) error {
	in := csv.NewReader(r)
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	titles, err := in.Read()
	if errors.Is(err, io.EOF) {
		err = errors.New("the table is empty; its first line names the columns")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	at, has := map[string]int{}, map[string]bool{}
	for i, title := range titles {
		title = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(title, "\ufeff")))
		if has[title] && title != "" {
			return fmt.Errorf("%s: two columns are called %s", name, title)
		}
		at[title], has[title] = i, true
	}
	if head != nil {
		if err := head(has); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		line, _ := in.FieldPos(0)
		if len(record) > len(titles) {
			return fmt.Errorf("%s:%d: the row has %d cells, and there are %d columns", name, line, len(record), len(titles))
		}
		err = read(func(column string) string {
			if i := at[column]; has[column] && i < len(record) {
				return strings.TrimSpace(record[i])
			}
			return ""
		})
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}
