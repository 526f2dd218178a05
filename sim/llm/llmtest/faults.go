package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"parley/sim/llm"
)

// Mishap is one way in which a server of models fails.
type Mishap string

const (
	ServerError  Mishap = "500"
	BadGateway   Mishap = "502"
	Busy         Mishap = "503"
	TooMany      Mishap = "429 with Retry-After"
	WebPage      Mishap = "a web page with 200"
	NoBody       Mishap = "200 without a body"
	NoChoices    Mishap = "200 without a reply"
	ErrorInside  Mishap = "an error beside half a reply"
	ErrorFinish  Mishap = "a finish reason that is an error"
	CutAtFrame   Mishap = "the stream ends between two pieces"
	CutInFrame   Mishap = "the stream ends within a piece"
	Reset        Mishap = "the connection is closed before the reply"
	BrokenOff    Mishap = "the connection breaks within the reply"
	OddUsage     Mishap = "token counts in other shapes" // harmless
	Unfinished   Mishap = "no reason for the end"        // harmless
	Endless      Mishap = "a reply without end"          // comes back as cut by its length
	EndlessFrame Mishap = "a piece without end"          // comes back as cut by its length, or as broken
)

// Mishaps lists those that a client gets over by asking again, and the harmless ones.
func Mishaps() []Mishap {
	return []Mishap{ServerError, BadGateway, Busy, TooMany, WebPage, NoBody, NoChoices, ErrorInside, ErrorFinish,
		CutAtFrame, CutInFrame, Reset, BrokenOff, OddUsage, Unfinished}
}

// FaultServer is a server of models that speaks OpenAI's chat completions, streamed or not, below /v1,
// and Ollama's native chat, and that fails now and then. It serves every model name.
type FaultServer struct {
	Reply   func(model string, messages []llm.Message) string // in the good case
	Share   float64                                           // of the requests for replies that fail, 0 to 1
	Mishaps []Mishap                                          // drawn from; empty: Mishaps()
	Seed    uint64                                            // of the draws, which depend on the request alone and how often it came
	Down    atomic.Bool                                       // while it is set, every request is answered with 503
	Whole   func(request []byte)                              // gets each request before it is answered with a whole reply; nil: not wanted

	mu     sync.Mutex
	asked  map[uint64]uint64
	counts map[Mishap]int
}

// Counts returns how often each mishap happened; under the empty one is how often none did.
func (s *FaultServer) Counts() map[Mishap]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.counts)
}

// ServeHTTP answers a request.
func (s *FaultServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch {
	case s.Down.Load():
		http.Error(w, `{"error":"down"}`, http.StatusServiceUnavailable)
	case path == "/chat/completions", path == "/api/chat":
		s.chat(w, r, path == "/api/chat")
	case !strings.HasPrefix(r.UserAgent(), "ollama/"): // or an adapter for OpenAI's protocol would take it for Ollama
		http.NotFound(w, r)
	case path == "/api/version":
		io.WriteString(w, `{"version":"0.17.4"}`)
	case path == "/api/tags":
		io.WriteString(w, `{"models":[]}`)
	case path == "/api/show":
		io.WriteString(w, `{"details":{"family":"llama"},"model_info":{"general.architecture":"llama","llama.context_length":8192}}`)
	default:
		http.NotFound(w, r)
	}
}

// draw returns what happens to a request.
func (s *FaultServer) draw(body []byte) (m Mishap) {
	h := fnv.New64a()
	h.Write(body)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked, s.counts = map[uint64]uint64{}, map[Mishap]int{}
	}
	n := s.asked[h.Sum64()]
	s.asked[h.Sum64()]++
	r := rand.New(rand.NewPCG(s.Seed^h.Sum64(), n))
	if r.Float64() < s.Share {
		all := s.Mishaps
		if len(all) == 0 {
			all = Mishaps()
		}
		m = all[r.IntN(len(all))]
	}
	s.counts[m]++
	return m
}

func (s *FaultServer) chat(w http.ResponseWriter, r *http.Request, ollama bool) {
	body, err := io.ReadAll(r.Body)
	var q struct {
		Model    string
		Messages []llm.Message
		Stream   *bool
	}
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	out := &faultWriter{w: w, model: q.Model, ollama: ollama, prompt: llm.EstimatePrompt(q.Messages), stream: q.Stream == nil && ollama || q.Stream != nil && *q.Stream}
	m := s.draw(body)
	if s.Whole != nil && slices.Contains([]Mishap{"", OddUsage, Unfinished}, m) {
		s.Whole(body)
	}
	out.answer(m, s.Reply(q.Model, q.Messages))
}

// answer writes a reply, with a mishap.
func (out *faultWriter) answer(m Mishap, text string) {
	w, half := out.w, text[:len(text)/2]
	switch m {
	case ServerError, BadGateway, Busy:
		var status int
		fmt.Sscan(string(m), &status)
		http.Error(w, `{"error":{"message":"something went wrong"}}`, status)
	case TooMany:
		w.Header().Set("Retry-After", "0.001")
		http.Error(w, `{"error":{"message":"slow down"}}`, http.StatusTooManyRequests)
	case WebPage:
		io.WriteString(w, "<!doctype html><title>Be right back</title>")
	case NoBody:
	case NoChoices:
		io.WriteString(w, "{}\n")
	case ErrorInside:
		out.piece(half)
		out.raw(`{"error":{"code":502,"message":"upstream died"}}`)
	case ErrorFinish:
		out.piece(half)
		out.end("network_error", `{"prompt_tokens":%d,"completion_tokens":6}`)
	case CutAtFrame, BrokenOff, CutInFrame:
		if !out.stream { // a reply in one piece has no frames
			panic(http.ErrAbortHandler)
		}
		out.piece(half)
		if m == CutInFrame {
			io.WriteString(w, `data: {"choices":[{"index":0,"del`)
		} else if m == BrokenOff {
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	case Reset:
		panic(http.ErrAbortHandler)
	case Endless:
		for err := error(nil); err == nil; {
			err = out.piece("and so on and on ")
		}
	case EndlessFrame:
		_, err := io.WriteString(w, `data: {"message":{"content":"`)
		for filler := strings.Repeat("on and ", 1000); err == nil; {
			_, err = io.WriteString(w, filler)
		}
	case OddUsage:
		out.piece(text)
		out.end("stop", `{"prompt_tokens":-4,"completion_tokens":"many"}`)
	case Unfinished:
		out.piece(text)
		out.end("", `{"prompt_tokens":%d.0,"completion_tokens":"6"}`)
	default:
		out.piece(text)
		out.end("stop", `{"prompt_tokens":%d,"completion_tokens":6}`)
	}
}

// faultWriter writes a reply in one of the protocols.
type faultWriter struct {
	w              http.ResponseWriter
	model          string
	prompt         int // tokens
	ollama, stream bool
	begun          strings.Builder // of a reply in one piece
}

func (f *faultWriter) raw(line string) error {
	prefix, suffix := "data: ", "\n\n"
	if f.ollama || !f.stream {
		prefix, suffix = "", "\n"
	}
	_, err := io.WriteString(f.w, prefix+line+suffix)
	return err
}

// piece writes a part of the reply's text.
func (f *faultWriter) piece(text string) error {
	quoted, _ := json.Marshal(text)
	switch {
	case f.ollama:
		return f.raw(fmt.Sprintf(`{"model":%q,"created_at":"2026-11-01T00:00:00Z","message":{"role":"assistant","content":%s},"done":false}`, f.model, quoted))
	case f.stream:
		return f.raw(fmt.Sprintf(`{"model":%q,"choices":[{"index":0,"delta":{"content":%s}}]}`, f.model, quoted))
	}
	if f.begun.Len() > 1<<20 { // the reply in one piece is an endless one
		_, err := f.w.Write([]byte(f.begun.String()))
		f.begun.Reset()
		return err
	}
	f.begun.WriteString(text)
	return nil
}

// end ends a reply in good order. %d in the usage is the number of tokens in the prompt.
func (f *faultWriter) end(reason, usage string) {
	usage = strings.ReplaceAll(usage, "%d", fmt.Sprint(f.prompt))
	finish := fmt.Sprintf("%q", reason)
	if reason == "" {
		finish = "null"
	}
	switch {
	case f.ollama:
		f.raw(fmt.Sprintf(`{"model":%q,"created_at":"2026-11-01T00:00:00Z","message":{"role":"assistant","content":""},"done":true,"done_reason":%q,"prompt_eval_count":%d,"eval_count":6}`, f.model, reason, f.prompt))
	case f.stream:
		f.raw(fmt.Sprintf(`{"model":%q,"choices":[{"index":0,"delta":{},"finish_reason":%s}],"usage":%s}`, f.model, finish, usage))
		f.raw("[DONE]")
	default:
		text, _ := json.Marshal(f.begun.String())
		f.raw(fmt.Sprintf(`{"model":%q,"choices":[{"index":0,"message":{"content":%s},"finish_reason":%s}],"usage":%s}`, f.model, text, finish, usage))
	}
}
