package scenarios_test

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/scenarios"
)

func TestKinds(t *testing.T) {
	for _, k := range scenarios.Kinds() {
		found, err := scenarios.FindKind(k.Name)
		if err != nil || found != k {
			t.Errorf("%s: found %v, %v", k, found, err)
		}
		pieces := k.Library()
		if len(pieces) == 0 {
			t.Fatalf("%s: no library", k)
		}
		s := pieces[0].Scenario(cast(k.Players+1), rand.New(rand.NewPCG(1, 0)))
		s.Data = json.RawMessage(`{"a":1}`)
		text, err := json.Marshal(s)
		if err != nil || !strings.Contains(string(text), `"Kind":"`+k.Name+`"`) {
			t.Fatalf("%v in %s", err, text)
		}
		var again scenarios.Scenario
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatal(err)
		}
		var want scenarios.Scenario // nil and empty lists are the same in a file
		again2, err := json.Marshal(&again)
		if err != nil || string(again2) != string(text) {
			t.Errorf("read back: %v\n%s", err, cmp.Diff(string(text), string(again2)))
		}
		if err := json.Unmarshal([]byte(strings.Replace(string(text), `"Kind":"`, `"Kind":"un`, 1)), &want); err == nil || !strings.Contains(err.Error(), "write exchange or intention") {
			t.Errorf("an unknown kind: %v", err)
		}
		var data struct{ A int }
		if err := again.Decode(&data); err != nil || data.A != 1 {
			t.Errorf("decoded %v, %v", data, err)
		}
		if err := again.Decode(new(struct{ B int })); err == nil || !strings.Contains(err.Error(), s.ID) {
			t.Errorf("an unknown field of the data: %v", err)
		}
	}
}

func TestLoad(t *testing.T) {
	open := func(name string) (io.ReadCloser, error) {
		text, ok := map[string]string{"a.yaml": goodKnowledge, "bad.yaml": "- id: x\n"}[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	library := len(scenarios.Exchange.Library())
	for _, test := range []struct {
		names []string
		n     int
		want  string
	}{
		{nil, library, ""},
		{[]string{"library"}, library, ""},
		{[]string{"library", "a.yaml"}, library + 1, ""},
		{[]string{"a.yaml", "a.yaml"}, 0, "a.yaml: the id brass-goat is in a.yaml too"},
		{[]string{"library", "library"}, 0, "library: the id "},
		{[]string{"bad.yaml"}, 0, "bad.yaml:1: title: missing"},
		{[]string{"none.yaml"}, 0, "not exist"},
	} {
		pieces, err := scenarios.Exchange.Load(test.names, open)
		if test.want == "" && (err != nil || len(pieces) != test.n) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%v: %d pieces, %v", test.names, len(pieces), err)
		}
	}
}

func TestReadFindsTheKind(t *testing.T) {
	for text, want := range map[string]*scenarios.Kind{goodKnowledge: scenarios.Exchange, goodScene: scenarios.Expression} {
		if kind, pieces, err := scenarios.Read([]byte(text), "f.yaml"); err != nil || kind != want || len(pieces) != 1 {
			t.Errorf("%s, %d pieces, %v of\n%s", kind, len(pieces), err, text)
		}
		broken := strings.Replace(text, "title:", "titel:", 1)
		if kind, _, err := scenarios.Read([]byte(broken), "f.yaml"); kind != want || err == nil || !strings.Contains(err.Error(), `unknown field "titel"`) {
			t.Errorf("%s, %v of\n%s", kind, err, broken)
		}
	}
}
