package sqlite_test

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/eval/script/sqlite"
)

// The files were written by SQLite 3.40, with pages of 512 bytes, so that they have inner pages and
// overflow pages; one holds UTF-16.
func TestRows(t *testing.T) {
	for _, name := range []string{"testdata/plain.db", "testdata/wide.db"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			f, err := sqlite.Open(data)
			if err != nil {
				t.Fatal(err)
			}
			if tables := slices.Sorted(maps.Keys(f.Tables)); !slices.Equal(tables, []string{"eval_result", "human_eval", "numbers", "question"}) {
				t.Fatal(tables)
			}
			values := []int64{0, 1, -1, 127, -128, 300, -40000, 1e6, math.MinInt32, 1 << 40, -1 << 62, math.MaxInt64}
			n, ids := 0, []int{}
			for row, err := range f.Rows("numbers") {
				if err != nil {
					t.Fatal(err)
				}
				id, err := strconv.Atoi(row["id"])
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, id)
				if id == 8 {
					if row["a, b"] != "" || row["d"] != strings.Repeat("x", 5000)+"ü" || row["e"] != "99" {
						t.Errorf("%.80v", row)
					}
					continue
				}
				third, _ := strconv.ParseFloat(row["a, b"], 64)
				if row["d"] != fmt.Sprint(values[n]) || row["e"] != fmt.Sprint(n+1) || third != float64(values[n])/3 || len([]rune(row["c"])) == 0 {
					t.Errorf("row %d: %v", n, row)
				}
				n++
			}
			if n != 12 || !slices.IsSorted(ids) || ids[12] != 1<<50 {
				t.Errorf("%d rows: %v", n, ids)
			}
			long := 0
			for row, err := range f.Rows("eval_result") {
				if err != nil {
					t.Fatal(err)
				}
				if row["explain_1"] == strings.Repeat("long ", 40) {
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
		if _, err := sqlite.Open([]byte(text)); err == nil {
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
		file, err := sqlite.Open(data)
		if err != nil {
			return
		}
		rows := 0
		for name := range file.Tables {
			for _, err := range file.Rows(name) {
				if rows++; err == nil && rows > len(data) {
					t.Fatal("more rows than bytes")
				}
			}
		}
	})
}

func Example() {
	data, err := os.ReadFile("testdata/plain.db")
	if err != nil {
		fmt.Println(err)
		return
	}
	db, err := sqlite.Open(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row, err := range db.Rows("question") {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(row["question"])
		break
	}
	// Output: Do task 0 with online
}
