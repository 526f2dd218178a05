// Package stat turns numbers into estimates, intervals and tests: the arithmetic under every table.
//
// It is made of pure functions. It knows nothing of sessions, scores or files, and takes its
// randomness from the caller. A statistic that does not exist (constant input, too few values, a
// zero denominator, a NaN among the values) is a [Value] without a number and with its reason;
// nothing here returns NaN or an infinity.
//
// Probabilities of the t, beta and normal distributions come from gonum.
package stat
