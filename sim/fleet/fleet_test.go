package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/sim/fleet"
)

type job = func(context.Context) error

// jobs yields n jobs that all do the same, and counts how many were taken.
func jobs(n int, do func(ctx context.Context, i int) error) (all iter.Seq[job], taken *int) {
	taken = new(int)
	return func(yield func(job) bool) {
		for i := range n {
			*taken++
			if !yield(func(ctx context.Context) error { return do(ctx, i) }) {
				return
			}
		}
	}, taken
}

// pause waits, or returns why the context is done.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func TestJobsStartInOrderAndNoMoreAtOnce(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				started := map[time.Duration][]int{} // by the time since the start
				running, most := 0, 0
				begin := time.Now()
				all, _ := jobs(20, func(ctx context.Context, i int) error {
					mu.Lock()
					started[time.Since(begin)] = append(started[time.Since(begin)], i)
					running++
					most = max(most, running)
					mu.Unlock()
					err := pause(ctx, time.Second)
					mu.Lock()
					running--
					mu.Unlock()
					return err
				})
				if err := fleet.Run(t.Context(), n, all); err != nil {
					t.Fatal(err)
				}
				if most != n {
					t.Errorf("%d ran at once, want %d", most, n)
				}
				if got, want := time.Since(begin), time.Duration((20+n-1)/n)*time.Second; got != want {
					t.Errorf("all took %v, want %v: a free place stays empty", got, want)
				}
				for at, group := range started {
					slices.Sort(group) // those that start at one moment
					first := int(at/time.Second) * n
					for k, i := range group {
						if i != first+k {
							t.Errorf("after %v jobs %v start, want them in order from %d", at, group, first)
							break
						}
					}
				}
			})
		})
	}
}

func TestFirstErrorStopsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := errors.New("bad")
		var ended atomic.Int32
		all, taken := jobs(1000, func(ctx context.Context, i int) error {
			defer ended.Add(1)
			if i == 5 {
				time.Sleep(time.Second)
				return bad
			}
			if err := pause(ctx, time.Duration(1+i)*time.Hour); err != nil {
				time.Sleep(time.Minute) // what runs may take its time to end
				return errors.New("late")
			}
			return nil
		})
		begin := time.Now()
		if err := fleet.Run(t.Context(), 8, all); err != bad {
			t.Errorf("error %v, want the first one", err)
		}
		if *taken > 9 || int(ended.Load()) != 8 {
			t.Errorf("%d jobs taken and %d ended, want 8 that ended and at most one taken in vain", *taken, ended.Load())
		}
		if got := time.Since(begin); got != time.Minute+time.Second {
			t.Errorf("returned after %v, want when the last one had ended", got)
		}
	})
}

func TestErrorOfTheOnlyPlace(t *testing.T) {
	bad := errors.New("bad")
	all, taken := jobs(1000, func(context.Context, int) error { return bad })
	if err := fleet.Run(t.Context(), 0, all); err != bad || *taken > 3 {
		t.Errorf("error %v after %d jobs, want the first one's; less than one place is one", err, *taken)
	}
}

func TestCancelEndsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		all, taken := jobs(1000, func(ctx context.Context, i int) error { return pause(ctx, time.Hour) })
		go func() {
			time.Sleep(90 * time.Minute)
			cancel(why)
		}()
		if err := fleet.Run(ctx, 4, all); err != why {
			t.Errorf("error %v, want the context's cause", err)
		}
		if *taken < 8 || *taken > 9 {
			t.Errorf("%d jobs taken in one and a half rounds of 4", *taken)
		}
		all, taken = jobs(1000, func(context.Context, int) error { t.Error("a job runs"); return nil })
		if err := fleet.Run(ctx, 4, all); err != why || *taken > 1 {
			t.Errorf("with a context that is done: error %v after %d jobs", err, *taken)
		}
	})
}

// A synctest bubble does not end before its goroutines do, and reports those that wait for ever.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		before := runtime.NumGoroutine()
		for _, fails := range []bool{false, true} {
			all, _ := jobs(100, func(ctx context.Context, i int) error {
				if fails && i == 50 {
					return errors.New("bad")
				}
				return pause(ctx, time.Second)
			})
			if err := fleet.Run(ctx, 16, all); (err != nil) != fails {
				t.Error(err)
			}
			synctest.Wait()
			if now := runtime.NumGoroutine(); now > before {
				t.Errorf("%d goroutines before, %d after", before, now)
			}
		}
	})
}

func TestNoJobs(t *testing.T) {
	all, _ := jobs(0, nil)
	if err := fleet.Run(t.Context(), 4, all); err != nil {
		t.Error(err)
	}
}

// However many jobs there are, only so many are held at a time.
func TestJobsAreNotCollected(t *testing.T) {
	var held, most atomic.Int64
	all := func(yield func(job) bool) {
		for range 10_000 {
			most.Store(max(most.Load(), held.Add(1)))
			if !yield(func(context.Context) error { held.Add(-1); return nil }) {
				return
			}
		}
	}
	if err := fleet.Run(t.Context(), 3, all); err != nil {
		t.Fatal(err)
	}
	if n := most.Load(); n > 4 {
		t.Errorf("%d jobs were taken and not done at one time, want at most 4", n)
	}
}
