package finetune

import (
	"context"
	"iter"
	"sync"
)

// parallel applies work to the items of a stream, n at a time, and yields the results in the order of
// the items. An error of the stream comes in its place. A *Dropped aside, the first error ends the
// stream, as does the end of the context; no goroutine is left behind.
func parallel[T, R any](ctx context.Context, n int, items iter.Seq2[T, error], work func(context.Context, T) (R, error)) iter.Seq2[R, error] {
	type outcome struct {
		result R
		err    error
	}
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var group sync.WaitGroup
		defer group.Wait()
		defer cancel()
		var queue []chan outcome
		first := func() bool {
			o := <-queue[0]
			queue = queue[1:]
			return yield(o.result, o.err) && (o.err == nil || dropped(o.err))
		}
		for item, err := range items {
			if ctx.Err() != nil {
				yield(*new(R), ctx.Err())
				return
			}
			place := make(chan outcome, 1)
			queue = append(queue, place)
			if err != nil {
				place <- outcome{err: err}
			} else {
				group.Go(func() {
					r, err := work(ctx, item)
					place <- outcome{r, err}
				})
			}
			for len(queue) >= max(1, n) {
				if !first() {
					return
				}
			}
		}
		for len(queue) > 0 {
			if !first() {
				return
			}
		}
	}
}

// all makes a stream without errors of a list.
func all[T any](list []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range list {
			if !yield(item, nil) {
				return
			}
		}
	}
}
