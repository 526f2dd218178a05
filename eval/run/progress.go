package run

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Progress says how far a run came and how long it will take: in place on a terminal, else a line now and
// then.
type Progress struct {
	w        io.Writer
	inPlace  bool
	unit     string // plural of what is counted, such as sessions
	step     string // plural of what they consist of, such as turns
	total    int    // units to do
	started  time.Time
	now      func() time.Time
	Steps    atomic.Int64 // done
	Jobs     atomic.Int64 // units done
	failed   atomic.Int64
	unscored atomic.Int64
	stop     chan struct{}
	stopped  sync.WaitGroup
}

// NewProgress starts to report on a total of units until Close is called. Without a writer it only counts.
func NewProgress(w io.Writer, unit, step string, total int, now func() time.Time) *Progress {
	p := &Progress{w: w, unit: unit, step: step, total: total, started: now(), now: now, stop: make(chan struct{})}
	if w == nil {
		return p
	}
	every, longest := time.Second, time.Minute
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

func (p *Progress) print() {
	end := "\n"
	if p.inPlace {
		end = "\033[K\r"
	}
	fmt.Fprint(p.w, p.line(), end)
}

// line is the state in a line: jobs, steps a second, what went wrong, time to go.
func (p *Progress) line() string {
	n, steps := p.Jobs.Load(), p.Steps.Load()
	spent := p.now().Sub(p.started)
	s := fmt.Sprintf("%d of %d %s, %d %s", n, p.total, p.unit, steps, p.step)
	if steps == 0 && n == 0 {
		return fmt.Sprintf("0 of %d %s, waiting for the first of the %s ... %s", p.total, p.unit, p.step, spent.Round(time.Second))
	}
	if spent > 0 {
		s += fmt.Sprintf(" (%.1f a second)", float64(steps)/spent.Seconds())
	}
	if f := p.failed.Load(); f > 0 {
		s += fmt.Sprintf(", %d failed", f)
	}
	if u := p.unscored.Load(); u > 0 {
		s += fmt.Sprintf(", %d unscored", u)
	}
	if n > 0 && int(n) < p.total {
		left := time.Duration(float64(spent) / float64(n) * float64(int64(p.total)-n))
		s += fmt.Sprintf(", about %s to go", left.Round(time.Second))
	}
	return s
}

// Close ends the reports with a last one.
func (p *Progress) Close() {
	if p.w == nil {
		return
	}
	close(p.stop)
	p.stopped.Wait()
	fmt.Fprint(p.w, p.line())
	if p.inPlace {
		fmt.Fprint(p.w, "\033[K")
	}
	fmt.Fprintln(p.w)
}
