// Package wire holds what clients of model servers share: how a prompt is made fit for strict servers,
// how failures and finish reasons are classed, how refusals are read, how much of a reply is read, and
// how the options of a model spec are read.
//
// It knows HTTP and what servers write, and the protocol of none of them.
package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"parley/sim/llm"
)

// ErrFlood is what reading a reply comes to when it is longer than was allowed.
var ErrFlood = errors.New("the reply is longer than allowed")

// ErrRedirect is a server that wants another one to be asked.
var ErrRedirect = errors.New("the server redirects")

// Messages makes a prompt fit for servers with strict templates: neighbours of one role are one
// message, and empty ones, which some servers refuse, are left out.
func Messages(prompt []llm.Message) []llm.Message {
	kept := make([]llm.Message, 0, len(prompt))
	for _, m := range llm.Join(prompt) {
		if strings.TrimSpace(m.Content) != "" {
			kept = append(kept, m)
		}
	}
	return llm.Join(kept)
}

// Seed fits a seed into the 31 bits that every server takes without rounding it (JSON numbers are
// often read as float64) or reading it as "choose one" (-1, or 32 ones).
func Seed(seed int64) int64 {
	const limit = 1<<31 - 1
	if seed >= 0 && seed < limit {
		return seed
	}
	return int64(uint64(seed^seed>>31) % limit)
}

// Bounds is how much of one reply is read.
type Bounds struct {
	Text   int   // bytes of text and reasoning, after which the reply is cut as if it had run into its limit
	Frame  int64 // bytes of one piece on the wire
	Stream int64 // bytes of all pieces of a stream
}

// ReplyBounds returns the bounds of a reply of so many tokens with so many alternatives each. A token
// has at most 64 bytes of text on average, far more than in any text of words, and some hundred bytes
// of a stream around it. Text is at most the maximum.
func ReplyBounds(tokens, alternatives, maximum int) Bounds {
	text := min(64*tokens+16<<10, maximum)
	probs := int64(tokens) * int64(alternatives) * 200
	return Bounds{
		Text:   text,
		Frame:  6*int64(text) + probs + 64<<10, // JSON writes a byte as up to 6
		Stream: 16*int64(text) + probs + 1<<20,
	}
}

// Body reads a reply up to a limit. What went wrong on the way is kept, because not every client
// library passes it on.
type Body struct {
	io.ReadCloser
	Left int64
	Err  error // the first error other than io.EOF
}

func (b *Body) Read(p []byte) (int, error) {
	if b.Left <= 0 {
		b.Err = ErrFlood
		return 0, ErrFlood
	}
	if int64(len(p)) > b.Left {
		p = p[:b.Left]
	}
	n, err := b.ReadCloser.Read(p)
	b.Left -= int64(n)
	if err != nil && err != io.EOF && b.Err == nil {
		b.Err = err
	}
	return n, err
}

// Line reads a line of at most so many bytes; a longer one is ErrFlood. The last one may lack its end, and
// comes with io.EOF.
func Line(src *bufio.Reader, maximum int64) (line []byte, err error) {
	for {
		piece, err := src.ReadSlice('\n')
		if line = append(line, piece...); int64(len(line)) > maximum {
			return nil, ErrFlood
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// SameHost is an http.Client's CheckRedirect that follows no redirect to another host: net/http takes
// only some headers with keys away then, and a prompt is not meant for strangers either.
func SameHost(r *http.Request, via []*http.Request) error {
	if len(via) >= 5 {
		return fmt.Errorf("%w on and on", ErrRedirect)
	}
	if r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme && r.URL.Scheme != "https" {
		return fmt.Errorf("%w to %s; use that as the base URL if it is right", ErrRedirect,
			llm.Excerpt(r.URL.Scheme+"://"+r.URL.Host, 200))
	}
	return nil
}

// Client returns a copy of an HTTP client (nil: http.DefaultClient) that follows no redirect to
// another host.
func Client(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.CheckRedirect = SameHost
	return &own
}

// ThisMachine reports whether a host name is this machine's own.
func ThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
