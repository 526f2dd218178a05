package finetune

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"slices"
)

// Near duplicates are found by MinHash over runs of five words of an example's Body: 112 hashes in 14
// bands of 8. Two bodies that share s of their runs (Jaccard) have a band in common with probability
// 1-(1-s^8)^14, which is a half near 0.69 and 0.92 at 0.8; those that have are compared by all their
// hashes and are near duplicates from 0.72 on, give or take 0.04, the estimate's standard error.
const (
	nearWords   = 5
	nearBands   = 14
	nearRows    = 8
	nearHashes  = nearBands * nearRows
	nearLeast   = 0.72
	sketchBytes = 4 * nearHashes
	crowd       = 64 // examples that are compared by one band at most, the earliest
)

// nearSeeds are the multipliers and offsets of the hashes.
var nearSeeds = func() (seeds [nearHashes][2]uint64) {
	for i := range seeds {
		seeds[i] = [2]uint64{mix(uint64(2*i)+hashStart) | 1, mix(uint64(2*i+1) + hashStart)}
	}
	return seeds
}()

// sketch appends the MinHash of a text's grams.
func sketch(dst []byte, grams []uint64) []byte {
	var least [nearHashes]uint32
	for i := range least {
		least[i] = 1<<32 - 1
	}
	for _, g := range grams {
		for i := range least {
			if v := uint32((nearSeeds[i][0]*g + nearSeeds[i][1]) >> 32); v < least[i] {
				least[i] = v
			}
		}
	}
	for _, v := range least {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return dst
}

// jaccard estimates what share of their grams two texts have in common.
func jaccard(a, b []byte) float64 {
	n := 0
	for i := 0; i < sketchBytes; i += 4 {
		if a[i] == b[i] && a[i+1] == b[i+1] && a[i+2] == b[i+2] && a[i+3] == b[i+3] {
			n++
		}
	}
	return float64(n) / nearHashes
}

// bands is a table of the examples that are kept by their bands: open addressing, a tag and an index
// in a slot, as there are millions.
type bands struct {
	slots []struct{ tag, index uint32 } // index+1; 0 is free
	mask  uint64
}

func newBands(examples int) *bands {
	size := 1 << 10
	for size < examples*nearBands*4/3 {
		size *= 2
	}
	return &bands{slots: make([]struct{ tag, index uint32 }, size), mask: uint64(size - 1)}
}

// look calls yield for the examples that share a band, and returns where the next one goes, or -1 if
// there are enough.
func (b *bands) look(band uint64, yield func(index int)) (slot int) {
	seen := 0
	for at := band & b.mask; ; at = (at + 1) & b.mask {
		s := b.slots[at]
		if s.index == 0 {
			return int(at)
		}
		if s.tag == uint32(band>>32) {
			yield(int(s.index - 1))
			if seen++; seen == crowd {
				return -1
			}
		}
	}
}

func bandOf(sketch []byte, band int) uint64 {
	h := uint64(band + 1)
	for i := band * nearRows * 4; i < (band+1)*nearRows*4; i += 8 {
		h = mix(h*hashPrime ^ binary.LittleEndian.Uint64(sketch[i:]))
	}
	return h
}

// near drops the examples that are nearly as one that came earlier and is kept. Within a group, where
// windows overlap and a turn follows the other, one is a near duplicate only if the same is learned.
func (b *builder) near(ctx context.Context) error {
	keep := 0
	for i := range b.entries {
		if b.entries[i].fate == kept {
			keep++
		}
	}
	b.begin("compare", len(b.entries))
	table := newBands(keep)
	in := bufio.NewReaderSize(io.NewSectionReader(b.sketches.file, 0, b.sketches.size), spoolBuffer)
	this, that := make([]byte, sketchBytes), make([]byte, sketchBytes)
	var near []int
	for i := range b.entries {
		if i%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			b.progress(int64(i))
		}
		e := &b.entries[i]
		if _, err := io.ReadFull(in, this); err != nil {
			return broken(err)
		}
		if e.fate != kept || e.words < nearWords {
			continue
		}
		near = near[:0]
		var slots [nearBands]int
		for band := range nearBands {
			slots[band] = table.look(bandOf(this, band), func(j int) {
				if !slices.Contains(near, j) {
					near = append(near, j)
				}
			})
		}
		slices.Sort(near)
		for _, j := range near {
			if o := &b.entries[j]; o.group == e.group && o.lesson != e.lesson {
				continue
			}
			if _, err := b.sketches.file.ReadAt(that, int64(j)*sketchBytes); err != nil {
				return broken(err)
			}
			if s := jaccard(this, that); s >= nearLeast {
				e.fate, e.with, e.share = nearDuplicate, uint32(j), float32(s)
				break
			}
		}
		if e.fate != kept {
			continue
		}
		for band, at := range slots {
			if at < 0 {
				continue
			}
			h := bandOf(this, band)
			for table.slots[at].index != 0 { // another band of this example took it
				at = int((uint64(at) + 1) & table.mask)
			}
			table.slots[at].tag, table.slots[at].index = uint32(h>>32), uint32(i+1)
		}
	}
	b.progress(int64(len(b.entries)))
	return nil
}
