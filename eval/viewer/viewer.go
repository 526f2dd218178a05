// Package viewer serves pages on runs to a browser on the same machine: the runs of a directory, a run as sessions
// by arms, a session or two of them side by side, and any turn's exact prompt and reply.
//
// It only reads, nothing but plain files of the directory, and contacts no server. A run is data, whoever made it: its
// texts are escaped, no script of it runs, and it is read by an index in memory, so that pages are quick whatever the
// size of the run.
package viewer

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/session"
)

// Options says how pages are served. The zero value is good.
type Options struct {
	Log   io.Writer     // what went wrong; nil: nothing is written
	Every time.Duration // between two looks at a run that is shown while it lives; 0: a second
}

// Viewer serves the runs in a directory, or the one run that the directory is.
type Viewer struct {
	dir     string
	single  bool // the directory is itself a run
	options Options
	ctx     context.Context
	mux     *http.ServeMux

	mu      sync.Mutex
	indexes map[string]*index // by name
	listed  map[string]known  // what the list says of runs, by name
}

// known is a run in the list with the state of its manifest.
type known struct {
	info fs.FileInfo
	run  run.Listed
}

// maxIndexes is how many runs have an index at once.
const maxIndexes = 4

// pageWait is how long a page waits for what is read of a run.
const pageWait = 60 * time.Millisecond

// New returns a viewer. Reading in the background ends with the context.
func New(ctx context.Context, dir string, o Options) (*Viewer, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, run.Usagef("%s is no directory: name a run, or a directory of runs", dir)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if o.Every <= 0 {
		o.Every = time.Second
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	v := &Viewer{dir: dir, options: o, ctx: ctx, indexes: map[string]*index{}, listed: map[string]known{}}
	_, err = os.Lstat(filepath.Join(dir, run.ManifestName))
	v.single = err == nil
	v.mux = http.NewServeMux()
	v.mux.HandleFunc("GET /{$}", v.page(v.runs))
	v.mux.HandleFunc("GET /live", v.live)
	v.mux.HandleFunc("GET /run/{name}/{$}", v.page(v.run))
	v.mux.HandleFunc("GET /run/{name}/results", v.page(v.results))
	v.mux.HandleFunc("GET /run/{name}/session", v.page(v.session))
	v.mux.HandleFunc("GET /run/{name}/turn", v.page(v.turn))
	v.mux.HandleFunc("GET /run/{name}/live", v.live)
	v.mux.HandleFunc("GET /static/{file}", static)
	return v, nil
}

// policy allows what this program serves, and nothing that stands within a page.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// ServeHTTP answers requests for this machine by its own names only: a name from elsewhere that leads here is how a
// foreign page would read what is served.
func (v *Viewer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !v.ownHost(r):
		http.Error(w, "parley view answers only to localhost and to addresses, such as 127.0.0.1", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "parley view only reads", http.StatusMethodNotAllowed)
	default:
		v.mux.ServeHTTP(w, r)
	}
}

// ownHost reports whether a request names this server: localhost, or the address that it came to.
func (v *Viewer) ownHost(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return strings.EqualFold(host, "localhost") || host == "127.0.0.1"
	}
	at, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return at.Addr().Unmap().IsLoopback()
	}
	named, err := netip.ParseAddr(host)
	return err == nil && named.Unmap() == at.Addr().Unmap()
}

//go:embed pages.html viewer.css viewer.js icon.svg
var assets embed.FS

func static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	data, err := assets.ReadFile(name)
	kind := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}[filepath.Ext(name)]
	if err != nil || kind == "" {
		http.NotFound(w, r)
		return
	}
	if name == "viewer.css" {
		data = slices.Concat([]byte(view.Style()), data)
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Write(data)
}

var pages = template.Must(template.New("pages.html").Funcs(template.FuncMap{
	"render": view.Render, "visible": view.Visible, "clip": view.Clip, "inc": func(n int) int { return n + 1 },
}).ParseFS(assets, "pages.html"))

// document holds the fields that every page has.
type document struct {
	Template string
	Title    string
	Where    []step // from the list of runs to here
	Live     string // where changes are told; empty: there will be none
	Notes    []string
	Prev     string
	Next     string
	Body     any
}

// step is a link to a page above this one.
type step struct{ Text, URL string }

// missing is the error of a page that is not there.
type missing struct{ error }

// page serves what a function makes.
func (v *Viewer) page(build func(*http.Request) (*document, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d, err := v.build(build, r)
		status := http.StatusOK
		if err != nil {
			status = http.StatusUnprocessableEntity
			if errors.As(err, &missing{}) {
				status = http.StatusNotFound
			}
			d = &document{Template: "failed", Title: "This cannot be shown", Where: []step{{"runs", "/"}}, Body: err.Error()}
		}
		var out bytes.Buffer
		if err := pages.ExecuteTemplate(&out, "page", d); err != nil {
			fmt.Fprintf(v.options.Log, "parley: %s: %v\n", r.URL.Path, err)
			http.Error(w, "the page cannot be made", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			w.Write(out.Bytes())
		}
	}
}

// build makes a page; what is wrong in a way that the code did not foresee is an error of that page alone.
func (v *Viewer) build(build func(*http.Request) (*document, error), r *http.Request) (d *document, err error) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(v.options.Log, "parley: %s: %v\n", r.URL.Path, p)
			err = fmt.Errorf("the run holds something that this page cannot show: %v", p)
		}
	}()
	return build(r)
}

// open returns the index of the run that a request names, with what can be read at once.
func (v *Viewer) open(r *http.Request) (x *index, name string, err error) {
	name = r.PathValue("name")
	dir := v.dir
	if v.single {
		if name != filepath.Base(v.dir) {
			return nil, "", missing{fmt.Errorf("there is no run %q here", name)}
		}
	} else {
		entries, err := os.ReadDir(v.dir) // and not the name that was asked for, which may lead elsewhere
		if err != nil {
			return nil, "", err
		}
		if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name && e.IsDir() }) {
			return nil, "", missing{fmt.Errorf("there is no run %q here", name)}
		}
		dir = filepath.Join(v.dir, name)
	}
	v.mu.Lock()
	x = v.indexes[name]
	if x == nil {
		x = newIndex(v.ctx, dir)
		v.indexes[name] = x
		go session.PrepareTrace()
	}
	for other, o := range v.indexes {
		if other != name && len(v.indexes) > maxIndexes {
			o.end() // pages that are under way keep what they have
			delete(v.indexes, other)
		}
	}
	v.mu.Unlock()
	x.refresh(pageWait)
	for known, err := x.known(); ; known, err = x.known() { // without the manifest there is no page
		if known || err != nil {
			return x, name, err
		}
		x.refresh(time.Second)
	}
}

// document begins a page of a run.
func (x *index) document(template, name, title string) *document {
	d := &document{Template: template, Title: title, Where: []step{{"runs", "/"}, {name, runURL(name, "")}}}
	if x.growing() {
		d.Live = runURL(name, "live")
	}
	if x.reading != "" {
		read := ""
		if t, of := x.tables[x.reading], x.manifest.Tables[x.reading].Rows; t != nil && t.rows <= of {
			read = fmt.Sprintf(" (%d %%)", 100*t.rows/max(1, of))
		}
		d.Notes = append(d.Notes, fmt.Sprintf("The run is being read: %s%s. This page fills in by itself.", x.reading, read))
	}
	d.Notes = append(d.Notes, x.findings...)
	return d
}

// growing reports whether pages of the run may change by themselves.
func (x *index) growing() bool {
	return x.done != nil || x.manifest != nil && x.manifest.State == run.Running
}

// runURL returns the address of a page of a run, with its query as pairs.
func runURL(name, page string, query ...string) string {
	u := "/run/" + url.PathEscape(name) + "/" + page
	q := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			q.Set(query[i], query[i+1])
		}
	}
	if len(q) > 0 {
		u += "?" + q.Encode()
	}
	return u
}
