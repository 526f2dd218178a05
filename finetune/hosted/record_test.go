package hosted_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/finetune/hosted"
)

func TestRecords(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "train.jsonl"), 10)
	fresh := func(name, model string) *hosted.Record {
		p, err := hosted.Inspect(filepath.Join(dir, "train.jsonl"), 0)
		if err != nil {
			t.Fatal(err)
		}
		r := &hosted.Record{BaseURL: "http://host/v1", Training: *p, Order: hosted.Order{Model: model, Method: hosted.SFT}}
		if r.Name = name; name == "" {
			r.Name = r.DefaultName()
		}
		return r
	}
	open := func(r *hosted.Record, again bool) *hosted.Record {
		if err := r.Open(dir, again); err != nil {
			t.Fatal(err)
		}
		return r
	}
	a := open(fresh("", "org/model:x"), false)
	if !strings.HasPrefix(a.Name, "org-model-x-") || filepath.Dir(a.Path()) != filepath.Join(dir, "jobs") {
		t.Errorf("%s at %s", a.Name, a.Path())
	}
	a.Training.ID, a.Order.Mark, a.Asked, a.Job = "file-1", "0f", time.Unix(100, 0).UTC(), &hosted.Job{ID: "job-1", State: hosted.Running}
	if err := a.Save(); err != nil {
		t.Fatal(err)
	}
	if b := open(fresh("", "org/model:x"), false); b.Job == nil || b.Job.ID != "job-1" || b.Training.ID != "file-1" || b.Order.Mark != "0f" {
		t.Errorf("the same order is not taken up: %+v", b)
	}
	if b := fresh(a.Name, "other"); b.Open(dir, false) == nil {
		t.Error("another order takes the place of a job that is under way")
	}
	a.Job.State = hosted.Failed
	if err := a.Save(); err != nil {
		t.Fatal(err)
	}
	b := open(fresh("", "org/model:x"), false)
	if b.Job != nil || !b.Asked.IsZero() || b.Order.Mark != "" || b.Training.ID != "file-1" || len(b.Earlier) != 1 || b.Earlier[0] != "job-1" {
		t.Errorf("a failed job is not done again: %+v", b)
	}
	b.Job = &hosted.Job{ID: "job-2", State: hosted.Succeeded}
	if err := b.Save(); err != nil {
		t.Fatal(err)
	}
	if b = open(fresh("", "org/model:x"), false); b.Job == nil {
		t.Error("a job that succeeded is done again without a word")
	}
	if b = open(fresh("", "org/model:x"), true); b.Job != nil || len(b.Earlier) != 2 {
		t.Errorf("it is not done again when asked to: %+v", b)
	}
	c := open(fresh("second", "org/model:x"), false)
	c.Asked = time.Unix(200, 0)
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	all, err := hosted.Records(dir)
	if err != nil || len(all) != 2 || all[0].Name != "second" {
		t.Errorf("records are %v, %v", all, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "jobs", ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, name := range []string{"", ".", "..", "a/b", "a b", "é", ".hidden", strings.Repeat("a", 101)} {
		if err := (&hosted.Record{Name: name}).Open(dir, false); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
}

func TestRecordsThatAreNone(t *testing.T) {
	for text, says := range map[string]string{
		"":              "no record of a job",
		"[]":            "no record of a job",
		`{"version":2}`: "form 2",
		`{"version":1}`: "no base URL",
		`{"version":1,"base_url":"http://ann:secret@host"}`:                           "credentials",
		`{"version":1,"base_url":"http://host","job":{"id":"../../x"}}`:               "an id in it is none",
		`{"version":1,"base_url":"http://host","training":{"id":"a b"}}`:              "an id in it is none",
		`{"version":1,"base_url":"http://host","job":{"id":"j","model":"\u001b[2J"}}`: "control characters",
		`{"version":1,"base_url":"http://host","job":{"id":7}}`:                       "no record of a job",
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := hosted.Load(path); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want %q", text, err, says)
		}
	}
}

func TestInspect(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	p, err := hosted.Inspect(file("a.jsonl", "{}\n\n  \r\n{}"), 0)
	if err != nil || p.Bytes != 10 || p.SHA256 != "3279162fd66f987a7b4105323795c835cad0f0351999ce634ebc43c666602d8e" {
		t.Errorf("%+v, %v", p, err)
	}
	for _, tt := range []struct{ path, says string }{
		{file("a.json", "{}"), ".jsonl"}, {file("b.jsonl", ""), "is empty"}, {filepath.Join(dir, "none.jsonl"), "no such file"}, {file("c.jsonl", "{\"a\":1}"), "more than the 5"},
	} {
		if _, err := hosted.Inspect(tt.path, 5); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v", tt.path, err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "d.jsonl"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := hosted.Inspect(filepath.Join(dir, "d.jsonl"), 0); err == nil {
		t.Error("a directory is taken for a file")
	}
}
