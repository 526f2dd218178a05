package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/sim"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// leastAnswer is the least that an answer to a debrief may take, in tokens: a move is short, an
// account of all that was heard is not. An answer in JSON has an end by its schema, which leastPoints
// tokens reach in nearly every text.
const (
	leastAnswer = 400
	leastPoints = 1200
)

// points is the schema of an answer in JSON: a list, so that a small model that goes on without end comes
// to one, and no sentence is asked for twice.
var points = json.RawMessage(`{"type":"object","properties":{"points":{"type":"array","items":{"type":"string","maxLength":200},` +
	`"minItems":1,"maxItems":20}},"required":["points"],"additionalProperties":false}`)

// Debrief puts the questions to the model after the last turn, or under the conditions of a control,
// and returns its answer as plain text. A text that is kept in spite of its fault says what it can.
func (a *Agent) Debrief(ctx context.Context, v *sim.View, questions []string) (sim.Answer, error) {
	if err := a.see(a.factory, a.table, v); err != nil {
		return sim.Answer{}, err
	}
	purpose := "debrief"
	if v.Control != "" {
		purpose += ":" + v.Control
	}
	question, err := a.question(a.factory, v, questions)
	if err != nil {
		return sim.Answer{}, err
	}
	sampling, schema := a.factory.Sampling, json.RawMessage(nil)
	sampling.MaxTokens = max(sampling.MaxTokens, leastAnswer)
	if a.factory.Form == JSON {
		sampling.MaxTokens, schema = max(sampling.MaxTokens, leastPoints), points
	}
	resp, calls, err := a.ask(ctx, v.Seed, tag(v, purpose), sampling, schema, question)
	switch {
	case err != nil && llm.FaultOf(err) == llm.Blocked:
		return sim.Answer{Fault: FaultFiltered, Calls: calls}, nil
	case err != nil:
		return sim.Answer{Calls: calls}, fmt.Errorf("debrief %s: %w", v.Self.ID, err)
	}
	answer := sim.Answer{Calls: calls}
	if answer.Fault = finishFault(resp); answer.Fault == "" {
		answer.Text, answer.Fault = a.cast.account(resp.Text, broken(resp))
	}
	return answer, nil
}

// question renders what a debrief asks in place of a move.
func (a *memory) question(m *Factory, v *sim.View, questions []string) (llm.Message, error) {
	s, name := *a.data, promptDebrief
	if v.Control == sim.ControlTold {
		s.Knowledge, name = tameKnowledge(v.Knowledge), promptTold
	}
	s.JSON = m.Form == JSON
	for _, q := range questions {
		s.Questions = append(s.Questions, tame(q))
	}
	return m.Prompts.section(llm.User, name, s)
}

// listedPoints returns the points of an answer in JSON as lines, each once and without placeholders. An
// answer that is no object is free text, which is returned unchanged.
func listedPoints(text string) (lines, fault string) {
	for _, v := range loose.Find(text) {
		list := v.Get("points")
		if list == nil || len(v.Keys) > 1 {
			if strings.Trim(text[:v.Start], "`jsonJSON \n") == "" {
				return "", FaultMalformed // an object of another form
			}
			continue
		}
		said, ok := texts(list)
		switch {
		case !ok || v.State == loose.Broken:
			return "", FaultMalformed
		case v.State == loose.Cut:
			fault = FaultCutOff
		}
		var once []string
		for _, point := range said {
			if point = squeeze(point); !slices.Contains(once, point) && !placeholder(point) {
				once = append(once, point)
			}
		}
		if len(once) == 0 && len(said) > 0 {
			return "", FaultMalformed
		}
		return strings.Join(once, "\n"), fault
	}
	return text, ""
}

// account cleans an answer: of fences, the character's own name before it and quotation marks around it.
// Lines stay lines, and the points of a list become lines.
func (c *cast) account(text string, cut bool) (answer, fault string) {
	text, broken := listedPoints(text)
	if broken == FaultMalformed {
		return "", broken
	}
	cut = cut || broken == FaultCutOff
	if kind := amiss(text, cut); kind != "" {
		return "", kind
	}
	text, leaked := ownTurn(text)
	var lines []string
	for line := range strings.Lines(unifiedBreaks(text)) {
		if line = squeeze(line); line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if len(lines) == 0 {
			line = squeeze(c.unheaded(line))
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	text = strings.Join(lines, "\n")
	if len(lines) == 1 {
		text = unquote(text)
	}
	switch {
	case text == "" && leaked != "":
		return "", FaultTemplateTokens
	case wordless(text):
		return "", FaultNoWords
	case refused(text):
		return "", FaultRefusal
	case cut && leaked == "":
		return text, FaultCutOff
	case leaked != "":
		return text, FaultTemplateTokens
	case foreign(text):
		return text, FaultOtherLanguage
	}
	return text, ""
}
