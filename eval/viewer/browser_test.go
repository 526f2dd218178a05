package viewer_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"parley/eval/run"
	"parley/eval/session"
	"parley/logs"
	"parley/sim"
)

// browser is a page of a Chromium that is driven by its debugging protocol.
type browser struct {
	t          *testing.T
	conn       *websocket.Conn
	next       int
	complaints []string // what the console says, and dialogs
	size       string
}

// openBrowser starts the Chromium that PARLEY_BROWSER names; without it the test is skipped.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	name := os.Getenv("PARLEY_BROWSER")
	if name == "" {
		t.Skip("PARLEY_BROWSER names no Chromium to look at pages with; .ci/page does")
	}
	// Helpers of the browser outlive it and write on, so that the directory may not be gone at once.
	profile, err := os.MkdirTemp("", "parley-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--remote-debugging-port=0", "--remote-allow-origins=*", "--user-data-dir="+profile, "about:blank")
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(profile)
	})
	port := ""
	for range 600 {
		data, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if line, _, whole := strings.Cut(string(data), "\n"); err == nil && whole {
			port = line
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	req, err := http.NewRequest(http.MethodPut, "http://127.0.0.1:"+port+"/json/new?about:blank", nil)
	must(t, err)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer resp.Body.Close()
	var target struct{ WebSocketDebuggerURL string }
	must(t, json.NewDecoder(resp.Body).Decode(&target))
	conn, err := websocket.Dial(target.WebSocketDebuggerURL, "", "http://127.0.0.1")
	must(t, err)
	conn.MaxPayloadBytes = 64 << 20
	t.Cleanup(func() { conn.Close() })
	b := &browser{t: t, conn: conn}
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", nil)
	}
	b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.fired = 0; window.fire = window.alert = () => { window.fired++; };"})
	return b
}

// call sends a command and returns its result. What the browser complains of meanwhile is kept.
func (b *browser) call(method string, params any) json.RawMessage {
	b.t.Helper()
	b.next++
	must(b.t, websocket.JSON.Send(b.conn, map[string]any{"id": b.next, "method": method, "params": params}))
	must(b.t, b.conn.SetDeadline(time.Now().Add(2*time.Minute)))
	for {
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Params json.RawMessage
			Error  *struct{ Message string }
		}
		must(b.t, websocket.JSON.Receive(b.conn, &m))
		switch {
		case m.ID == b.next && m.Error != nil:
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		case m.ID == b.next:
			return m.Result
		case m.Method == "Runtime.consoleAPICalled" || m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" || m.Method == "Page.javascriptDialogOpening":
			b.complaints = append(b.complaints, m.Method+" "+string(m.Params))
		}
	}
}

// eval returns the value of an expression as text.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	must(b.t, json.Unmarshal(b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "userGesture": true}), &r))
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	return fmt.Sprint(r.Result.Value)
}

// wait waits until an expression is true.
func (b *browser) wait(expression string) {
	b.t.Helper()
	for range 300 {
		if b.eval("(() => { try { return "+expression+" } catch { return false } })()") == "true" { // a page may just be going
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s is not so after a long time, at %s:\n%s", expression, b.eval("location.href"), b.eval("document.body.innerText"))
}

// open loads a page.
func (b *browser) open(address string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": address})
	b.wait("document.readyState === 'complete' && location.href !== 'about:blank' && !!document.getElementById('content')")
	time.Sleep(20 * time.Millisecond)
	b.wait("document.readyState === 'complete'")
}

// click clicks on the first element of a selector, and waits for the page that follows.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.eval("window.before = true")
	b.eval(fmt.Sprintf("document.querySelector(%q).click()", selector))
	b.wait("window.before === undefined && document.readyState === 'complete'")
}

// says waits until the page says something.
func (b *browser) says(text string) {
	b.t.Helper()
	quoted, _ := json.Marshal(text)
	b.wait(fmt.Sprintf("document.body.textContent.replace(/\\s+/g, ' ').includes(%s)", quoted))
}

// key presses a key.
func (b *browser) key(name, text string) {
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": name, "text": text})
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name})
}

// quiet fails where the browser complained or foreign text ran.
func (b *browser) quiet(when string) {
	b.t.Helper()
	if fired := b.eval("window.fired"); fired != "0" {
		b.t.Errorf("%s: foreign text ran %s times at %s", when, fired, b.eval("location.href"))
	}
	if b.complaints != nil {
		b.t.Errorf("%s: the browser complains: %s", when, b.complaints)
	}
	b.complaints = nil
}

// look sets the size of the window and the colour scheme.
func (b *browser) look(width int, scheme string) {
	b.size = fmt.Sprintf("%d-%s", width, scheme)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600})
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// shot keeps a picture where PARLEY_SHOTS names a directory.
func (b *browser) shot(name string) {
	dir := os.Getenv("PARLEY_SHOTS")
	if dir == "" {
		return
	}
	var r struct{ Data string }
	must(b.t, json.Unmarshal(b.call("Page.captureScreenshot", map[string]any{"format": "png"}), &r))
	data, err := base64.StdEncoding.DecodeString(r.Data)
	must(b.t, err)
	must(b.t, os.WriteFile(filepath.Join(dir, name+"-"+b.size+".png"), data, 0o644))
}

func TestBrowser(t *testing.T) {
	b := openBrowser(t)
	root := t.TempDir()
	dir := played(t, root, "one")
	hostile(t, filepath.Join(root, "bad"))
	s := serve(t, root)
	s.text("/run/one/")
	s.text("/run/bad/")

	// A walk from the list to a prompt, by clicks.
	b.look(1280, "light")
	b.open(s.url + "/")
	b.click("a[href='/run/one/']")
	b.says("6 of 6 situations")
	b.click(".matrix td a.cell")
	b.says("Before the play")
	b.click(".beside a")
	b.says("a01-0000001 and a02-0000001")
	b.click(".beside a")
	b.click(".talk .at a")
	b.says("Prompt, ")
	b.says("You play one character")
	b.click("header nav a:nth-of-type(2)")
	b.quiet("a walk")

	// Filters by a choice, by text, and from the keyboard.
	b.eval("window.before = true")
	b.eval("(f => { f.value = 'none'; f.dispatchEvent(new Event('change', {bubbles: true})); })(document.getElementById('f-fault'))")
	b.wait("window.before === undefined && location.search === '?metric=iep%2Fiep&fault=none'")
	if dim := b.eval("document.querySelectorAll('td.dim').length"); dim != "6" {
		t.Errorf("%s sessions with faults are dimmed, want 6", dim)
	}
	b.open(s.url + "/run/one/")
	b.key("/", "")
	b.wait("document.activeElement.id === 'f-q'")
	b.call("Input.insertText", map[string]any{"text": "a03-0000002"})
	b.key("Enter", "\r")
	b.wait("location.search.includes('q=a03-0000002')")
	b.says("1 of 6 situations")
	b.open(s.url + "/run/one/session?id=a02-0000003")
	b.key("ArrowRight", "")
	b.wait("location.search === '?id=a02-0000004'")
	b.open(s.url + "/run/one/session?id=a02-0000003")
	b.eval("document.getElementById('evidence').open = false")
	b.eval("document.querySelector('.scores td a').click()")
	b.wait("location.hash === '#evidence' && document.getElementById('evidence').open")
	b.wait("document.querySelectorAll('mark').length > 3")
	b.quiet("filters")

	// Nothing of a hostile run fires, wherever it is shown.
	for _, x := range xss() {
		q := url.QueryEscape(x)
		b.open(s.url + "/run/bad/session?id=" + q + "&with=" + q)
		b.quiet("a hostile session")
		b.open(s.url + "/run/bad/turn?turn=1&id=" + q)
		b.eval("[...document.querySelectorAll('details')].forEach(d => d.open = true)")
		b.quiet("a hostile turn")
	}
	for _, path := range []string{"/", "/run/bad/", "/run/bad/?page=2", "/run/bad/?q=%3Cimg+src%3Dx+onerror%3Dfire(1)%3E", "/run/bad/results"} {
		b.open(s.url + path)
		b.quiet("a hostile page")
	}

	// No page scrolls sideways, in either scheme.
	for _, width := range []int{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b.look(width, scheme)
			for name, path := range map[string]string{
				"runs": "/", "matrix": "/run/one/", "results": "/run/one/results", "session": "/run/one/session?id=a02-0000001", "beside": "/run/one/session?id=a01-0000001&with=a02-0000001",
				"turn": "/run/one/turn?id=a01-0000001&turn=3", "hostile": "/run/bad/", "hostile-session": "/run/bad/session?id=" + url.QueryEscape(xss()[0]), "missing": "/run/none/",
			} {
				b.call("Page.navigate", map[string]any{"url": s.url + path})
				b.wait("document.readyState === 'complete' && !!document.getElementById('content')")
				if over := b.eval(fmt.Sprintf("document.documentElement.scrollWidth - %d", width)); strings.TrimPrefix(over, "-") == over && over != "0" {
					t.Errorf("%s is %s pixels wider than a window of %d", path, over, width)
				}
				dark := b.eval("getComputedStyle(document.body).backgroundColor") != "rgb(253, 252, 250)"
				if dark != (scheme == "dark") {
					t.Errorf("%s in the scheme %s has another background", path, scheme)
				}
				b.shot(name)
			}
			b.complaints = nil // of the page that is not there
		}
	}
	b.grows(s, root, dir)
}

// grows shows a run that is under way, which grows while a reader has a fold closed.
func (b *browser) grows(s *site, root, whole string) {
	t := b.t
	t.Helper()
	b.look(1280, "light")
	m, err := run.ReadManifest(whole)
	must(t, err)
	m.State, m.Results, m.Tables = run.Running, nil, nil
	dir := filepath.Join(root, "living")
	b.open(s.url + "/")
	must(t, os.Mkdir(dir, 0o777))
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), m))
	b.says("living")
	b.open(s.url + "/run/living/")
	b.says("0 of 18 sessions complete")
	var events []sim.Event
	for e, err := range session.Events.Read(whole) {
		must(t, err)
		if e.Session == "a01-0000001" {
			events = append(events, e)
		}
	}
	b.eval("window.kept = true")
	journal(t, dir, "events", events[:5])
	b.says("1 under way")
	b.says("1 of 1 situations")
	if b.eval("window.kept") != "true" {
		t.Error("the page was loaded anew instead of growing")
	}
	b.open(s.url + "/run/living/session?id=a01-0000001")
	b.says("Turn 1")
	journal(t, dir, "events", events[5:])
	b.says("After the play")
	b.shot("living")
	b.quiet("growth")
	data, err := os.ReadFile(filepath.Join(dir, "events.jsonl"))
	must(t, err)
	if n := bytes.Count(data, []byte("\n")); n != len(events) {
		t.Errorf("the journal has %d lines, want %d", n, len(events))
	}
}
