package llmtest_test

import (
	"bytes"
	"fmt"
	"log"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/llmtest"
	"parley/sim/llm/ollama"
	"parley/sim/llm/openai"
)

// routes are the ways to a server, as specs with the address left out.
var routes = []string{"openai:m?dialect=openai@%s/v1", "openai:m?dialect=openai&stream=false@%s/v1", "ollama:m@%s"}

func serve(t *testing.T, s *llmtest.FaultServer) string {
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(new(bytes.Buffer), "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// open opens a model as llm.Models does, but with retries that do not wait long.
func open(t *testing.T, spec string) llm.Model {
	t.Helper()
	base, err := llm.Registry{ollama.Adapter(), openai.Adapter()}.Open(t.Context(), spec, llm.Env{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := base.(llm.Identifier).Identify(t.Context()); err != nil {
		t.Fatal(err)
	}
	return llm.Retry(llm.Retrier{Base: time.Millisecond})(base)
}

func request(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Content: text}}}
}

func echo(_ string, messages []llm.Message) string {
	return "I say: " + messages[len(messages)-1].Content
}

// Every mishap is got over by asking again, on every route: nothing that a server wrote beside a whole
// reply comes back as one.
func TestMishaps(t *testing.T) {
	for _, route := range routes {
		for _, mishap := range llmtest.Mishaps() {
			s := &llmtest.FaultServer{Reply: echo, Share: 0.5, Mishaps: []llmtest.Mishap{mishap}, Seed: 3}
			m := open(t, fmt.Sprintf(route, serve(t, s)))
			for i := range 3 {
				text := fmt.Sprint("words and numbers, ", i)
				resp, err := m.Generate(t.Context(), request(text))
				if err != nil || resp.Text != "I say: "+text || resp.Finish != llm.Stop {
					t.Errorf("%s, %s: got %+v, %v", route, mishap, resp, err)
				}
			}
			if s.Counts()[mishap] == 0 {
				t.Errorf("%s, %s: it never happened; take another seed", route, mishap)
			}
		}
	}
}

// Of many requests to a server of which a fifth fail in all ways, none is lost.
func TestMixedFaults(t *testing.T) {
	for _, route := range routes {
		s := &llmtest.FaultServer{Reply: echo, Share: 0.2, Seed: 1}
		m := open(t, fmt.Sprintf(route, serve(t, s)))
		var wg sync.WaitGroup
		var mu sync.Mutex
		failed := 0
		next := make(chan int)
		for range 32 {
			wg.Go(func() {
				for i := range next {
					text := fmt.Sprint("request ", i)
					resp, err := m.Generate(t.Context(), request(text))
					mu.Lock()
					if err != nil {
						failed++
					} else if resp.Text != "I say: "+text {
						t.Errorf("%d got %q", i, resp.Text)
					}
					mu.Unlock()
				}
			})
		}
		for i := range 300 {
			next <- i
		}
		close(next)
		wg.Wait()
		if failed > 2 {
			t.Errorf("%s: %d of 300 failed: %v", route, failed, s.Counts())
		}
	}
}

// Replies without end, 32 at a time, take little memory.
func TestEndlessReplies(t *testing.T) {
	for _, route := range routes {
		for _, mishap := range []llmtest.Mishap{llmtest.Endless, llmtest.EndlessFrame} {
			s := &llmtest.FaultServer{Reply: echo, Share: 1, Mishaps: []llmtest.Mishap{mishap}}
			m, err := llm.Registry{ollama.Adapter(), openai.Adapter()}.Open(t.Context(), fmt.Sprintf(route, serve(t, s)), llm.Env{Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			stop, most := make(chan bool), uint64(0)
			go func() {
				var stats runtime.MemStats
				for {
					runtime.ReadMemStats(&stats)
					most = max(most, stats.HeapInuse)
					select {
					case <-stop:
						stop <- true
						return
					case <-time.After(time.Millisecond):
					}
				}
			}()
			var wg sync.WaitGroup
			for i := range 32 {
				wg.Go(func() {
					resp, err := m.Generate(t.Context(), request(fmt.Sprint(i)))
					switch {
					case err != nil && llm.FaultOf(err) != llm.BadResponse:
						t.Errorf("%s, %s: %v", route, mishap, err)
					case err == nil && (resp.Finish != llm.Length || len(resp.Text) > 64*400+16<<10):
						t.Errorf("%s, %s: %d bytes with finish %q", route, mishap, len(resp.Text), resp.Finish)
					}
				})
			}
			wg.Wait()
			stop <- true
			<-stop
			if t.Logf("%s, %s: at most %d MB in use", route, mishap, most>>20); most > 500<<20 {
				t.Errorf("%s, %s: %d MB in use", route, mishap, most>>20)
			}
		}
	}
}
