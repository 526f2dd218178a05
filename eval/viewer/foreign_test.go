package viewer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/html"

	"parley/eval"
	"parley/eval/report/view"
	"parley/eval/run"
	"parley/eval/session"
	"parley/eval/viewer"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// xss are texts that would run where a page did not escape them. Each calls fire or alert.
func xss() []string {
	var all []string
	for _, f := range []string{
		`<script>%s</script>`, `"><script>%s</script>`, `'><script>%s</script>`, `</title><script>%s</script>`, `</style><script>%s</script>`,
		`</textarea><script>%s</script>`, `</pre><script>%s</script>`, `--><script>%s</script>`, `]]><script>%s</script>`, `<img src=x onerror=%s>`,
		`"><img src=x onerror="%s">`, `<svg onload=%s>`, `<svg><script>%s</script></svg>`, `<body onload=%s>`, `<details open ontoggle=%s>`,
		`" autofocus onfocus="%s`, `' autofocus onfocus='%s`, `javascript:%s`, `data:text/html,<script>%s</script>`, `<iframe src="javascript:%s">`,
		`<a href="javascript:%s">x</a>`, `<math><mtext><script>%s</script>`, `<video><source onerror=%s>`, `<input onfocus=%s autofocus>`, `<form action="javascript:%s"><button>`,
		"\x00<script>%s</script>", `<ScRiPt>%s</sCrIpT>`, `<script/x>%s</script>`, "<script\n>%s</script>", `{{%s}}`,
	} {
		all = append(all, fmt.Sprintf(f, "fire(1)"), fmt.Sprintf(f, "alert(1)"))
	}
	return all
}

// hostile writes a run in which all texts are such.
func hostile(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	texts := xss()
	m := run.Manifest{
		Format: run.Format, ID: texts[0], Kind: session.Kind, Version: texts[1], Go: texts[2], State: run.Complete, Config: json.RawMessage(`{"x":"</script>"}`),
		Models: map[string]*run.Served{texts[3]: nil}, Prompts: map[string]string{texts[4]: texts[5]}, Of: len(texts), Arms: texts[:3], Passes: 1,
		Metrics: []eval.Metric{{Scorer: texts[6], Name: texts[7], Title: texts[8], Caption: texts[9], Headline: true}},
		Results: []eval.Result{{Scorer: texts[6], Metric: texts[7], Arm: texts[0], Reason: texts[10]}, {Scorer: texts[6], Metric: texts[7] + "@3"}},
		Tables:  map[string]run.TableState{texts[11]: {Rows: 1}},
	}
	if err := logs.WriteJSON(filepath.Join(dir, run.ManifestName), m); err != nil {
		t.Fatal(err)
	}
	var rows []session.Row
	var events []sim.Event
	var scores []eval.Score
	var calls []llm.Call
	var messages []run.Message
	for i, x := range texts {
		rows = append(rows, session.Row{
			ID: x, Index: i / 3, Arm: texts[i%3], Title: x, State: run.State([]string{"failed", x}[i%2]), Ended: x, Error: x, Scenario: x,
			Cast: []session.Seat{{ID: x, Name: x, Role: x, Model: x}},
		})
		scene := sim.Event{Session: x, Kind: sim.KindScene, Text: x}
		act := sim.Event{Session: x, Seq: 1, Turn: 1, Kind: sim.KindAct, Actor: "a", Speech: x, Deed: x, Text: x, Fault: x, Control: x, Calls: []string{x}}
		events = append(events, scene, act, sim.Event{Session: x, Seq: 2, Turn: 1, Kind: sim.KindDebrief, Text: x})
		scores = append(scores, eval.Score{
			Session: x, Scorer: texts[6], Metric: texts[7], Subject: x, Status: eval.Status(x), Reason: x, Method: x,
			Evidence: []eval.Evidence{{Want: x, Got: x}},
		})
		message := run.Message{Hash: fmt.Sprintf("%03d", i), Role: llm.Role(x), Content: x}
		messages = append(messages, message)
		calls = append(calls, llm.Call{
			Session: x, ID: x, Turn: 1, Actor: x, Purpose: x, Model: x, Served: x + "!", Prompt: []string{message.Hash, "gone"}, Reply: x, Reason: x,
			Finish: llm.Finish(x), FinishRaw: x, Attempt: 2, Fault: llm.Fault(x), Error: []string{"", x}[i%2],
		})
	}
	write(t, dir, "sessions", rows)
	write(t, dir, "events", events)
	write(t, dir, "scores", scores)
	write(t, dir, "calls", calls)
	write(t, dir, "messages", messages)
}

// foreign returns what of a page is not this program's: an element, a handler or an address that would run something.
func foreign(page string) (found []string) {
	ours := strings.Fields("html head meta title link script body a header nav p main h1 h2 h3 section div dl dt dd span small bdi b i ol ul li table caption thead tbody tr th td " +
		"details summary pre code form label input select option button svg g rect circle line path polyline text desc figure figcaption mark sup")
	z := html.NewTokenizer(strings.NewReader(page))
	scripts := 0
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		if token.Data == "script" {
			scripts++
		}
		if !slices.Contains(ours, token.Data) {
			found = append(found, token.String())
		}
		for _, a := range token.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			runs := slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) && (strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:"))
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "autofocus" || runs || a.Key == "src" && a.Val != "/static/viewer.js" {
				found = append(found, token.String())
			}
		}
	}
	if scripts != 1 {
		found = append(found, fmt.Sprintf("%d scripts", scripts))
	}
	return found
}

func TestForeignTextIsEscaped(t *testing.T) {
	root := t.TempDir()
	hostile(t, filepath.Join(root, "bad"))
	s := serve(t, root)
	s.text("/run/bad/")
	paths := []string{"/", "/run/bad/", "/run/bad/?sort=low", "/run/bad/results"}
	for _, x := range xss() {
		q := url.QueryEscape(x)
		paths = append(paths, "/run/bad/?q="+q+"&fault="+q+"&min="+q, "/run/bad/session?id="+q, "/run/bad/turn?turn=1&id="+q, "/run/bad/session?with="+q+"&id="+q, "/run/bad/session?id="+q+"&of="+q, "/run/"+url.PathEscape(x)+"/", "/static/"+url.PathEscape(x))
	}
	for _, path := range paths {
		status, body := s.get(path)
		if status == http.StatusInternalServerError || status == http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d: %s", path, status, plain(body))
		}
		if found := foreign(body); found != nil && strings.Contains(body, "<html") {
			t.Errorf("%s holds %q", path, found)
		}
	}
	if got := s.text("/run/bad/session?id=" + url.QueryEscape(xss()[0])); !strings.Contains(got, "<script>fire(1)</script>") {
		t.Errorf("the text itself is not shown: %s", got)
	}
	if got := s.text("/run/bad/turn?turn=1&id=" + url.QueryEscape(xss()[0])); !strings.Contains(got, "A message is missing in the run.") {
		t.Errorf("a missing message is not told: %s", got)
	}
}

func TestOnlyThisMachineReads(t *testing.T) {
	root := t.TempDir()
	played(t, root, "one")
	s := serve(t, root)
	s.text("/run/one/")
	port := s.url[strings.LastIndex(s.url, ":"):]
	for _, tt := range []struct {
		host, method string
		want         int
		reason       string
	}{
		{"127.0.0.1" + port, "GET", 200, "the address"},
		{"localhost" + port, "GET", 200, "its name"},
		{"LOCALHOST" + port, "HEAD", 200, "HEAD"},
		{"127.0.0.1", "GET", 200, "without a port, as behind a tunnel"},
		{"evil.example" + port, "GET", 421, "a name that was made to lead here"},
		{"localhost.evil.example", "GET", 421, "a name below another"},
		{"127.0.0.1.evil.example" + port, "GET", 421, "an address as a name"},
		{"10.0.0.1" + port, "GET", 421, "another address"},
		{"[::1]" + port, "GET", 421, "an address that this server does not have"},
		{"0.0.0.0" + port, "GET", 421, "no address"},
		{"127.0.0.1" + port, "POST", 405, "writing"},
		{"127.0.0.1" + port, "PUT", 405, "writing"},
		{"127.0.0.1" + port, "DELETE", 405, "writing"},
		{"127.0.0.1" + port, "OPTIONS", 405, "asking whether to write"},
	} {
		paths := []string{"/", "/run/one/", "/run/one/live", "/static/viewer.js"}
		if tt.method == "HEAD" {
			paths = append(paths, "/live") // which a GET would wait for
		}
		for _, path := range paths {
			req, err := http.NewRequest(tt.method, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = tt.host
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("%s %s of %s is %d, want %d (%s)", tt.method, path, tt.host, resp.StatusCode, tt.want, tt.reason)
			}
			csp := resp.Header.Get("Content-Security-Policy")
			if !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %s: policy %q", tt.method, path, csp)
			}
		}
	}
	_, body := s.get("/run/one/session?id=a01-0000001")
	if inline := regexp.MustCompile(`(?i)<script(?: [^>]*)?>[^<]|<style| style=| on\w+=`).FindString(body); inline != "" {
		t.Errorf("the page holds %q, which its policy forbids", inline)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("hidden words"), 0o644); err != nil {
		t.Fatal(err)
	}
	// A run with a link, a directory that is a link, a pipe for a table, no JSON, another format, torn Parquet.
	made := map[string]func(dir string){
		"linked":  func(dir string) { must(t, os.Symlink(outside, filepath.Join(dir, "notes.txt"))) },
		"piped":   func(dir string) { must(t, syscall.Mkfifo(filepath.Join(dir, "extra.jsonl"), 0o644)) },
		"nothing": func(dir string) { must(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte("not JSON"), 0o644)) },
		"older":   func(dir string) { must(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"format":1}`), 0o644)) },
		"torn": func(dir string) {
			data, err := os.ReadFile(filepath.Join(dir, "events.parquet"))
			must(t, err)
			must(t, os.WriteFile(filepath.Join(dir, "events.parquet"), data[:len(data)/2], 0o644))
		},
		"bare": func(dir string) {
			for _, name := range []string{"events", "scores", "calls", "messages"} {
				must(t, os.Remove(filepath.Join(dir, name+".parquet")))
			}
		},
	}
	for name, damage := range made {
		must(t, os.CopyFS(filepath.Join(root, name), os.DirFS(dir)))
		damage(filepath.Join(root, name))
	}
	must(t, os.Symlink(dir, filepath.Join(root, "link")))
	must(t, os.Mkdir(filepath.Join(root, "empty"), 0o777))
	s := serve(t, root)
	for _, name := range []string{"one", "torn", "bare"} {
		s.text("/run/" + name + "/")
	}
	for _, tt := range []struct {
		path   string
		status int
		want   string
		reason string
	}{
		{"/run/link/", 404, "there is no run", "a directory that is a link"},
		{"/run/none/", 404, "there is no run", "no directory"},
		{"/run/..%2f..%2fetc/", 404, "there is no run", "a path"},
		{"/run/%2e%2e/", 404, "there is no run", "the directory above"},
		{"/run/empty/", 422, "is not a run", "a directory without a run"},
		{"/run/linked/", 422, "symbolic link", "a link in a run"},
		{"/run/piped/", 422, "no plain file", "a pipe in a run"},
		{"/run/nothing/", 422, "run.json", "a manifest that is no JSON"},
		{"/run/older/", 422, "format 1", "another format"},
		{"/run/torn/", 200, "events: ", "half a table: the rest is shown"},
		{"/run/torn/session?id=a02-0000001", 200, "no whole Parquet file", "a session without its table"},
		{"/run/bare/", 200, "6 of 6 situations", "sessions without other tables"},
		{"/run/bare/session?id=a02-0000001", 200, "Nothing is measured yet", "a session without rows"},
		{"/run/one/session?id=a09-0000001", 404, "no session", "no session"},
		{"/run/one/session", 404, "no session", "no id"},
		{"/run/one/turn?id=a01-0000001&turn=99", 200, "0 calls", "no turn"},
		{"/run/one/turn?id=a01-0000001&turn=x&page=-7", 200, "outside of the play", "no number"},
		{"/run/one/?page=99999999", 200, "6 of 6", "no page"},
		{"/run/one/run.json", 404, "not found", "a file of the run"},
		{"/static/../viewer.go", 404, "not found", "no asset"},
		{"/static/pages.html", 404, "not found", "no asset that is served"},
	} {
		status, body := s.get(tt.path)
		if status != tt.status || !strings.Contains(strings.ToLower(plain(body)), strings.ToLower(tt.want)) {
			t.Errorf("%s (%s): status %d, want %d and %q: %s", tt.path, tt.reason, status, tt.status, tt.want, plain(body))
		}
		if strings.Contains(body, "hidden words") {
			t.Errorf("%s shows a file outside of the directory", tt.path)
		}
	}
	if list := s.text("/"); !strings.Contains(list, "older") || strings.Contains(list, "link ") && !strings.Contains(list, "symbolic link") {
		t.Errorf("the list: %s", list)
	}
	if _, err := viewer.New(t.Context(), outside, viewer.Options{}); err == nil {
		t.Error("a file is taken for a directory of runs")
	}
}

// A request has to name the address that it came to, or localhost where that is this machine's own.
func TestHosts(t *testing.T) {
	v, err := viewer.New(t.Context(), t.TempDir(), viewer.Options{})
	must(t, err)
	for _, test := range []struct {
		local, host string
		want        int
	}{
		{"127.0.0.1:80", "127.0.0.1:80", 200}, {"[::ffff:127.0.0.1]:80", "127.0.0.1", 200}, {"127.0.0.1:80", "[::ffff:127.0.0.1]:80", 200}, {"[::1]:80", "[::1]:80", 200},
		{"[::1]:80", "localhost", 200}, {"[::1]:80", "127.0.0.1", 421}, {"10.0.0.5:80", "10.0.0.5", 200}, {"10.0.0.5:80", "localhost", 421}, {"10.0.0.5:80", "10.0.0.6", 421},
		{"10.0.0.5:80", "host", 421}, {"", "LocalHost:80", 200}, {"", "127.0.0.1", 200}, {"", "127.0.0.2", 421}, {"", "host", 421}, {"odd", "localhost", 421},
	} {
		r := httptest.NewRequest(http.MethodGet, "/static/viewer.css", nil)
		if r.Host = test.host; test.local != "" {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, address(test.local)))
		}
		w := httptest.NewRecorder()
		v.ServeHTTP(w, r)
		if w.Code != test.want || w.Code == 200 && (w.Header().Get("Content-Type") != "text/css; charset=utf-8" || !strings.HasPrefix(w.Body.String(), view.Style())) {
			t.Errorf("%s at %s: status %d, want %d, %v", test.host, test.local, w.Code, test.want, w.Header())
		}
	}
}

type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }
