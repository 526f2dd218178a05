package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/session"
)

// runLine is a run in the list.
type runLine struct {
	run.Listed
	Name, URL string
	Done      int // jobs
}

// names lists the runs, the one that the directory is or those in it.
func (v *Viewer) names() ([]string, error) {
	if v.single {
		return []string{filepath.Base(v.dir)}, nil
	}
	return run.Dirs(v.dir)
}

// path returns the directory of a run.
func (v *Viewer) path(name string) string {
	if v.single {
		return v.dir
	}
	return filepath.Join(v.dir, name)
}

// runs is the page of all runs, the newest first.
func (v *Viewer) runs(*http.Request) (*document, error) {
	names, err := v.names()
	if err != nil {
		return nil, err
	}
	var lines []runLine
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(v.path(name), run.ManifestName))
		if err != nil {
			continue // it went meanwhile
		}
		k, ok := v.listed[name]
		if !ok || k.info.Size() != info.Size() || !k.info.ModTime().Equal(info.ModTime()) {
			k = known{info, run.List(v.path(name))}
			v.listed[name] = k
		}
		lines = append(lines, runLine{k.run, name, runURL(name, ""), k.run.Sessions[run.Complete]})
	}
	slices.SortStableFunc(lines, func(a, b runLine) int { return b.Started.Compare(a.Started) })
	return &document{Template: "runs", Title: "Runs", Where: []step{{Text: "runs"}}, Live: "/live", Body: map[string]any{"Dir": v.dir, "Runs": lines}}, nil
}

// fingerprint changes with the list of runs.
func (v *Viewer) fingerprint() int64 {
	h := fnv.New64a()
	names, err := v.names()
	fmt.Fprint(h, err)
	for _, name := range names {
		if info, err := os.Lstat(filepath.Join(v.path(name), run.ManifestName)); err == nil {
			fmt.Fprintln(h, name, info.Size(), info.ModTime())
		}
	}
	return int64(h.Sum64())
}

// results is the page of what a run's manifest says, whatever its kind.
func (v *Viewer) results(r *http.Request) (*document, error) {
	x, name, err := v.open(r)
	if err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	m := *x.manifest
	if !json.Valid(m.Config) {
		m.Config = []byte("null")
	}
	page := &report.Page{Manifest: &m, Metrics: m.Metrics}
	sections, err := page.All()
	if err != nil {
		return nil, err
	}
	files, err := files(x.dir, &m)
	if err != nil {
		return nil, err
	}
	last := &sections[len(sections)-1]
	last.Blocks = append([]view.Block{files}, last.Blocks...)
	d := x.document("results", name, name)
	d.Body = map[string]any{"Sections": sections, "Manifest": &m, "Tabs": x.tabs(name, "results")}
	return d, nil
}

// files lists the files of a run with their sizes, and the rows of tables as far as the manifest knows.
func files(dir string, m *run.Manifest) (*view.Table, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	t := &view.Table{Caption: "Files of the run.", Head: view.Columns("File", "#Bytes", "#Rows", "Changed")}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		rows := "–"
		if table, ok := m.Tables[strings.TrimSuffix(e.Name(), filepath.Ext(e.Name()))]; ok {
			rows = report.Grouped(table.Rows)
		}
		t.Add(e.Name(), report.Grouped(info.Size()), rows, info.ModTime().UTC().Format("2006-01-02 15:04:05"))
	}
	return t, nil
}

// tab is one of the pages on a whole run.
type tab struct {
	Text, URL string
	Here      bool
}

func (x *index) tabs(name, here string) []tab {
	if x.manifest.Kind != session.Kind {
		return nil
	}
	return []tab{{"Sessions", runURL(name, ""), here == ""}, {"Results and configuration", runURL(name, "results"), here == "results"}}
}

// live tells by server-sent events that a page would be another one now, until nothing changes any more.
func (v *Viewer) live(w http.ResponseWriter, r *http.Request) {
	version, ended := v.fingerprint, func() bool { return false }
	if r.PathValue("name") != "" {
		x, _, err := v.open(r)
		if err != nil {
			http.Error(w, view.Visible(err.Error()), http.StatusNotFound)
			return
		}
		version = func() int64 {
			x.refresh(0)
			x.mu.RLock()
			defer x.mu.RUnlock()
			return x.version
		}
		ended = func() bool {
			x.mu.RLock()
			defer x.mu.RUnlock()
			return !x.growing() && !x.searching()
		}
	}
	flush := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	before := version()
	tick := time.NewTicker(v.options.Every)
	defer tick.Stop()
	var out bytes.Buffer
	for {
		over := ended()
		if now := version(); now != before || out.Len() == 0 || over {
			before = now
			out.Reset()
			fmt.Fprintf(&out, "data: %d\n\n", now)
			if over {
				out.WriteString("event: end\ndata: \n\n")
			}
			if _, err := w.Write(out.Bytes()); err != nil || flush.Flush() != nil || over {
				return
			}
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-v.ctx.Done():
			return
		}
	}
}

// searching reports whether a search goes on.
func (x *index) searching() bool {
	return slices.ContainsFunc(x.searches, func(s *search) bool { return s.done != nil })
}
