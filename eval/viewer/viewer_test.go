package viewer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
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
	"time"

	"golang.org/x/net/html"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/session"
	"parley/eval/viewer"
	"parley/logs"
	"parley/sim"
	"parley/sim/llm"
)

// site is a viewer with a client that has its address.
type site struct {
	t   *testing.T
	url string
}

func serve(t *testing.T, dir string) *site {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	v, err := viewer.New(ctx, dir, viewer.Options{Every: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(v)
	t.Cleanup(func() { stop(); server.Close() })
	return &site{t, server.URL}
}

// get returns the status and the body of a page.
func (s *site) get(path string) (int, string) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// text returns what a page says, once it has been read whole.
func (s *site) text(path string) string {
	s.t.Helper()
	for range 200 {
		status, body := s.get(path)
		if status != http.StatusOK {
			s.t.Fatalf("%s: status %d: %s", path, status, plain(body))
		}
		if !strings.Contains(body, "fills in by itself") {
			return plain(body)
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("%s is not read to its end", path)
	return ""
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plain returns the text of HTML, in one line.
func plain(body string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(body, " "))), " ")
}

// played plays sessions of three arms, one a script that is malformed now and then, into dir/name.
func played(t *testing.T, dir, name string) string {
	t.Helper()
	talk := `
- purpose: debrief
  reply: "I learned nothing."
- replies:
    - "SAY: What is it, really?"
    - ""
    - "<think>quietly</think>SAY: Where is it?\nDO: leans closer"
`
	c := session.Default()
	c.Sessions, c.Turns, c.Form, c.Control = 6, 12, "lines", []string{"no-conversation"}
	c.Player = []session.Arm{{Name: "talk", Model: "script:talk.yaml"}, {Model: "reference:diligent"}, {Model: "reference:silent"}}
	if err := c.Complete(); err != nil {
		t.Fatal(err)
	}
	o := run.Options{
		Kinds: run.Kinds{session.Kind: session.Decode}, Now: time.Now, Version: "test",
		Registry: llm.Registry{llm.ScriptAdapter(func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(talk)), nil })},
	}
	path := filepath.Join(dir, name)
	if _, err := run.Run(t.Context(), path, session.New(c), o); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPages(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	before := files(t, root)
	s := serve(t, root)
	for _, tt := range []struct {
		path   string
		want   []string
		reason string
	}{
		{"/", []string{"one", "session", "complete", "18 of 18", "talk reference:diligent", "IEP"}, "the list of runs"},
		{"/run/one/", []string{"18 of 18 sessions complete", "6 of 6 situations", "talk mean", "side by side", "empty", "12 turns"}, "sessions by arms"},
		{"/run/one/results", []string{"At a glance", "Measures by arm", "Every result", "Models and what they used", "script:talk.yaml", `"sessions": 6`, "scores.parquet"}, "any run"},
		{"/run/one/session?id=a02-0000001", []string{"reference:diligent", "Before the play", "Turn 1", "After the play", "debrief no-conversation", "gives away fact", "10 found", "Where it was said", "beside talk"}, "a session"},
		{"/run/one/session?id=a01-0000001", []string{"malformed: empty", "prompt", "talk"}, "a session of a model"},
		{"/run/one/session?id=a01-0000002&with=a02-0000002", []string{"a01-0000002 and a02-0000002", "alone", "talk", "reference:diligent"}, "two sessions"},
		{"/run/one/turn?id=a01-0000001&turn=3", []string{"1 call", "You play one character", "<think>quietly</think>SAY: Where is it?", "Prompt, ", "reply unknown", "a01-0000001/3/"}, "a turn's prompt and reply"},
		{"/run/one/turn?id=a01-0000001&turn=0", []string{"outside of the play", "debrief:no-conversation"}, "calls outside of the play"},
		{"/run/one/turn?id=a02-0000001&turn=1", []string{"built-in actors need none"}, "a turn without a model"},
	} {
		got := s.text(tt.path)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s (%s) does not say %q:\n%s", tt.path, tt.reason, want, got)
			}
		}
	}
	if after := files(t, root); !slices.Equal(before, after) {
		t.Errorf("files changed:\n%v\n%v", before, after)
	}
	alone := serve(t, dir)
	if got := alone.text("/run/one/"); !strings.Contains(got, "6 of 6 situations") {
		t.Errorf("a directory that is a run: %s", got)
	}
	if got := alone.text("/"); !strings.Contains(got, "18 of 18") {
		t.Errorf("its list: %s", got)
	}
}

// files lists everything below a directory with sizes and times.
func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			list = append(list, fmt.Sprint(path, info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A score's evidence is pointed out where the player told it and where it was told the player.
func TestEvidence(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	s := serve(t, root)
	tr, err := session.ReadTranscript(dir, "a02-0000001", false)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tr.Scores, func(sc eval.Score) bool { return sc.Metric == "iep" && sc.Control == "" && *sc.Value > 40 })
	if i < 0 {
		t.Fatal("no player found out much")
	}
	score := tr.Scores[i]
	s.text("/run/one/")
	_, body := s.get("/run/one/session?id=a02-0000001&of=" + url.QueryEscape(strings.Join([]string{score.Scorer, score.Metric, score.Subject, "", score.Method}, "/")))
	marks := regexp.MustCompile(`<mark>([^<]*)<sup`).FindAllStringSubmatch(body, -1)
	for n, e := range score.Evidence {
		if e.Got == "" {
			continue
		}
		told := 0
		for _, m := range marks {
			if html.UnescapeString(m[1]) == e.Got || strings.Contains(e.Got, html.UnescapeString(m[1])) {
				told++
			}
		}
		if told == 0 {
			t.Errorf("key point %d (%q) is pointed out nowhere", n+1, e.Got)
		}
		by := slices.IndexFunc(tr.Events, func(ev sim.Event) bool { return slices.Contains(ev.Facts, n) })
		if by >= 0 && !regexp.MustCompile(fmt.Sprintf(`(?s)id="a1-e%d".*?<mark>.*?<sup[^>]*>%d</sup>.*?</li>`, tr.Events[by].Seq, n+1)).MatchString(body) {
			t.Errorf("key point %d is not pointed out in turn %d, which gave it away", n+1, tr.Events[by].Turn)
		}
	}
}

func TestFilters(t *testing.T) {
	root := t.TempDir()
	dir := played(t, root, "one")
	s := serve(t, root)
	tr, err := session.ReadTranscript(dir, "a02-0000004", false)
	if err != nil {
		t.Fatal(err)
	}
	said := tr.Events[4].Speech
	for _, tt := range []struct {
		query  string
		rows   int
		reason string
	}{
		{"", 6, "all"},
		{"q=" + url.QueryEscape(strings.ToUpper(said)), 1, "what was said, in any case"},
		{"q=a03-0000002", 1, "an id"},
		{"q=" + url.QueryEscape(tr.Row.Title), 1, "a title"},
		{"q=xyzzy", 0, "what was never said"},
		{"fault=any", 6, "one arm is malformed in every session"},
		{"fault=empty", 6, "by kind"},
		{"fault=loop", 0, "a kind that there is not"},
		{"state=failed", 0, "none failed"},
		{"state=complete", 6, "all are complete"},
		{"state=underway", 0, "none is under way"},
		{"metric=iep%2Fiep&min=99", countAbove(t, dir, 99), "a score"},
		{"metric=iep%2Fiep&min=101", 0, "no score"},
		{"metric=iep%2Fprecision&score=unscored", 6, "what has no value, as that of the silent"},
		{"metric=iep%2Fiep&score=unscored", 0, "all have one"},
		{"min=x", 6, "what is no number is passed over"},
	} {
		got := s.text("/run/one/?" + tt.query)
		if want := fmt.Sprintf("%d of 6 situations", tt.rows); !strings.Contains(got, want) {
			t.Errorf("%q (%s): want %s in %s", tt.query, tt.reason, want, got)
		}
	}
	if got := s.text("/run/one/?min=x"); !strings.Contains(got, `"x" is no number`) {
		t.Errorf("a bound that is no number is passed over in silence: %s", got)
	}
	_, low := s.get("/run/one/?metric=iep%2Fiep&sort=apart") // it has been read by now
	if values := regexp.MustCompile(`class="no">(\d+)`).FindAllStringSubmatch(low, -1); len(values) != 6 {
		t.Errorf("sorting shows %d rows", len(values))
	}
}

// countAbove counts the situations in which a session's mean IEP is at least so much.
func countAbove(t *testing.T, dir string, least float64) int {
	sums, n := map[string]float64{}, map[string]float64{}
	items := map[string]bool{}
	for s, err := range run.Scores.Read(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Metric == "iep" && s.Control == "" && s.Value != nil {
			sums[s.Session] += *s.Value
			if n[s.Session]++; n[s.Session] == 3 && sums[s.Session]/3 >= least {
				items[s.Item] = true
			}
		}
	}
	return len(items)
}

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

// write writes a table as Parquet.
func write[T any](t testing.TB, dir, name string, rows []T) {
	t.Helper()
	_, err := logs.WriteParquet(filepath.Join(dir, name+".parquet"), func(yield func(T, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}, logs.Meta{})
	if err != nil {
		t.Fatal(err)
	}
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A run that is under way grows, in its journal and when that becomes Parquet, and the page is told.
func TestGrowth(t *testing.T) {
	root := t.TempDir()
	whole := played(t, t.TempDir(), "whole")
	dir := filepath.Join(root, "run")
	must(t, os.Mkdir(dir, 0o777))
	m, err := run.ReadManifest(whole)
	must(t, err)
	finished := *m
	m.State, m.Results, m.Tables, m.Finished = run.Running, nil, nil, nil
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), m))
	s := serve(t, root)
	if got := s.text("/run/run/"); !strings.Contains(got, "running: 0 of 18 sessions complete") {
		t.Fatalf("before the first session: %s", got)
	}
	resp, err := http.Get(s.url + "/run/run/live")
	must(t, err)
	defer resp.Body.Close()
	told := make(chan string, 1000)
	go func() {
		defer close(told)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if lines.Text() != "" {
				told <- lines.Text()
			}
		}
	}()
	<-told // the state when it was asked
	var events []sim.Event
	for e, err := range session.Events.Read(whole) {
		must(t, err)
		if e.Session == "a01-0000001" {
			events = append(events, e)
		}
	}
	journal(t, dir, "events", events[:5])
	<-told
	if got := s.text("/run/run/"); !strings.Contains(got, "1 under way") || !strings.Contains(got, "1 of 1 situations") {
		t.Errorf("a session under way: %s", got)
	}
	if got := s.text("/run/run/session?id=a01-0000001"); !strings.Contains(got, "under way") || !strings.Contains(got, "Turn 1") || strings.Contains(got, "Turn 9") {
		t.Errorf("its page: %s", got)
	}
	journal(t, dir, "events", events[5:])
	for message, err := range run.Messages.Read(whole) {
		must(t, err)
		journal(t, dir, "messages", []run.Message{message})
	}
	for call, err := range run.Calls.Read(whole) {
		must(t, err)
		if call.Session == "a01-0000001" {
			journal(t, dir, "calls", []llm.Call{call})
		}
	}
	for row, err := range session.Sessions.Read(whole) {
		must(t, err)
		if row.ID == "a01-0000001" {
			journal(t, dir, "sessions", []session.Row{row})
		}
	}
	if got := s.text("/run/run/session?id=a01-0000001"); !strings.Contains(got, "Turn 9") || !strings.Contains(got, "After the play") {
		t.Errorf("its page at the end: %s", got)
	}
	if got := s.text("/run/run/turn?id=a01-0000001&turn=3"); !strings.Contains(got, "You play one character") || strings.Contains(got, "is missing") {
		t.Errorf("a prompt of a run under way: %s", got)
	}
	if got := s.text("/run/run/"); !strings.Contains(got, "1 of 18 sessions complete") || strings.Contains(got, "1 under way") {
		t.Errorf("one session is done: %s", got)
	}
	for _, name := range []string{"sessions", "events", "scores", "calls", "messages"} {
		data, err := os.ReadFile(filepath.Join(whole, name+".parquet"))
		must(t, err)
		must(t, logs.WriteFile(filepath.Join(dir, name+".parquet"), data))
		if err := os.Remove(filepath.Join(dir, name+".jsonl")); name != "scores" {
			must(t, err)
		}
	}
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), finished))
	if got := s.text("/run/run/"); !strings.Contains(got, "18 of 18 sessions complete") || !strings.Contains(got, "6 of 6 situations") {
		t.Errorf("the finished run: %s", got)
	}
	if got := s.text("/run/run/turn?id=a01-0000001&turn=3"); !strings.Contains(got, "You play one character") {
		t.Errorf("a prompt of the finished run: %s", got)
	}
	last := ""
	for line := range told {
		last = line
	}
	if last != "data: " {
		t.Errorf("the stream ends with %q, want the event end", last)
	}
}

// journal appends rows to the journal of a table.
func journal[T any](t *testing.T, dir, name string, rows []T) {
	t.Helper()
	var lines []byte
	for i := range rows {
		var err error
		lines, err = logs.AppendJSON(lines, &rows[i])
		must(t, err)
		lines = append(lines, '\n')
	}
	f, err := os.OpenFile(filepath.Join(dir, name+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	must(t, err)
	_, err = f.Write(lines)
	must(t, err)
	must(t, f.Close())
}
