package logs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/logs"
)

type worded struct {
	Word string   `json:"word" parquet:"word,dict"`
	Text string   `json:"text" parquet:"text"`
	N    int      `json:"n" parquet:"n"`
	List []string `json:"list" parquet:"list,list"`
}

// A type of fewer columns reads the same values, and so does reading from a row on.
func TestReadPartOfParquet(t *testing.T) {
	dir := t.TempDir()
	journal, path := filepath.Join(dir, "words.jsonl"), filepath.Join(dir, "words.parquet")
	var lines strings.Builder
	const rows = 5000
	for i := range rows {
		lines.WriteString(`{"word":"` + strings.Repeat("w", i%3) + `","text":"` + strings.Repeat("é", i%7) + `","n":1,"list":["a"]}` + "\n")
	}
	if err := os.WriteFile(journal, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := logs.Compact(journal, path, logs.Compaction[worded]{Compare: func(a, b *worded) int { return 0 }}); err != nil {
		t.Fatal(err)
	}
	var all []worded
	for row, err := range logs.ReadParquet[worded](path) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	type narrow struct {
		Word string `parquet:"word"`
	}
	n := 0
	for row, err := range logs.ReadParquet[narrow](path) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Word != all[n].Word {
			t.Fatalf("the word of row %d is %q, want %q", n, row.Word, all[n].Word)
		}
		n++
	}
	if n != rows {
		t.Errorf("%d rows, want %d", n, rows)
	}
	for _, from := range []int{0, 1, 255, 256, 4999, rows} {
		n := from
		for row, err := range logs.ReadParquetFrom[worded](path, int64(from)) {
			if err != nil {
				t.Fatal(err)
			}
			if row.Text != all[n].Text || row.Word != all[n].Word {
				t.Fatalf("from %d: row %d is %v, want %v", from, n, row, all[n])
			}
			n++
		}
		if n != rows {
			t.Errorf("from %d: read up to %d, want %d", from, n, rows)
		}
	}
}
