package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// MaxLine is the length of the longest line that is written or read, its line end included.
const MaxLine = 16 << 20

// File is what a journal writes to. An *os.File is one.
type File interface {
	io.WriteCloser
	Sync() error
}

// Options says how a journal is kept.
type Options struct {
	// Limit is how many bytes may wait for the disk before Append does. 0: 16 MiB.
	Limit int
	// Create opens a file for appending. Nil: a file of the operating system.
	Create func(path string) (File, error)
}

// Journal appends rows to the streams of one directory, each a file NAME.jsonl.
//
// One goroutine writes. It takes all that waits, and for each stream in order it makes one write and
// one sync, before it comes to the next stream. So no row is on disk before the rows of the earlier
// streams in its batch are, and many callers share the cost of a sync. Its methods may be called by
// many goroutines at once.
type Journal struct {
	streams []string
	paths   []string
	files   []File
	digests *running
	limit   int
	pool    sync.Pool
	done    chan struct{}

	mu       sync.Mutex
	work     sync.Cond // something waits, or no more is to come
	room     sync.Cond // there is less to write, or an error
	pending  [][]byte  // lines of each stream that wait for the writer
	waiting  int       // bytes that wait or are being written
	appended uint64    // batches so far
	written  uint64    // batches so far
	flushes  []flush
	closed   bool
	err      error // the first one; nothing is written after it
}

type flush struct {
	upTo uint64
	done chan error
}

// Open opens the streams of a directory, named in the order in which their rows become durable, and
// creates the files that are not there and that of their running digests (see CheckRunning). What a killed writer left is removed: a torn last line, and
// temporary files. The caller holds the directory by Lock.
func Open(dir string, streams []string, o Options) (*Journal, error) {
	j := &Journal{
		streams: slices.Clone(streams), limit: o.Limit,
		pending: make([][]byte, len(streams)), done: make(chan struct{}),
	}
	if j.limit <= 0 {
		j.limit = 16 << 20
	}
	j.work.L, j.room.L = &j.mu, &j.mu
	j.pool.New = func() any { return &Batch{journal: j, rows: make([][]byte, len(streams))} }
	create := o.Create
	if create == nil {
		create = func(path string) (File, error) {
			return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		}
	}
	if err := removeTemp(dir); err != nil {
		return nil, fmt.Errorf("open the journal: %w", err)
	}
	for _, s := range streams {
		path := filepath.Join(dir, s+".jsonl")
		if _, err := Repair(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(err, j.closeFiles())
		}
		f, err := create(path)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("open the journal: %w", err), j.closeFiles())
		}
		j.paths, j.files = append(j.paths, path), append(j.files, f)
	}
	if err := syncDir(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal: %w", err), j.closeFiles())
	}
	var err error
	if j.digests, err = openRunning(dir, j.streams); err != nil {
		return nil, errors.Join(fmt.Errorf("open the journal: %w", err), j.closeFiles())
	}
	go j.run()
	return j, nil
}

// Batch is rows of several streams that belong together. It is filled by one goroutine, appended
// once, and not used after that.
type Batch struct {
	journal *Journal
	rows    [][]byte // lines of each stream
	err     error
}

// Batch begins an empty batch.
func (j *Journal) Batch() *Batch {
	return j.pool.Get().(*Batch)
}

// Add encodes rows into a batch, on the caller's goroutine. An error is kept in the batch, which
// Append then refuses.
func Add[T any](b *Batch, stream string, rows ...T) {
	i := slices.Index(b.journal.streams, stream)
	if i < 0 {
		b.fail(fmt.Errorf("the journal has no stream %q", stream))
		return
	}
	lines := b.rows[i]
	if lines == nil && len(rows) > 0 {
		lines = make([]byte, 0, 4<<10)
	}
	for k := range rows {
		from := len(lines)
		var err error
		lines, err = AppendJSON(lines, &rows[k])
		lines = append(lines, '\n')
		if err == nil && len(lines)-from > MaxLine {
			err = fmt.Errorf("it is longer than %d MiB", MaxLine>>20)
		}
		if err != nil {
			b.fail(fmt.Errorf("a row of %s cannot be kept: %w", stream, err))
			break
		}
	}
	b.rows[i] = lines
}

func (b *Batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *Batch) size() (n int) {
	for _, r := range b.rows {
		n += len(r)
	}
	return n
}

// Append hands a batch to the writer. It does not wait for the disk, unless more than Limit bytes
// wait already. It returns the batch's own error, in which case nothing of it is written, or the
// first error of the writer, after which nothing more is.
func (j *Journal) Append(b *Batch) error {
	defer j.release(b)
	if b.err != nil {
		return b.err
	}
	n := b.size()
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.err == nil && !j.closed && j.waiting > 0 && j.waiting+n > j.limit {
		j.room.Wait()
	}
	if j.err != nil {
		return j.err
	}
	if j.closed {
		return fmt.Errorf("append to the journal: %w", os.ErrClosed)
	}
	for i, lines := range b.rows {
		j.pending[i] = append(j.pending[i], lines...)
	}
	j.waiting += n
	j.appended++
	j.work.Signal()
	return nil
}

// Flush waits until all that was appended before is on disk, and returns the writer's first error.
func (j *Journal) Flush(ctx context.Context) error {
	j.mu.Lock()
	if j.err != nil || j.written == j.appended {
		defer j.mu.Unlock()
		return j.err
	}
	f := flush{j.appended, make(chan error, 1)}
	j.flushes = append(j.flushes, f)
	j.mu.Unlock()
	select {
	case err := <-f.done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("wait for the journal: %w", context.Cause(ctx))
	}
}

// Close writes what waits, closes the files and returns the first error.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		<-j.done
		return j.err
	}
	j.closed = true
	j.work.Signal()
	j.room.Broadcast()
	j.mu.Unlock()
	<-j.done
	return errors.Join(j.err, j.closeFiles())
}

func (j *Journal) closeFiles() (err error) {
	for _, f := range j.files {
		err = errors.Join(err, f.Close())
	}
	if j.digests != nil && j.digests.file != nil {
		err = errors.Join(err, j.digests.file.Close())
	}
	return err
}

// run is the writer. It and those who append fill two sets of buffers in turn.
func (j *Journal) run() {
	defer close(j.done)
	lines := make([][]byte, len(j.streams))
	written := uint64(0)
	for {
		j.mu.Lock()
		for j.appended == written && !j.closed {
			j.work.Wait()
		}
		if j.appended == written {
			j.mu.Unlock()
			return
		}
		lines, j.pending = j.pending, lines
		written = j.appended
		err := j.err
		j.mu.Unlock()
		if err == nil {
			err = j.commit(lines)
		}
		n := 0
		for i := range lines {
			n += len(lines[i])
			if lines[i] = lines[i][:0]; cap(lines[i]) > 2*j.limit {
				lines[i] = nil
			}
		}
		j.settle(n, written, err)
	}
}

// settle accounts for all batches up to the one written last, and wakes those who wait for them.
func (j *Journal) settle(bytes int, written uint64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting -= bytes
	j.written = written
	if j.err == nil {
		j.err = err
	}
	j.flushes = slices.DeleteFunc(j.flushes, func(f flush) bool {
		if j.err == nil && f.upTo > j.written {
			return false
		}
		f.done <- j.err
		return true
	})
	j.room.Broadcast()
}

// commit writes the lines, stream by stream.
func (j *Journal) commit(lines [][]byte) error {
	for i, f := range j.files {
		if len(lines[i]) == 0 {
			continue
		}
		_, err := f.Write(lines[i])
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			return fmt.Errorf("write the journal %s: %w", j.paths[i], err)
		}
	}
	if err := j.digests.add(lines); err != nil {
		return fmt.Errorf("write the journal's %s: %w", DigestsName, err)
	}
	return nil
}

// release keeps a batch's buffers for another, unless they are unusually large.
func (j *Journal) release(b *Batch) {
	if b.size() > 1<<20 {
		return
	}
	b.err = nil
	for i := range b.rows {
		b.rows[i] = b.rows[i][:0]
	}
	j.pool.Put(b)
}
