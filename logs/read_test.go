package logs_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/logs"
)

func file(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

type number struct {
	N int `json:"n"`
}

// read collects rows up to the first error.
func read[T any](path string) (list []T, err error) {
	for row, err := range logs.Read[T](path) {
		if err != nil {
			return list, err
		}
		list = append(list, row)
	}
	return list, nil
}

func TestRead(t *testing.T) {
	long := strings.Repeat(" ", logs.MaxLine)
	for _, test := range []struct {
		content string
		rows    int
		fault   string // part of the error
		torn    bool
		reason  string
	}{
		{"", 0, "", false, "a stream without rows"},
		{"{\"n\":1}\n{\"n\":2}\n", 2, "", false, ""},
		{"{\"n\":1}\r\n\n \n{\"n\":2,\"m\":3}\r\n", 2, "", false, "edited by hand, and by a newer version"},
		{"{\"n\":1}\n{\"n\":2}", 1, "rows.jsonl:2", true, "no line end: nobody knows whether it is all"},
		{"{\"n\":1}\n\x00\x00\x00", 1, "rows.jsonl:2", true, "what some file systems leave when power is lost"},
		{"{\"n\":1}\n{\"n\":\n{\"n\":3}\n", 1, "rows.jsonl:2", false, "broken in the middle"},
		{"{\"n\":1}\n\n{\"n\":\"x\"}\n", 1, "rows.jsonl:3", false, "another type; blank lines count"},
		{"{\"n\":1}\n{\"n\":1}{\"n\":2}\n", 1, "rows.jsonl:2", false, "two rows in one line"},
		{"{\"n\":1}\n" + long + "\n", 1, "longer than 16 MiB", false, ""},
		{"{\"n\":1}\n" + long + long, 1, "rows.jsonl:2", true, "torn, whatever its length"},
		{"{\"n\":1}" + long[len("{\"n\":1}\n"):] + "\n{\"n\":2}\n", 2, "", false, "the longest line"},
	} {
		rows, err := read[number](file(t, test.content))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if len(rows) != test.rows || !strings.Contains(got, test.fault) || (err != nil) != (test.fault != "") || logs.IsTorn(err) != test.torn {
			t.Errorf("%.30q: %d rows, %v (torn %v): %s", test.content, len(rows), err, logs.IsTorn(err), test.reason)
		}
	}
	if _, err := read[number](filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestTornAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	keep(t, dir, "events", anEvent("s", 0), anEvent("s", 1), anEvent("s", 2))
	path := filepath.Join(dir, "events.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(data[:len(data)-1], '\n') + 1
	for size := last; size < len(data); size++ {
		if err := os.WriteFile(path, data[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		rows, err := read[event](path)
		var torn *logs.Torn
		switch {
		case len(rows) != 2:
			t.Fatalf("%d bytes of the last line: %d rows", size-last, len(rows))
		case size == last && err != nil:
			t.Fatal(err)
		case size > last && !errors.As(err, &torn):
			t.Fatalf("%d bytes of the last line: %v", size-last, err)
		case size > last && *torn != logs.Torn{Path: path, Line: 3, Offset: int64(last), Size: int64(size - last)}:
			t.Fatalf("%+v", torn)
		}
		if cut, err := logs.Repair(path); cut != int64(size-last) || err != nil {
			t.Fatal(cut, err)
		}
		if now, _ := os.ReadFile(path); !bytes.Equal(now, data[:last]) {
			t.Fatalf("%d bytes of the last line: repaired to %d bytes, want %d", size-last, len(now), last)
		}
		if size%50 == 0 { // to go on repairs too, and joins no row to a torn one
			os.WriteFile(path, data[:size], 0o644)
			keep(t, dir, "events", anEvent("s", 2))
			if now, _ := os.ReadFile(path); !bytes.Equal(now, data) {
				t.Fatal("the journal did not go on where the last whole line ends")
			}
		}
	}
}

func TestRepairFindsTheLastLineFarBack(t *testing.T) {
	for _, size := range []int{1, 64 << 10, 64<<10 + 1, 300_000} {
		for _, head := range []string{"", "{}\n"} {
			path := file(t, head+strings.Repeat("x", size))
			cut, err := logs.Repair(path)
			if data, _ := os.ReadFile(path); string(data) != head || cut != int64(size) || err != nil {
				t.Errorf("%d: cut %d, left %d, %v", size, cut, len(data), err)
			}
		}
	}
}

func TestFilter(t *testing.T) {
	content := "{\"n\":1}\n{\"n\": 2, \"other\": true}\n\n{\"n\":3}\n{\"n\":4}\n"
	for _, test := range []struct {
		tail          string
		drop          string
		want          string
		kept, dropped int
		reason        string
	}{
		{"", "", content, 4, 0, "left alone, blank line and all"},
		{"", "13", "{\"n\": 2, \"other\": true}\n{\"n\":4}\n", 2, 2, "the bytes of a line stay"},
		{"", "1234", "", 0, 4, ""},
		{"{\"n\":", "", "{\"n\":1}\n{\"n\": 2, \"other\": true}\n{\"n\":3}\n{\"n\":4}\n", 4, 1, "the torn tail goes"},
	} {
		path := file(t, content+test.tail)
		before, _ := os.Stat(path)
		kept, dropped, err := logs.Filter(path, func(n *number) bool { return !strings.Contains(test.drop, fmt.Sprint(n.N)) })
		data, _ := os.ReadFile(path)
		if kept != test.kept || dropped != test.dropped || err != nil || string(data) != test.want {
			t.Errorf("drop %q: %d, %d, %v, %q: %s", test.drop, kept, dropped, err, data, test.reason)
		}
		if after, _ := os.Stat(path); test.dropped == 0 && !os.SameFile(before, after) {
			t.Error("the file was replaced though nothing was dropped")
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); left != nil {
			t.Error("left behind:", left)
		}
	}
	path := file(t, "{\"n\":1}\n{\n")
	if _, _, err := logs.Filter(path, func(*number) bool { return false }); err == nil || !strings.Contains(err.Error(), "rows.jsonl:2") {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "{\"n\":1}\n{\n" {
		t.Error("a file with a broken line was changed")
	}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.json")
	for _, v := range []any{map[string]int{"a": 1}, []string{"<b>"}} {
		if err := logs.WriteJSON(path, v); err != nil {
			t.Fatal(err)
		}
	}
	data, _ := os.ReadFile(path)
	if diff := cmp.Diff("[\n  \"<b>\"\n]\n", string(data)); diff != "" {
		t.Error(diff)
	}
	if err := logs.WriteJSON(path, func() {}); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if err := logs.WriteFile(filepath.Join(path, "below", "a-file"), nil); err == nil {
		t.Error("wrote below a file")
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Error("left behind:", left)
	}
}

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	write := func(text string, err error) error {
		return logs.Replace(path, func(w io.Writer) error { return errors.Join(err, second(io.WriteString(w, text))) })
	}
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(filepath.Dir(path), "plain") // made as every program makes files
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(path)
	b, _ := os.Stat(plain)
	if a.Mode() != b.Mode() {
		t.Errorf("the mode is %v, where the umask leaves %v", a.Mode(), b.Mode())
	}
	broken := errors.New("broken")
	if err := write("new", broken); !errors.Is(err, broken) {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("after an error the file holds %q", data)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 2 {
		t.Error("left behind:", left)
	}
}

func second[T any](_ T, err error) error { return err }

func TestReadStrictly(t *testing.T) {
	for _, test := range []struct{ line, want, reason string }{
		{"{}", "", ""},
		{"null", "", "a zero row"},
		{` { "seq" : 1 } `, "", "edited by hand"},
		{`{"turn":1,"other":{"a":[1]},"seq":2}`, "", "in another order, with a column that the type lacks"},
		{`{"facts":null,"roll":null,"seq":null}`, "", ""},
		{`{"session":"\u00e9\n\"\\\/\b\f\r\t\u2028 \ud83c\udfb2"}`, "", "every escape"},
		{"{\"session\":\"\xff\"}", "", "a bad byte is marked"},
		{`{"time":"2026-01-02T03:04:05.678901+01:00"}`, "", "another zone"},
		{`{"seq":1,}`, "invalid character", ""},
		{`{"seq":1}}`, "after top-level value", ""},
		{`{"seq":1.5}`, "int", ""},
		{`{"seq":"1"}`, "int", ""},
		{`{"seq":9223372036854775808}`, "value out of range", ""},
		{`{"seq":1,"seq":2}`, "duplicate object member name", "which one counts?"},
		{`{"session":"a`, "unexpected EOF", ""},
		{`{"session":"\x"}`, "escape", ""},
		{"{\"session\":\"a\tb\"}", "invalid character", "a bare control character"},
		{`{"time":"2026"}`, "parsing time", ""},
		{`{"time":1}`, "time.Time", ""},
		{"[]", "event", ""},
	} {
		_, err := read[event](file(t, test.line+"\n"))
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q: %s", test.line, err, test.want, test.reason)
		}
	}
	rows, err := read[event](file(t, `{"SEQ":1}`+"\n"))
	if err != nil || rows[0].Seq != 0 {
		t.Errorf("a name in other letters is another name: %+v, %v", rows, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"n\":1}\n\n{\"n\":2}"))
	f.Add([]byte("\r\n{}\n\x00\n"))
	path := filepath.Join(f.TempDir(), "rows.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		var at int64
		var torn error
		for line, err := range logs.Lines(path) {
			if err != nil {
				torn = err
				break
			}
			if line.Offset < at || !bytes.HasPrefix(data[line.Offset:], line.Data) || bytes.ContainsRune(line.Data, '\n') {
				t.Fatalf("line %+v after %d", line, at)
			}
			at = line.Offset + line.Size
		}
		if want := len(data) > 0 && data[len(data)-1] != '\n'; logs.IsTorn(torn) != want || !want && torn != nil {
			t.Fatal(torn)
		}
		for _, err := range logs.Read[event](path) {
			if err != nil {
				return // whatever it is, it did not panic
			}
		}
	})
}
