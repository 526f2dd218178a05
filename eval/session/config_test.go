package session_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/characters/yamlfile"
	"parley/eval/run"
	"parley/eval/session"
	"parley/sim/llm"
)

// What is printed reads back as the same, whatever stands in it.
func TestExperimentReadsBack(t *testing.T) {
	for _, text := range []string{
		"\n", "\n\n", "a\n", "\na", " a\n  b\n", "\r\n", "\r", "\t", "a\tb", "a: b", "a:", ":", "#", "a #b", " x ", "", " ", "-", "- a", "--- a",
		"?", "? a", "!", "&a", "*a", "|", ">", "%", "@", "`", "'", "\"", "\\", "\\n", "{}", "[a, b]", "a, b", "{{.}}", "~", "null", "true", "yes",
		"1", "1.5", "0x1", "1e3", ".nan", "2024-01-01", "\u0000", "\u0007", "\u007f", "\u0085", "\u2028", "\u2029", "\ufeff", "é", "😀", "<<", "=",
		"script:a,b.txt", "openai:m?key_env=K@http://127.0.0.1:8000/v1",
	} {
		e := session.Default()
		e.Turns = 30
		e.Name, e.NPC, e.Order, e.Judge, e.Prompts, e.Prices, e.Cache, e.Out = text, text, text, text, text, text, text, text
		e.Player = []session.Arm{{Name: text, Model: text}, {Name: "mixed", Cast: []string{text, "reference:loner"}}}
		e.Control, e.Characters, e.Knowledge, e.Scenes = []string{text, text}, []string{text}, []string{"a", text}, []string{text}
		e.Sampling = map[string]llm.Sampling{"npc": llm.Sampling{Stop: []string{text, "x", text}, KeepAlive: text, Temperature: new(1e-7)}.Complete(), text: {}}
		e.Limits.Endpoints = map[string]llm.Limits{text: {Concurrent: 1}}
		e.Endings.Wall, e.Seed = 1500*time.Millisecond, 1<<64-1
		printed, err := run.EncodeConfig(e, empty)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		again, err := decode("printed", printed)
		if err != nil {
			t.Errorf("%q: %v\n%s", text, err, printed)
			continue
		}
		if !reflect.DeepEqual(e, again) {
			t.Errorf("%q reads back as another:\n%s\n%+v\n%+v", text, printed, e, again)
		}
	}
}

func TestExperimentFile(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "f:1: the file is empty"},
		{"# sessions: 3\n", "f:1: the file is empty"},
		{"sessions: 3\n---\nsessions: 4\n", "f:3: a second YAML document"},
		{"sessions: 3.7", "f:1: sessions: a number where there should be a whole number"},
		{"seed: 1\nsampling:\n  npc: {max_tokens: 3.5}", "f:3: sampling.npc.max_tokens: a number where there should be a whole number"},
		{"sessions: 3\nturns: 0", "f:2: turns: 0 where there should be 1 or more"},
		{"rounds: -3", "f:1: rounds: -3 where there should be 1 or more"},
		{"player: [", "f:1: not YAML"},
		{"sampling: {npc: {think: maybe}}", `sampling of npc: think is "maybe"`},
		{"sampling: {player: {temperature: .nan}}", "f:1: sampling.player.temperature: no finite number"},
		{"sampling: {judge: {keep_alive: banana}}", `sampling of judge: keep_alive "banana"`},
		{"endings: {tokens: -5}", "cannot be negative"},
		{"endings: {wall: -5s}", "cannot be negative"},
		{"limits: {opneai: {concurrent: 1}}\nnpc: openai:x", "no model of the experiment is at opneai; there are models at: openai"},
		{"limits: {\"http://h/v1\": {}, \"http://h/v1/\": {}}\nnpc: openai:x@http://h/v1", "limits: http://h/v1 is there twice"},
	} {
		e, err := decode("f", []byte(test.text))
		if err == nil {
			err = e.Complete()
		}
		if err == nil || !strings.HasPrefix(err.Error(), test.want) && !strings.Contains(err.Error(), " "+test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	// Limits of models that flags put others in the place of count for nothing.
	over, err := decode("f", []byte("player: [openai:x, ollama:y]\nlimits: {openai: {concurrent: 8}, ollama: {concurrent: 1}}"))
	if err != nil {
		t.Fatal(err)
	}
	own := over.Endpoints()
	over.Player = []session.Arm{{Model: "ollama:z"}}
	if err := over.Complete(own...); err != nil || len(over.Limits.Endpoints) != 1 || over.Limits.Endpoints["ollama"].Concurrent != 1 {
		t.Errorf("%v, limits %v", err, over.Limits.Endpoints)
	}
	e, err := decode("f", []byte("turns: 8.0\nlimits: {\"http://h/v1/\": {concurrent: 2}}\nnpc: openai:x@http://h/v1/\nsampling: {npc: {think: true, top_p: 0.5}}"))
	if err == nil {
		err = e.Complete()
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.Turns != 8 || e.Limits.Endpoints["http://h/v1"].Concurrent != 2 || len(e.Limits.Endpoints) != 1 {
		t.Errorf("turns %d, limits %v", e.Turns, e.Limits.Endpoints)
	}
	// Whatever a model does is written down, also what was left to the defaults.
	if s := e.Sampling["npc"]; s.Think != "on" || *s.TopP != 0.5 || *s.Temperature != 0.8 || s.MaxTokens != 400 || len(e.Sampling) != 1 {
		t.Errorf("sampling %+v", e.Sampling)
	}
}

func empty() any {
	c := session.Default()
	c.Turns = 0
	return c
}

// decode reads an experiment file over the defaults.
func decode(path string, data []byte) (*session.Config, error) {
	c := empty().(*session.Config)
	return c, yamlfile.Value(data, path, c)
}
