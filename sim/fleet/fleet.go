// Package fleet runs many jobs at once in this process, such as games.
package fleet

import (
	"context"
	"iter"
	"sync"
)

// Run takes jobs from the sequence in order and runs up to n of them at once. It stops taking jobs
// when the context is done or a job returns an error, waits for those that run, and returns the
// first error. Memory does not grow with the number of jobs. A goroutine runs one job after another, as
// its stack, once grown, serves all of them.
func Run(ctx context.Context, n int, jobs iter.Seq[func(ctx context.Context) error]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan func(context.Context) error)
	do := func(job func(context.Context) error) {
		if ctx.Err() != nil {
			return
		}
		if err := job(ctx); err != nil {
			cancel(err)
		}
	}
	var running sync.WaitGroup
	started := 0
	for job := range jobs {
		if started < max(1, n) {
			started++
			running.Go(func() {
				do(job)
				for next := range work {
					do(next)
				}
			})
		} else {
			select {
			case work <- job:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(work)
	running.Wait()
	return context.Cause(ctx)
}
