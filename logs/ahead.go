package logs

import "iter"

// ahead passes rows on that another goroutine gets meanwhile, a few hundred or about a MiB at a time.
// That goroutine has ended when the rows have.
func ahead[T any](rows iter.Seq2[T, error]) iter.Seq2[T, error] {
	type chunk struct {
		rows []T
		err  error
	}
	return func(yield func(T, error) bool) {
		chunks, stop := make(chan chunk, 1), make(chan struct{})
		go func() {
			defer close(chunks)
			var c chunk
			size := 0
			for row, err := range rows {
				if c.err = err; err == nil {
					c.rows = append(c.rows, row)
					bytes, _ := measure(&row)
					size += bytes
				}
				if len(c.rows) < 256 && size < 1<<20 && err == nil {
					continue
				}
				select {
				case chunks <- c:
				case <-stop:
					return
				}
				if err != nil {
					return
				}
				c, size = chunk{rows: make([]T, 0, 256)}, 0
			}
			select {
			case chunks <- c:
			case <-stop:
			}
		}()
		defer func() {
			close(stop)
			for range chunks { // until it has noticed
			}
		}()
		var none T
		for c := range chunks {
			for _, row := range c.rows {
				if !yield(row, nil) {
					return
				}
			}
			if c.err != nil {
				yield(none, c.err)
				return
			}
		}
	}
}
