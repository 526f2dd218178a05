package hosted_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/finetune/hosted"
	"parley/finetune/hosted/hostedtest"
)

func TestJobFromFileToModel(t *testing.T) {
	s := &hostedtest.Server{Key: key, Processing: 10 * time.Second, Stage: time.Minute, Training: 20 * time.Minute, Steps: 90, PageSize: 40, Pauses: true}
	inBubble(t, s, func(b *bench) {
		r := b.record(nil)
		if err := b.start(r); err != nil {
			b.Fatal(err)
		}
		files := s.Files()
		if len(files) != 2 || files[0].Name != "train.jsonl" || files[1].Name != "validation.jsonl" {
			b.Fatalf("files are %v", files)
		}
		want, err := os.ReadFile(filepath.Join(b.dir, "train.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		if !bytes.Equal(files[0].Content, want) || files[0].Length <= int64(len(want)) {
			b.Errorf("sent %d bytes of %d, announced as %d", len(files[0].Content), len(want), files[0].Length)
		}
		var states []hosted.State
		events, last := 0, hosted.Progress{}
		job, err := b.Wait(b.Context(), r.Job.ID, hosted.Waiting{}, func(p hosted.Progress) error {
			if p.Changed {
				states = append(states, p.Job.State)
			}
			for i := range p.Events {
				if step, _ := p.Events[i].Step(); step > 0 && step != events {
					b.Errorf("step %d comes as event %d", step, events)
				}
				events++
			}
			last = p
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		if got := fmt.Sprint(states); got != "[validating_files queued paused running succeeded]" {
			b.Errorf("states are %s", got)
		}
		if job.Tuned != "ft:base-1:org-test:valna:0001" || *job.TrainedTokens != 12345 || job.Failure != nil {
			b.Errorf("the job is %+v", job)
		}
		if events != 92 || last.Step != 90 || last.Steps != 90 {
			b.Errorf("%d events, step %d of %d", events, last.Step, last.Steps)
		}
	})
}

func TestWaitEndsAsTheJobDoes(t *testing.T) {
	tests := []struct{ end, failure, reason string }{
		{"failed", `{"code":"invalid_training_file","message":"The file\u001b[31m has\r\n9 lines","param":"training_file"}`, "invalid_training_file: The file has 9 lines (training_file)"},
		{"failed", `{}`, "the server gave no reason"},
		{"failed", `null`, "the server gave no reason"},
		{"failed", `{"code":null,"message":null,"param":null}`, "the server gave no reason"},
		{"failed", `"out of memory"`, "out of memory"},
		{"failed", `{"code":"x","message":{"a":1}}`, "x"},
		{"cancelled", ``, "the server gave no reason"},
		{"canceled", ``, "the server gave no reason"},
	}
	for _, tt := range tests {
		inBubble(t, &hostedtest.Server{Key: key, End: tt.end, Failure: tt.failure, Stage: time.Second}, func(b *bench) {
			r := b.record(nil)
			if err := b.start(r); err != nil {
				b.Fatal(err)
			}
			job, err := b.Wait(b.Context(), r.Job.ID, hosted.Waiting{}, func(hosted.Progress) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
			if job.State == hosted.Succeeded || !job.State.Done() || job.Reason() != tt.reason {
				b.Errorf("%s with %s: state %s, reason %q, want %q", tt.end, tt.failure, job.State, job.Reason(), tt.reason)
			}
		})
	}
}

func TestWaitThroughAnOutage(t *testing.T) {
	inBubble(t, &hostedtest.Server{Key: key, Stage: time.Minute, Training: time.Minute}, func(b *bench) {
		r := b.record(nil)
		if err := b.start(r); err != nil {
			b.Fatal(err)
		}
		for range 12 {
			b.server.Order("GET /fine_tuning/jobs/*", hostedtest.Trouble{Status: 502})
		}
		troubles := 0
		job, err := b.Wait(b.Context(), r.Job.ID, hosted.Waiting{}, func(p hosted.Progress) error {
			if p.Trouble != nil {
				troubles++
			}
			return nil
		})
		if err != nil || job.State != hosted.Succeeded || troubles != 2 {
			b.Errorf("%v, %+v, %d troubles", err, job, troubles)
		}
	})
	inBubble(t, &hostedtest.Server{}, func(b *bench) {
		client, err := hosted.New(hosted.Options{BaseURL: "http://host/v1", Now: time.Now, HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return nil, errors.New("no route to host")
		})}})
		if err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		_, err = client.Wait(b.Context(), "ftjob-1", hosted.Waiting{Outage: time.Hour}, func(hosted.Progress) error { return nil })
		if err == nil || time.Since(begin) < time.Hour || time.Since(begin) > 2*time.Hour {
			b.Errorf("got %v after %v", err, time.Since(begin))
		}
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	inBubble(t, &hostedtest.Server{Stage: time.Hour}, func(b *bench) {
		r := b.record(nil)
		if err := b.start(r); err != nil {
			b.Fatal(err)
		}
		ctx, cancel := context.WithCancel(b.Context())
		time.AfterFunc(5*time.Minute, cancel)
		_, err := b.Wait(ctx, r.Job.ID, hosted.Waiting{}, func(hosted.Progress) error { return nil })
		if !errors.Is(err, context.Canceled) {
			b.Errorf("got %v", err)
		}
		if n := len(b.server.Requests("POST /fine_tuning/jobs/*/cancel")); n != 0 {
			b.Errorf("the job was cancelled")
		}
	})
}

func TestWaitForAStateThatNobodyKnows(t *testing.T) {
	inBubble(t, &hostedtest.Server{End: "vanished"}, func(b *bench) {
		r := b.record(nil)
		if err := b.start(r); err != nil {
			b.Fatal(err)
		}
		body := fmt.Sprintf(`{"id":%q,"status":"vanished","created_at":1,"finished_at":2}`, r.Job.ID)
		b.server.Order("GET /fine_tuning/jobs/*", hostedtest.Trouble{Status: 200, Body: body})
		_, err := b.Wait(b.Context(), r.Job.ID, hosted.Waiting{}, func(hosted.Progress) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "vanished") {
			b.Errorf("got %v", err)
		}
	})
}

func TestCancel(t *testing.T) {
	const route = "POST /fine_tuning/jobs/*/cancel"
	tests := []struct {
		reason   string
		troubles []hostedtest.Trouble
		age      time.Duration
		state    hosted.State
		says     string
	}{
		{"as it should be", nil, 0, hosted.Cancelled, ""},
		{"the first answer is lost, the second try is refused", []hostedtest.Trouble{{Acted: true}}, 0, hosted.Cancelled, ""},
		{"the answer is no job", []hostedtest.Trouble{{Status: 200, Body: `{}`, Acted: true}, {Status: 200, Body: `ok`}}, 0, hosted.Cancelled, ""},
		{"too late", nil, time.Hour, hosted.Succeeded, "already completed"},
	}
	for _, tt := range tests {
		inBubble(t, &hostedtest.Server{Stage: time.Minute}, func(b *bench) {
			r := b.record(nil)
			if err := b.start(r); err != nil {
				b.Fatal(err)
			}
			time.Sleep(tt.age)
			b.server.Order(route, tt.troubles...)
			job, err := b.Cancel(b.Context(), r.Job.ID)
			if job == nil || job.State != tt.state || (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				b.Errorf("%s: %+v, %v", tt.reason, job, err)
			}
		})
	}
}
