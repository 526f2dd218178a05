package hosted_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"parley/finetune/hosted"
	"parley/sim/llm"
)

// answering is a client whose server always says the same. What it was sent goes into the buffer.
func answering(t testing.TB, status int, body string, sent *bytes.Buffer) *hosted.Client {
	t.Helper()
	c, err := hosted.New(hosted.Options{BaseURL: "http://host/v1", Key: key, Retry: llm.Retrier{Attempts: 1}, HTTP: &http.Client{
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if sent != nil && r.Body != nil {
				if _, err := io.Copy(sent, r.Body); err != nil {
					return nil, err
				}
			}
			return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pointer[T any](v T) *T { return &v }

// The replies are in the shapes that OpenAI's and Azure's references show.
func TestPublishedReplies(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }
	auto := map[string]string{"batch_size": "auto", "learning_rate_multiplier": "auto", "n_epochs": "2"}
	tests := map[string]hosted.Job{
		"job-queued.json": {ID: "ftjob-q1", State: hosted.Queued, Model: "gpt-4o-mini-2024-07-18", Created: at(1750000000), TrainingFile: "file-t1",
			Method: "supervised", Hyperparameters: auto, Seed: pointer[int64](42)},
		"job-dpo.json": {ID: "ftjob-d1", State: hosted.ValidatingFiles, Model: "gpt-4o-mini", Created: at(1750000000), Estimated: at(1750003600), TrainingFile: "file-t1", ValidationFile: "file-v1",
			Method: "dpo", Hyperparameters: map[string]string{"beta": "0.1", "batch_size": "auto", "learning_rate_multiplier": "auto", "n_epochs": "auto"},
			Seed: pointer[int64](1036326793), Suffix: "valna", Metadata: map[string]string{"team": "dm"}},
		"job-succeeded.json": {ID: "ftjob-s1", State: hosted.Succeeded, Model: "davinci-002", Tuned: "ft:davinci-002:an-org:valna:7q8mpxmy", Created: at(1750000000), Finished: at(1750000176), TrainingFile: "file-t1",
			Method: "supervised", Hyperparameters: map[string]string{"n_epochs": "4", "batch_size": "1", "learning_rate_multiplier": "1.0"},
			Seed: pointer[int64](0), TrainedTokens: pointer[int64](5768), ResultFiles: []string{"file-r1"}, Metadata: map[string]string{"key": "value"}},
		"job-azure.json": {ID: "ftjob-72a2792ef7d24ba7b82c7fe4a37e379f", State: "pending", Model: "gpt-4o-mini-2024-07-18", Created: at(1750000000), TrainingFile: "file-181a1cbdcdcf4677ada87f63a0928099",
			Hyperparameters: map[string]string{"n_epochs": "-1"}},
	}
	for name, want := range tests {
		got, err := answering(t, 200, fixture(t, name), nil).Job(t.Context(), "ftjob-x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	file, err := answering(t, 200, fixture(t, "file.json"), nil).File(t.Context(), "file-t1")
	if err != nil || *file != (hosted.File{ID: "file-t1", Name: "train.jsonl", Bytes: 120000}) {
		t.Errorf("file: %+v, %v", file, err)
	}
	events, err := answering(t, 200, fixture(t, "events.json"), nil).Events(t.Context(), "ftjob-x", hosted.Page{})
	want := []hosted.Event{
		{ID: "ftevent-1", Created: at(1750000100), Level: "info", Kind: "message", Message: "Created fine-tuning job"},
		{ID: "ftevent-2", Created: at(1750000200), Level: "warn", Kind: "metrics", Message: "Step 88/100: training loss=0.48",
			Metrics: map[string]float64{"step": 88, "train_loss": 0.478, "train_mean_token_accuracy": 0.924, "total_steps": 100}},
		{ID: "ftevent-3", Created: at(1750000300), Level: "info", Kind: "message", Message: "The job is done"},
	}
	if diff := cmp.Diff(want, events); err != nil || diff != "" {
		t.Errorf("events: %v %s", err, diff)
	}
	if got, want := events[1].String(), "warn: Step 88/100: training loss=0.48  step 88, total_steps 100, train_loss 0.478, train_mean_token_accuracy 0.924"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
}

// The requests are in the shape that OpenAI's reference shows.
func TestPublishedRequests(t *testing.T) {
	var tests []struct {
		Reason string
		Order  hosted.Order
		Body   json.RawMessage
	}
	if err := json.Unmarshal([]byte(fixture(t, "requests.json")), &tests); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		var sent bytes.Buffer
		if _, err := answering(t, 200, fixture(t, "job-queued.json"), &sent).Create(t.Context(), tt.Order); err != nil {
			t.Errorf("%s: %v", tt.Reason, err)
			continue
		}
		var got, want any
		if err := json.Unmarshal(sent.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(tt.Body, &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", tt.Reason, diff)
		}
	}
}

func TestOrdersOutOfBounds(t *testing.T) {
	tests := []struct {
		change func(o *hosted.Order)
		says   string
	}{
		{func(o *hosted.Order) {}, ""},
		{func(o *hosted.Order) { o.Model = "" }, "no model"},
		{func(o *hosted.Order) { o.Method = "reinforcement" }, "sft or dpo"},
		{func(o *hosted.Order) { o.Epochs = "0" }, "from 1 to 50"},
		{func(o *hosted.Order) { o.Epochs = "51" }, "from 1 to 50"},
		{func(o *hosted.Order) { o.Epochs = "50" }, ""},
		{func(o *hosted.Order) { o.Epochs = "2.5" }, "from 1 to 50"},
		{func(o *hosted.Order) { o.Epochs = "many" }, "or auto"},
		{func(o *hosted.Order) { o.BatchSize = "257" }, "from 1 to 256"},
		{func(o *hosted.Order) { o.BatchSize = "auto" }, ""},
		{func(o *hosted.Order) { o.LearningRate = "0" }, "above 0"},
		{func(o *hosted.Order) { o.LearningRate = "NaN" }, "above 0"},
		{func(o *hosted.Order) { o.LearningRate = "Inf" }, "above 0"},
		{func(o *hosted.Order) { o.LearningRate = "2e-5" }, ""},
		{func(o *hosted.Order) { o.Beta = "0.1" }, "dpo only"},
		{func(o *hosted.Order) { o.Method, o.Beta = hosted.DPO, "0" }, "up to 2"},
		{func(o *hosted.Order) { o.Method, o.Beta = hosted.DPO, "2" }, ""},
		{func(o *hosted.Order) { o.Method, o.Beta = hosted.DPO, "2.1" }, "up to 2"},
		{func(o *hosted.Order) { o.Method, o.TopLevel = hosted.DPO, true }, "sft only"},
		{func(o *hosted.Order) { o.Suffix = strings.Repeat("é", 64) }, ""},
		{func(o *hosted.Order) { o.Suffix = strings.Repeat("é", 65) }, "may have 64"},
		{func(o *hosted.Order) { o.Seed = pointer[int64](-1) }, "from 0"},
		{func(o *hosted.Order) { o.Metadata = map[string]string{strings.Repeat("k", 65): "v"} }, "1 to 64"},
		{func(o *hosted.Order) { o.Metadata = map[string]string{"k": strings.Repeat("v", 513)} }, "at most 512"},
		{func(o *hosted.Order) {
			o.Metadata = map[string]string{}
			for i := range 16 {
				o.Metadata[fmt.Sprint(i)] = "v"
			}
		}, "may be 15"},
		{func(o *hosted.Order) { o.Extra = map[string]json.RawMessage{"lora": []byte("yes")} }, "no JSON"},
		{func(o *hosted.Order) { o.Extra = map[string]json.RawMessage{"n_epochs": []byte("60")} }, ""},
		{func(o *hosted.Order) {
			o.Epochs, o.Extra = "3", map[string]json.RawMessage{"n_epochs": []byte("60")}
		}, "given twice"},
	}
	for i, tt := range tests {
		o := hosted.Order{Model: "m", Method: hosted.SFT, TrainingFile: "file-1"}
		tt.change(&o)
		err := o.Validate()
		if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%d: got %v, want %q", i, err, tt.says)
		}
		if err != nil {
			var sent bytes.Buffer
			if _, err := answering(t, 200, "{}", &sent).Create(t.Context(), o); err == nil || sent.Len() > 0 {
				t.Errorf("%d: it was sent", i)
			}
		}
	}
}

func TestServersThatAreNone(t *testing.T) {
	for _, o := range []hosted.Options{
		{}, {BaseURL: "host/v1"}, {BaseURL: "ftp://host"}, {BaseURL: "http://ann:secret@host/v1"}, {BaseURL: "http://host/v1?key=secret"},
		{BaseURL: "http://ho st:secret/"}, {BaseURL: "http://host/v1", Key: "secret\n"}, {BaseURL: "http://host/v1", Key: "se cret"},
	} {
		if _, err := hosted.New(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: got %v", o, err)
		}
	}
	for _, id := range []string{"", "..", "a/../b", "a b", "ü", "a?b", "-a", "a\n"} {
		if _, err := answering(t, 200, fixture(t, "job-queued.json"), nil).Job(t.Context(), id); err == nil {
			t.Errorf("%q is taken for an id", id)
		}
	}
}

// What a server writes can neither move the cursor of a terminal nor break a line, and holds no key.
func TestTextsAreCleaned(t *testing.T) {
	body := `{"id":"j","status":"failed","model":"\u001b]0;title\u0007m\u202eb","fine_tuned_model":"a\u001b[31;1mb\u009b2Jc\u0000\u2028d",
		"error":{"message":"line\r\nbreak ` + key + ` \ud800 ` + strings.Repeat("x", 5000) + `"},"metadata":{"k\u001b[0m":"` + key[:5] + `\u0000` + key[5:] + `"}}`
	job, err := answering(t, 200, body, nil).Job(t.Context(), "j")
	if err != nil {
		t.Fatal(err)
	}
	if job.Model != "mb" || job.Tuned != "abc d" || !strings.HasPrefix(job.Failure.Message, "line break [key] \uFFFD xxx") || len(job.Failure.Message) > 2010 {
		t.Errorf("got %+v, %.60q", job, job.Failure.Message)
	}
	checkClean(t, job)
}

func checkClean(t *testing.T, value any) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("cannot be kept: %v", err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.ContainsFunc(v, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' || r == '\u2028' }) || !utf8.ValidString(v) || strings.Contains(v, key) {
				t.Fatalf("%q is not clean", v)
			}
		case []any:
			for _, v := range v {
				walk(v)
			}
		case map[string]any:
			for k, v := range v {
				walk(k)
				walk(v)
			}
		}
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		t.Fatal(err)
	}
	walk(tree)
}

// FuzzReplies holds that no reply of a server breaks the client, and that what it makes of one is fit
// to be kept and shown.
func FuzzReplies(f *testing.F) {
	for _, name := range []string{"job-queued.json", "job-dpo.json", "job-succeeded.json", "job-azure.json", "events.json", "file.json"} {
		f.Add(200, fixture(f, name))
	}
	f.Add(200, `{"id":"j","status":"x","created_at":1e300,"finished_at":"2026-01-02T03:04:05Z","error":"\u001b[2J","method":{"type":7},"result_files":[{"id":"a"},7,null]}`)
	f.Add(200, `{"data":[{"id":"e","data":{"step":1e999,"a":"NaN","b":"3"}},7,null,{"message":{}}],"has_more":true}`)
	f.Add(400, `{"error":{"message":"`+key+`","param":{"a":1}}}`)
	f.Add(500, `[[[{"error":"x"}]]]`)
	f.Add(422, `{"detail":[{"loc":["body"],"msg":"x"},{"loc":[]}]}`)
	f.Add(200, "\xef\xbb\xbf<html>\x1b[31m")
	f.Fuzz(func(t *testing.T, status int, body string) {
		c := answering(t, 200+(status%400+400)%400, body, nil)
		show := func(value any, err error) {
			if err != nil {
				checkClean(t, err.Error())
				return
			}
			checkClean(t, value)
		}
		job, err := c.Job(t.Context(), "j")
		show(job, err)
		if err == nil {
			checkClean(t, job.Reason())
		}
		file, err := c.File(t.Context(), "f")
		show(file, err)
		events, err := c.Events(t.Context(), "j", hosted.Page{Limit: 1000})
		show(events, err)
		for i := range events {
			events[i].Step()
			checkClean(t, events[i].String())
		}
		for job, err := range c.Jobs(t.Context(), hosted.Page{Limit: 1000}) {
			show(job, err)
		}
	})
}
