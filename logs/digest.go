package logs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
)

// Digest is the SHA-256, in hexadecimal, of the canonical JSON lines of rows in their order. Rows
// read from a journal and from the Parquet made of it have the same. Blank may be nil; else it clears
// the fields of a row that are not to count, such as times. It must not change what a pointer or list
// of the row refers to, which may be shared.
func Digest[T any](rows iter.Seq2[T, error], blank func(*T)) (digest string, n int64, err error) {
	d := newDigester[T]()
	for row, err := range rows {
		if err != nil {
			return "", d.n, err
		}
		if blank != nil {
			blank(&row)
		}
		if err := d.add(&row); err != nil {
			return "", d.n, err
		}
	}
	return d.sum(), d.n, nil
}

// digester takes the digest row by row.
type digester[T any] struct {
	hash hash.Hash
	buf  []byte
	n    int64
}

func newDigester[T any]() *digester[T] {
	return &digester[T]{hash: sha256.New()}
}

func (d *digester[T]) add(row *T) (err error) {
	if d.buf, err = AppendJSON(d.buf, row); err != nil {
		return fmt.Errorf("row %d: %w", d.n+1, err)
	}
	d.buf = append(d.buf, '\n')
	d.n++
	if len(d.buf) >= 64<<10 {
		d.hash.Write(d.buf)
		d.buf = d.buf[:0]
	}
	return nil
}

func (d *digester[T]) sum() string {
	d.hash.Write(d.buf)
	d.buf = d.buf[:0]
	return hex.EncodeToString(d.hash.Sum(nil))
}
