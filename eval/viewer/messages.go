package viewer

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"slices"

	"parley/eval/run"
	"parley/logs"
)

// prefix returns how a hash begins, as a number in the order of the hashes.
func prefix(hash string) uint64 {
	var b [8]byte
	copy(b[:], hash)
	return binary.BigEndian.Uint64(b[:])
}

// seed is of the hash by which messages of a journal are found.
var seed = maphash.MakeSeed()

// messages reads messages by their hashes, which are sorted. Those that are not there are missing.
func (x *index) messages(hashes []string) (map[string]run.Message, error) {
	x.mu.RLock()
	var file run.File
	if t := x.tables[run.Messages.Name]; t != nil {
		file = t.file
	}
	var spans []logs.Span
	for _, hash := range hashes {
		if !file.Parquet {
			if at, ok := x.lines[maphash.String(seed, hash)]; ok {
				spans = append(spans, logs.Span{From: at, To: at + 1})
			}
			continue
		}
		first, _ := slices.BinarySearch(x.prefixes, prefix(hash))
		end := first
		for end < len(x.prefixes) && end-first < maxAlike && x.prefixes[end] == prefix(hash) {
			end++
		}
		if end > first {
			spans = append(spans, logs.Span{From: int64(first), To: int64(end)})
		}
	}
	x.mu.RUnlock()
	slices.SortFunc(spans, func(a, b logs.Span) int { return cmp.Compare(a.From, b.From) })
	spans = slices.Compact(spans)
	found := map[string]run.Message{}
	for m, err := range run.Messages.Within(file, spans...) {
		if err != nil {
			return found, fmt.Errorf("read the messages: %w", err)
		}
		if _, asked := slices.BinarySearch(hashes, m.Hash); asked {
			found[m.Hash] = m
		}
	}
	return found, nil
}

// maxAlike is how many messages are looked at whose hashes begin alike, which no honest run has many of.
const maxAlike = 64
