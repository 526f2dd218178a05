package logs_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"parley/logs"
)

// roundTrip writes rows to a journal and to Parquet, and wants both to read back as wanted.
func roundTrip[T any](t *testing.T, want []T, rows ...T) {
	t.Helper()
	dir := t.TempDir()
	keep(t, dir, "rows", rows...)
	journal := all(t, logs.Read[T](filepath.Join(dir, "rows.jsonl")))
	if diff := cmp.Diff(want, journal); diff != "" {
		t.Fatal("the journal:", diff)
	}
	table := filepath.Join(dir, "rows.parquet")
	if n, err := logs.WriteParquet(table, of(rows...), logs.Meta{}); n != int64(len(rows)) || err != nil {
		t.Fatal(n, err)
	}
	if diff := cmp.Diff(want, all(t, logs.ReadParquet[T](table))); diff != "" {
		t.Fatal("Parquet:", diff)
	}
	// cmp looks through what a later read would have overwritten; the digests look at all of it.
	a, n, err := logs.Digest(logs.Read[T](filepath.Join(dir, "rows.jsonl")), nil)
	b, m, err2 := logs.Digest(logs.ReadParquet[T](table), nil)
	c, _, err3 := logs.Digest(of(rows...), nil)
	if err := errors.Join(err, err2, err3); err != nil || a != b || a != c || n != m {
		t.Errorf("digests %s, %s and %s of %d and %d rows, %v", a, b, c, n, m, err)
	}
}

func TestParquetReadsBack(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			events := all(t, many(n, anEvent))
			roundTrip(t, events, events...)
			calls := all(t, many(n, aCall))
			roundTrip(t, calls, calls...)
			scores := all(t, many(n, aScore))
			roundTrip(t, scores, scores...)
		})
	}
}

func TestOneForm(t *testing.T) {
	text := "bad \xff\xfe, good \u0085\u2028\u2029 \x00 é"
	mended := "bad \ufffd\ufffd, good \u0085\u2028\u2029 \x00 é"
	list, evid := []string{text, ""}, []evidence{{Want: text}, {Got: "x"}}
	r := &roll{Skill: text, Dice: []int{}}
	roundTrip(t,
		[]event{
			{Session: mended, Time: start.Add(1000), Calls: []string{mended, ""}, Roll: &roll{Skill: mended}},
			{Roll: &roll{}},
			{Roll: &roll{DC: ptr(0)}},
			{},
		},
		event{
			Session: text, Time: start.Add(1999).In(time.FixedZone("CET", 3600)), Audience: []kind{}, Facts: []int{},
			Calls: list, Roll: r,
		},
		event{Roll: &roll{}},
		event{Roll: &roll{DC: ptr(0)}},
		event{},
	)
	roundTrip(t, []score{{Evidence: []evidence{{Want: mended}, {Got: "x"}}}, {Value: ptr(0.0)}},
		score{Evidence: evid}, score{Value: ptr(0.0)})
	if list[0] != text || evid[0].Want != text || r.Skill != text || r.Dice == nil {
		t.Error("the caller's rows were changed")
	}
}

func TestParquetFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.parquet")
	meta := logs.Meta{Program: "parley", Version: "1.2.3", Values: map[string]string{"run": "ä", "rules": "7"}}
	if _, err := logs.WriteParquet(path, many(250_000, anEvent), meta); err != nil {
		t.Fatal(err)
	}
	f, table := openTable(t, path)
	defer f.Close()
	if by := table.Metadata().CreatedBy; table.NumRows() != 250_000 || len(table.RowGroups()) < 3 || !strings.HasPrefix(by, "parley version 1.2.3") {
		t.Errorf("%d rows in %d groups by %s", table.NumRows(), len(table.RowGroups()), by)
	}
	values := map[string]string{}
	for _, kv := range table.Metadata().KeyValueMetadata {
		values[kv.Key] = kv.Value
	}
	if diff := cmp.Diff(meta.Values, values); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{
		"required int64 time (TIMESTAMP(isAdjustedToUTC=true,unit=MICROS))", "required group audience (LIST)", "optional group roll",
	} {
		if schema := table.Schema().String(); !strings.Contains(schema, want) {
			t.Errorf("no %q in %s", want, schema)
		}
	}
}

// openTable reads the footer of a file.
func openTable(t *testing.T, path string) (*os.File, *parquet.File) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	table, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	return f, table
}

// Long rows must not gather in memory until 100,000 of them are there, nor fill the file with statistics.
func TestParquetGroupsByBytesToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.parquet")
	long := strings.Repeat(words, 100_000/len(words))
	_, err := logs.WriteParquet(path, many(2000, func(s string, n int) call { return call{Reply: long} }), logs.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	f, table := openTable(t, path)
	defer f.Close()
	if n := len(table.RowGroups()); n != 3 {
		t.Errorf("%d row groups", n)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Error("2,000 times one text takes", info.Size(), "bytes:", err)
	}
}

func TestParquetIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "events.parquet")
	if _, err := logs.WriteParquet(path, many(10, anEvent), logs.Meta{}); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the source broke")
	failing := func(yield func(event, error) bool) {
		for row := range many(1000, anEvent) {
			if !yield(row, nil) {
				return
			}
		}
		yield(event{}, broken)
	}
	if n, err := logs.WriteParquet(path, failing, logs.Meta{}); n != 0 || !errors.Is(err, broken) {
		t.Error(n, err)
	}
	if n, err := count(logs.ReadParquet[event](path)); n != 10 || err != nil {
		t.Error("the old file is gone:", n, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Error("left behind:", left)
	}
}

func TestParquetRefusesTypes(t *testing.T) {
	for _, test := range []struct {
		write func(path string) error
		want  string
	}{
		{refuse[struct {
			A []string `parquet:"a"`
		}], "field A needs the tag list"},
		{refuse[struct {
			A []string `parquet:"a,list,optional"`
		}], "field A needs the tag list, without optional"},
		{refuse[struct {
			A string `parquet:"a,json"`
		}], "field A has the tag json"},
		{refuse[struct {
			A *int `parquet:"a"`
		}], "field A needs the tag optional"},
		{refuse[struct {
			A int `parquet:"a,optional"`
		}], "field A is optional and no pointer"},
		{refuse[struct{ A time.Time }], "field A needs the tag timestamp(microsecond)"},
		{refuse[struct{ A map[string]int }], "field A is a map"},
		{refuse[struct {
			A [][]int `parquet:",list"`
		}], "field A nests lists"},
		{refuse[struct {
			A []struct {
				B []int
			} `parquet:",list"`
		}], "field A.B needs the tag list"},
		{refuse[int], "is a struct, not int"},
	} {
		if err := test.write(filepath.Join(t.TempDir(), "x")); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

func refuse[T any](path string) error {
	_, err := logs.WriteParquet(path, of[T](), logs.Meta{})
	return err
}

func TestParquetOfOtherColumns(t *testing.T) {
	type before struct {
		Session string `json:"session" parquet:"session,dict"`
		Gone    string `json:"gone" parquet:"gone"`
	}
	path := filepath.Join(t.TempDir(), "events.parquet")
	if _, err := logs.WriteParquet(path, of(before{"a", "x"}, before{"b", "y"}), logs.Meta{}); err != nil {
		t.Fatal(err)
	}
	rows := all(t, logs.ReadParquet[event](path))
	for i := range rows {
		if rows[i].Time.Equal(time.Unix(0, 0)) {
			rows[i].Time = time.Time{} // Parquet's zero, for want of a time
		}
	}
	if diff := cmp.Diff([]event{{Session: "a"}, {Session: "b"}}, rows); diff != "" {
		t.Error(diff)
	}
}

func TestDamagedParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.parquet")
	if _, err := logs.WriteParquet(path, many(500, anEvent), logs.Meta{}); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	for _, size := range []int{0, 4, len(data) / 2, len(data) - 1} {
		if err := os.WriteFile(path, data[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := count(logs.ReadParquet[event](path))
		if err == nil || !strings.Contains(err.Error(), "no whole Parquet file") || !strings.Contains(err.Error(), "make it again") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	for at := 4; at < len(data)-8 && !pointersChecked; at += 97 { // an error or not, but no panic
		bad := append([]byte(nil), data...)
		bad[at] ^= 0x55
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if n, err := count(logs.ReadParquet[event](path)); err == nil && n > 500 {
			t.Errorf("byte %d turned: %d rows", at, n)
		}
	}
	if _, err := count(logs.ReadParquet[event](filepath.Join(filepath.Dir(path), "none"))); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func count[T any](rows iter.Seq2[T, error]) (n int, err error) {
	for _, err := range rows {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func TestDigest(t *testing.T) {
	rows := all(t, many(100, anEvent))
	sum := func(blank func(*event)) string {
		d, n, err := logs.Digest(of(rows...), blank)
		if err != nil || n != 100 {
			t.Fatal(n, err)
		}
		return d
	}
	noTime := func(e *event) { e.Time = time.Time{} }
	a, b := sum(nil), sum(noTime)
	rows[50].Time = rows[50].Time.Add(time.Microsecond)
	if sum(nil) == a || sum(noTime) != b {
		t.Error("a microsecond counts if times do, and only then")
	}
	rows[1], rows[2] = rows[2], rows[1]
	if sum(noTime) == b {
		t.Error("order does not count")
	}
	if d, n, err := logs.Digest(of[event](), nil); d != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" || n != 0 || err != nil {
		t.Error("no rows are the SHA-256 of nothing:", d, n, err)
	}
	if _, _, err := logs.Digest(of(struct{ C chan int }{}), nil); err == nil || !strings.Contains(err.Error(), "row 1: ") {
		t.Error(err)
	}
	if _, _, err := logs.Digest(func(yield func(event, error) bool) { yield(event{}, io.ErrUnexpectedEOF) }, nil); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
}
