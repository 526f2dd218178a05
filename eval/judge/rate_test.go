package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/judge"
	"parley/sim/llm"
)

type pairs [][2]any

func (p pairs) top(t *testing.T) llm.TokenLogprob {
	t.Helper()
	var out llm.TokenLogprob
	for _, one := range p {
		token, ok := one[0].(string)
		value, ok2 := one[1].(float64)
		if !ok || !ok2 {
			t.Fatalf("not a token and a number: %v", one)
		}
		out.Top = append(out.Top, llm.Logprob{Token: token, Value: value})
	}
	if len(out.Top) > 0 {
		out.Logprob = out.Top[0]
	}
	return out
}

// TestGoldenVectors weighs the kept vectors for the weighted score of G-Eval, by themselves and as
// the score of a reply whose tokens have to be found.
func TestGoldenVectors(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(data, "golden_geval_vectors.json"))
	if err != nil {
		t.Skip("the kept evaluation data is not here: ", err)
	}
	var vectors []struct {
		Name   string
		Min    int `json:"score_min"`
		Max    int `json:"score_max"`
		Top    pairs
		First  pairs
		Second pairs `json:"second_given_1"`
		Tokens []struct {
			T   string
			Top pairs
		}
		Expected *float64
		Mass     float64
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) != 7 {
		t.Errorf("%d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			var tokens []llm.TokenLogprob
			at := 0
			switch {
			case v.Top != nil:
				tokens = []llm.TokenLogprob{v.Top.top(t)}
			case v.First != nil:
				tokens = []llm.TokenLogprob{v.First.top(t), v.Second.top(t)}
			default:
				for _, one := range v.Tokens {
					token := one.Top.top(t)
					token.Token = one.T
					tokens = append(tokens, token)
				}
				at = len(tokens) - 1
			}
			w, err := judge.Weigh(tokens, at, judge.Scale{Min: v.Min, Max: v.Max})
			if math.Abs(w.Mass-v.Mass) > 1e-9 {
				t.Errorf("mass %v, want %v", w.Mass, v.Mass)
			}
			if v.Expected == nil {
				if err == nil {
					t.Errorf("got %v, want none", w.Score)
				}
				return
			}
			if err != nil || math.Abs(w.Score-*v.Expected) > 1e-9 {
				t.Errorf("got %v (%v), want %v", w.Score, err, *v.Expected)
			}
		})
	}
}

func at(token string, alternatives ...any) llm.TokenLogprob {
	t := llm.TokenLogprob{Logprob: llm.Logprob{Token: token, Value: math.NaN()}}
	for i := 0; i < len(alternatives); i += 2 {
		text, p := alternatives[i].(string), alternatives[i+1].(float64)
		t.Top = append(t.Top, llm.Logprob{Token: text, Value: math.Log(p)})
		if text == token {
			t.Value = math.Log(p)
		}
	}
	return t
}

func TestWeigh(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name       string
		tokens     []llm.TokenLogprob
		scale      judge.Scale
		score      float64 // NaN: none
		mass       float64
		reasonHint string
	}{
		{"variants of one number", []llm.TokenLogprob{at(" 4", " 4", .3, "4", .2, `"4"`, .1, "４", .1, "4}", .1, "2", .2)}, judge.Scale{Min: 1, Max: 5}, (4*.8 + 2*.2), 1, ""},
		{"fractions and words are left out", []llm.TokenLogprob{at("4", "4", .5, ".5", .2, "four", .1, "44", .1)}, judge.Scale{Min: 1, Max: 5}, 4, .5, ""},
		{"ten as one token", []llm.TokenLogprob{at("9", "9", .5, "10", .3, "1", .2)}, judge.Scale{Min: 1, Max: 10}, (4.5 + 3 + .2), 1, ""},
		{"ten in two tokens, and it was not said", []llm.TokenLogprob{at("9", "9", .6, "1", .4)}, judge.Scale{Min: 1, Max: 10}, nan, .6, "first of two"},
		{"ten in two tokens, hardly likely", []llm.TokenLogprob{at("9", "9", .995, "1", .005)}, judge.Scale{Min: 1, Max: 10}, 9, .995, ""},
		{"one that ends at once", []llm.TokenLogprob{at("1}", "1}", .5, "2}", .5)}, judge.Scale{Min: 1, Max: 10}, 1.5, 1, ""},
		{"ten, and the next token closes the object", []llm.TokenLogprob{at("1", "1", 1.0), at("0}", "0}", .5, "}", .5)}, judge.Scale{Min: 1, Max: 10}, 5.5, 1, ""},
		{"eleven is off the scale", []llm.TokenLogprob{at("1", "1", 1.0), at("0", "0", .5, "1", .5)}, judge.Scale{Min: 1, Max: 10}, 10, .5, ""},
		{"a hundred is off the scale", []llm.TokenLogprob{at("1", "1", 1.0), at("00", "00", .6, "}", .4)}, judge.Scale{Min: 1, Max: 10}, 1, .4, ""},
		{"nineteen", []llm.TokenLogprob{at("1", "1", 1.0), at("9", "9", .25, "95", .25, "}", .5)}, judge.Scale{Min: 0, Max: 20}, (19*.25 + .5) / .75, .75, ""},
		{"the reply ends with a digit", []llm.TokenLogprob{at("1", "1", 1.0)}, judge.Scale{Min: 1, Max: 10}, nan, 0, "first of two"},
		{"twenty", []llm.TokenLogprob{at("1", "1", .5, "2", .5), at("5", "5", .5, "}", .5)}, judge.Scale{Min: 0, Max: 20}, nan, .5, "first of two"},
		{"zero", []llm.TokenLogprob{at("0", "0", .5, "1", .5)}, judge.Scale{Min: 0, Max: 4}, .5, 1, ""},
		{"sentinels", []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "4", Value: 0}, Top: []llm.Logprob{{Token: "4", Value: 0}, {Token: "5", Value: -9999}}}}, judge.Scale{Min: 1, Max: 5}, 4, 1, ""},
		{"all certain", []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "4", Value: 0}, Top: []llm.Logprob{{Token: "4", Value: 0}, {Token: "5", Value: 0}}}}, judge.Scale{Min: 1, Max: 5}, nan, 0, "not real"},
		{"infinite", []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "4", Value: math.Inf(-1)}}}, judge.Scale{Min: 1, Max: 5}, nan, 0, "on the scale"},
		{"the said token is not listed", []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "3", Value: math.Log(.5)}, Top: []llm.Logprob{{Token: "5", Value: math.Log(.5)}}}}, judge.Scale{Min: 1, Max: 5}, 4, 1, ""},
		{"the widest scale", []llm.TokenLogprob{at("99", "99", .5, "0", .5)}, judge.Scale{Min: 0, Max: 99}, 49.5, 1, ""},
		{"a little more than certain", []llm.TokenLogprob{at("4", "4", .605, "5", .4)}, judge.Scale{Min: 1, Max: 5}, (4*.605 + 5*.4) / 1.005, 1, "rounding of the server's"},
		{"a digit before the scale's first", []llm.TokenLogprob{at("2", "2", .6, "3", .2, "1", .2), at("5}", "5}", 1.0)}, judge.Scale{Min: 20, Max: 29}, 25, .6, ""},
		{"a scale below 0", []llm.TokenLogprob{at("0", "0", 1.0)}, judge.Scale{Min: -1, Max: 5}, nan, 0, "within 0 to 99"},
		{"no number", []llm.TokenLogprob{{Logprob: llm.Logprob{Token: "4", Value: math.NaN()}}}, judge.Scale{Min: 1, Max: 5}, nan, 0, "on the scale"},
		{"one and a half", []llm.TokenLogprob{at("1", "1", 1.0), at(".5", ".5", .5, ".", .25, ":", .25)}, judge.Scale{Min: 1, Max: 10}, 1, .5, "a fraction goes on the number, a full stop ends it"},
		{"hardly more than certain", []llm.TokenLogprob{at("4", "4", .62, "5", .4)}, judge.Scale{Min: 1, Max: 5}, nan, 0, "more than certain"},
		{"a scale of tens", []llm.TokenLogprob{at("40", "40", .5, "5", .25, "50", .25)}, judge.Scale{Min: 0, Max: 60}, (20 + 12.5 + 1.25) / 1, 1, "numbers are one token"},
		{"a wide scale", []llm.TokenLogprob{at("4", "4", 1.0)}, judge.Scale{Min: 0, Max: 100}, nan, 0, "within 0 to 99"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := judge.Weigh(tt.tokens, 0, tt.scale)
			if math.Abs(w.Mass-tt.mass) > 1e-9 {
				t.Errorf("mass %v, want %v", w.Mass, tt.mass)
			}
			if math.IsNaN(tt.score) {
				if err == nil || !strings.Contains(err.Error(), tt.reasonHint) {
					t.Errorf("got %v, %v", w.Score, err)
				}
				return
			}
			if err != nil || math.Abs(w.Score-tt.score) > 1e-9 {
				t.Errorf("got %v (%v), want %v", w.Score, err, tt.score)
			}
		})
	}
}

// spelled is a model whose reply comes with tokens; the score's own has the alternatives given.
func spelled(head string, score llm.TokenLogprob, tail string) llm.Model {
	return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		head := strings.ReplaceAll(head, "NONCE", nonce(req))
		resp := &llm.Response{Text: head + score.Token + tail, Finish: llm.Stop}
		if req.TopLogprobs > 0 {
			if req.TopLogprobs != 20 {
				panic("servers list 20 alternatives at most, and fewer hide some")
			}
			resp.Logprobs = append(resp.Logprobs, llm.TokenLogprob{Logprob: llm.Logprob{Token: "<think>5</think>"}})
			for _, piece := range strings.SplitAfter(head, " ") {
				resp.Logprobs = append(resp.Logprobs, at(piece, piece, 1.0))
			}
			resp.Logprobs = append(resp.Logprobs, score, at(tail, tail, 1.0))
		}
		return resp, nil
	})
}

func rating(mode judge.Mode) judge.Rating {
	return judge.Rating{Scorer: "x", Seed: 1, Prompt: rubric, Data: "A text.", Scale: judge.Scale{Min: 1, Max: 5}, Mode: mode}
}

func TestRate(t *testing.T) {
	score := at("4", "4", .6, "5", .2, "x", .2)
	m := spelled(`At step 5 it fails; 2 are fine. {"nonce": "NONCE", "score": `, score, "}")
	j := &judge.Judge{Model: m, Name: "m", Now: clock}
	r, err := judge.Rate(t.Context(), j, rating(judge.Top))
	if err != nil || r.Status != eval.Scored || r.Value != 4 || r.Method != "top" || r.Mass != 1 || fmt.Sprint(r.Spread) != "map[4:1]" {
		t.Errorf("top: %+v %v", r, err)
	}
	r, err = judge.Rate(t.Context(), j, rating(judge.Logprob))
	if err != nil || r.Status != eval.Scored || math.Abs(r.Value-4.25) > 1e-9 || math.Abs(r.Mass-.8) > 1e-9 || r.Method != "logprob" {
		t.Errorf("logprob: %+v %v", r, err)
	}
	for _, mark := range []string{`"`, "'"} {
		quoted := &judge.Judge{Model: spelled(`{"nonce": "NONCE", "score": `+mark, score, mark+"}"), Name: "m", Now: clock}
		if r, err = judge.Rate(t.Context(), quoted, rating(judge.Logprob)); err != nil || math.Abs(r.Value-4.25) > 1e-9 {
			t.Errorf("logprob of a score in %s: %+v %v", mark, r, err)
		}
	}
	strict := rating(judge.Logprob)
	strict.Floor = .9
	r, err = judge.Rate(t.Context(), j, strict)
	if err != nil || r.Status != eval.Unparsed || math.Abs(r.Mass-.8) > 1e-9 || r.Value != 0 || !strings.Contains(r.Reason, "0.800") || r.Method != "logprob" {
		t.Errorf("below the floor: %+v %v", r, err)
	}
	strict.Floor = r.Mass
	if r, err = judge.Rate(t.Context(), j, strict); err != nil || r.Status != eval.Scored {
		t.Errorf("on the floor: %+v %v", r, err)
	}
	silent, _ := replies(`{"nonce":"NONCE","score":4}`)
	r, err = judge.Rate(t.Context(), &judge.Judge{Model: silent, Name: "m", Now: clock}, rating(judge.Logprob))
	if err != nil || r.Status != eval.Unparsed || r.Method != "logprob" || !strings.Contains(r.Reason, "no log-probabilities") || len(r.Calls) != 1 {
		t.Errorf("without log-probabilities there is no score, and not one of another mode: %+v %v", r, err)
	}
	if _, err := judge.Rate(t.Context(), j, judge.Rating{Scorer: "x", Prompt: rubric, Data: "x", Scale: judge.Scale{Min: 1, Max: 1}}); err == nil {
		t.Error("a scale of one number has to be refused")
	}
	if _, err := judge.Rate(t.Context(), j, judge.Rating{Scorer: "x", Prompt: rubric, Scale: judge.Scale{Min: 1, Max: 5}, Mode: "auto"}); err == nil {
		t.Error("an unknown mode has to be refused")
	}
}

func TestSamples(t *testing.T) {
	m, seen := replies(`{"nonce":"NONCE","score":4}`, `{"nonce":"NONCE","score":5}`, `nothing`, `{"nonce":"NONCE","score":3}`, `{"nonce":"NONCE","score":2}`)
	r := rating(judge.Samples)
	r.Draws = 5
	got, err := judge.Rate(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, r)
	if err != nil || got.Status != eval.Scored || got.Value != 3.5 || got.Failed != 1 || got.Draws != 5 || got.Mass != .8 || len(got.Calls) != 5 {
		t.Errorf("%+v %v", got, err)
	}
	seeds, ids := map[int64]bool{}, map[string]bool{}
	for i, req := range *seen {
		seeds[*req.Sampling.Seed], ids[got.Calls[i].ID] = true, true
		if *req.Sampling.Temperature != 1 {
			t.Errorf("temperature %v", *req.Sampling.Temperature)
		}
	}
	if len(seeds) != 5 || len(ids) != 5 {
		t.Errorf("%d seeds and %d ids for 5 draws", len(seeds), len(ids))
	}
	if fmt.Sprint(got.Spread) != "map[2:0.2 3:0.2 4:0.2 5:0.2]" {
		t.Errorf("spread %v", got.Spread)
	}
	for i, req := range *seen {
		if req.Tag.Try != i {
			t.Errorf("draw %d is call %d", i, req.Tag.Try)
		}
	}
	// A seed that is set counts upwards, and draws are 20 where none are asked for.
	m, seen = replies(`{"nonce":"NONCE","score":4}`)
	first, all := int64(40), r
	all.Draws = 0
	if got, err = judge.Rate(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock, Sampling: llm.Sampling{Seed: &first}}, all); err != nil || got.Draws != 20 || len(*seen) != 20 {
		t.Errorf("%d draws: %+v %v", len(*seen), got, err)
	}
	for i, req := range *seen {
		if *req.Sampling.Seed != 40+int64(i) {
			t.Errorf("draw %d has seed %d", i, *req.Sampling.Seed)
		}
	}
	m, _ = replies(`nothing`, `{"nonce":"NONCE","score":5}`)
	r.Draws = 2
	if got, err = judge.Rate(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, r); err != nil || got.Status != eval.Scored || got.Value != 5 || got.Mass != .5 {
		t.Errorf("half of the draws are enough: %+v %v", got, err)
	}
	r.Draws = 5
	m, _ = replies(`nothing`, `{"nonce":"NONCE","score":5}`, `nothing`)
	got, err = judge.Rate(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, r)
	if err != nil || got.Status != eval.Unparsed || got.Failed != 4 || !strings.Contains(got.Reason, "1 of 5") {
		t.Errorf("too few: %+v %v", got, err)
	}
}

func TestPrefer(t *testing.T) {
	// better says which text a judge likes, by what stands first.
	seat := func(name string) llm.Model {
		return llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			return &llm.Response{Text: fmt.Sprintf(`{"nonce":%q,"winner":%q}`, nonce(req), name)}, nil
		})
	}
	fair := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
		winner := "first"
		if text := req.Messages[1].Content; strings.Index(text, "good") > strings.Index(text, "bad") {
			winner = "second"
		}
		return &llm.Response{Text: fmt.Sprintf(`{"nonce":%q,"winner":%q}`, nonce(req), winner)}, nil
	})
	for _, tt := range []struct {
		name   string
		m      llm.Model
		a, b   string
		status eval.Status
		winner judge.Winner
		flip   bool
	}{
		{"a is better", fair, "a good text, and long", "a bad one", eval.Scored, judge.WinnerA, false},
		{"b is better", fair, "a bad text", "good", eval.Scored, judge.WinnerB, false},
		{"always the first seat", seat("first"), "good", "bad", eval.Scored, judge.WinnerTie, true},
		{"a tie", seat("tie"), "good", "bad", eval.Scored, judge.WinnerTie, false},
		{"neither", seat("third"), "good", "bad", eval.Unparsed, "", false},
	} {
		var tries []int
		m := llm.Func(func(ctx context.Context, req llm.Request) (*llm.Response, error) {
			tries = append(tries, req.Tag.Try)
			return tt.m.Generate(ctx, req)
		})
		p, err := judge.Prefer(t.Context(), &judge.Judge{Model: m, Name: "m", Now: clock}, judge.Pair{Scorer: "x", Seed: 1, Try: 6, Prompt: versus, A: tt.a, B: tt.b})
		for i, try := range tries {
			if try != 6+i {
				t.Errorf("%s: call %d is number %d", tt.name, i, try)
			}
		}
		if err != nil || p.Status != tt.status || p.Value != tt.winner || p.Flip != tt.flip || p.Status != eval.Scored && !strings.HasPrefix(p.Reason, "order 1 of 2: ") {
			t.Errorf("%s: %+v %v", tt.name, p, err)
		}
		ids := map[string]bool{}
		for _, c := range p.Calls {
			ids[c.ID] = true
		}
		if len(ids) != len(p.Calls) {
			t.Errorf("%s: %d ids for %d calls", tt.name, len(ids), len(p.Calls))
		}
	}
}
