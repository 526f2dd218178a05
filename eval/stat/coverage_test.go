//go:build !race

package stat_test

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"parley/eval/stat"
)

// draws returns how many samples a cell of a coverage table takes: few, or PARLEY_COVERAGE of them.
func draws(t *testing.T) int {
	if text := os.Getenv("PARLEY_COVERAGE"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("PARLEY_COVERAGE is %q, not a number of samples", text)
		}
		return n
	}
	if testing.Short() {
		t.Skip("a simulation of thousands of intervals")
	}
	return 200
}

// margin is how far a coverage found with n samples may lie below the wanted one by chance, at 3.5 standard
// errors.
func margin(want float64, n int) float64 { return 3.5 * math.Sqrt(want*(1-want)/float64(n)) }

// rate draws a session's rate around p, so that two answers of one session correlate by icc.
func rate(r *rand.Rand, p, icc float64) float64 {
	size := (1 - icc) / icc
	x := distuv.Gamma{Alpha: p * size, Beta: 1, Src: r}.Rand()
	y := distuv.Gamma{Alpha: (1 - p) * size, Beta: 1, Src: r}.Rand()
	if x+y == 0 { // too small for a float64: all at one end
		if r.Float64() < p {
			return 1
		}
		return 0
	}
	return x / (x + y)
}

func binomial(r *rand.Rand, n int, p float64) (k int) {
	for range n {
		if r.Float64() < p {
			k++
		}
	}
	return k
}

// TestCoverageBounded samples sessions whose players answer alike, and counts how often the interval holds the
// true value: of the mean of shares (4 players, 6 facts) and of a share of yes and no (4 or 25 trials).
func TestCoverageBounded(t *testing.T) {
	kinds := []struct {
		name     string
		interval func(r *rand.Rand, c int, p, icc float64) stat.Interval
	}{
		{"mean of shares", func(r *rand.Rand, c int, p, icc float64) stat.Interval {
			values := make([][]float64, c)
			for i := range values {
				at := rate(r, p, icc)
				for range 4 {
					values[i] = append(values[i], float64(binomial(r, 6, at))/6)
				}
			}
			return stat.BoundedInterval(values, 0, 1, 0.95)
		}},
		{"share, 4 trials", func(r *rand.Rand, c int, p, icc float64) stat.Interval { return sharesOf(r, c, 4, p, icc) }},
		{"share, 25 trials", func(r *rand.Rand, c int, p, icc float64) stat.Interval { return sharesOf(r, c, 25, p, icc) }},
	}
	n := draws(t)
	const want = 0.93
	truths := []float64{.01, .03, .1, .3, .5, .8, .95, .99}
	for k, kind := range kinds {
		for _, icc := range []float64{.1, .5} {
			t.Logf("%s, correlation %.1f: coverage and mean width in percent, by true value %v", kind.name, icc, truths)
			for _, c := range []int{3, 5, 12, 40} {
				line := ""
				for i, p := range truths {
					r := rand.New(rand.NewPCG(uint64(1000*k+c), uint64(100*icc)+uint64(i)<<16))
					held, width := 0, 0.0
					for range n {
						got := kind.interval(r, c, p, icc)
						if got.Low == nil || *got.High <= *got.Low {
							t.Fatalf("%s: interval %+v", kind.name, got)
						}
						width += *got.High - *got.Low
						if *got.Low <= p && p <= *got.High {
							held++
						}
					}
					cover := float64(held) / float64(n)
					line += strconv.FormatFloat(100*cover, 'f', 1, 64) + " (" + strconv.FormatFloat(100*width/float64(n), 'f', 0, 64) + ")  "
					if cover < want-margin(want, n) {
						t.Errorf("%s, %d sessions, truth %v, correlation %v: covers %.1f %% of the time", kind.name, c, p, icc, 100*cover)
					}
				}
				t.Logf("%3d sessions: %s", c, line)
			}
		}
	}
}

func sharesOf(r *rand.Rand, c, trials int, p, icc float64) stat.Interval {
	yes, of := make([]int, c), make([]int, c)
	for i := range yes {
		yes[i], of[i] = binomial(r, trials, rate(r, p, icc)), trials
	}
	return stat.ShareInterval(yes, of, 0.95)
}

// TestCoverageGroups samples groups of three values that go together, normal and skewed ones, and counts how
// often the interval of their mean holds the true value.
func TestCoverageGroups(t *testing.T) {
	laws := []struct {
		name string
		draw func(r *rand.Rand) (shared float64, own func() float64)
		mean float64
	}{
		{"normal", func(r *rand.Rand) (float64, func() float64) {
			return r.NormFloat64(), r.NormFloat64
		}, 0},
		{"skewed", func(r *rand.Rand) (float64, func() float64) {
			return r.ExpFloat64(), r.ExpFloat64
		}, 2},
	}
	n := draws(t)
	methods := []struct {
		name     string
		interval func(groups [][]float64, r *rand.Rand) stat.Interval
	}{
		{"t over groups", func(g [][]float64, _ *rand.Rand) stat.Interval { return stat.MeanInterval(g, 0.95) }},
		{"bootstrap", func(g [][]float64, r *rand.Rand) stat.Interval { return resampled(g, stat.Bootstrap{Rand: r}) }},
		{"bootstrap, bca", func(g [][]float64, r *rand.Rand) stat.Interval {
			return resampled(g, stat.Bootstrap{Rand: r, BCa: true})
		}},
	}
	for _, law := range laws {
		for m, method := range methods {
			line := ""
			for _, c := range []int{3, 5, 8, 15, 40} {
				want := 0.92
				if c < 8 {
					want = 0.90
				}
				r := rand.New(rand.NewPCG(uint64(m), uint64(c)))
				held, width := 0, 0.0
				for range n {
					groups := make([][]float64, c)
					for i := range groups {
						shared, own := law.draw(r)
						for range 3 {
							groups[i] = append(groups[i], shared+own())
						}
					}
					got := method.interval(groups, r)
					if got.Low == nil {
						t.Fatalf("%s, %s: interval %+v", law.name, method.name, got)
					}
					width += *got.High - *got.Low
					if *got.Low <= law.mean && law.mean <= *got.High {
						held++
					}
				}
				cover := float64(held) / float64(n)
				if cover < want-margin(want, n) {
					t.Errorf("%s, %s, %d groups: covers %.1f %% of the time", law.name, method.name, c, 100*cover)
				}
				line += strconv.Itoa(c) + " groups " + strconv.FormatFloat(100*cover, 'f', 1, 64) + " (" + strconv.FormatFloat(width/float64(n), 'f', 2, 64) + ")  "
			}
			t.Logf("%s, %s: %s", law.name, method.name, line)
		}
	}
}

func resampled(groups [][]float64, b stat.Bootstrap) stat.Interval {
	var xs []float64
	var ids []int
	for i, g := range groups {
		for _, x := range g {
			xs, ids = append(xs, x), append(ids, i)
		}
	}
	return b.Mean(xs, stat.Clusters(ids))
}
