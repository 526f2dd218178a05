package sim_test

import (
	"hash/fnv"
	"io"
	"testing"

	"parley/sim"
)

// A seed means the same in every release, as published results are named by theirs.
func TestSeedsAreTheSameInEveryRelease(t *testing.T) {
	for _, test := range []struct {
		parts []uint64
		want  uint64
	}{
		{nil, 0x9e3779b97f4a7c15},
		{[]uint64{0}, 0x6e789e6aa1b965f4}, // the second number of SplitMix64 from 0
		{[]uint64{1}, 0xbeeb8da1658eec67},
		{[]uint64{7, 1 << 63}, 0x40c11fc100c1c493},
	} {
		if got := sim.Mix(test.parts...); got != test.want {
			t.Errorf("Mix(%d) = %#x, want %#x", test.parts, got, test.want)
		}
	}
	if got := sim.Rand(1).Uint64(); got != 0x154aa3ff11ac75e6 {
		t.Errorf("the first draw of seed 1 is %#x", got)
	}
	for _, text := range []string{"", "a", "initiative", "Zéphyrine"} {
		h := fnv.New64a()
		io.WriteString(h, text)
		if got := sim.HashText(text); got != h.Sum64() {
			t.Errorf("HashText(%q) = %#x, want %#x (FNV-1a)", text, got, h.Sum64())
		}
	}
}
