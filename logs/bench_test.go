package logs_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"parley/logs"
)

// memory is a file that keeps nothing, to see what a journal costs beside its disk.
type memory struct{}

func (memory) Write(p []byte) (int, error) { return len(p), nil }
func (memory) Sync() error                 { return nil }
func (memory) Close() error                { return nil }

// BenchmarkJournal appends turns of two events and one call from many goroutines.
func BenchmarkJournal(b *testing.B) {
	for _, bench := range []struct {
		name    string
		options logs.Options
		flush   bool
	}{
		{"memory", logs.Options{Create: func(string) (logs.File, error) { return memory{}, nil }}, false},
		{"durable", logs.Options{}, false},
		{"durable each turn", logs.Options{}, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			j, err := logs.Open(b.TempDir(), []string{"calls", "events"}, bench.options)
			if err != nil {
				b.Fatal(err)
			}
			turns := make([][]event, 64)
			for i := range turns {
				turns[i] = []event{anEvent("session-0001", 2*i), anEvent("session-0001", 2*i+1)}
			}
			c := aCall("session-0001", 1)
			b.ReportAllocs()
			b.SetParallelism(32)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for i := 0; pb.Next(); i++ {
					batch := j.Batch()
					logs.Add(batch, "events", turns[i%64]...)
					logs.Add(batch, "calls", c)
					if err := j.Append(batch); err != nil {
						b.Error(err)
					}
					if bench.flush {
						if err := j.Flush(b.Context()); err != nil {
							b.Error(err)
						}
					}
				}
			})
			if err := j.Close(); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(3*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	e := anEvent("session-0001", 11)
	b.Run("logs", func(b *testing.B) {
		var buf []byte
		for b.Loop() {
			buf, _ = logs.AppendJSON(buf[:0], &e)
		}
		b.SetBytes(int64(len(buf)))
		b.ReportAllocs()
	})
	b.Run("encoding-json", func(b *testing.B) {
		var n int
		for b.Loop() {
			buf, _ := json.Marshal(&e)
			n = len(buf)
		}
		b.SetBytes(int64(n))
		b.ReportAllocs()
	})
}

// peak watches the heap until stop is called, which returns the highest figure seen, in MiB.
func peak() (stop func() float64) {
	var top atomic.Uint64
	quit, done := make(chan bool), make(chan bool)
	runtime.GC()
	go func() {
		defer close(done)
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(s)
			if n := s[0].Value.Uint64() + s[1].Value.Uint64(); n > top.Load() {
				top.Store(n)
			}
			select {
			case <-tick.C:
			case <-quit:
				return
			}
		}
	}()
	return func() float64 { close(quit); <-done; return float64(top.Load()) / (1 << 20) }
}

// BenchmarkCompact makes Parquet of a million events that stand in the order of 200 sessions played
// at once.
func BenchmarkCompact(b *testing.B) {
	const rows, sessions = 1_000_000, 200
	dir := b.TempDir()
	j, err := logs.Open(dir, []string{"events"}, logs.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range rows / sessions {
		batch := j.Batch()
		for s := range sessions {
			logs.Add(batch, "events", anEvent(fmt.Sprintf("session-%04d", s), i))
		}
		if err := j.Append(batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		stop := peak()
		done, err := logs.Compact(filepath.Join(dir, "events.jsonl"), filepath.Join(dir, "events.parquet"),
			logs.Compaction[event]{Compare: bySeq, Keep: logs.KeepFirst})
		if err != nil || done.Rows != rows {
			b.Fatal(done, err)
		}
		b.ReportMetric(stop(), "peak-MiB")
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRead(b *testing.B) {
	const rows = 20_000
	dir := b.TempDir()
	list := make([]event, rows)
	for i := range list {
		list[i] = anEvent("session-0001", i)
	}
	keep(b, dir, "events", list...)
	table := filepath.Join(dir, "events.parquet")
	if _, err := logs.WriteParquet(table, of(list...), logs.Meta{}); err != nil {
		b.Fatal(err)
	}
	b.Run("journal", func(b *testing.B) {
		for b.Loop() {
			all(b, logs.Read[event](filepath.Join(dir, "events.jsonl")))
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("parquet", func(b *testing.B) {
		for b.Loop() {
			all(b, logs.ReadParquet[event](table))
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("write parquet", func(b *testing.B) {
		for b.Loop() {
			if _, err := logs.WriteParquet(table, of(list...), logs.Meta{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
	b.Run("digest", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := logs.Digest(of(list...), nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	})
}
