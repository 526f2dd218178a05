package stat_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/eval/stat"
)

func columns(n int) (x, y []float64) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y = make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(r.IntN(n))
		y[i] = x[i] + float64(r.IntN(n))
	}
	return x, y
}

func BenchmarkKendallB(b *testing.B) {
	for _, n := range []int{100, 10_000, 1_000_000} {
		x, y := columns(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				stat.KendallB(x, y)
			}
		})
	}
}

func BenchmarkBootstrapMean(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		x, _ := columns(n)
		for _, bca := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/bca=%t", n, bca), func(b *testing.B) {
				boot := stat.Bootstrap{BCa: bca, Rand: rand.New(rand.NewPCG(1, 2))}
				for b.Loop() {
					boot.Mean(x, stat.Items(n))
				}
			})
		}
	}
}
