package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/llmtest"
)

// served is an adapter whose models repeat what was said last, and identify themselves as told.
func served(scheme string, id llm.Identity, err error) llm.Adapter {
	return llm.Adapter{Scheme: scheme, Defaults: llm.Defaults{Server: true, Context: 4096}, Open: func(context.Context, llm.Spec, llm.Env) (llm.Model, error) {
		return identified{llmtest.Echo(), id, err}, nil
	}}
}

type identified struct {
	llm.Model
	id  llm.Identity
	err error
}

func (m identified) Identify(context.Context) (llm.Identity, error) { return m.id, m.err }

func TestRegistry(t *testing.T) {
	r := llm.Registry{served("a", llm.Identity{}, nil), llm.ScriptAdapter(nil), llm.ReplayAdapter(nil)}
	if m, err := r.Open(t.Context(), "a:name", llm.Env{}); err != nil || m == nil {
		t.Errorf("model is %v, error %v", m, err)
	}
	if _, err := r.Open(t.Context(), "c:name", llm.Env{}); err == nil || !strings.Contains(err.Error(), "known are a: reference: replay: script:") {
		t.Errorf("error is %v, want the known schemes", err)
	}
	if _, err := r.Open(t.Context(), "name", llm.Env{}); err == nil {
		t.Error("a name without a scheme was opened")
	}
	if d := r.Defaults("a:name"); d.Context != 4096 || r.Defaults("c:name") != (llm.Defaults{}) {
		t.Errorf("defaults are %+v", d)
	}
	if run, ok := r.Recorded("replay:runs/one"); !ok || run != "runs/one" {
		t.Errorf("got %q, %v", run, ok)
	}
	if _, ok := r.Recorded("a:runs/one"); ok {
		t.Error("a: replays")
	}
}

func TestSameModel(t *testing.T) {
	r := llm.Registry{served("ollama", llm.Identity{}, nil), served("openai", llm.Identity{}, nil), llm.ScriptAdapter(nil)}
	tests := []struct {
		a, b   string
		want   bool
		reason string
	}{
		{"openai:gpt-4.1", "openai:gpt-4.1@https://host/v1", true, "another host"},
		{"openai:gpt-4.1-2025-04-14", "openai:gpt-4.1", true, "a dated snapshot"},
		{"ollama:smollm2", "ollama:smollm2:latest", true, ""},
		{"openai:gpt-4.1-mini", "openai:openai/gpt-4.1-mini@https://router.example/v1", true, "a router's name of it"},
		{"ollama:llama3.2:1b", "ollama:llama3.2:3b", false, "another size"},
		{"script:judge.txt", "ollama:judge.txt", false, "a file"},
		{"ollama:llama3:latest", "openai:meta/Llama3@http://host/v1", true, "another server's name of it"},
		{"openai:gpt-4.1", "openai:gpt-4.1-mini", false, "a smaller one"},
		{"script:x", "script:x", true, "written the same"},
		{"script:m/x", "script:x", false, "two files"},
		{"reference:x", "ollama:x", false, "no language model"},
	}
	for _, tt := range tests {
		if r.SameModel(tt.a, tt.b) != tt.want || r.SameModel(tt.b, tt.a) != tt.want {
			t.Errorf("%s and %s: want %v; %s", tt.a, tt.b, tt.want, tt.reason)
		}
	}
	if !(llm.Identity{Name: "a", Digest: "1"}).Same(llm.Identity{Name: "b", Digest: "1"}) || (llm.Identity{Name: "a", Digest: "1"}).Same(llm.Identity{Name: "a", Digest: "2"}) {
		t.Error("digests decide where both are known")
	}
}

// Identification is advice, except where it shows that no call can succeed.
func TestIdentifyIsAdvice(t *testing.T) {
	tests := []struct {
		fault  llm.Fault
		stops  bool
		reason string
	}{
		{llm.Overloaded, false, "503 for the list of models says nothing about replies"},
		{llm.BadResponse, false, "no such list"},
		{llm.Unreachable, true, "a wrong address is told at once"},
		{llm.Denied, true, ""},
		{llm.NotFound, true, "the server knows its models"},
	}
	for _, tt := range tests {
		err := &llm.Error{Model: "a:m", Fault: tt.fault, Err: errors.New("\x1b[31mno\x1b[0m sekret-key-1")}
		var keys llm.Keys
		keys.Add("sekret-key-1")
		var told []string
		models := llm.Models{Registry: llm.Registry{served("a", llm.Identity{Name: "m"}, err)}, Env: llm.Env{Keys: &keys, Now: time.Now},
			Tell: func(s string) { told = append(told, s) }}
		o, got := models.Open(t.Context(), "a:m")
		switch {
		case tt.stops && got == nil, !tt.stops && got != nil:
			t.Errorf("%s: error %v; %s", tt.fault, got, tt.reason)
		case tt.stops && strings.Contains(got.Error(), "sekret"):
			t.Errorf("the error holds the key: %v", got)
		case !tt.stops && (len(told) != 1 || told[0] != "note: a:m: "+o.Identity.Note || !strings.HasSuffix(told[0], "no [key]")):
			t.Errorf("%s: told %q, noted %q", tt.fault, told, o.Identity.Note)
		}
	}
}

func TestRedact(t *testing.T) {
	var keys llm.Keys
	keys.Add("sk-0123456789")
	keys.Add("sk-0123456789-longer")
	keys.Add("short")
	tests := []struct{ text, want, reason string }{
		{"a sk-0123456789 b", "a [key] b", ""},
		{"sk-0123456789-longer", "[key]", "the longer key first"},
		{"it is sk-01234567", "it is [key]", "cut within the key"},
		{"it is sk-0", "it is sk-0", "too little to be one"},
		{"short", "short", "no key, but a word"},
	}
	for _, tt := range tests {
		if got := keys.Redact(tt.text); got != tt.want {
			t.Errorf("%q became %q, want %q; %s", tt.text, got, tt.want, tt.reason)
		}
	}
	var none *llm.Keys
	if none.Redact("a") != "a" {
		t.Error("no keys change a text")
	}
}

func TestClean(t *testing.T) {
	tests := []struct{ text, want, reason string }{
		{"plain text", "plain text", ""},
		{"\x1b[2J\x1b[31mred\x1b[0m", "red", "colours, and a screen that is wiped"},
		{"\x1b]0;title\x07name", "name", "a window's title"},
		{"\x1b]8;;http://host\x1b\\link", "link", "a link"},
		{"\u009b31mred", "red", "the one-character form"},
		{"a\r\nb\tc\x00d\x7f", "a b c d", ""},
		{"a\u202ec", "ac", "the direction is turned"},
		{"\xff", "\uFFFD", "no UTF-8"},
		{"क\u200dष", "क\u200dष", "a joiner"},
	}
	for _, tt := range tests {
		if got := llm.Clean(tt.text); got != tt.want {
			t.Errorf("%q became %q, want %q; %s", tt.text, got, tt.want, tt.reason)
		}
	}
	if got := llm.Excerpt("ééé", 3); got != "é ..." {
		t.Errorf("got %q", got)
	}
}
