package finetune_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/finetune"
)

// A record that is not as it was written is an error, and never a crash or another example.
func FuzzDecode(f *testing.F) {
	score := 0.5
	x := example("id", "group", "a body")
	x.Score = &score
	f.Add(finetune.Encode(&x))
	f.Add(finetune.Encode(&finetune.Example{}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, record []byte) {
		x, err := finetune.Decode(record)
		if err != nil {
			return
		}
		again, err := finetune.Decode(finetune.Encode(&x))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(finetune.Encode(&x), finetune.Encode(&again)) {
			t.Error(cmp.Diff(x, again))
		}
	})
}

func TestTornRecord(t *testing.T) {
	x := example("id", "group", "a body")
	record := finetune.Encode(&x)
	for n := range record {
		if _, err := finetune.Decode(record[:n]); err == nil {
			t.Errorf("the first %d of %d bytes of a record are read as an example", n, len(record))
		}
	}
}
