package pddl

// before is an order on the items of a heap.
type before[T any] interface{ before(T) bool }

// minHeap is a binary heap. container/heap would box each item, which costs a search a third of its
// time.
type minHeap[T before[T]] []T

func (h *minHeap[T]) push(x T) {
	q := append(*h, x)
	for i := len(q) - 1; i > 0 && q[i].before(q[(i-1)/2]); i = (i - 1) / 2 {
		q[i], q[(i-1)/2] = q[(i-1)/2], q[i]
	}
	*h = q
}

func (h *minHeap[T]) pop() T {
	q := *h
	top, n := q[0], len(q)-1
	q[0], q = q[n], q[:n]
	for i, down := 0, 1; down < n; i, down = down, 2*down+1 {
		if down+1 < n && q[down+1].before(q[down]) {
			down++
		}
		if !q[down].before(q[i]) {
			break
		}
		q[i], q[down] = q[down], q[i]
	}
	*h = q
	return top
}
