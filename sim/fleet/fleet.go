// Package fleet plays many games at once in this process. It knows nothing of what a job does.
package fleet

import (
	"context"
	"iter"
	"sync"
)

// Run takes jobs from the sequence in order and runs up to n of them at once. It stops taking jobs
// when the context is done or a job returns an error, waits for those that run, and returns the
// first error. Memory does not grow with the number of jobs.
func Run(ctx context.Context, n int, jobs iter.Seq[func(ctx context.Context) error]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slots := make(chan struct{}, max(1, n))
	var running sync.WaitGroup
	for job := range jobs {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		running.Go(func() {
			defer func() { <-slots }()
			if err := job(ctx); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}
