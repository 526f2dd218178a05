package judge

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"parley/sim/llm"
)

// Scale is a range of whole numbers, both ends on it.
type Scale struct{ Min, Max int }

// Schema offers the numbers of the scale, under the key "score".
func (s Scale) Schema() *Schema {
	return MustSchema(fmt.Sprintf(`{"type":"object","properties":{"score":{"type":"integer","minimum":%d,"maximum":%d}},"required":["score"],"additionalProperties":false}`, s.Min, s.Max))
}

// reasoned offers a reason and, after it, a number of the scale.
func (s Scale) reasoned() *Schema {
	return MustSchema(fmt.Sprintf(`{"type":"object","properties":{"reason":{"type":"string"},"score":{"type":"integer","minimum":%d,"maximum":%d}},"required":["reason","score"],"additionalProperties":false}`, s.Min, s.Max))
}

func (s Scale) on(n int) bool { return n >= s.Min && n <= s.Max }

// Weight is a score as the average over what the model could have said in its place.
type Weight struct {
	Score  float64         // probability-weighted mean over the scale, renormalised
	Mass   float64         // probability that the listed alternatives on the scale have together
	Spread map[int]float64 // probability of each number, not renormalised
}

// What is known of the probabilities at a place of the reply is a list of at most 20 alternatives.
// The rest of this file follows the weighted score of G-Eval, sum p(s) s, with what its published
// form leaves open: variants of one number are added up, numbers off the scale and other words are
// left out, and the sum is divided by the mass that is left, which is recorded.

// impossible is a log-probability that servers put where they have none.
const impossible = -100

// ambiguity is how much probability may lie on the beginning of a longer number whose end is not
// known.
const ambiguity = 0.01

// Weigh computes the weighted score whose first digit is in tokens[at], which there is. A number may be spread
// over two tokens: what follows the token that was said is then known from the next place, and for
// the alternatives that were not said it is not known; where those matter, there is no score.
func Weigh(tokens []llm.TokenLogprob, at int, scale Scale) (Weight, error) {
	w := Weight{Spread: map[int]float64{}}
	if scale.Min < 0 || scale.Max > 99 {
		return w, fmt.Errorf("probabilities can be weighed on scales within 0 to 99, not on %d to %d", scale.Min, scale.Max)
	}
	here, err := alternatives(tokens[at])
	if err != nil {
		return w, err
	}
	oneToken := slices.ContainsFunc(here, func(a llm.Logprob) bool { // numbers of two digits are one token to this model
		n, ok := digits(a.Token)
		return ok && n >= 10 && scale.on(n)
	})
	open := 0.0
	for _, a := range here {
		n, ok := digits(a.Token)
		p, said := math.Exp(a.Value), a.Token == tokens[at].Token
		switch {
		case !ok:
		case !scale.begins(n) || closed(a.Token) || oneToken && !said:
			w.add(scale, n, p)
		case !said || at+1 >= len(tokens):
			open += p
		default:
			next, err := alternatives(tokens[at+1])
			if err != nil {
				return w, err
			}
			w.extend(scale, n, p, next)
		}
	}
	err = w.divide(open)
	return w, err
}

// extend adds the numbers that begin with a digit of probability p, by what may come next.
func (w *Weight) extend(scale Scale, n int, p float64, next []llm.Logprob) {
	for _, b := range next {
		q := p * math.Exp(b.Value)
		if last, ok := follows(b.Token); ok {
			w.add(scale, 10*n+last, q)
		} else if !leaves(b.Token) {
			w.add(scale, n, q)
		}
	}
}

// divide sums up what lies on the scale and divides by it, given the probability of digits that may be the first
// of two.
func (w *Weight) divide(open float64) error {
	for _, n := range slices.Sorted(maps.Keys(w.Spread)) { // in one order: sums of floats depend on it
		w.Mass += w.Spread[n]
		w.Score += w.Spread[n] * float64(n)
	}
	if open > ambiguity {
		return fmt.Errorf("%.2f of the probability lies on a digit that may be the first of two", open)
	}
	if w.Mass == 0 {
		return errors.New("none of the listed alternatives is on the scale")
	}
	w.Score /= w.Mass
	w.Mass = min(1, w.Mass)
	return nil
}

func (w *Weight) add(scale Scale, n int, p float64) {
	if scale.on(n) {
		w.Spread[n] += p
	}
}

// begins reports whether a digit is also the first of a number of two digits on the scale.
func (s Scale) begins(digit int) bool {
	return digit > 0 && s.Max >= 10*digit && s.Min <= 10*digit+9
}

// alternatives lists what could have stood at a place, what was said among it.
func alternatives(t llm.TokenLogprob) ([]llm.Logprob, error) {
	list := t.Top
	said := false
	for _, a := range list {
		said = said || a.Token == t.Token
	}
	if !said {
		list = append([]llm.Logprob{t.Logprob}, list...)
	}
	kept := make([]llm.Logprob, 0, len(list))
	sum := 0.0
	for _, a := range list {
		if !(a.Value > impossible) { // NaN is not either
			continue
		}
		kept = append(kept, a)
		sum += math.Exp(a.Value)
	}
	if sum > 1.01 {
		return nil, errors.New("the server's log-probabilities are not real: together they are more than certain")
	}
	return kept, nil
}

// around lists what may be in one token with a number.
const around = " \t\r\n\"'`*:=,;.}])("

// digits reads a token as a whole number of one or two digits.
func digits(token string) (int, bool) {
	text := strings.Trim(norm.NFKC.String(strings.ReplaceAll(token, "▁", " ")), around)
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || strings.HasPrefix(strings.TrimLeft(token, " \t\r\n\"'"), ".") {
		return 0, false
	}
	return int(n), true
}

// closed reports whether a token goes on behind its number, so that no digit can follow.
func closed(token string) bool {
	return strings.TrimRight(token, around) != token
}

// follows reads a token as one digit that goes on a number.
func follows(token string) (int, bool) {
	text := strings.TrimRight(norm.NFKC.String(token), around)
	if len(text) != 1 || text[0] < '0' || text[0] > '9' {
		return 0, false
	}
	return int(text[0] - '0'), true
}

// leaves reports whether a token goes on a number in a way that leaves the scale: a fraction, or
// more digits.
func leaves(token string) bool {
	return token != "" && (token[0] >= '0' && token[0] <= '9' || token[0] == '.' && len(token) > 1)
}

// place finds the token that holds a byte of the reply. The tokens have to spell the reply; what they
// hold before it, such as reasoning, is skipped.
func place(tokens []llm.TokenLogprob, reply string, at int) (int, error) {
	var all strings.Builder
	for _, t := range tokens {
		all.WriteString(t.Token)
	}
	start := strings.LastIndex(all.String(), reply)
	if start < 0 {
		return 0, errors.New("the listed tokens do not spell the reply")
	}
	at += start
	for i, t := range tokens {
		if at < len(t.Token) {
			return i, nil
		}
		at -= len(t.Token)
	}
	return 0, errors.New("the score's place in the tokens is not known")
}
