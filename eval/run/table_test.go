package run_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/eval/run"
	"parley/logs"
)

type thing struct {
	ID string `json:"id" parquet:"id"`
	N  int    `json:"n" parquet:"n"`
}

// things is a table in which rows with the same number are equal.
func things(keep logs.Keep) run.Rows[thing] {
	return run.Rows[thing]{Name: "things", Keep: keep, Job: func(r *thing) string { return r.ID }, Compare: func(a, b *thing) int { return cmp.Compare(a.N, b.N) }}
}

const lines = `{"id":"b","n":2}
{"id":"a","n":1}
{"id":"c","n":2}
{"id":"d","n":2}
`

// Rows come in the order of the table, those that are equal in the order in which they came, or the one that is kept; the
// torn last line of a journal is no row. The Parquet file has the same.
func TestSorted(t *testing.T) {
	lines := strings.Replace(lines, `"n":1`, `"n":3`, 1)
	for _, test := range []struct {
		keep logs.Keep
		want string
	}{{logs.KeepAll, "b c d a"}, {logs.KeepFirst, "b a"}, {logs.KeepLast, "d a"}} {
		dir := t.TempDir()
		path := writeFile(t, dir, "things.jsonl", lines+`{"id":"torn`)
		ids := func() string {
			rows, err := things(test.keep).All(dir)
			if err != nil {
				t.Error(err)
			}
			var all []string
			for _, r := range rows {
				all = append(all, r.ID)
			}
			return strings.Join(all, " ")
		}
		if got := ids(); got != test.want {
			t.Errorf("of the journal %q, want %q", got, test.want)
		}
		for range things(test.keep).Sorted(dir) { // may stop early
			break
		}
		writeFile(t, dir, "things.jsonl", lines)
		c := logs.Compaction[thing]{Compare: things(test.keep).Compare, Keep: test.keep}
		if _, err := logs.Compact(path, filepath.Join(dir, "things.parquet"), c); err != nil {
			t.Fatal(err)
		}
		if got := ids(); got != test.want {
			t.Errorf("of the Parquet %q, want %q", got, test.want)
		}
	}
	if rows, err := things(logs.KeepAll).All(t.TempDir()); err != nil || rows != nil {
		t.Errorf("no table has %v, %v", rows, err)
	}
	dir := t.TempDir()
	writeFile(t, dir, "things.jsonl", "{\"id\":1}\n"+lines)
	if rows, err := things(logs.KeepAll).All(dir); err == nil {
		t.Errorf("a wrong line is read as %v", rows)
	}
}

// Rows are found again by their places, in the journal and in the Parquet file.
func TestPlaces(t *testing.T) {
	table, dir := things(logs.KeepAll), t.TempDir()
	read := func(f run.File, from int64) (ids string, places []logs.Span) {
		for p, err := range table.Scan(f, from) {
			if err != nil {
				t.Fatal(err)
			}
			ids, places = ids+p.Row.ID, append(places, p.At)
		}
		return ids, places
	}
	none, err := table.File(dir)
	if ids, _ := read(none, 0); err != nil || ids != "" || none.Path != "" {
		t.Errorf("no file has %q, %v", ids, err)
	}
	for range table.Within(none, logs.Span{To: 1}) {
		t.Error("no file has a row")
	}
	path := writeFile(t, dir, "things.jsonl", lines)
	journal, err := table.File(dir)
	if err != nil || journal.Parquet || journal.Path != path {
		t.Errorf("%+v, %v", journal, err)
	}
	if _, err := logs.Compact(path, filepath.Join(dir, "things.parquet"), logs.Compaction[thing]{Compare: table.Compare}); err != nil {
		t.Fatal(err)
	}
	parquet, err := table.File(dir)
	if err != nil || !parquet.Parquet || parquet.Path != filepath.Join(dir, "things.parquet") {
		t.Errorf("%+v, %v", parquet, err)
	}
	for _, test := range []struct {
		file run.File
		ids  string
	}{{journal, "bacd"}, {parquet, "abcd"}} {
		ids, at := read(test.file, 0)
		if ids != test.ids || at[0].From != 0 {
			t.Errorf("%s: %s at %v", test.file.Path, ids, at)
		}
		if ids, rest := read(test.file, at[1].To); ids != "cd" || rest[0] != at[2] || rest[1] != at[3] {
			t.Errorf("%s: from %d on, %s at %v", test.file.Path, at[1].To, ids, rest)
		}
		got := ""
		for row, err := range table.Within(test.file, at[3], at[0]) {
			if err != nil {
				t.Fatal(err)
			}
			got += row.ID
		}
		if got != test.ids[3:]+test.ids[:1] && got != test.ids[:1]+test.ids[3:] {
			t.Errorf("%s: within two places are %q", test.file.Path, got)
		}
		for range table.Scan(test.file, 0) {
			break
		}
	}
}

// A file is an earlier state of another where it only grew; Parquet never grows.
func TestGrew(t *testing.T) {
	table, dir := things(logs.KeepAll), t.TempDir()
	state := func() run.File {
		f, err := table.File(dir)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	none := state()
	path := writeFile(t, dir, "things.jsonl", "1\n")
	short := state()
	writeFile(t, dir, "things.jsonl", "1\n2\n")
	long := state()
	writeFile(t, dir, "other", "1\n2\n3\n")
	os.Remove(path)
	os.Rename(filepath.Join(dir, "other"), path)
	other := state()
	parquet := writeFile(t, dir, "things.parquet", "1")
	os.Chtimes(parquet, time.Unix(1, 0), time.Unix(1, 0))
	table1 := state()
	os.Chtimes(parquet, time.Unix(2, 0), time.Unix(2, 0))
	later := state()
	writeFile(t, dir, "things.parquet", "12")
	os.Chtimes(parquet, time.Unix(1, 0), time.Unix(1, 0))
	longer := state()
	for _, test := range []struct {
		reason     string
		now, then  run.File
		want, same bool
	}{
		{"from nothing", short, none, true, false}, {"a journal that grew", long, short, true, false}, {"one that shrank", short, long, false, false},
		{"the same", long, long, true, false}, {"another file of the name", other, long, false, false}, {"what is gone", none, short, false, false},
		{"the Parquet of a journal", table1, other, false, false}, {"the same Parquet", table1, table1, true, false},
		{"Parquet that was written later", later, table1, false, false}, {"longer Parquet", longer, table1, false, false},
	} {
		if got := test.now.Grew(test.then); got != test.want {
			t.Errorf("%s: %t", test.reason, got)
		}
	}
}

// What is no plain file is refused before it is opened: a pipe would wait for ever.
func TestOnlyPlainFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"symbolic link":    func(path string) error { return os.Symlink("/etc/passwd", path) },
		"no plain file (p": func(path string) error { return syscall.Mkfifo(path, 0o600) },
	} {
		dir := t.TempDir()
		writeFile(t, dir, run.ManifestName, "{}")
		if err := make(filepath.Join(dir, "things.jsonl")); err != nil {
			t.Fatal(err)
		}
		if _, err := things(logs.KeepAll).File(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := run.ReadManifest(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
		deep := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(deep, "inputs"), 0o700), make(filepath.Join(deep, "inputs", "x"))); err != nil {
			t.Fatal(err)
		}
		if _, err := run.ReadManifest(deep); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s among inputs: %v", name, err)
		}
	}
}

func TestManifestsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"": "unexpected end", `{"format": 1, "version": "v0"}`: "has format 1, and this version of parley reads format 2", `{}`: "has format 1",
		`{"format": 3, "version": "v9"}`: "use the version that made the run (v9)",
	} {
		dir := t.TempDir()
		writeFile(t, dir, run.ManifestName, text)
		if _, err := run.ReadManifest(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := run.ReadManifest(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a run: it has no run.json") {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	writeFile(t, dir, run.ManifestName, `{"format": 2}`)
	m, err := run.ReadManifest(dir)
	if err != nil || m.Tables == nil || m.Jobs == nil || m.Models == nil || m.Inputs == nil {
		t.Errorf("%+v, %v", m, err)
	}
}

// A run begins in no directory that holds another, or what is left of one.
func TestDirectoriesOfOtherRuns(t *testing.T) {
	w := &world{}
	plan := func() *small { return &small{uses: tested("served:p"), of: 1} }
	for name, want := range map[string]string{run.ManifestName: "holds a run already", "scores.jsonl": "is of another run", "jobs.parquet": "is of another run", "notes.txt": ""} {
		dir := t.TempDir()
		writeFile(t, dir, name, "x")
		_, err := run.Run(t.Context(), dir, plan(), w.options(plan))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("with %s: %v", name, err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != "x" {
			t.Errorf("%s is %q, %v", name, data, err)
		}
	}
}

// A run that ends before its first job leaves nothing but what was there.
func TestARunThatDoesNotBeginLeavesNothing(t *testing.T) {
	w := &world{}
	file := writeFile(t, t.TempDir(), "f", "x")
	plan := func() *small {
		p := &small{uses: tested("nothing:p"), of: 1}
		p.settings.Prices = file
		return p
	}
	above := t.TempDir()
	dir := filepath.Join(above, "a", "b")
	if _, err := run.Run(t.Context(), dir, plan(), w.options(plan)); err == nil {
		t.Fatal("it runs")
	}
	if entries, err := os.ReadDir(above); err != nil || len(entries) > 0 {
		t.Errorf("%v is left, %v", entries, err)
	}
	writeFile(t, above, "mine", "x")
	if _, err := run.Run(t.Context(), above, plan(), w.options(plan)); err == nil {
		t.Fatal("it runs")
	}
	if entries, err := os.ReadDir(above); err != nil || len(entries) != 1 || entries[0].Name() != "mine" {
		t.Errorf("%v is left, %v", entries, err)
	}
}

func TestList(t *testing.T) {
	w := &world{}
	root := t.TempDir()
	plan := func() *small { return &small{uses: tested("served:p"), arms: []string{"a", "b"}, of: 4} }
	if _, err := run.Run(t.Context(), filepath.Join(root, "one"), plan(), w.options(plan)); err != nil {
		t.Fatal(err)
	}
	writeFile(t, root, "file", "x")
	for _, name := range []string{"broken", "none"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(root, "broken"), run.ManifestName, "{}")
	if err := os.Symlink("one", filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	names, err := run.Dirs(root)
	if err != nil || strings.Join(names, " ") != "broken one" {
		t.Fatalf("%v, %v", names, err)
	}
	if _, err := run.Dirs(filepath.Join(root, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	dir := filepath.Join(root, "one")
	for reason, test := range map[string]struct {
		change func(m *run.Manifest)
		want   string
	}{
		"no headline":  {func(*run.Manifest) {}, ""},
		"of each arm":  {func(m *run.Manifest) { m.Metrics[0].Headline = true }, "words 5.0, 5.0"},
		"no control":   {func(m *run.Manifest) { m.Metrics[0].Headline, m.Results[0].Control = true, "told" }, "words 5.0"},
		"no value":     {func(m *run.Manifest) { m.Metrics[0].Headline, m.Results[0].Value = true, nil }, "words 5.0"},
		"of 1 at most": {func(m *run.Manifest) { m.Metrics[0].Headline, m.Metrics[0].High = true, 1 }, "words 5.00, 5.00"},
		"of 2 at most": {func(m *run.Manifest) { m.Metrics[0].Headline, m.Metrics[0].High = true, 2 }, "words 5.0, 5.0"},
		"by another":   {func(m *run.Manifest) { m.Metrics[0].Headline, m.Results[0].Scorer = true, "other" }, "words 5.0"},
		"another":      {func(m *run.Manifest) { m.Metrics[0].Headline, m.Results[1].Metric = true, "letters" }, "words 5.0"},
		"one of each": {func(m *run.Manifest) {
			m.Metrics[0].Headline, m.Results = true, append(m.Results[:2], m.Results[:2]...)
		}, "words 5.0, 5.0"},
	} {
		was, err := os.ReadFile(filepath.Join(dir, run.ManifestName))
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, dir, test.change)
		if r := run.List(dir); r.Headline != test.want || r.Run != dir || r.Kind != "small" || r.Of != 4 || r.State != run.Complete || len(r.Arms) != 2 || r.Sessions[run.Complete] != 4 || r.Error != "" {
			t.Errorf("%s: %+v, want %q", reason, r, test.want)
		}
		writeFile(t, dir, run.ManifestName, string(was))
	}
	var b strings.Builder
	list := []run.Listed{run.List(dir), run.List(filepath.Join(root, "broken"))}
	list[0].Run, list[0].Headline, list[1].Run, list[1].Error = "one", "words 5.0", "bro\x1bken", "why" // an escape takes the letter behind it
	if err := run.PrintList(&b, list); err != nil {
		t.Fatal(err)
	}
	want := "RUN    STATE     STARTED           KIND   JOBS    ARMS  HEADLINE\n" +
		"one    complete  1970-01-01 00:00  small  4 of 4  a, b  words 5.0\nbroen  unreadable: why\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// settings has every kind of path that a configuration may hold.
type settings struct {
	Inner  `yaml:",inline"`
	Name   string   `yaml:"name,omitempty"`
	File   string   `yaml:"file,omitempty" path:"file"`
	Files  []string `yaml:"files,omitempty" path:"file"`
	Things []Inner  `yaml:"things,omitempty" path:"file"`
	Share  float64  `yaml:"share,omitempty"`
}

type Inner struct {
	Below string `yaml:"below,omitempty" path:"file"`
	Word  string `yaml:"word,omitempty"`
}

// Paths in a configuration file are relative to the file.
func TestReadConfig(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "x.yaml", "below: a\nword: b\nname: c\nfile: library\nfiles: [d, /e, '', library]\nthings: [{below: ../f, word: g}]\n")
	c := settings{Share: 0.5}
	if err := run.ReadConfig(path, &c); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(c)
	if want := fmt.Sprint(settings{Inner{dir + "/a", "b"}, "c", "library", []string{dir + "/d", "/e", "", "library"}, []Inner{{filepath.Dir(dir) + "/f", "g"}}, 0.5}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := run.ReadConfig(writeFile(t, dir, "y.yaml", "nane: c\n"), &c); !errors.As(err, new(run.UsageError)) || !strings.Contains(err.Error(), "y.yaml") {
		t.Errorf("%v", err)
	}
	if err := run.ReadConfig(filepath.Join(dir, "nowhere"), &c); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// What is printed of a configuration reads back as the same, whatever texts are in it.
func TestEncodeConfig(t *testing.T) {
	empty := func() any { return new(settings) }
	for text, want := range map[string]string{
		"llama3.2:1b": "name: llama3.2:1b\n", "yes": "name: \"yes\"\n", "null": "name: \"null\"\n", "7": "name: \"7\"\n", "a b": "name: \"a b\"\n",
		"a: b": "name: \"a: b\"\n", "é\n|": "name: \"é\\n|\"\n", "- x": "name: \"- x\"\n",
	} {
		got, err := run.EncodeConfig(&settings{Name: text}, empty)
		if err != nil || string(got) != want {
			t.Errorf("%q: %s, want %s, %v", text, got, want, err)
		}
	}
	if text, err := run.EncodeConfig(&settings{Share: math.NaN()}, empty); err == nil {
		t.Errorf("%s reads back as another", text)
	}
	if _, err := run.EncodeConfig(&map[string]any{"nane": "x"}, empty); err == nil {
		t.Error("an unknown name reads back")
	}
}

// Files are listed in order and once each, those of directories without hidden ones and links.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"b.txt", "d/a.txt", "d/.git/config", "d/.hidden", ".own"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), writeText(name, "x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("a.txt", "d/link"); err != nil {
		t.Fatal(err)
	}
	for names, want := range map[string]string{
		"d b.txt": "b.txt d/a.txt", "d d/a.txt .own": ".own d/a.txt", ".": "b.txt d/a.txt", "d/.git": "d/.git/config", "d/.hidden": "d/.hidden",
		"": "name a file or directory", "none": "find files: ", "d/link": "there are no files in d/link",
	} {
		files, err := run.Files(strings.Fields(names))
		if got := strings.Join(files, " "); err != nil {
			if !strings.Contains(err.Error(), want) || files != nil {
				t.Errorf("%q: %v %q, want %s", names, err, files, want)
			}
		} else if got != want {
			t.Errorf("%q: %s, want %s", names, got, want)
		}
	}
}
