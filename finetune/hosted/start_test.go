package hosted_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/finetune/hosted"
	"parley/finetune/hosted/hostedtest"
)

// A job must not be ordered twice, whatever is lost on the way.
func TestJobIsOrderedOnce(t *testing.T) {
	const create, list = "POST /fine_tuning/jobs", "GET /fine_tuning/jobs"
	cut := hostedtest.Trouble{}
	acted := hostedtest.Trouble{Acted: true}
	tests := []struct {
		reason  string
		server  *hostedtest.Server
		trouble []hostedtest.Trouble
		lists   []hostedtest.Trouble
		asked   int
		says    string
	}{
		{"cut after the server acted", &hostedtest.Server{}, []hostedtest.Trouble{acted}, nil, 1, ""},
		{"cut before it did", &hostedtest.Server{}, []hostedtest.Trouble{cut}, nil, 2, ""},
		{"a gateway lost the answer", &hostedtest.Server{}, []hostedtest.Trouble{{Status: 502, Acted: true}}, nil, 1, ""},
		{"a gateway lost the question", &hostedtest.Server{}, []hostedtest.Trouble{{Status: 502}}, nil, 2, ""},
		{"the answer is torn", &hostedtest.Server{}, []hostedtest.Trouble{{Status: 200, Body: `{"object":"fine_tuning.job"`, Acted: true}}, nil, 1, ""},
		{"the answer takes too long", &hostedtest.Server{}, []hostedtest.Trouble{{Stall: time.Hour}}, nil, 1, ""},
		{"refused for the moment", &hostedtest.Server{}, []hostedtest.Trouble{{Status: 429, Header: map[string]string{"Retry-After": "5"}}}, nil, 2, ""},
		{"the list fails too, for the moment", &hostedtest.Server{}, []hostedtest.Trouble{acted}, []hostedtest.Trouble{{Status: 500}, cut}, 1, ""},
		{"metadata is not kept", &hostedtest.Server{NoMetadata: true}, []hostedtest.Trouble{{Status: 400, Body: `{"error":"unknown field metadata"}`}, acted}, nil, 2, ""},
		{"metadata is refused", &hostedtest.Server{NoMetadata: true}, nil, nil, 2, ""},
		{"jobs cannot be listed", &hostedtest.Server{NoList: true}, []hostedtest.Trouble{acted}, nil, 1, "cannot be listed"},
		{"methods are not known", &hostedtest.Server{NoMethod: true}, nil, nil, 1, "--top-level-hyperparameters"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := tt.server
			s.Key = key
			inBubble(t, s, func(b *bench) {
				s.Order(create, tt.trouble...)
				s.Order(list, tt.lists...)
				r := b.record(func(r *hosted.Record) { r.Order.Epochs = "2" })
				err := b.start(r)
				if tt.says != "" {
					if err == nil || !strings.Contains(err.Error(), tt.says) {
						b.Errorf("got %v, want %q in it", err, tt.says)
					}
				} else if err != nil {
					b.Fatal(err)
				} else if jobs := s.Jobs(); len(jobs) != 1 || jobs[0] != r.Job.ID {
					b.Errorf("the server has jobs %v, the record %s", jobs, r.Job.ID)
				}
				if n := len(s.Requests(create)); n != tt.asked {
					b.Errorf("ordered %d times, want %d", n, tt.asked)
				}
			})
		})
	}
}

// A restart at any moment goes on where the last one stopped: the network dies after each request in
// turn, and a new process takes up the record.
func TestRestartAtAnyMoment(t *testing.T) {
	for _, acted := range []bool{false, true} {
		for dies := 1; ; dies++ {
			whole := false
			inBubble(t, &hostedtest.Server{Key: key, Processing: 3 * time.Second}, func(b *bench) {
				ctx, kill := context.WithCancel(b.Context())
				defer kill()
				left := dies
				dying := *b.http
				dying.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
					left--
					if left == 0 && !acted {
						kill()
						return nil, errors.New("the machine is off")
					}
					resp, err := b.http.Transport.RoundTrip(r)
					if left == 0 {
						if err == nil {
							_, _ = io.Copy(io.Discard, resp.Body) // all that counts is that it came
							resp.Body.Close()
						}
						kill()
						return nil, errors.New("the machine is off")
					}
					return resp, err
				})
				first, err := hosted.New(hosted.Options{BaseURL: "http://host/v1", Key: key, HTTP: &dying, Now: time.Now})
				if err != nil {
					b.Fatal(err)
				}
				r := b.record(nil)
				err = first.Start(ctx, r, rand.New(rand.NewPCG(uint64(dies), 1)), nil)
				whole = left > 0
				if whole != (err == nil) {
					b.Fatalf("killed at request %d: %v", dies, err)
				}
				again := b.record(nil)
				if err := b.start(again); err != nil {
					b.Fatalf("restarted after request %d: %v", dies, err)
				}
				if len(b.server.Jobs()) != 1 {
					b.Errorf("killed at request %d: %d jobs", dies, len(b.server.Jobs()))
				}
				// Only a file whose answer was lost is sent twice.
				lost := 0
				if sent := b.server.Requests("POST /files"); acted && len(sent) == 3 {
					lost = 1
				}
				if n := len(b.server.Files()); n != 2+lost {
					b.Errorf("killed at request %d: %d files", dies, n)
				}
			})
			if t.Failed() || whole {
				if dies < 6 {
					t.Errorf("a start takes %d requests only", dies)
				}
				break
			}
		}
	}
}

func TestFilesThatAreGoneAreSentAgain(t *testing.T) {
	inBubble(t, &hostedtest.Server{Key: key}, func(b *bench) {
		b.server.Order("POST /fine_tuning/jobs", hostedtest.Trouble{Status: 400, Body: `{"error":{"message":"not today"}}`})
		if err := b.start(b.record(nil)); err == nil {
			b.Fatal("a refusal is no error")
		}
		if err := b.start(b.record(nil)); err != nil || len(b.server.Requests("POST /files")) != 2 {
			b.Fatalf("%v: %d files were sent, want 2", err, len(b.server.Requests("POST /files")))
		}
		b.server.Forget()
		r := b.record(nil)
		if r.Job == nil {
			b.Fatal("the job is forgotten")
		}
		r.Job, r.Asked = nil, time.Time{}
		if err := b.start(r); err != nil || len(b.server.Requests("POST /files")) != 4 {
			b.Errorf("%v: %d files were sent, want 4", err, len(b.server.Requests("POST /files")))
		}
	})
}

func TestFileThatIsNoGood(t *testing.T) {
	inBubble(t, &hostedtest.Server{}, func(b *bench) {
		b.server.Order("GET /files/*",
			hostedtest.Trouble{Status: 200, Body: `{"id":"file-1","status":"pending"}`},
			hostedtest.Trouble{Status: 200, Body: `{"id":"file-1","status":"error","status_details":"line 3 is odd"}`})
		_, err := b.AwaitFile(b.Context(), "file-1")
		if err == nil || !strings.Contains(err.Error(), "line 3 is odd") {
			b.Errorf("got %v", err)
		}
	})
	inBubble(t, &hostedtest.Server{NoFileLook: true}, func(b *bench) {
		if err := b.start(b.record(nil)); err != nil {
			b.Errorf("a server that does not tell of its files: %v", err)
		}
	})
	inBubble(t, &hostedtest.Server{Processing: 1000 * time.Hour}, func(b *bench) {
		if err := b.start(b.record(nil)); err != nil {
			b.Errorf("a file that stays uploaded: %v", err)
		}
	})
}

func TestFileThatChanges(t *testing.T) {
	inBubble(t, &hostedtest.Server{}, func(b *bench) {
		r := b.record(nil)
		write(b.T, r.Training.Path, 13)
		err := b.start(r)
		if err == nil || !strings.Contains(err.Error(), "was changed") || len(b.server.Files()) != 0 {
			b.Errorf("got %v, %d files", err, len(b.server.Files()))
		}
	})
}

// Two commands at the same moment order one job: the second waits, and finds it.
func TestTwoStartsOrderOneJob(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "train.jsonl"), 12)
	s := &hostedtest.Server{Now: time.Now}
	http := s.Client()
	errs := make(chan error)
	const starts = 8
	for i := range starts {
		go func() {
			client, err := hosted.New(hosted.Options{BaseURL: "http://host/v1", Key: key, HTTP: http, Now: time.Now})
			if err != nil {
				errs <- err
				return
			}
			train, err := hosted.Inspect(filepath.Join(dir, "train.jsonl"), 0)
			if err != nil {
				errs <- err
				return
			}
			r := &hosted.Record{Name: "job", BaseURL: "http://host/v1", Training: *train, Order: hosted.Order{Model: "m", Method: hosted.SFT}}
			release, err := hosted.Hold(t.Context(), dir, func(string) {})
			if err == nil {
				err = errors.Join(r.Open(dir, false), client.Start(t.Context(), r, rand.New(rand.NewPCG(uint64(i), 1)), nil), release())
			}
			errs <- err
		}()
	}
	for range starts {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if jobs := s.Jobs(); len(jobs) != 1 {
		t.Errorf("%d jobs were ordered: %v", len(jobs), jobs)
	}
}
