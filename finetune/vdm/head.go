package vdm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// skills is how many there are.
const skills = 18

// head is a linear classifier over hashed features: with one class a logistic regression, with
// several a softmax. Its inputs are TF-IDF of length 1: log(1+tf) times the logarithm of how rare the
// feature is.
type head struct {
	classes int
	Keys    []uint32  `json:"keys"`    // of the features that it knows, ascending
	IDF     []float32 `json:"idf"`     // of each
	Weights []float32 `json:"weights"` // len(Keys) x classes
	Bias    []float32 `json:"bias"`    // classes
	Hint    []float32 `json:"hint"`    // weights that all classes share, or none
}

// vector is an input in terms of a head's features.
type vector struct {
	at    []int32
	value []float32
	hints *[skills][hints]float32
}

// sample is an input with its answer.
type sample struct {
	features []feature
	hints    *[skills][hints]float32
	want     []float32 // by class
}

// newHead takes the features that stand in at least least samples.
func newHead(classes int, samples []sample, least int) *head {
	h := &head{classes: classes, Bias: make([]float32, classes)}
	var all []uint32
	for i := range samples {
		for _, f := range samples[i].features {
			all = append(all, f.key)
		}
	}
	slices.Sort(all)
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		if j-i >= least {
			h.Keys = append(h.Keys, all[i])
			h.IDF = append(h.IDF, float32(math.Log(float64(len(samples)+1)/float64(j-i+1)))+0.1)
		}
		i = j
	}
	h.Weights = make([]float32, len(h.Keys)*classes)
	return h
}

// vector turns features, which are sorted, into an input.
func (h *head) vector(fs []feature, hint *[skills][hints]float32) vector {
	v := vector{at: make([]int32, 0, len(fs)), value: make([]float32, 0, len(fs)), hints: hint}
	keys, base := h.Keys, 0
	var square float64
	for _, f := range fs {
		n, ok := slices.BinarySearch(keys, f.key)
		keys, base = keys[n:], base+n
		if !ok {
			continue
		}
		value := float32(math.Log1p(float64(f.value))) * h.IDF[base]
		v.at = append(v.at, int32(base))
		v.value = append(v.value, value)
		square += float64(value) * float64(value)
	}
	if square > 0 {
		scale := float32(1 / math.Sqrt(square))
		for i := range v.value {
			v.value[i] *= scale
		}
	}
	return v
}

// scores writes the probability of each class to out.
func (h *head) scores(v *vector, out []float32) {
	copy(out, h.Bias)
	n := h.classes
	for i, at := range v.at {
		w, x := h.Weights[int(at)*n:int(at)*n+n], v.value[i]
		for k := range out {
			out[k] += w[k] * x
		}
	}
	if v.hints != nil {
		for k := range out {
			for i, w := range h.Hint {
				out[k] += w * v.hints[k][i]
			}
		}
	}
	if n == 1 {
		out[0] = float32(1 / (1 + math.Exp(-float64(out[0]))))
		return
	}
	most := slices.Max(out)
	var sum float32
	for k := range out {
		out[k] = float32(math.Exp(float64(out[k] - most)))
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
}

// pace is how a head is trained.
type pace struct {
	epochs int
	least  int     // samples in which a feature has to stand
	rate   float32 // of learning
	start  float32 // what every feature's sum of squared gradients begins with
}

// fit trains the head by AdaGrad (Duchi, Hazan and Singer 2011), with one rate a feature for all its
// classes, on one sample at a time, in an order that is drawn anew for every epoch.
func (h *head) fit(ctx context.Context, samples []sample, p pace, r *rand.Rand) {
	n := h.classes
	seen := slices.Repeat([]float32{p.start}, len(h.Keys))
	seenBias, seenHint := slices.Repeat([]float32{1}, n), slices.Repeat([]float32{1}, len(h.Hint))
	inputs := make([]vector, len(samples))
	for i := range samples {
		inputs[i] = h.vector(samples[i].features, samples[i].hints)
	}
	slope := make([]float32, n)
	order := r.Perm(len(samples))
	for range p.epochs {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, at := range order {
			if ctx.Err() != nil {
				return
			}
			want, in := samples[at].want, &inputs[at]
			h.scores(in, slope)
			var square float32
			for k := range slope {
				slope[k] -= want[k]
				square += slope[k] * slope[k]
				seenBias[k] += slope[k] * slope[k]
				h.Bias[k] -= biasRate * slope[k] / sqrt(seenBias[k])
			}
			for i, at := range in.at {
				x, w := in.value[i], h.Weights[int(at)*n:int(at)*n+n]
				seen[at] += square * x * x
				step := p.rate * x / sqrt(seen[at])
				for k := range slope {
					w[k] -= step * slope[k]
				}
			}
			if in.hints == nil {
				continue
			}
			for i := range h.Hint {
				var d float32
				for k := range slope {
					d += slope[k] * in.hints[k][i]
				}
				seenHint[i] += d * d
				h.Hint[i] -= hintRate * d / sqrt(seenHint[i])
			}
		}
	}
}

const biasRate, hintRate = 0.15, 0.5

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
