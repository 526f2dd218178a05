package viewer

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/eval/run"
	"parley/eval/session"
)

// Limits of what an index keeps of a run, whoever made it.
const (
	maxArms    = 64
	maxMetrics = 64
	maxFaults  = 63  // kinds; the others count as one
	maxReasons = 500 // different ones
	maxError   = 160 // characters
)

// index holds in memory, of a run of sessions: a summary of each session, and where its rows are. It
// grows with the run's files.
type index struct {
	dir string
	ctx context.Context // ends reading
	end context.CancelFunc

	mu       sync.RWMutex
	manifest *run.Manifest
	stated   fs.FileInfo // of the manifest
	broken   error       // why the manifest cannot be read
	summary
	version int64         // changes with everything that pages show
	reading string        // the table that is being read; empty: none
	done    chan struct{} // closed when the reading under way has ended; nil: none is

	searches []*search
}

// summary holds the results of reading a run's tables.
type summary struct {
	arms     []string
	metrics  []string // scorer/metric
	faults   []string // kinds
	reasons  []string // why something is unscored; the first is empty
	sessions []*entry
	byID     map[string]*entry
	items    []*item // by index
	byIndex  map[int]*item
	findings []string // what cannot be read
	tables   map[string]*table
	prefixes []uint64         // how the hash of each message begins; Parquet is sorted by it
	lines    map[uint64]int64 // where messages are in a journal, by how their hash begins
}

// table is how far a table was read.
type table struct {
	file run.File
	next int64 // row or byte
	rows int64
}

// item is one situation, which a session of every arm plays.
type item struct {
	index int
	title string
	cells []*entry // by arm; nil: none
}

// entry is the summary of a session.
type entry struct {
	id, title, ended, failure string
	state                     run.State // empty: under way
	arm, index                int
	turns                     int
	faults                    uint64 // a bit for each kind
	scores                    []cell // by metric
	at                        session.Places
}

// cell is the mean of a metric over a session's subjects.
type cell struct {
	sum        float64
	n, without uint16 // subjects with a value, and without
	reason     uint16 // of one without, as an index
}

// value returns the mean, NaN where there is none.
func (c cell) value() float64 {
	if c.n == 0 {
		return math.NaN()
	}
	return c.sum / float64(c.n)
}

// score returns the cell of a metric.
func (e *entry) score(metric int) cell {
	if metric < 0 || metric >= len(e.scores) {
		return cell{}
	}
	return e.scores[metric]
}

func newIndex(ctx context.Context, dir string) *index {
	x := &index{dir: dir}
	x.ctx, x.end = context.WithCancel(ctx)
	return x
}

// reset forgets what was read, since the files are others now.
func (x *index) reset() {
	x.summary = summary{
		reasons: []string{""}, byID: map[string]*entry{}, byIndex: map[int]*item{}, tables: map[string]*table{},
	}
	if x.manifest != nil {
		x.arms = slices.Clone(x.manifest.Arms[:min(len(x.manifest.Arms), maxArms)])
	}
	x.searches = nil
	x.version++
}

// refresh reads what is new, and returns when that is done or when the time is over: reading goes on then.
func (x *index) refresh(wait time.Duration) {
	x.mu.Lock()
	if x.done == nil {
		x.done = make(chan struct{})
		go x.read()
	}
	done := x.done
	x.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// read reads what is new in the run's files. It alone changes the index, which it locks for as short as it can.
func (x *index) read() {
	if err := x.readManifest(); err == nil && x.manifest.Kind == session.Kind {
		for range 3 { // times that the files may change meanwhile
			if err := x.readTables(); !errors.Is(err, errChanged) {
				break
			}
			x.mu.Lock()
			x.reset()
			x.mu.Unlock()
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.reading != "" {
		x.version++
	}
	close(x.done)
	x.done, x.reading = nil, ""
}

// errChanged says that a file is another one than the one that was read.
var errChanged = errors.New("the file is another one now")

// known reports whether the manifest has been read; the error says why it cannot be.
func (x *index) known() (bool, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.broken != nil || x.manifest != nil {
		return x.broken == nil, x.broken
	}
	return false, x.ctx.Err()
}

// readManifest reads the manifest where it is another one than the one that is known.
func (x *index) readManifest() error {
	info, err := os.Lstat(filepath.Join(x.dir, run.ManifestName))
	if err == nil && x.stated != nil && x.broken == nil && os.SameFile(info, x.stated) && info.Size() == x.stated.Size() && info.ModTime().Equal(x.stated.ModTime()) {
		return nil
	}
	m, err := run.ReadManifest(x.dir)
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		if x.broken == nil || x.broken.Error() != err.Error() {
			x.version++
		}
		x.broken = err
		return err
	}
	x.manifest, x.stated, x.broken = m, info, nil
	if x.byID == nil {
		x.reset()
	}
	x.version++
	return nil
}
