package logs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// DigestsName is the file of the running digests of a directory's journals: a line for each commit.
const DigestsName = "digests.jsonl"

// mark is how long a stream was after a commit, and the CRC-32C of it until there: a checksum against what
// happens to files, as logs written ahead have it. Whoever could forge one could as well write the marks anew.
type mark struct {
	Size   int64   `json:"size"`
	CRC32C *uint32 `json:"crc32c"` // nil: the writer was an older version, and only the length is known
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// running keeps the running digests of an open journal. It is written behind the lines themselves, and not
// synced: after a power failure the digests of the last commits may be missing, never those of lost lines.
type running struct {
	streams []string
	sums    []hash.Hash32
	sizes   []int64
	file    *os.File
}

// openRunning begins anew with the journals as they are.
func openRunning(dir string, streams []string) (*running, error) {
	r := &running{streams: streams, sums: make([]hash.Hash32, len(streams)), sizes: make([]int64, len(streams))}
	all := map[string]mark{}
	for i, s := range streams {
		r.sums[i] = crc32.New(castagnoli)
		f, err := os.Open(filepath.Join(dir, s+".jsonl"))
		if errors.Is(err, fs.ErrNotExist) { // a test keeps it elsewhere
			f, err = nil, nil
		} else if err == nil {
			r.sizes[i], err = io.Copy(r.sums[i], f)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return nil, err
		}
		all[s] = r.mark(i)
	}
	path := filepath.Join(dir, DigestsName)
	line, err := json.Marshal(all)
	if err == nil {
		err = WriteFile(path, append(line, '\n'))
	}
	if err == nil {
		r.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	}
	return r, err
}

func (r *running) mark(i int) mark {
	sum := r.sums[i].Sum32()
	return mark{r.sizes[i], &sum}
}

// add takes in the lines of a commit.
func (r *running) add(lines [][]byte) error {
	changed := map[string]mark{}
	for i := range lines {
		if len(lines[i]) > 0 {
			r.sums[i].Write(lines[i])
			r.sizes[i] += int64(len(lines[i]))
			changed[r.streams[i]] = r.mark(i)
		}
	}
	line, err := json.Marshal(changed)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	return err
}

// Changed says that a journal is not what its writer left: from a place on, lines are lost or others.
type Changed struct {
	Stream string
	From   int64 // bytes; what is before is as it was written
}

// CheckRunning compares the journals of a directory with their running digests, and returns those that were
// changed. Good has the sizes of all streams at the last commit before which nothing was changed; it is nil
// where there is no such commit. Lines behind the last digest are not checked. Without digests, known is false.
func CheckRunning(dir string, streams []string) (changed []Changed, good map[string]int64, known bool, err error) {
	var commits []map[string]mark
	for line, err := range Lines(filepath.Join(dir, DigestsName)) {
		var marks map[string]mark
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil, false, nil
		case IsTorn(err):
		case err != nil:
			return nil, nil, false, err
		case json.Unmarshal(bytes.TrimSpace(line.Data), &marks) != nil:
			return nil, nil, false, fmt.Errorf("%s:%d: the line holds no digests", filepath.Join(dir, DigestsName), line.Number)
		default:
			commits = append(commits, marks)
		}
	}
	first := len(commits) // the first commit with something that was changed
	for _, s := range streams {
		n, from, err := agrees(filepath.Join(dir, s+".jsonl"), s, commits)
		if err != nil {
			return nil, nil, true, err
		}
		if n < len(commits) {
			changed, first = append(changed, Changed{s, from}), min(first, n)
		}
	}
	if first > 0 {
		good = map[string]int64{}
		for _, marks := range commits[:first] {
			for s, m := range marks {
				good[s] = m.Size
			}
		}
	}
	return changed, good, len(commits) > 0, nil
}

// agrees returns how many commits a journal agrees with, and its size at the last of these.
func agrees(path, stream string, commits []map[string]mark) (n int, size int64, err error) {
	var from io.Reader = bytes.NewReader(nil)
	if f, err := os.Open(path); err == nil {
		defer f.Close()
		from = f
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	sum := crc32.New(castagnoli)
	for n, marks := range commits {
		m, in := marks[stream]
		if !in {
			continue
		}
		got, err := io.CopyN(sum, from, max(0, m.Size-size))
		if err != nil && err != io.EOF {
			return 0, 0, err
		}
		if size+got != m.Size || m.CRC32C != nil && sum.Sum32() != *m.CRC32C {
			return n, size, nil
		}
		size = m.Size
	}
	return len(commits), size, nil
}
