package finetune

import (
	"context"
	"iter"
	"runtime"
	"sync"
)

// batch is how many items a worker takes at once.
const batch = 64

// ordered runs work on every item of a stream in as many goroutines as there are processors, and
// hands the results to take in the order of the items. Each goroutine has a scratch of its own. It
// ends with the first error in the order of the items, or with the context's, and leaves no goroutine
// behind.
func ordered[T, S, R any](ctx context.Context, items iter.Seq2[T, error], work func(item T, scratch *S) (R, error), take func(R) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	type job struct {
		items   []T
		results []R
		err     error // after the results
		done    chan struct{}
	}
	n := max(1, runtime.GOMAXPROCS(0))
	jobs, queue := make(chan *job, n), make(chan *job, 2*n)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel(nil)
	group.Go(func() {
		defer close(queue)
		defer close(jobs)
		send := func(j *job) bool {
			select {
			case queue <- j:
			case <-ctx.Done():
				return false
			}
			jobs <- j // there is always a worker that takes it
			return true
		}
		next := &job{done: make(chan struct{})}
		for item, err := range items {
			if err != nil {
				next.err = err
				break
			}
			if next.items = append(next.items, item); len(next.items) == batch {
				if !send(next) {
					return
				}
				next = &job{done: make(chan struct{})}
			}
			if ctx.Err() != nil {
				return
			}
		}
		send(next)
	})
	for range n {
		group.Go(func() {
			var scratch S
			for j := range jobs {
				end := j.err
				j.err = nil
				for _, item := range j.items {
					r, err := work(item, &scratch)
					if err != nil {
						end = err
						break
					}
					j.results = append(j.results, r)
				}
				j.items, j.err = nil, end
				close(j.done)
			}
		})
	}
	for {
		var j *job
		var ok bool
		select {
		case j, ok = <-queue:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !ok {
			return context.Cause(ctx)
		}
		<-j.done
		for _, r := range j.results {
			if err := take(r); err != nil {
				return err
			}
		}
		if j.err != nil {
			return j.err
		}
	}
}
