package hosted_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"parley/finetune/hosted"
	"parley/finetune/hosted/hostedtest"
)

func Example() {
	server := httptest.NewServer(&hostedtest.Server{Now: time.Now})
	defer server.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	train := filepath.Join(dir, "train.jsonl")
	if err := os.WriteFile(train, []byte(`{"messages":[{"role":"user","content":"Who is there?"},{"role":"assistant","content":"Valna."}]}`+"\n"), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	piece, err := hosted.Inspect(train, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	record := &hosted.Record{
		Name: "first", BaseURL: server.URL + "/v1", Training: *piece,
		Order: hosted.Order{Model: "base", Method: hosted.SFT, Epochs: "3", Suffix: "valna"},
	}
	if err := record.Open(dir, false); err != nil {
		fmt.Println(err)
		return
	}
	client, err := hosted.New(hosted.Options{BaseURL: record.BaseURL, Now: time.Now})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := client.Start(ctx, record, rand.New(rand.NewPCG(1, 1)), nil); err != nil {
		fmt.Println(err)
		return
	}
	job, err := client.Wait(ctx, record.Job.ID, hosted.Waiting{Every: time.Millisecond}, func(hosted.Progress) error { return nil })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(job.State, job.Tuned)
	// Output:
	// succeeded ft:base:org-test:valna:0001
}
