package survey_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"parley/eval/judge"
	"parley/eval/survey"
	"parley/sim/llm"
)

// The kept vectors for the weighted score of G-Eval, those on a scale from 1 to 5, come out of the
// evaluator and of the critic, whose scores stand behind a reason that holds numbers too.
func TestGoldenVectors(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/data/evals/golden_geval_vectors.json")
	if err != nil {
		t.Skip("the kept evaluation data is not here: ", err)
	}
	var vectors []struct {
		Name     string
		Top      [][2]any
		Expected *float64
		Mass     float64
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	rubric, err := survey.Builtin().Only("relevancy")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, v := range vectors {
		if v.Top == nil {
			continue
		}
		tried++
		var said llm.TokenLogprob
		for _, one := range v.Top {
			said.Top = append(said.Top, llm.Logprob{Token: one[0].(string), Value: one[1].(float64)})
		}
		if said.Logprob = said.Top[0]; !number(said.Token) {
			said.Token = "4" // a word could not stand in the reply
		}
		model := llm.Func(func(_ context.Context, req llm.Request) (*llm.Response, error) {
			if req.Tag.Purpose == "judge:survey-criteria" {
				return &llm.Response{Text: answer(req, map[string]any{"changes": []any{}, "new": []any{}}), Finish: llm.Stop}, nil
			}
			head := strings.TrimSuffix(answer(req, map[string]any{"reason": "1 of 2 fits, \"score\": 2"}), "}") + `,"score":`
			tokens := []llm.TokenLogprob{{Logprob: llm.Logprob{Token: head}}, said, {Logprob: llm.Logprob{Token: "}"}}}
			return &llm.Response{Text: head + said.Token + "}", Finish: llm.Stop, Logprobs: tokens}, nil
		})
		j := &judge.Judge{Model: model, Name: "m", Now: now}
		out, err := (&survey.Agents{Evaluator: j, Sage: j, Rubric: rubric, Mode: judge.Logprob}).Judge(context.Background(), survey.Subject{ID: "d", Text: "x"})
		if err != nil || len(out.Verdicts) != 2 {
			t.Fatalf("%v %+v", err, out)
		}
		for _, got := range out.Verdicts {
			switch {
			case v.Expected == nil:
				if got.Scored() || got.Reason == "" {
					t.Errorf("%s: %s got %+v, want none", v.Name, got.Agent, got)
				}
			case !got.Scored() || math.Abs(*got.Value-*v.Expected) > 1e-9 || math.Abs(got.Mass-v.Mass) > 1e-9:
				t.Errorf("%s: %s got %+v, want %v with mass %v", v.Name, got.Agent, got, *v.Expected, v.Mass)
			}
		}
	}
	if tried != 5 {
		t.Errorf("%d vectors", tried)
	}
}

func number(s string) bool {
	_, err := strconv.Atoi(strings.TrimSpace(s))
	return err == nil
}
