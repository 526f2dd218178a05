package agent_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/characters"
	"parley/logs"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/agent"
	"parley/sim/fleet"
	"parley/sim/llm"
)

// engine plays whole games of four agents with a model that answers at once, and keeps of every turn
// what a run keeps: the session's new messages, the call and the events.
type engine struct {
	factory *agent.Factory
	journal *logs.Journal
	turns   int
	stages  []stage
	wait    bool // for the journal after every turn, so that it never needs more than one batch
}

// stage is a cast and what it plays, which several games may share as the arms of a run do.
type stage struct {
	seed     uint64
	scenario *scenarios.Scenario
}

// newStage draws one. Debriefs are left out, since they are no turns.
func newStage(i int) stage {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	pieces := scenarios.Library().Knowledge
	s := scenarios.NewExchange(&pieces[i%len(pieces)], characters.Generate(r, 4))
	s.Questions = nil
	return stage{r.Uint64(), s}
}

var kept = []string{"messages", "calls", "events"}

type message struct {
	Hash    string   `json:"hash"`
	Role    llm.Role `json:"role"`
	Content string   `json:"content"`
}

// instant answers every turn with another line, so that every turn brings a new message.
func instant() llm.Func {
	responses := make([]*llm.Response, 512)
	tokens := 0
	for i := range responses {
		responses[i] = &llm.Response{
			Text:   fmt.Sprintf(`{"speech": "Then tell me who rang it last, and why the other %d left.", "deed": "leans closer", "to": []}`, i),
			Finish: llm.Stop, ServedBy: "instant", Usage: llm.Usage{Prompt: &tokens, Completion: &tokens},
		}
	}
	return func(_ context.Context, req llm.Request) (*llm.Response, error) {
		return responses[req.Tag.Turn%len(responses)], nil
	}
}

func newEngine(t testing.TB, m llm.Model, turns int, open func(string) (logs.File, error)) *engine {
	t.Helper()
	factory, err := agent.New(agent.Config{Model: m, Name: "script:instant", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	j, err := logs.Open(t.TempDir(), kept, logs.Options{Create: open})
	if err != nil {
		t.Fatal(err)
	}
	return &engine{factory: factory, journal: j, turns: turns}
}

// prepare draws so many stages, so that no time of play is spent on it. Games beyond them begin with
// the first again; without them, each draws its own.
func (e *engine) prepare(stages int) {
	for i := range stages {
		e.stages = append(e.stages, newStage(i))
	}
}

// game plays one game.
func (e *engine) game(ctx context.Context, i int) error {
	var on stage
	if len(e.stages) > 0 {
		on = e.stages[i%len(e.stages)]
	} else {
		on = newStage(i)
	}
	s := on.scenario
	game := sim.Game{
		Episode: sim.NewEpisode(fmt.Sprintf("s%06d", i), sim.Mix(on.seed, uint64(i)), s, e.turns),
		Actors:  make(map[characters.ID]sim.Actor, 4), Now: time.Now,
	}
	table := new(agent.Table)
	for _, c := range s.Cast {
		game.Actors[c.ID] = e.factory.Agent(table)
	}
	var stored llm.Ledger
	for turn, err := range game.Play(ctx) {
		if err != nil {
			return err
		}
		b := e.journal.Batch()
		for i := range turn.Calls {
			for hash, m := range stored.New(&turn.Calls[i]) {
				logs.Add(b, "messages", message{hash, m.Role, m.Content})
			}
		}
		logs.Add(b, "calls", turn.Calls...)
		logs.Add(b, "events", turn.Events...)
		if err := e.journal.Append(b); err != nil {
			return err
		}
		if e.wait {
			if err := e.journal.Flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// play plays so many games, some of them at once, until all is kept.
func (e *engine) play(ctx context.Context, games, atOnce int) error {
	var jobs iter.Seq[func(context.Context) error] = func(yield func(func(context.Context) error) bool) {
		for i := range games {
			if !yield(func(ctx context.Context) error { return e.game(ctx, i) }) {
				return
			}
		}
	}
	if err := fleet.Run(ctx, atOnce, jobs); err != nil {
		return err
	}
	return e.journal.Flush(ctx)
}

// heap is a file in memory, of which the newest megabytes are kept.
type heap struct{ data []byte }

func (h *heap) Write(p []byte) (int, error) {
	if len(h.data)+len(p) > cap(h.data) {
		h.data = h.data[:0]
	}
	h.data = append(h.data, p...)
	return len(p), nil
}
func (*heap) Sync() error  { return nil }
func (*heap) Close() error { return nil }

func inMemory(string) (logs.File, error) { return &heap{make([]byte, 0, 4<<20)}, nil }

// BenchmarkEngine measures agent turns: view, prompt, call, reply, event, and the journal's rows, from
// a game's beginning to its end. Casts are drawn before; see BenchmarkGenerate in characters.
func BenchmarkEngine(b *testing.B) {
	for _, bench := range []struct {
		name   string
		turns  int
		atOnce int
		open   func(string) (logs.File, error)
	}{
		{"memory", 30, 4 * runtime.GOMAXPROCS(0), inMemory},
		{"disk", 30, 256, nil},
		{"turns=30", 30, 4 * runtime.GOMAXPROCS(0), inMemory},
		{"turns=300", 300, 4 * runtime.GOMAXPROCS(0), inMemory},
	} {
		b.Run(bench.name, func(b *testing.B) {
			e := newEngine(b, instant(), bench.turns, bench.open)
			e.prepare(512)
			games := (b.N + bench.turns - 1) / bench.turns
			b.ReportAllocs()
			b.ResetTimer()
			if err := e.play(b.Context(), games, bench.atOnce); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			turns := float64(games * bench.turns)
			b.ReportMetric(turns/b.Elapsed().Seconds(), "turns/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/turns, "ns/turn")
			if err := e.journal.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.Run("1000-games", func(b *testing.B) {
		const games, turns = 1000, 30
		var top float64
		rounds := (b.N + games*turns - 1) / (games * turns)
		for range rounds {
			top = max(top, open(b, games, turns))
		}
		b.ReportMetric(top, "MiB")
		b.ReportMetric(float64(rounds*games*turns)/b.Elapsed().Seconds(), "turns/s")
	})
}

// open plays so many games at once, each of which waits before its last turn until all others are
// there, and returns the most memory that the process held, in MiB.
func open(b *testing.B, games, turns int) float64 {
	runtime.GC()
	var waiting sync.WaitGroup
	waiting.Add(games)
	answer := instant()
	e := newEngine(b, llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
		if req.Tag.Turn == turns {
			waiting.Done()
			waiting.Wait()
		}
		return answer(ctx, req)
	}), turns, nil)
	stop := watch()
	if err := e.play(b.Context(), games, games); err != nil {
		b.Fatal(err)
	}
	top := stop()
	if err := e.journal.Close(); err != nil {
		b.Fatal(err)
	}
	return top
}

// watch looks at what the process holds of the system's memory until stop is called, which returns
// the most, in MiB.
func watch() (stop func() float64) {
	var top atomic.Uint64
	quit, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(s)
			top.Store(max(top.Load(), s[0].Value.Uint64()-s[1].Value.Uint64()))
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() float64 { close(quit); <-done; return float64(top.Load()) / (1 << 20) }
}

// moved is what a game moves about: the pieces and bytes of its prompts, and the bytes of its rows.
type moved [3]float64

// The whole transcript is part of every prompt, so a turn moves more the later it comes. That has to
// grow with the number of turns before it, and not with its square.
func TestTurnGrowsLinearly(t *testing.T) {
	scenarios.Library()
	game := func(turns int) (m moved) {
		var rows counter
		answer := instant()
		e := newEngine(t, llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
			m[0] += float64(len(req.Messages))
			for i := range req.Messages {
				m[1] += float64(len(req.Messages[i].Content))
			}
			return answer(ctx, req)
		}), turns, func(string) (logs.File, error) { return &rows, nil })
		e.wait = true
		if err := e.play(t.Context(), 1, 1); err != nil {
			t.Fatal(err)
		}
		if err := e.journal.Close(); err != nil {
			t.Fatal(err)
		}
		m[2] = float64(rows)
		return m
	}
	const n = 100
	one, two, four := game(n), game(2*n), game(4*n)
	for i, what := range []string{"pieces of prompts", "bytes of prompts", "bytes of rows"} {
		// If turn k costs a + b*k, the turns from 2n to 4n cost at most 4 times as much as those from
		// n to 2n, whatever the fixed cost; with k squared it would be 8 times.
		ratio := (four[i] - two[i]) / (two[i] - one[i])
		if ratio > 6 || ratio < 2 {
			t.Errorf("%s: turns %d to %d cost %.1f times as much as turns %d to %d, want about 4 times", what, 2*n, 4*n, ratio, n, 2*n)
		}
	}
}

// counter is a file that only knows its length.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }
func (*counter) Sync() error                   { return nil }
func (*counter) Close() error                  { return nil }
