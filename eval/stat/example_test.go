package stat_test

import (
	"fmt"
	"math/rand/v2"

	"parley/eval/stat"
)

// Three sessions of two debriefs each: what is known of the mean when debriefs of one session go
// together.
func ExampleClusteredMean() {
	scores := []float64{0.5, 0.75, 0.25, 0.5, 1, 0.75}
	sessions := []string{"s1", "s1", "s2", "s2", "s3", "s3"}

	got := stat.ClusteredMean(scores, sessions, 0.95)
	fmt.Printf("%.3f [%.3f, %.3f], %d debriefs of %d sessions\n", *got.Value, *got.Low, *got.High, got.N, got.Clusters)

	got = stat.ClusteredMean(scores[:2], sessions[:2], 0.95)
	fmt.Printf("%.3f: %s\n", *got.Value, got.Reason)
	// Output:
	// 0.625 [0.004, 1.246], 6 debriefs of 3 sessions
	// 0.625: one cluster has no spread between clusters to make an interval from
}

// A correlation with a bootstrap interval over items.
func ExampleBootstrap() {
	human := []float64{1, 2, 2, 3, 4, 4, 5, 5}
	judge := []float64{2, 1, 2, 3, 3, 5, 4, 5}

	b := stat.Bootstrap{Rand: rand.New(rand.NewPCG(1, 2))}
	got := b.Interval(stat.Items(len(human)), func(rows []int) stat.Value {
		x, y := make([]float64, len(rows)), make([]float64, len(rows))
		for i, row := range rows {
			x[i], y[i] = human[row], judge[row]
		}
		return stat.Spearman(x, y).R
	})
	fmt.Printf("%.2f, within [0, 1]: %t\n", *got.Value, *got.Low > 0 && *got.High <= 1)
	// Output:
	// 0.85, within [0, 1]: true
}
