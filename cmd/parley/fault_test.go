package main

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/eval/run"
	"parley/eval/session"
	"parley/sim/llm"
	"parley/sim/llm/llmtest"
)

// paid notes which requests were answered with a whole reply, and by which process they were made.
type paid struct {
	mu      sync.Mutex
	process int
	seeds   map[uint64]int64 // of a request, which says whose it is
	by      map[uint64][]int // a request's processes
}

var seedOf = regexp.MustCompile(`"seed":(\d+)`)

func (p *paid) note(request []byte) {
	var h maphash.Hash
	h.SetSeed(paidSeed)
	h.Write(request)
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := seedOf.FindSubmatch(request); m != nil {
		p.seeds[h.Sum64()], _ = strconv.ParseInt(string(m[1]), 10, 64)
		p.by[h.Sum64()] = append(p.by[h.Sum64()], p.process)
	}
}

var paidSeed = maphash.MakeSeed()

// A run of sessions with models on a server of which a fifth of the requests fail in every way, over three routes,
// that is killed again and again, ends as a calm one: hardly a session fails, and a kill repeats at most one call
// that was paid of each job under way.
func TestKilledRunOnAFaultyServerEndsAsACalmOne(t *testing.T) {
	kills, sessions := 4, 40
	if text := os.Getenv("PARLEY_TEST_KILLS"); text != "" {
		kills, sessions = 30, 300
	}
	server := &llmtest.FaultServer{Seed: 7, Reply: func(_ string, messages []llm.Message) string {
		var h maphash.Hash
		h.SetSeed(paidSeed)
		for _, m := range messages {
			h.WriteString(m.Content)
		}
		return fmt.Sprintf("SAY: Of the %d stones I counted, the old one is loose. Who laid it?", h.Sum64()%1000)
	}}
	var serving atomic.Pointer[llmtest.FaultServer] // calm at first
	serving.Store(server)
	http := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serving.Load().ServeHTTP(w, r) }))
	http.Config.ErrorLog = log.New(io.Discard, "", 0)
	http.Start()
	defer http.Close()
	dir := t.TempDir()
	parley := filepath.Join(dir, "parley")
	if out, err := exec.Command("go", "build", "-o", parley, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// One arm with a route for each of its three: arms share seeds, and so their calls could not be told apart.
	experiment := filepath.Join(dir, "experiment.yaml")
	writeFile(t, experiment, fmt.Appendf(nil, "player:\n  - {name: routes, cast: [\"openai:m?dialect=openai@%[1]s/v1\", \"ollama:m@%[1]s\"]}\nnpc: openai:m?dialect=openai&stream=false@%[1]s/v1\n", http.URL))
	args := []string{"run", experiment, "--seed", "5", "--sessions", strconv.Itoa(sessions), "--players", "2", "--turns", "4", "--form", "lines", "--jobs", "16", "--json"}
	calm, got := filepath.Join(dir, "calm"), filepath.Join(dir, "got")
	start := time.Now()
	if out, err := exec.Command(parley, append(args, "--out", calm)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(start)

	p := &paid{seeds: map[uint64]int64{}, by: map[uint64][]int{}}
	server = &llmtest.FaultServer{Seed: server.Seed, Reply: server.Reply, Share: 0.2, Whole: p.note}
	serving.Store(server)
	failed := 0 // sessions that a process said had failed
	r := rand.New(rand.NewPCG(5, 1))
	next := append(args, "--out", got)
	for {
		var talk bytes.Buffer
		command := exec.Command(parley, next...)
		command.Stderr = &talk
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if p.process < kills {
			// At least until it plays, and somewhere in the time that its part of the run takes.
			time.Sleep(200*time.Millisecond + time.Duration(r.Float64()*1.5*float64(whole)/float64(kills)))
			command.Process.Kill()
		}
		err := command.Wait()
		for _, m := range regexp.MustCompile(`, (\d+) failed`).FindAllSubmatch(talk.Bytes(), -1) {
			n, _ := strconv.Atoi(string(m[1]))
			failed = max(failed, n)
		}
		if p.process == kills || err == nil {
			if err != nil {
				t.Fatalf("%v\n%s", err, &talk)
			}
			break
		}
		p.mu.Lock()
		p.process++
		p.mu.Unlock()
		if exists(filepath.Join(got, run.ManifestName)) {
			next = []string{"resume", got, "--json"}
		}
	}
	if failed > sessions/100 {
		t.Errorf("%d of %d sessions failed in the first pass", failed, sessions)
	}
	t.Logf("%d of %d sessions failed in the first pass; %d kills; mishaps %v", failed, sessions, p.process, server.Counts())
	sameAsCalm(t, calm, got)
	repeats(t, got, p)
}

// sameAsCalm compares two runs but for what faults of a server leave in the calls: times asked, token counts, the
// server's word for the end.
func sameAsCalm(t *testing.T, calm, got string) {
	t.Helper()
	a, err := verifyRun(calm)
	if err != nil {
		t.Fatal(err)
	}
	b, err := verifyRun(got)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Findings)+len(b.Findings) > 0 {
		t.Errorf("findings: %v %v", a.Findings, b.Findings)
	}
	for _, name := range []string{"messages", "events", "scores"} {
		if a.Tables[name].Rows != b.Tables[name].Rows || a.Tables[name].Untimed != b.Tables[name].Untimed {
			t.Errorf("%s: %d rows with digest %.12s, calm %d with %.12s", name, b.Tables[name].Rows, b.Tables[name].Untimed, a.Tables[name].Rows, a.Tables[name].Untimed)
		}
	}
	said := func(dir string) map[string]string {
		replies := map[string]string{}
		for row, err := range rows[session.Row](dir, "sessions") {
			if err != nil {
				t.Fatal(err)
			}
			row.Tokens, row.Started, row.Finished = 0, time.Time{}, time.Time{} // a server that gives no count leaves it out of the sum
			replies[row.ID] = fmt.Sprintf("%+v", row)
		}
		for c, err := range rows[llm.Call](dir, "calls") {
			if err != nil {
				t.Fatal(err)
			}
			replies[c.ID] = fmt.Sprint(c.Prompt, c.Reply, c.Finish, c.Error)
		}
		return replies
	}
	x, y := said(calm), said(got)
	for id, reply := range x {
		if y[id] != reply {
			t.Errorf("%s: %.200q, calm %.200q", id, y[id], reply)
		}
	}
	if len(x) != len(y) {
		t.Errorf("%d calls and sessions, calm %d", len(y), len(x))
	}
}

// repeats counts the calls of each session that were paid by more than one process.
func repeats(t *testing.T, dir string, p *paid) {
	t.Helper()
	session := map[int64]string{}
	for c, err := range rows[llm.Call](dir, "calls") {
		if err != nil {
			t.Fatal(err)
		}
		session[c.Seed] = c.Session
	}
	type kill struct {
		session string
		number  int
	}
	again, all := map[kill]int{}, 0
	p.mu.Lock() // the server may still answer a process that was killed
	defer p.mu.Unlock()
	for request, by := range p.by {
		for i := 1; i < len(by); i++ {
			all++
			again[kill{session[p.seeds[request]], by[i-1]}]++
		}
	}
	for k, n := range again {
		if n > 1 {
			t.Errorf("session %s: %d calls that were paid were repeated by kill %d", k.session, n, k.number)
		}
	}
	t.Logf("%d of %d requests were paid twice", all, len(p.by))
}
