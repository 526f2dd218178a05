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
	NoEvents   bool // events cannot be listed
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

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if _, rest, ok := strings.Cut(path, "/openai/"); ok && s.Azure {
		path = "/" + rest
	} else if _, rest, ok := strings.Cut(path, "/v1/"); ok && !s.Azure {
		path = "/" + rest
	}
	trouble := s.note(r, path)
	answer := httptest.NewRecorder()
	if trouble == nil || trouble.Acted || trouble.Stall > 0 {
		s.serve(answer, r, path)
	} else {
		_, _ = io.Copy(io.Discard, r.Body) // whoever sends may break off
	}
	if trouble == nil {
		trouble = &Trouble{Status: answer.Code, Body: answer.Body.String()}
		trouble.Header = map[string]string{"Content-Type": answer.Header().Get("Content-Type")}
	}
	if trouble.Stall > 0 {
		trouble.Status, trouble.Body = answer.Code, answer.Body.String()
	}
	trouble.write(w, r)
}

// note keeps a request, and returns the trouble that it comes to; nil: none.
func (s *Server) note(r *http.Request, path string) (trouble *Trouble) {
	parts := strings.Split(path, "/")
	switch {
	case len(parts) == 3 && parts[1] == "files":
		parts[2] = "*"
	case len(parts) >= 4 && parts[1] == "fine_tuning":
		parts[3] = "*"
	}
	route := r.Method + " " + strings.Join(parts, "/")
	entry := Request{Route: route, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), At: s.Now()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		raw, _ := io.ReadAll(r.Body)
		r.Body, entry.Body = io.NopCloser(bytes.NewReader(raw)), string(raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, entry)
	if waiting := s.troubles[route]; len(waiting) > 0 {
		trouble, s.troubles[route] = &waiting[0], waiting[1:]
	}
	return trouble
}

// write writes the answer that takes the place of the server's.
func (trouble *Trouble) write(w http.ResponseWriter, r *http.Request) {
	if trouble.Status == 0 {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
		return
	}
	for name, value := range trouble.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(trouble.Status)
	if trouble.Stall > 0 && len(trouble.Body) > 1 {
		half := len(trouble.Body) / 2
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

func (s *Server) serve(w http.ResponseWriter, r *http.Request, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.Azure {
		key = r.Header.Get("api-key")
		if r.URL.Query().Get("api-version") == "" {
			refuse(w, 404, "Resource not found", "", "404")
			return
		}
	}
	if s.Key != "" && key != s.Key {
		refuse(w, 401, "Incorrect API key provided: "+key+".", "", "invalid_api_key")
		return
	}
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	at := r.Method + " " + parts[0]
	switch {
	case at == "POST files" && len(parts) == 1:
		s.upload(w, r)
	case at == "GET files" && len(parts) == 2 && !s.NoFileLook:
		s.file(w, parts[1])
	case at == "POST fine_tuning" && len(parts) == 2:
		s.create(w, r)
	case at == "GET fine_tuning" && len(parts) == 2 && !s.NoList:
		var all []json.RawMessage
		for _, j := range slices.Backward(s.jobs) {
			all = append(all, s.job(j))
		}
		s.page(w, r, all)
	case len(parts) >= 3 && parts[0] == "fine_tuning":
		s.about(w, r, parts[2], strings.Join(parts[3:], "/"))
	default:
		refuse(w, 404, fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path), "", "")
	}
}

// about answers a request about one job.
func (s *Server) about(w http.ResponseWriter, r *http.Request, id, action string) {
	i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.ID == id })
	switch {
	case i < 0:
		refuse(w, 404, "Could not find fine tune: "+id, "fine_tune_id", "fine_tune_not_found")
	case r.Method == "GET" && action == "":
		_, _ = w.Write(s.job(s.jobs[i]))
	case r.Method == "GET" && action == "events" && !s.NoEvents:
		s.page(w, r, s.events(s.jobs[i]))
	case r.Method == "POST" && action == "cancel":
		if state := s.state(s.jobs[i]); state == "succeeded" || state == "failed" || state == "cancelled" {
			refuse(w, 400, "Job has already completed: "+id, "", "")
			return
		}
		s.jobs[i].Cancelled = s.Now()
		_, _ = w.Write(s.job(s.jobs[i]))
	default:
		refuse(w, 405, "Method not allowed", "", "")
	}
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	form, err := r.MultipartReader()
	if err != nil {
		refuse(w, 400, err.Error(), "", "")
		return
	}
	f := &File{ID: fmt.Sprintf("file-%04d", len(s.files)+1), Length: r.ContentLength, Created: s.Now()}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			refuse(w, 400, err.Error(), "file", "")
			return
		}
		content, err := io.ReadAll(part)
		if err != nil {
			refuse(w, 400, err.Error(), "file", "")
			return
		}
		switch part.FormName() {
		case "purpose":
			f.Purpose = string(content)
		case "file":
			// As it came: the package takes a path off by itself.
			_, name, _ := strings.Cut(part.Header.Get("Content-Disposition"), `filename="`)
			f.Name, f.Content = strings.TrimSuffix(name, `"`), content
		default:
			refuse(w, 400, "Unrecognized request argument supplied: "+part.FormName(), part.FormName(), "")
			return
		}
	}
	if f.Purpose != "fine-tune" || !strings.HasSuffix(f.Name, ".jsonl") {
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

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
