package hosted

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/sim/llm"
)

// MaxBytes is how large a file OpenAI takes: 512 MB.
const MaxBytes = 512 << 20

// Piece is a file of examples on this machine, and what became of it on the server.
type Piece struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	// ID names the uploaded file on the server; empty before that.
	ID       string    `json:"id,omitempty"`
	Uploaded time.Time `json:"uploaded,omitzero"`
}

// Inspect reads a file once, in constant memory. No more than limit bytes are allowed; 0: MaxBytes.
func Inspect(path string, limit int64) (*Piece, error) {
	limit = cmp.Or(limit, MaxBytes)
	if !strings.HasSuffix(path, ".jsonl") {
		return nil, fmt.Errorf("%s: servers take files whose name ends in .jsonl only", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that the server takes; train on fewer examples, or raise --max-bytes where the server takes more", path, info.Size(), limit)
	case info.Size() == 0:
		return nil, fmt.Errorf("%s is empty", path)
	}
	digest := sha256.New()
	if _, err := io.Copy(digest, f); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return &Piece{Path: path, Bytes: info.Size(), SHA256: hex.EncodeToString(digest.Sum(nil))}, nil
}

// changedError is a file that is not what it was when it was inspected.
type changedError struct{ path string }

func (e *changedError) Error() string {
	return e.path + " was changed while it was sent; start again"
}

// reading reads the file of a piece, and fails at its end where it is no longer the same.
type reading struct {
	f      *os.File
	piece  *Piece
	digest hash.Hash
	n      int64
	sent   func(n int64)
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.f.Read(p)
	r.n += int64(n)
	r.digest.Write(p[:n])
	if r.n > r.piece.Bytes || err == io.EOF && (r.n < r.piece.Bytes || hex.EncodeToString(r.digest.Sum(nil)) != r.piece.SHA256) {
		return 0, &changedError{r.piece.Path}
	}
	if r.sent != nil {
		r.sent(r.n)
	}
	return n, err
}

// File is a file on the server.
type File struct {
	ID      string
	Name    string
	Bytes   int64
	Status  string // uploaded, processed, error, or another word of the server's; empty: it does not say
	Details string // what is wrong with it
}

func readFile(raw []byte, w washer) (*File, error) {
	top := object(raw)
	f := &File{ID: plain(top["id"]), Name: w.line(plain(top["filename"])), Status: strings.ToLower(w.line(plain(top["status"]))), Details: w.line(plain(top["status_details"]))}
	if !ValidID(f.ID) {
		return nil, errors.New("the answer is no file: it has no id")
	}
	if inner := object(top["error"]); f.Details == "" && inner != nil {
		f.Details = w.line(plain(inner["message"]))
	}
	if n := whole(top["bytes"]); n != nil {
		f.Bytes = *n
	}
	return f, nil
}

// Upload sends a file for fine-tuning, by its base name, without the path on this machine. It is
// streamed, and read anew for each attempt. A file that was sent twice, because an answer was lost,
// does no harm. Sent, which may be nil, is told how many bytes are out.
func (c *Client) Upload(ctx context.Context, p *Piece, sent func(n int64)) (*File, error) {
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if err := form.WriteField("purpose", "fine-tune"); err != nil {
		return nil, err
	}
	if _, err := form.CreateFormFile("file", filepath.Base(p.Path)); err != nil {
		return nil, err
	}
	before := head.Len()
	if err := form.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) {
		f, err := os.Open(p.Path)
		if err != nil {
			return nil, fmt.Errorf("send a file: %w", err)
		}
		body := io.MultiReader(bytes.NewReader(head.Bytes()[:before]), &reading{f, p, sha256.New(), 0, sent}, bytes.NewReader(head.Bytes()[before:]))
		return struct {
			io.Reader
			io.Closer
		}{body, f}, nil
	}
	return ask(ctx, c, request{
		doing: "send " + filepath.Base(p.Path), method: http.MethodPost, path: "/files",
		kind: form.FormDataContentType(), size: int64(head.Len()) + p.Bytes, body: open,
		extra: time.Duration(p.Bytes/(32<<10)) * time.Second, // slower than 32 KiB a second is not worth waiting for
	}, readFile)
}

// File asks for a file.
func (c *Client) File(ctx context.Context, id string) (*File, error) {
	if err := checkID("file", id); err != nil {
		return nil, err
	}
	return ask(ctx, c, request{doing: "look at file " + id, method: http.MethodGet, path: "/files/" + id}, readFile)
}

// The longest that a file is waited for: what a server says of it is "uploaded", which at some means
// that it is not looked into before a job asks for it; or that it is being processed.
const (
	uploadedWait   = time.Minute
	processingWait = time.Hour
)

// AwaitFile waits until the server has processed a file, where it says so at all.
func (c *Client) AwaitFile(ctx context.Context, id string) (*File, error) {
	var waited time.Duration
	for wait := time.Second; ; wait = min(2*wait, 15*time.Second) {
		file, err := c.File(ctx, id)
		if err != nil {
			return nil, err
		}
		switch file.Status {
		case "", "processed", "succeeded", "ready":
			return file, nil
		case "error", "failed", "deleted", "deleting", "canceled", "cancelled":
			e := c.fail(request{doing: "process file " + id}, llm.BadRequest, fmt.Errorf("it is %s: %s", file.Status, cmp.Or(file.Details, "the server gave no reason")))
			e.hint("check the file with parley finetune validate")
			return nil, e
		case "uploaded":
			if waited >= uploadedWait {
				return file, nil
			}
		default: // pending, running, or a word that parley does not know
			if waited >= processingWait {
				e := c.fail(request{doing: "process file " + id}, llm.TimedOut, fmt.Errorf("it is still %s after %s", file.Status, waited))
				e.hint("start again later: the file is not sent again")
				return nil, e
			}
		}
		if err := llm.Sleep(ctx, wait); err != nil {
			return nil, err
		}
		waited += wait
	}
}
