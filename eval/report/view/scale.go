package view

import (
	"math"
	"strconv"
	"strings"
)

// Axis is how a plot measures. Without From it begins at 0, or below where values are; without To it
// ends where the values end, rounded up.
type Axis struct {
	Name     string
	From, To *float64
}

// scale places values on a line of pixels.
type scale struct {
	from, to   float64 // values
	start, end float64 // pixels
	step       float64 // between ticks
}

// scale covers the values that there are, with ticks that are at least so many pixels apart.
func (a Axis) scale(start, end, apart float64, values ...*float64) scale {
	lo, hi := 0.0, 0.0
	for _, v := range values {
		if known(v) {
			lo, hi = min(lo, *v), max(hi, *v)
		}
	}
	if known(a.From) {
		lo = *a.From
	}
	if known(a.To) {
		hi = *a.To
	}
	if !(hi > lo) {
		hi = lo + 1
	}
	s := scale{from: lo, to: hi, start: start, end: end}
	s.step = step((hi - lo) * apart / math.Abs(end-start))
	if !known(a.From) {
		s.from = math.Floor(lo/s.step+1e-9) * s.step
	}
	if !known(a.To) {
		s.to = math.Ceil(hi/s.step-1e-9) * s.step
	}
	return s
}

// step is the next number of 1, 2, 5, 10 ... that is not smaller.
func step(least float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= least*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// at is the pixel of a value; what lies outside is put on the edge.
func (s scale) at(v float64) float64 {
	share := (v - s.from) / (s.to - s.from)
	return s.start + min(1, max(0, share))*(s.end-s.start)
}

// ticks are the round values on the scale.
func (s scale) ticks() []float64 {
	var all []float64
	first := math.Ceil(s.from/s.step - 1e-9)
	for i := range 100 { // so few also where a step is lost in the value
		v := (first + float64(i)) * s.step
		if v > s.to+s.step*1e-6 {
			break
		}
		all = append(all, v)
	}
	return all
}

// name writes a tick with as many decimals as the step needs, six at most.
func (s scale) name(v float64) string {
	places := min(6, max(0, -int(math.Floor(math.Log10(s.step)+1e-9))))
	return minus(strconv.FormatFloat(v, 'f', places, 64))
}

// Number writes a value with one decimal and a true minus sign, or "–" where there is none.
func Number(v *float64) string { return Decimals(v, 1) }

// Decimals writes a value with so many decimals, with a true minus sign; a dash where there is none.
func Decimals(v *float64, n int) string {
	if !known(v) {
		return "–"
	}
	return minus(strconv.FormatFloat(*v, 'f', n, 64))
}

func minus(s string) string {
	if strings.Trim(s, "-0.") == "" && s[0] == '-' {
		return s[1:]
	}
	if s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

func known(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }
