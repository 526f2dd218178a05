package sqlite_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/eval/script/sqlite"
)

// The files were written by SQLite 3.40, with pages of 512 bytes, so that they have inner pages and
// overflow pages; one holds UTF-16.
func TestRows(t *testing.T) {
	for _, name := range []string{"testdata/plain.db", "testdata/wide.db"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			f, err := sqlite.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			tables, err := f.Tables()
			if want := []string{"question", "numbers", "eval_result", "human_eval"}; err != nil || !slices.Equal(tables, want) {
				t.Fatal(tables, err)
			}
			values := []int64{0, 1, -1, 127, -128, 300, -40000, 1e6, math.MinInt32, 1 << 40, -1 << 62, math.MaxInt64}
			n, ids := 0, []int64{}
			for row, err := range f.Rows("numbers") {
				if err != nil {
					t.Fatal(err)
				}
				id := row["id"].(int64)
				ids = append(ids, id)
				if id == 8 {
					if row["a, b"] != nil || row.Text("d") != strings.Repeat("x", 5000)+"ü" || row["e"] != int64(99) {
						t.Errorf("%.80v", row)
					}
					continue
				}
				i := n
				n++
				if row["d"] != values[i] || row["e"] != int64(i+1) || row["a, b"] != float64(values[i])/3 || len(row["c"].([]byte)) != i+1 {
					t.Errorf("row %d: %v", i, row)
				}
			}
			if n != 12 || !slices.IsSorted(ids) || ids[12] != 1<<50 {
				t.Errorf("%d rows: %v", n, ids)
			}
			long := 0
			for row, err := range f.Rows("EVAL_RESULT") {
				if err != nil {
					t.Fatal(err)
				}
				if row.Text("explain_1") == strings.Repeat("long ", 40) {
					long++
				}
			}
			if long != 18 {
				t.Errorf("%d rows", long)
			}
			for _, err := range f.Rows("nothing") {
				if err == nil {
					t.Error("there is a row in no table")
				}
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, text := range []string{"", "SQLite format 3", strings.Repeat("x", 200), "SQLite format 3\x00" + strings.Repeat("\x03", 200)} {
		if _, err := sqlite.Open(strings.NewReader(text)); err == nil {
			t.Errorf("%.20q is opened", text)
		}
	}
}

func FuzzRows(f *testing.F) {
	for _, name := range []string{"testdata/plain.db", "testdata/wide.db"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := sqlite.Open(bytes.NewReader(data))
		if err != nil {
			return
		}
		names, err := file.Tables()
		if err != nil {
			return
		}
		rows := 0
		for _, name := range names {
			for _, err := range file.Rows(name) {
				if rows++; err == nil && rows > len(data) {
					t.Fatal("more rows than bytes")
				}
			}
		}
	})
}

func Example() {
	file, err := os.Open("testdata/plain.db")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	db, err := sqlite.Open(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row, err := range db.Rows("question") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(row.Text("question"))
		break
	}
	// Output: Do task 0 with online
}
