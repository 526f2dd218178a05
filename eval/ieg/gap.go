package ieg

import "math"

// Gap is the Interaction Expressiveness Gap between two F-scores, G = 100 |real-generated| /
// (real+generated), from 0 to 100 (AntEval, section 4.2, equation 1). It is the same whichever comes
// first and whatever scale both F-scores have. Two F-scores of 0 have no ratio, which
// blank says; g is 0 then.
func Gap(real, generated float64) (g float64, blank bool) {
	sum := real + generated
	if sum <= 0 {
		return 0, true
	}
	return 100 * math.Abs(real-generated) / sum, false
}

// blankGap is the reason why there is no gap of 0/0.
const blankGap = "both F-scores are 0: there is no ratio"
