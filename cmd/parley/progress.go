package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley/eval"
)

// progress says on the error stream how far a run came and how long it will take: in place on a
// terminal, else a line now and then.
type progress struct {
	w       io.Writer
	inPlace bool
	unit    string // what is counted, such as sessions
	part    string // what they consist of, such as turns
	total   int    // units to do
	started time.Time
	now     func() time.Time
	turns   atomic.Int64
	count   atomic.Int64 // sessions
	failed  atomic.Int64
	without atomic.Int64 // scores without a value
	stop    chan struct{}
	stopped sync.WaitGroup
}

// newProgress starts to report on sessions and their turns until close is called.
func newProgress(w io.Writer, total int, now func() time.Time) *progress {
	return newProgressOf(w, "sessions", "turns", total, now)
}

// newProgressOf starts to report on whatever is counted.
func newProgressOf(w io.Writer, unit, part string, total int, now func() time.Time) *progress {
	p := &progress{w: w, unit: unit, part: part, total: total, started: now(), now: now, stop: make(chan struct{})}
	every, longest := 5*time.Second, time.Minute
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.inPlace, every, longest = true, 200*time.Millisecond, 200*time.Millisecond
		}
	}
	p.stopped.Go(func() {
		for {
			select {
			case <-time.After(every):
				p.print()
				every = min(2*every, longest)
			case <-p.stop:
				return
			}
		}
	})
	return p
}

func (p *progress) turn() { p.turns.Add(1) }

func (p *progress) session(s State) {
	p.count.Add(1)
	if s == stateFailed {
		p.failed.Add(1)
	}
}

func (p *progress) scores(scores []eval.Score) {
	for i := range scores {
		if scores[i].Value == nil && scores[i].Status != eval.NotApplicable {
			p.without.Add(1)
		}
	}
}

func (p *progress) print() {
	end := "\n"
	if p.inPlace {
		end = "\033[K\r"
	}
	fmt.Fprint(p.w, p.line(), end)
}

// line is the state in a line: sessions, turns a second, what went wrong, time to go.
func (p *progress) line() string {
	n, turns := p.count.Load(), p.turns.Load()
	spent := p.now().Sub(p.started)
	s := fmt.Sprintf("%d of %d %s, %d %s", n, p.total, p.unit, turns, p.part)
	if spent > 0 {
		s += fmt.Sprintf(" (%.1f a second)", float64(turns)/spent.Seconds())
	}
	if f := p.failed.Load(); f > 0 {
		s += fmt.Sprintf(", %d failed", f)
	}
	if u := p.without.Load(); u > 0 {
		s += fmt.Sprintf(", %d unscored", u)
	}
	if n > 0 && int(n) < p.total {
		left := time.Duration(float64(spent) / float64(n) * float64(int64(p.total)-n))
		s += fmt.Sprintf(", about %s to go", left.Round(time.Second))
	}
	return s
}

// close ends the reports with a last one.
func (p *progress) close() {
	close(p.stop)
	p.stopped.Wait()
	fmt.Fprint(p.w, p.line())
	if p.inPlace {
		fmt.Fprint(p.w, "\033[K")
	}
	fmt.Fprintln(p.w)
}
