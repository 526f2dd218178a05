package stat

import (
	"cmp"
	"math"
	"sort"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Design says how two arms are compared. Effects are differences of means over a standard deviation:
// that of the differences for Paired (Cohen's dz), that within an arm for Unpaired (Cohen's d).
type Design int

const (
	Paired   Design = iota // both arms play the same sessions; n counts pairs
	Unpaired               // each arm plays its own; n counts the sessions of one arm
)

// mostSessions bounds the search for a number of sessions.
const mostSessions = 100_000_000

// Power is the chance that a two-sided t test at 1-level sees an effect with n sessions, from the
// noncentral t distribution (Cohen 1988).
func (d Design) Power(effect float64, n int, level float64) Value {
	if why := cmp.Or(badLevel(level), unfit([]float64{effect})); why != "" {
		return Undefined(why)
	}
	if n < 2 {
		return Undefined("a t test needs two sessions")
	}
	return Number(d.power(math.Abs(effect), float64(n), level))
}

// Sessions is the least number of sessions with which the test sees an effect at least power of the
// time.
func (d Design) Sessions(effect, power, level float64) Value {
	effect = math.Abs(effect)
	switch why := cmp.Or(badLevel(level), badPower(power), unfit([]float64{effect})); {
	case why != "":
		return Undefined(why)
	case effect == 0:
		return Undefined("no number of sessions shows a difference of zero")
	}
	n := sort.Search(mostSessions+1, func(n int) bool { return n > 1 && d.power(effect, float64(n), level) >= power })
	if n > mostSessions {
		return undefinedf("more than %d sessions", mostSessions)
	}
	return Number(float64(n))
}

// Uncertainty is the factor by which the number of sessions grows where the standard deviation was estimated from a
// pilot of n sessions, so that power holds on average over what it may really be (Julious and Owen 2006): without it, a
// small pilot promises more than is found. It is the square of a quantile of the noncentral t distribution over that of
// the normal.
func (d Design) Uncertainty(n int, power, level float64) Value {
	df := float64(n - 1)
	if d == Unpaired {
		df *= 2
	}
	if why := cmp.Or(badLevel(level), badPower(power)); why != "" {
		return Undefined(why)
	}
	if df < 1 {
		return Undefined("a standard deviation needs two sessions")
	}
	shift := normalQuantile(level)
	known, high := shift+distuv.UnitNormal.Quantile(power), 4.0
	for beyond(high, shift, df) > 1-power {
		high *= 2
	}
	unknown := falling(func(t float64) float64 { return beyond(t, shift, df) - (1 - power) }, 1e-3, high)
	return Number(max(1, (unknown/known)*(unknown/known)))
}

// Detectable is the least effect that n sessions see at least power of the time.
func (d Design) Detectable(n int, power, level float64) Value {
	switch why := cmp.Or(badLevel(level), badPower(power)); {
	case why != "":
		return Undefined(why)
	case n < 2:
		return Undefined("a t test needs two sessions")
	case power <= 1-level:
		return Undefined("a power up to the level of false alarms is had without any effect")
	}
	high := 1.0
	for d.power(high, float64(n), level) < power {
		high *= 2
	}
	return Number(falling(func(e float64) float64 { return power - d.power(e, float64(n), level) }, 0, high))
}

func (d Design) power(effect, n, level float64) float64 {
	df, shift := n-1, effect*math.Sqrt(n)
	if d == Unpaired {
		df, shift = 2*n-2, effect*math.Sqrt(n/2)
	}
	limit := tQuantile(level, df)
	return math.Min(1, beyond(limit, shift, df)+beyond(limit, -shift, df))
}

// beyond is P(T > limit) of the noncentral t distribution with df degrees of freedom.
func beyond(limit, shift, df float64) float64 {
	var p float64
	switch {
	case df < 30:
		// T = (Z+shift)/S > limit where S < (Z+shift)/limit, averaged over Z. gonum's series gives
		// way to an approximation at large shifts, which is coarse at so few degrees of freedom.
		low := math.Max(-shift, -9)
		if low > 9 {
			return 0
		}
		x, weights := nodes()
		for i := range x {
			z := low + (9-low)*x[i]
			s := math.Min((z+shift)/limit, 1e6)
			p += (9 - low) * weights[i] * distuv.UnitNormal.Prob(z) * mathext.GammaIncReg(df/2, df/2*s*s)
		}
	case df > 1e6: // the series loses digits here, and the normal has them
		p = normalTail(limit - shift)
	default:
		p = 1 - distuv.NoncentralT{Nu: df, Mu: shift}.CDF(limit)
	}
	return math.Max(0, p)
}

// nodes are those of Gauss and Legendre between 0 and 1, with their weights.
var nodes = sync.OnceValues(func() (x, weights []float64) {
	x, weights = make([]float64, 200), make([]float64, 200)
	quad.Legendre{}.FixedLocations(x, weights, 0, 1)
	return x, weights
})

func badPower(power float64) string {
	if !(power > 0 && power < 1) {
		return "power is not between 0 and 1"
	}
	return ""
}
