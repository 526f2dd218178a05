package logs_test

import (
	"math"
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
	for _, span := range []logs.Span{{0, math.MaxInt64}, {1, math.MaxInt64}, {255, 256}, {256, 1024}, {4999, 5000}, {rows, rows + 9}, {7, 7}} {
		n := span.From
		for row, err := range logs.ReadParquetSpan[worded](path, span) {
			if err != nil {
				t.Fatal(err)
			}
			if row.Text != all[n].Text || row.Word != all[n].Word {
				t.Fatalf("%v: row %d is %v, want %v", span, n, row, all[n])
			}
			n++
		}
		if want := min(rows, span.To); n != want {
			t.Errorf("%v: read up to %d, want %d", span, n, want)
		}
	}
}

// Rows of a journal are found again by the places that Scan gave; what is under way is not read yet.
func TestScanJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words.jsonl")
	write := func(text string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var at int64
	var places []logs.Span
	read := func() (words string) {
		for p, err := range logs.Scan[worded](path, at) {
			if err != nil {
				t.Fatal(err)
			}
			words += p.Row.Word + " "
			at = p.At.To
			places = append(places, p.At)
		}
		return words
	}
	write(`{"word":"a"}` + "\n\n" + `{"word":"b"}` + "\n" + `{"word":"c"`)
	if got := read(); got != "a b " {
		t.Errorf("read %q, want a and b", got)
	}
	write(`}` + "\n")
	if got := read(); got != "c " {
		t.Errorf("then read %q, want c", got)
	}
	var words []string
	for row, err := range logs.ReadSpan[worded](path, places[1].Join(places[2])) {
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, row.Word)
	}
	if len(words) != 2 || words[0] != "b" || words[1] != "c" {
		t.Errorf("the span of two rows holds %v, want b and c", words)
	}
	if both := (logs.Span{}).Join(places[0]); both != places[0] {
		t.Errorf("an empty span joined with %v is %v", places[0], both)
	}
	write("nonsense\n")
	for _, err := range logs.Scan[worded](path, at) {
		if err == nil || !strings.Contains(err.Error(), "words.jsonl") {
			t.Errorf("a line that is no row gives the error %v", err)
		}
	}
}
