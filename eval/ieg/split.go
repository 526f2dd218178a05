package ieg

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// The splits.
const (
	Train = "train"
	Val   = "val"
	Test  = "test"
)

// Shares of the splits, in percent of the groups; the rest is for the test.
const (
	shareTrain = 80
	shareVal   = 10
)

// SplitOf deals a group to a split by a hash of its name alone. A corpus can grow without any group
// changing sides.
func SplitOf(group string) string {
	sum := sha256.Sum256([]byte(group))
	switch at := binary.BigEndian.Uint64(sum[:]) % 100; {
	case at < shareTrain:
		return Train
	case at < shareTrain+shareVal:
		return Val
	}
	return Test
}

// Splits keeps every group on one side: the split of each group so far.
type Splits map[string]string

// Assign gives a window that is not split yet the split of its group: the one that the source gave
// to the group, else SplitOf. A group that its source put on two sides is an error.
func (s Splits) Assign(x *Interaction) error {
	before, known := s[x.Group]
	if x.Split == "" {
		x.Split = before
		if !known {
			x.Split = SplitOf(x.Group)
		}
	}
	if known && before != x.Split {
		return fmt.Errorf("window %s is in %s, but its group %s is in %s: a group stands on one side only", x.ID, x.Split, x.Group, before)
	}
	s[x.Group] = x.Split
	return nil
}
