package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/sim/llm"
)

// Progress says how far a run came and how long it will take, in all and by arm, which models have not answered yet,
// and how many calls wait at limits: in place on a terminal, else a line now and then.
type Progress struct {
	w       io.Writer
	inPlace bool
	columns int    // of the terminal
	unit    string // plural of what is counted, such as sessions
	step    string // plural of what they consist of, such as turns
	started time.Time
	now     func() time.Time
	stop    chan struct{}
	stopped sync.WaitGroup

	mu       sync.Mutex
	known    bool // how many jobs there are
	total    count
	arms     map[string]*count
	failed   int
	unscored int
	pending  map[*pending]bool
	answered map[string]bool // models
}

// count is how far the jobs of an arm came.
type count struct{ jobs, steps, of int }

// pending is a call that is not answered.
type pending struct {
	model string
	since time.Time
	sent  bool // it is past the limits
}

// pendingKey finds the pending call in the context of its requests.
type pendingKey struct{}

// NewProgress starts to report on jobs, counted by arm, until Close is called; without jobs, on what is waited for before
// Begin says them. Without a writer it only counts. Columns is the width of a terminal; 0: 80.
func NewProgress(w io.Writer, columns int, unit, step string, jobs map[string]int, now func() time.Time) *Progress {
	p := &Progress{
		w: w, columns: cmp.Or(columns, 80), unit: unit, step: step, now: now, stop: make(chan struct{}),
		pending: map[*pending]bool{}, answered: map[string]bool{},
	}
	p.Begin(jobs)
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

// Begin starts the counts anew, with these jobs by arm.
func (p *Progress) Begin(jobs map[string]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started, p.total, p.arms, p.failed, p.unscored = p.now(), count{}, map[string]*count{}, 0, 0
	p.known = jobs != nil
	for arm, n := range jobs {
		p.arms[arm] = &count{of: n}
		p.total.of += n
	}
}

func (p *Progress) print() {
	line := []rune(p.Line())
	switch {
	case p.inPlace:
		fmt.Fprint(p.w, string(line[:min(len(line), p.columns-1)]), "\033[K\r")
	case len(line) > 0:
		fmt.Fprintln(p.w, string(line))
	}
}

// arm returns the count of an arm.
func (p *Progress) arm(name string) *count {
	if p.arms[name] == nil {
		p.arms[name] = &count{}
	}
	return p.arms[name]
}

// Step counts a step of a job of an arm.
func (p *Progress) Step(arm string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total.steps++
	p.arm(arm).steps++
}

// Job counts a job of an arm that ended, and the scores that it is without.
func (p *Progress) Job(arm string, failed bool, unscored int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total.jobs++
	p.arm(arm).jobs++
	p.unscored += unscored
	if failed {
		p.failed++
	}
}

// At sets how many jobs and steps are done, where they are not counted one by one.
func (p *Progress) At(jobs, steps int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.total.jobs, p.total.steps = jobs, steps
}

// Ask notes that a model is asked, in the context of whose requests Sent is called, until done is.
func (p *Progress) Ask(ctx context.Context, model string) (asking context.Context, done func()) {
	call := &pending{model: model, since: p.now()}
	p.mu.Lock()
	p.pending[call] = true
	p.mu.Unlock()
	return context.WithValue(ctx, pendingKey{}, call), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.pending, call)
		p.answered[model] = true
	}
}

// Sent notes that a request is past the limits and goes to its server.
func (p *Progress) Sent(ctx context.Context) {
	if call, ok := ctx.Value(pendingKey{}).(*pending); ok {
		p.mu.Lock()
		call.sent = true
		p.mu.Unlock()
	}
}

// Line is the state in a line: jobs, steps a second, what went wrong, time to go, then the models that are waited for,
// and the arms, where there are several. Before the jobs are known it says only what is waited for.
func (p *Progress) Line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.known {
		return strings.Join(p.waits(), ", ")
	}
	spent := p.now().Sub(p.started)
	parts := []string{fmt.Sprintf("%d of %d %s, %d %s%s", p.total.jobs, p.total.of, p.unit, p.total.steps, p.step, p.total.pace(spent))}
	if p.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", p.failed))
	}
	if p.unscored > 0 {
		parts = append(parts, fmt.Sprintf("%d unscored", p.unscored))
	}
	if left := p.total.left(spent); left != "" {
		parts = append(parts, left)
	}
	parts = append(parts, p.waits()...)
	line := strings.Join(parts, ", ")
	var arms []string
	for _, name := range slices.Sorted(maps.Keys(p.arms)) {
		if a := p.arms[name]; a.jobs < a.of && len(p.arms) > 1 {
			part := fmt.Sprintf("%s %d of %d%s", llm.Clean(name), a.jobs, a.of, a.pace(spent))
			if left := a.left(spent); left != "" {
				part += ", " + left
			}
			arms = append(arms, part)
		}
	}
	if len(arms) > 0 {
		line += ": " + strings.Join(arms, "; ")
	}
	return line
}

// pace is the number of steps a second.
func (c *count) pace(spent time.Duration) string {
	if spent <= 0 || c.steps == 0 {
		return ""
	}
	return fmt.Sprintf(" (%.1f a second)", float64(c.steps)/spent.Seconds())
}

// left is the time that the jobs that are left will take, where one was done.
func (c *count) left(spent time.Duration) string {
	if c.jobs == 0 || c.jobs >= c.of {
		return ""
	}
	left := time.Duration(float64(spent) / float64(c.jobs) * float64(c.of-c.jobs))
	return fmt.Sprintf("about %s to go", left.Round(time.Second))
}

// waits names the models that were asked and have never answered, which may be loading them, and counts the calls that
// wait at limits. Servers do not tell a model that is loading from one that is slow.
func (p *Progress) waits() (list []string) {
	waiting, held := map[string]time.Time{}, 0
	for call := range p.pending {
		if !call.sent {
			held++
		} else if at, known := waiting[call.model]; !p.answered[call.model] && (!known || call.since.Before(at)) {
			waiting[call.model] = call.since
		}
	}
	for _, model := range slices.Sorted(maps.Keys(waiting)) {
		list = append(list, fmt.Sprintf("waiting %s for %s to load or answer", p.now().Sub(waiting[model]).Round(time.Second), llm.Clean(model)))
	}
	if held > 0 {
		list = append(list, fmt.Sprintf("%d calls wait at limits", held))
	}
	return list
}

// Close ends the reports with a last one.
func (p *Progress) Close() {
	if p.w == nil {
		return
	}
	close(p.stop)
	p.stopped.Wait()
	p.print()
	if p.inPlace && p.known {
		fmt.Fprintln(p.w)
	}
}
