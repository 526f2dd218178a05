package pddl

// before is an order on the items of a heap.
type before[T any] interface{ before(T) bool }

// minHeap is a binary heap. container/heap would box each item, which costs a search a third of its
// time.
type minHeap[T before[T]] []T

func (h *minHeap[T]) push(x T) {
	q := append(*h, x)
	i := len(q) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(q[up]) {
			break
		}
		q[i] = q[up]
		i = up
	}
	q[i] = x
	*h = q
}

func (h *minHeap[T]) pop() T {
	q := *h
	top, x := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	*h = q
	if len(q) == 0 {
		return top
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= len(q) {
			break
		}
		if down+1 < len(q) && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(x) {
			break
		}
		q[i] = q[down]
		i = down
	}
	q[i] = x
	return top
}
