package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/template"

	"parley/eval"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// Mode says how a number is had from a judge. It is asked for, and never changed for another one: a
// table that mixed modes would compare unlike numbers.
type Mode string

const (
	Top     Mode = "top"     // the number as said
	Logprob Mode = "logprob" // weighted by what the judge could have said in its place; see Weigh
	Samples Mode = "samples" // the mean of several draws
)

// Rating asks a judge for a number on a scale.
type Rating struct {
	Scorer  string
	Session string
	Subject string
	Turn    int
	Try     int
	Seed    uint64

	Role   string
	Prompt *template.Template
	Data   any

	Scale Scale
	Mode  Mode // empty: top
	// Reasoned asks for the reason first, and the score in a field of its own after it.
	Reasoned bool
	// Floor is the least share that counts: of the probability that lies on the scale (logprob), or of
	// the draws that gave a number (samples). 0 means one half.
	Floor       float64
	Draws       int      // of samples; 0 means 20
	Temperature *float64 // of samples; nil means 1
}

// Rated is a number from a judge and what it rests on.
type Rated struct {
	Verdict[float64]
	Mass   float64         // logprob: the probability on the scale; samples: the share of draws that count; top: 1
	Spread map[int]float64 // how the mass lies on the scale
	Draws  int             // samples: asked for
	Failed int             // samples: of these, without a number; they are left out of the mean
	Why    string          // the judge's reason, where it was asked for; of samples, the first one's
}

// Rate asks for a number, in the mode that is asked for. Where that mode gives none, there is none.
// The error is that of Ask.
func Rate(ctx context.Context, j *Judge, r Rating) (Rated, error) {
	if r.Scale.Max <= r.Scale.Min {
		return Rated{}, fmt.Errorf("judge:%s: a scale from %d to %d has no room", r.Scorer, r.Scale.Min, r.Scale.Max)
	}
	if r.Floor == 0 {
		r.Floor = 0.5
	}
	var rated Rated
	var err error
	switch r.Mode {
	case "", Top:
		r.Mode = Top
		rated, err = r.top(ctx, j)
	case Logprob:
		rated, err = r.logprob(ctx, j)
	case Samples:
		rated, err = r.samples(ctx, j)
	default:
		return Rated{}, fmt.Errorf("judge:%s: unknown mode %q; known are top, logprob, samples", r.Scorer, r.Mode)
	}
	rated.Method = string(r.Mode)
	return rated, err
}

func (r *Rating) inquiry() inquiry {
	schema := r.Scale.Schema()
	if r.Reasoned {
		schema = r.Scale.reasoned()
	}
	return inquiry{
		tag:  llm.Tag{Session: r.Session, Actor: r.Subject, Purpose: "judge:" + r.Scorer, Turn: r.Turn, Try: r.Try},
		seed: r.Seed, role: r.Role, prompt: r.Prompt, data: r.Data, schema: schema,
	}
}

func (r *Rating) rated(out outcome, value, mass float64, spread map[int]float64) Rated {
	v := Rated{Verdict: Verdict[float64]{Status: out.status, Reason: out.reason, Calls: out.calls}}
	if out.status == eval.Scored {
		v.Value, v.Mass, v.Spread = value, mass, spread
	}
	return v
}

// score takes the number out of a reading, and the reason where there is one.
func score(reading Reading) (n int, why string, err error) {
	var object struct {
		Score  int    `json:"score"`
		Reason string `json:"reason"`
	}
	err = json.Unmarshal(reading.Value, &object)
	return object.Score, object.Reason, err
}

func (r *Rating) top(ctx context.Context, j *Judge) (Rated, error) {
	var n int
	var why string
	out, err := put(ctx, j, r.inquiry(), func(reading Reading, _ *llm.Response) (err error) {
		n, why, err = score(reading)
		return err
	})
	rated := r.rated(out, float64(n), 1, map[int]float64{n: 1})
	rated.Why = why
	return rated, err
}

func (r *Rating) logprob(ctx context.Context, j *Judge) (Rated, error) {
	q := r.inquiry()
	q.logprobs = 20
	var w Weight
	var flaw error // that asking again does not cure
	why := ""
	out, err := put(ctx, j, q, func(reading Reading, resp *llm.Response) (err error) {
		if _, why, err = score(reading); err != nil {
			return err
		}
		w, flaw = r.weigh(reading, resp)
		return nil
	})
	if out.status == eval.Scored && flaw != nil {
		out.status, out.reason = eval.Unparsed, flaw.Error()
	}
	rated := r.rated(out, w.Score, w.Mass, w.Spread)
	rated.Mass = w.Mass // also where it is too little
	rated.Why = why
	return rated, err
}

func (r *Rating) weigh(reading Reading, resp *llm.Response) (Weight, error) {
	if len(resp.Logprobs) == 0 {
		return Weight{}, errors.New("the backend gives no log-probabilities; ask for another mode")
	}
	var score *loose.Value
	if reading.object != nil {
		score = reading.object.Get("score")
	}
	if score == nil {
		return Weight{}, errors.New("the score's place in the reply is not known")
	}
	start := score.Start
	if c := reading.text[start]; c == '"' || c == '\'' {
		start++
	}
	i, err := place(resp.Logprobs, reading.text, start)
	if err != nil {
		return Weight{}, err
	}
	w, err := Weigh(resp.Logprobs, i, r.Scale)
	if err != nil {
		return w, err
	}
	if w.Mass < r.Floor {
		return w, fmt.Errorf("only %.3f of the probability lies on the scale, less than %.3f", w.Mass, r.Floor)
	}
	return w, nil
}

func (r *Rating) samples(ctx context.Context, j *Judge) (Rated, error) {
	draws, heat := r.Draws, r.Temperature
	if draws == 0 {
		draws = 20
	}
	if heat == nil {
		one := 1.0
		heat = &one
	}
	rated := Rated{Draws: draws, Spread: map[int]float64{}}
	sum, last := 0, ""
	drawn := *j
	drawn.Sampling.Seed = nil // one set seed would draw one number over and over
	for i := range draws {
		q := r.inquiry()
		q.tag.Try += len(rated.Calls)
		q.temperature, q.once = heat, true
		if j.Sampling.Seed != nil {
			seed := *j.Sampling.Seed + int64(i)
			drawn.Sampling.Seed = &seed
		}
		var n int
		var why string
		out, err := put(ctx, &drawn, q, func(reading Reading, _ *llm.Response) (err error) {
			n, why, err = score(reading)
			return err
		})
		rated.Calls = append(rated.Calls, out.calls...)
		if err != nil {
			rated.Status, rated.Reason = eval.Failed, out.reason
			return rated, err
		}
		if out.status != eval.Scored {
			rated.Failed++
			last = out.reason
			continue
		}
		sum += n
		if rated.Why == "" {
			rated.Why = why
		}
		rated.Spread[n] += 1 / float64(draws)
	}
	read := draws - rated.Failed
	rated.Mass = float64(read) / float64(draws)
	if rated.Mass < r.Floor {
		rated.Status = eval.Unparsed
		rated.Reason = fmt.Sprintf("only %d of %d draws gave a number; the last that did not: %s", read, draws, last)
		return rated, nil
	}
	rated.Status, rated.Value = eval.Scored, float64(sum)/float64(read)
	return rated, nil
}
