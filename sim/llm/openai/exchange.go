package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	kit "github.com/sashabaranov/go-openai"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// exchange is one request and its reply: the kit's HTTPDoer, which puts our body in place of the
// kit's and passes the reply on as lines that the kit reads right.
type exchange struct {
	client *http.Client
	keys   *llm.Keys
	body   []byte // nil: the kit's own
	bounds wire.Bounds
	lines  bool // the reply is to be read line by line, in a stream or in one piece

	status int
	header http.Header
	failed []byte // what the server wrote where the status is a failure
	raw    []byte // all of the reply, where it is not read by lines
	done   bool   // the reply was one piece, or the stream said that it is done
}

func (m *Model) exchange(sent body, bounds wire.Bounds) (*exchange, error) {
	encoded, err := json.Marshal(sent.fields)
	if err != nil {
		return nil, m.fail(llm.BadRequest, fmt.Errorf("the request cannot be encoded: %w", err), "")
	}
	return &exchange{client: m.o.HTTP, keys: &m.keys, body: encoded, lines: true, bounds: bounds}, nil
}

func (m *Model) client(x *exchange) *kit.Client {
	config := m.config
	config.HTTPClient = x
	return kit.NewClientWithConfig(config)
}

// Do sends the request and prepares the reply.
func (x *exchange) Do(r *http.Request) (*http.Response, error) {
	if x.body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(x.body)), int64(len(x.body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := x.client.Do(r)
	if err != nil {
		return nil, err
	}
	x.status, x.header = resp.StatusCode, resp.Header
	switch {
	case x.status >= http.StatusBadRequest:
		x.failed, err = io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(x.failed))
	case x.lines:
		err = x.relay(resp)
	default:
		defer resp.Body.Close()
		x.raw, err = io.ReadAll(&wire.Body{ReadCloser: resp.Body, Left: x.bounds.Frame})
		resp.Body = io.NopCloser(bytes.NewReader(x.raw))
	}
	if err != nil && x.status < http.StatusBadRequest {
		resp.Body.Close()
		return nil, err
	}
	return resp, nil
}

// relay puts a reader of whole data lines in place of the reply's body. A reply in one piece becomes
// one line.
func (x *exchange) relay(resp *http.Response) error {
	src := bufio.NewReader(&wire.Body{ReadCloser: resp.Body, Left: x.bounds.Stream})
	lines := &events{x: x, src: src}
	first, err := firstByte(src)
	switch {
	case errors.Is(err, io.EOF):
		// The reader of the lines reports an empty reply.
	case err != nil:
		return err
	case first == '<':
		return &protocolError{"the server answers with a web page", "is the base URL right? it usually ends in /v1"}
	case first == '{' && !strings.Contains(resp.Header.Get("Content-Type"), "event-stream"):
		whole, err := io.ReadAll(&wire.Body{ReadCloser: io.NopCloser(src), Left: x.bounds.Frame})
		if err != nil {
			return err
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, whole); err != nil {
			return &protocolError{"the reply is not JSON: " + llm.Excerpt(x.keys.Redact(string(whole)), 300), ""}
		}
		lines.take(compact.Bytes())
		lines.ended, x.done = true, true
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{lines, resp.Body}
	return nil
}

func firstByte(src *bufio.Reader) (byte, error) {
	for {
		b, err := src.ReadByte()
		if err != nil {
			return 0, err
		}
		if strings.IndexByte(" \n\r\t\xEF\xBB\xBF", b) < 0 {
			return b, src.UnreadByte()
		}
	}
}

// protocolError is an answer that is not what the protocol promises.
type protocolError struct{ what, hint string }

func (e *protocolError) Error() string { return e.what }

// saidError is an error that a server put into a reply that had begun well.
type saidError struct{ wire.Refusal }

func (e *saidError) Error() string { return e.Message }

// events reads a stream of server-sent events and gives on its data lines alone, each whole: the
// last one also where the server forgot to end it. An error within the stream ends it.
type events struct {
	x       *exchange
	src     *bufio.Reader
	kind    string // of the event that the next data line belongs to
	pending []byte
	ended   bool
	err     error
}

func (e *events) Read(p []byte) (int, error) {
	for len(e.pending) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		if e.ended {
			return 0, io.EOF
		}
		line, err := wire.Line(e.src, e.x.bounds.Frame)
		if err == io.EOF {
			e.ended = true
		} else if err != nil {
			e.err = err
			continue
		}
		e.line(bytes.TrimSpace(line))
	}
	n := copy(p, e.pending)
	e.pending = e.pending[n:]
	return n, nil
}

func (e *events) line(line []byte) {
	switch {
	case len(line) == 0:
		e.kind = ""
	case bytes.HasPrefix(line, []byte("event:")):
		e.kind = string(bytes.TrimSpace(line[len("event:"):]))
	case bytes.HasPrefix(line, []byte("data:")):
		e.take(bytes.TrimSpace(line[len("data:"):]))
	case line[0] == '{':
		e.take(line)
	}
}

func (e *events) take(payload []byte) {
	if len(payload) == 0 {
		return
	}
	e.x.done = e.x.done || string(payload) == "[DONE]"
	if e.kind == "error" || bytes.Contains(payload, []byte(`"error"`)) {
		var has struct {
			Error json.RawMessage `json:"error"`
		}
		err := json.Unmarshal(payload, &has)
		if e.kind == "error" || err == nil && len(has.Error) > 0 && string(has.Error) != "null" {
			e.err = &saidError{wire.ReadRefusal(0, payload, e.x.keys)}
			return
		}
	}
	e.pending = append(e.pending, "data: "...)
	if rest, ok := bytes.CutPrefix(payload, []byte(`{"error"`)); ok {
		// The kit takes a line that begins so for an error, also where there is none: null.
		e.pending, payload = append(e.pending, `{ "error"`...), rest
	}
	e.pending = append(append(e.pending, payload...), '\n')
}
