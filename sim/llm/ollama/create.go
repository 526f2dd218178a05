package ollama

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// Digest is the name under which a server keeps a file: of what it holds. Progress, which may be nil,
// is told how many bytes are read.
func Digest(ctx context.Context, r io.Reader, progress func(done int64)) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, &watched{r: r, ctx: ctx, told: progress}); err != nil {
		return "", fmt.Errorf("read for its digest: %w", err)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}

// Upload brings a file to the server, where it is not there already, and returns its digest. It is
// read twice, and never held in memory. Progress, which may be nil, is told how many bytes are sent.
func (s *Server) Upload(ctx context.Context, file io.ReadSeeker, progress func(done int64)) (string, error) {
	digest, err := Digest(ctx, file, nil)
	if err != nil {
		return "", err
	}
	code, err := s.head(ctx, "api", "blobs", digest)
	switch {
	case err != nil:
		return "", err
	case code == http.StatusOK:
		return digest, nil
	case code != http.StatusNotFound:
		return "", s.of("").fail(wire.Fault(code, ""), fmt.Errorf("asked for a file, it answers with the status %d", code), "is it an Ollama server?")
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("read again what is to be uploaded: %w", err)
	}
	m := s.of("")
	client, x := m.client(1 << 20)
	err = client.CreateBlob(ctx, digest, &watched{r: file, ctx: ctx, told: progress})
	switch {
	case err == nil:
		return digest, nil
	case ctx.Err() != nil:
		return "", m.lost(ctx, ctx.Err())
	}
	return "", m.refused(fmt.Errorf("upload: %w", x.cause(err)), x.header, false)
}

// watched is a reader that ends with its context and tells how far it came.
type watched struct {
	r    io.Reader
	ctx  context.Context
	n    int64
	told func(int64)
}

func (w *watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.r.Read(p)
	w.n += int64(n)
	if w.told != nil {
		w.told(w.n)
	}
	return n, err
}

// Creation says what a model is made of. Either From or Files names its weights.
type Creation struct {
	Name string
	// From is a model that the server has, of which all is inherited that is not set here. One that it
	// does not have it would fetch from the registry: look first.
	From string
	// Files and Adapters are the digests of uploaded files by their names, which end with .gguf. A
	// server takes one adapter.
	Files, Adapters map[string]string
	Template        string         // a Go template; empty: From's, or what the server makes of the file
	System          string         // empty: From's
	License         string         // empty: From's
	Renderer        string         // empty: From's
	Parser          string         // empty: From's
	Parameters      map[string]any // such as stop, temperature, repeat_penalty; what is not there: From's
}

// Create makes a model, or makes it anew where one of its name is there. Told, which may be nil, gets
// what the server says of its progress. A model counts as made once the server said so.
func (s *Server) Create(ctx context.Context, c Creation, told func(status string)) error {
	m := s.of(c.Name)
	req := &api.CreateRequest{
		Model: c.Name, From: c.From, Files: c.Files, Adapters: c.Adapters, Template: c.Template,
		System: c.System, Renderer: c.Renderer, Parser: c.Parser, Parameters: c.Parameters,
	}
	if c.License != "" {
		req.License = c.License
	}
	client, x := m.client(64 << 20)
	last := ""
	err := client.Create(ctx, req, func(p api.ProgressResponse) error {
		if told != nil && p.Status != last {
			told(p.Status)
		}
		last = p.Status
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return m.lost(ctx, ctx.Err())
	case err == nil && last == "success":
		return nil
	case err == nil && x.body != nil && x.body.Err != nil:
		return m.lost(ctx, x.body.Err)
	case err == nil:
		return m.fail(llm.BadResponse, fmt.Errorf("the server ended with %q and not with success", last), "is the model there? ollama list")
	}
	err = m.refused(x.cause(err), x.header, false)
	var e *llm.Error
	if errors.As(err, &e) && e.Fault == llm.Overloaded && x.header != nil {
		e.Fault = llm.BadRequest // said within the stream: what is wrong stays wrong
	}
	return err
}
