package hosted_test

import (
	"strings"
	"testing"
	"time"

	"parley/finetune/hosted"
	"parley/finetune/hosted/hostedtest"
)

func TestAzure(t *testing.T) {
	inBubble(t, &hostedtest.Server{Key: key, Azure: true, Processing: 5 * time.Second, Stage: time.Second, Steps: 3, Training: time.Minute}, func(b *bench) {
		r := b.record(func(r *hosted.Record) { r.BaseURL, r.Azure = "http://name.openai.azure.com", true })
		if err := b.start(r); err != nil {
			b.Fatal(err)
		}
		job, err := b.Wait(b.Context(), r.Job.ID, hosted.Waiting{}, func(hosted.Progress) error { return nil })
		if err != nil || job.Tuned == "" {
			b.Fatalf("%v, %+v", err, job)
		}
		for _, q := range b.server.Requests("") {
			if !strings.HasPrefix(q.Path, "/openai/f") || q.Query["api-version"][0] != hosted.DefaultAPIVersion || q.Header.Get("Authorization") != "" || q.Header.Get("api-key") != key {
				b.Errorf("%s %s %v with %v", q.Route, q.Path, q.Query, q.Header)
			}
		}
		events, err := b.Events(b.Context(), r.Job.ID, hosted.Page{})
		if err != nil || len(events) != 5 {
			b.Errorf("%v, %d events", err, len(events))
		}
	})
}

func TestLists(t *testing.T) {
	inBubble(t, &hostedtest.Server{PageSize: 7, Training: time.Hour, Steps: 30}, func(b *bench) {
		file, err := b.Upload(b.Context(), &b.record(nil).Training, nil)
		if err != nil {
			b.Fatal(err)
		}
		for range 23 {
			if _, err := b.Create(b.Context(), hosted.Order{Model: "m", Method: hosted.SFT, TrainingFile: file.ID}); err != nil {
				b.Fatal(err)
			}
		}
		for _, tt := range []struct {
			page  hosted.Page
			first string
			n     int
		}{
			{hosted.Page{}, "ftjob-0023", 23}, {hosted.Page{Limit: 10}, "ftjob-0023", 10},
			{hosted.Page{After: "ftjob-0004"}, "ftjob-0003", 3}, {hosted.Page{After: "ftjob-0001"}, "", 0},
		} {
			var ids []string
			for job, err := range b.Jobs(b.Context(), tt.page) {
				if err != nil {
					b.Fatal(err)
				}
				ids = append(ids, job.ID)
			}
			if len(ids) != tt.n || tt.n > 0 && ids[0] != tt.first {
				b.Errorf("%+v: %v", tt.page, ids)
			}
		}
		time.Sleep(2 * time.Hour)
		for limit, first := range map[int]string{0: "Created", 5: "Step 27/30", 12: "Step 20/30"} {
			events, err := b.Events(b.Context(), "ftjob-0001", hosted.Page{Limit: limit})
			if err != nil || !strings.HasPrefix(events[0].Message, first) || !strings.Contains(events[len(events)-1].Message, "completed") {
				b.Errorf("limit %d: %v, %v", limit, err, events)
			}
		}
	})
}

// Servers that never stop saying "more", or that list the oldest first, do not lead astray.
func TestOddLists(t *testing.T) {
	const route = "GET /fine_tuning/jobs/*/events"
	inBubble(t, &hostedtest.Server{}, func(b *bench) {
		page := `{"data":[{"id":"e1","created_at":10,"message":"a"},{"id":"e2","created_at":"20","message":"b"},{"message":"c","created_at":30.0}],"has_more":true}`
		same := `{"data":[{"id":"e2","created_at":20,"message":"b"}],"has_more":true}`
		b.server.Order(route, hostedtest.Trouble{Status: 200, Body: page})
		events, err := b.Events(b.Context(), "j", hosted.Page{})
		if err != nil || len(events) != 3 || events[0].Message != "a" || events[2].Message != "c" {
			b.Errorf("oldest first: %v, %v", err, events)
		}
		b.server.Order(route, hostedtest.Trouble{Status: 200, Body: same}, hostedtest.Trouble{Status: 200, Body: same}, hostedtest.Trouble{Status: 200, Body: same})
		if _, err := b.Events(b.Context(), "j", hosted.Page{}); err != nil || len(b.server.Requests(route)) != 3 {
			b.Errorf("more for ever: %v, %d requests", err, len(b.server.Requests(route)))
		}
	})
}
