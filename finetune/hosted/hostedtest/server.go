// Package hostedtest is a fine-tuning server for tests: the protocol of OpenAI's /files and
// /fine_tuning/jobs with real state, in which files are processed and jobs trained as time passes, and
// in which troubles can be ordered.
//
// It is strict where real servers are: it refuses fields that the published reference does not have.
// It imports no package of parley.
package hostedtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is a fine-tuning server. Its fields are set before it is used.
type Server struct {
	Now   func() time.Time
	Key   string // that has to be sent; empty: any is taken
	Azure bool   // Azure's paths, header and words for states

	Processing time.Duration // how long a file is processed
	Stage      time.Duration // how long a job is validated, then queued
	Training   time.Duration // how long it is trained
	Steps      int           // of the training
	End        string        // how it ends; empty: succeeded
	Failure    string        // the error of a failed job, as JSON; empty: {}
	Pauses     bool          // a job is paused for a stage before it goes on

	NoMetadata bool // the field is refused, and not kept
	NoMethod   bool // the field is refused
	NoFileLook bool // files cannot be looked at
	NoList     bool // jobs cannot be listed
	PageSize   int  // most entries of a page; 0: 20

	mu       sync.Mutex
	files    []*File
	jobs     []*job
	troubles map[string][]Trouble
	log      []Request
}

// File is a file that was uploaded.
type File struct {
	ID, Name, Purpose string
	Content           []byte
	Length            int64 // that the request announced
	Created           time.Time
}

// Request is a request that came.
type Request struct {
	Route  string // such as "POST /fine_tuning/jobs", without the base and with * for an id
	Path   string
	Query  map[string][]string
	Header http.Header
	Body   string // of JSON
	At     time.Time
}

// Trouble is an event that takes the place of a request's answer.
type Trouble struct {
	Status int // 0: the connection is cut
	Body   string
	Header map[string]string
	Acted  bool          // the server does what it was asked first
	Stall  time.Duration // the answer begins, and goes on after that
}

// Order lets the next requests of a route come to trouble, one after the other.
func (s *Server) Order(route string, troubles ...Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.troubles == nil {
		s.troubles = map[string][]Trouble{}
	}
	s.troubles[route] = append(s.troubles[route], troubles...)
}

// Requests returns the requests of a route, or all of them.
func (s *Server) Requests(route string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.log {
		if route == "" || r.Route == route {
			out = append(out, r)
		}
	}
	return out
}

// Files returns the files that were uploaded.
func (s *Server) Files() []*File {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.files)
}

// Jobs returns the ids of the jobs that were ordered.
func (s *Server) Jobs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, j := range s.jobs {
		out = append(out, j.ID)
	}
	return out
}

// Forget deletes the files.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = nil
}

// Client returns a client that calls the server without a network, which testing/synctest can see through.
func (s *Server) Client() *http.Client { return &http.Client{Transport: direct{s}} }

// direct hands requests to a server.
type direct struct{ *Server }

func (d direct) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	in := r.Clone(r.Context())
	in.Body = http.NoBody
	if r.Body != nil {
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
	}
	defer func() {
		if cut := recover(); cut == http.ErrAbortHandler {
			resp, err = nil, io.ErrUnexpectedEOF
		} else if cut != nil {
			panic(cut)
		}
	}()
	w := httptest.NewRecorder()
	d.ServeHTTP(w, in)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	resp = w.Result()
	resp.Request = r
	return resp, nil
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the sender broke off
	}
	entry := Request{Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), At: s.Now()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		entry.Body = string(body)
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.URL.Path = strings.TrimPrefix(r.URL.Path, map[bool]string{true: "/openai", false: "/v1"}[s.Azure])
	answer := httptest.NewRecorder()
	trouble := s.act(answer, r, entry)
	if trouble == nil {
		trouble = &Trouble{}
	} else if trouble.Status == 0 && trouble.Stall == 0 {
		panic(http.ErrAbortHandler)
	}
	if trouble.Status == 0 {
		trouble.Status, trouble.Body = answer.Code, answer.Body.String()
	}
	for name, value := range trouble.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(trouble.Status)
	if half := len(trouble.Body) / 2; trouble.Stall > 0 {
		_, _ = io.WriteString(w, trouble.Body[:half])
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(trouble.Stall):
		case <-r.Context().Done():
		}
		trouble.Body = trouble.Body[half:]
	}
	_, _ = io.WriteString(w, trouble.Body)
}

// act keeps a request and does what it asks. It returns the trouble that takes the place of the answer; nil: none.
func (s *Server) act(w http.ResponseWriter, r *http.Request, entry Request) (trouble *Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	routes := s.routes()
	_, route := routes.Handler(r)
	entry.Route = strings.ReplaceAll(route, "{id}", "*")
	s.log = append(s.log, entry)
	if waiting := s.troubles[entry.Route]; len(waiting) > 0 {
		trouble, s.troubles[entry.Route] = &waiting[0], waiting[1:]
		if !trouble.Acted && trouble.Stall == 0 {
			return trouble
		}
	}
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.Azure {
		key = r.Header.Get("api-key")
	}
	switch {
	case s.Azure && r.URL.Query().Get("api-version") == "":
		refuse(w, 404, "Resource not found", "", "404")
	case s.Key != "" && key != s.Key:
		refuse(w, 401, "Incorrect API key provided: "+key+".", "", "invalid_api_key")
	default:
		routes.ServeHTTP(w, r)
	}
	return trouble
}

// routes are the requests that the server knows.
func (s *Server) routes() *http.ServeMux {
	m := http.NewServeMux()
	none := func(w http.ResponseWriter, r *http.Request) { refuse(w, 404, "Invalid URL", "", "") }
	allowed := func(no bool, serve http.HandlerFunc) http.HandlerFunc {
		if no {
			return none
		}
		return serve
	}
	m.HandleFunc("/", none)
	m.HandleFunc("POST /files", s.upload)
	m.HandleFunc("GET /files/{id}", allowed(s.NoFileLook, func(w http.ResponseWriter, r *http.Request) { s.file(w, r.PathValue("id")) }))
	m.HandleFunc("POST /fine_tuning/jobs", s.create)
	m.HandleFunc("GET /fine_tuning/jobs", allowed(s.NoList, func(w http.ResponseWriter, r *http.Request) {
		var all []json.RawMessage
		for _, j := range slices.Backward(s.jobs) {
			all = append(all, s.job(j))
		}
		s.page(w, r, all)
	}))
	m.HandleFunc("GET /fine_tuning/jobs/{id}", s.about(func(w http.ResponseWriter, r *http.Request, j *job) { _, _ = w.Write(s.job(j)) }))
	m.HandleFunc("GET /fine_tuning/jobs/{id}/events", s.about(func(w http.ResponseWriter, r *http.Request, j *job) { s.page(w, r, s.events(j)) }))
	m.HandleFunc("POST /fine_tuning/jobs/{id}/cancel", s.about(func(w http.ResponseWriter, r *http.Request, j *job) {
		if done(s.state(j)) {
			refuse(w, 400, "Job has already completed: "+j.ID, "", "")
			return
		}
		j.Cancelled = s.Now()
		_, _ = w.Write(s.job(j))
	}))
	return m
}

// about answers a request about one job.
func (s *Server) about(answer func(http.ResponseWriter, *http.Request, *job)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.ID == id })
		if i < 0 {
			refuse(w, 404, "Could not find fine tune: "+id, "fine_tune_id", "fine_tune_not_found")
			return
		}
		answer(w, r, s.jobs[i])
	}
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 30); err != nil {
		refuse(w, 400, err.Error(), "", "")
		return
	}
	sent := r.MultipartForm.File["file"]
	if len(sent) != 1 || len(r.MultipartForm.File) != 1 || len(r.MultipartForm.Value) != 1 {
		refuse(w, 400, "A request has one file and one purpose", "", "")
		return
	}
	f := &File{ID: fmt.Sprintf("file-%04d", len(s.files)+1), Purpose: r.FormValue("purpose"), Length: r.ContentLength, Created: s.Now()}
	// As it came: the package takes a path off by itself.
	_, name, _ := strings.Cut(sent[0].Header.Get("Content-Disposition"), `filename="`)
	f.Name = strings.TrimSuffix(name, `"`)
	content, err := sent[0].Open()
	if err == nil {
		f.Content, err = io.ReadAll(content)
	}
	if err != nil || f.Purpose != "fine-tune" || !strings.HasSuffix(f.Name, ".jsonl") {
		refuse(w, 400, "Invalid file", "file", "invalid_file_format")
		return
	}
	s.files = append(s.files, f)
	s.file(w, f.ID)
}

func (s *Server) file(w http.ResponseWriter, id string) {
	i := slices.IndexFunc(s.files, func(f *File) bool { return f.ID == id })
	if i < 0 {
		refuse(w, 404, "No such File object: "+id, "id", "")
		return
	}
	f := s.files[i]
	status, before := "processed", "uploaded"
	if s.Azure {
		before = "pending"
	}
	if s.Now().Sub(f.Created) < s.Processing {
		status = before
	}
	reply(w, map[string]any{
		"id": f.ID, "object": "file", "bytes": len(f.Content), "created_at": f.Created.Unix(), "expires_at": nil,
		"filename": f.Name, "purpose": f.Purpose, "status": status, "status_details": nil,
	})
}

// page writes a page of a list.
func (s *Server) page(w http.ResponseWriter, r *http.Request, all []json.RawMessage) {
	if after := r.URL.Query().Get("after"); after != "" {
		i := slices.IndexFunc(all, func(raw json.RawMessage) bool { return bytes.Contains(raw, []byte(`"id":"`+after+`"`)) })
		if i < 0 {
			refuse(w, 404, "No such object: "+after, "after", "")
			return
		}
		all = all[i+1:]
	}
	size := 20
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil {
		size = n
	}
	if s.PageSize > 0 {
		size = min(size, s.PageSize)
	}
	more := len(all) > size
	if more {
		all = all[:size]
	}
	reply(w, map[string]any{"object": "list", "data": append([]json.RawMessage{}, all...), "has_more": more})
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // into a recorder
}

func refuse(w http.ResponseWriter, status int, message, param, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": null(param), "code": null(code)}})
}
