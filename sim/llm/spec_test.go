package llm_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/sim/llm"
)

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]llm.Spec{
		"reference:diligent":                       {Scheme: "reference", Name: "diligent"},
		"reference:npc?share=0.5":                  {Scheme: "reference", Name: "npc", Options: url.Values{"share": {"0.5"}}},
		"ollama:llama3.2:1b":                       {Scheme: "ollama", Name: "llama3.2:1b"},
		"openai:gpt-4.1-mini@https://host/v1/":     {Scheme: "openai", Name: "gpt-4.1-mini", BaseURL: "https://host/v1"},
		"openai:a?key_env=K&azure=1@http://h:1/v1": {Scheme: "openai", Name: "a", BaseURL: "http://h:1/v1", Options: url.Values{"key_env": {"K"}, "azure": {"1"}}},
		"openai:org/model@v2":                      {Scheme: "openai", Name: "org/model@v2"},
		"script:dir/file.yaml":                     {Scheme: "script", Name: "dir/file.yaml"},
	} {
		got, err := llm.ParseSpec(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want.Options == nil {
			want.Options = url.Values{}
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(llm.Spec{})); diff != "" || got.String() != text {
			t.Errorf("%s is %s (-want +got):\n%s", text, got, diff)
		}
	}
	for text, says := range map[string]string{
		"":                                "no scheme",
		"smollm2":                         "no scheme",
		":name":                           "no scheme",
		"a b:name":                        "no scheme",
		"ollama:":                         "no name",
		"ollama:?a=b":                     "no name",
		"openai:a?x=%zz":                  "options after ?",
		"openai:a@https://":               "base URL does not parse",
		"openai:a@https://me:secret@h/v1": "must not carry credentials",
	} {
		if _, err := llm.ParseSpec(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error is %v, want %q", text, err, says)
		}
	}
}

func FuzzParseSpec(f *testing.F) {
	for _, seed := range []string{"ollama:llama3.2:1b", "openai:a?x=1&y=%20@https://host/v1", "a:@http://h@http://h", "script:?", "a:b@https://[::1]/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := llm.ParseSpec(text)
		if err != nil {
			return
		}
		if spec.String() != text || spec.Scheme == "" || spec.Name == "" {
			t.Errorf("%q is %+v", text, spec)
		}
		// Put together from its parts, it is the same spec.
		again := spec.Scheme + ":" + spec.Name
		if len(spec.Options) > 0 {
			again += "?" + spec.Options.Encode()
		}
		if spec.BaseURL != "" {
			again += "@" + spec.BaseURL
		}
		back, err := llm.ParseSpec(again)
		if err != nil {
			t.Fatalf("%q, put together as %q: %v", text, again, err)
		}
		if diff := cmp.Diff(spec, back, cmpopts.IgnoreUnexported(llm.Spec{})); diff != "" {
			t.Errorf("%q, put together as %q (-want +got):\n%s", text, again, diff)
		}
	})
}
