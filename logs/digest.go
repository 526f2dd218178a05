package logs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
)

// Digest returns the SHA-256, in hexadecimal, of the canonical JSON lines of rows in their order, and
// their number. Rows read from a journal and from the Parquet made of it have the same digest. Blank
// may be nil; else it clears the fields of a row that do not count, such as times. It must not change
// what a pointer or list of the row refers to, which may be shared.
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

// digester computes the digest row by row.
type digester[T any] struct {
	hash hash.Hash
	buf  []byte
	n    int64
}

func newDigester[T any]() *digester[T] {
	return &digester[T]{hash: sha256.New()}
}

func (d *digester[T]) add(row *T) (err error) {
	if d.buf, err = AppendJSON(d.buf[:0], row); err != nil {
		return fmt.Errorf("row %d: %w", d.n+1, err)
	}
	d.n++
	d.hash.Write(append(d.buf, '\n'))
	return nil
}

func (d *digester[T]) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }
