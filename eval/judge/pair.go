package judge

import (
	"context"
	"fmt"
	"text/template"

	"parley/eval"
)

// Winner is the outcome of a comparison.
type Winner string

const (
	WinnerA   Winner = "a"
	WinnerB   Winner = "b"
	WinnerTie Winner = "tie"
)

// Pair asks a judge which of two texts is better.
type Pair struct {
	Scorer  string
	Session string
	Subject string
	Turn    int
	Try     int
	Seed    uint64

	Role string
	// Prompt is filled in with a Seats: it shows {{quote .First}} and {{quote .Second}}.
	Prompt *template.Template
	Data   any
	A, B   string
}

// Seats is the data of a pair's prompt.
type Seats struct {
	First, Second string
	Data          any // the pair's own
}

// seats offers the outcome of one comparison.
var seats = MustSchema(`{"type":"object","properties":{"winner":{"type":"string","enum":["first","second","tie"],"description":"which of the two is better"}},"required":["winner"],"additionalProperties":false}`)

// Preference is the outcome of a comparison that was made in both orders.
type Preference struct {
	Verdict[Winner]
	Flip bool // the two orders disagreed, which makes it a tie
}

// Prefer asks in both orders. Only what both agree on is a preference; where they disagree it is a
// tie and a flip. Where one order gives no verdict, there is none.
func Prefer(ctx context.Context, j *Judge, p Pair) (Preference, error) {
	var out Preference
	var said [2]Winner
	for i, order := range [2]Seats{{p.A, p.B, p.Data}, {p.B, p.A, p.Data}} {
		v, err := Ask(ctx, j, Question[struct{ Winner string }]{
			Scorer: p.Scorer, Session: p.Session, Subject: p.Subject, Turn: p.Turn, Try: p.Try + len(out.Calls),
			Seed: p.Seed, Role: p.Role, Prompt: p.Prompt, Data: order, Schema: seats,
		})
		out.Calls = append(out.Calls, v.Calls...)
		out.Status, out.Reason, out.Method = v.Status, v.Reason, v.Method
		if err != nil {
			return out, err
		}
		if v.Status != eval.Scored {
			out.Reason = fmt.Sprintf("order %d of 2: %s", i+1, v.Reason)
			return out, nil
		}
		switch v.Value.Winner {
		case "first":
			said[i] = [2]Winner{WinnerA, WinnerB}[i]
		case "second":
			said[i] = [2]Winner{WinnerB, WinnerA}[i]
		default:
			said[i] = WinnerTie
		}
	}
	out.Value, out.Flip = said[0], said[0] != said[1]
	if out.Flip {
		out.Value = WinnerTie
	}
	return out, nil
}
