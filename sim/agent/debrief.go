package agent

import (
	"context"
	"fmt"
	"strings"

	"parley/sim"
	"parley/sim/llm"
)

// leastAnswer is the least that an answer to a debrief may take, in tokens: a move is short, an
// account of all that was heard is not.
const leastAnswer = 400

// Debrief puts the questions to the model after the last turn, or under the conditions of a control,
// and returns its answer as plain text. A text that is kept in spite of its fault says what it can.
func (a *Agent) Debrief(ctx context.Context, v *sim.View, questions []string) (sim.Answer, error) {
	if err := a.see(a.maker, a.table, v); err != nil {
		return sim.Answer{}, err
	}
	purpose := "debrief"
	if v.Control != "" {
		purpose += ":" + v.Control
	}
	question, err := a.question(a.maker, a.table, v, questions)
	if err != nil {
		return sim.Answer{}, err
	}
	sampling := a.maker.Sampling
	sampling.MaxTokens = max(sampling.MaxTokens, leastAnswer)
	resp, calls, err := a.ask(ctx, v.Seed, tag(v, purpose), sampling, nil, question)
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

// question is what a debrief asks in place of a move.
func (a *memory) question(m *Maker, t *Table, v *sim.View, questions []string) (llm.Message, error) {
	name := promptDebrief
	if v.Control == sim.ControlTold {
		name = promptTold
	}
	s := seatOf(v, t.data, a.cast.self)
	for _, q := range questions {
		s.Questions = append(s.Questions, tame(q))
	}
	return m.Prompts.section(llm.User, name, s)
}

// account cleans an answer in free text: of reasoning, fences, one's own name before it and quotes
// around it. Lines stay lines.
func (c *cast) account(raw string, cut bool) (text, fault string) {
	text, open := withoutReasoning(raw)
	if strings.TrimSpace(text) == "" {
		if open || cut {
			return "", FaultCutOff
		}
		return "", FaultEmpty
	}
	text, leaked := withoutTokens(text)
	if flooded(text) {
		return "", FaultFlood
	}
	var b strings.Builder
	for line := range strings.Lines(unified(text)) {
		line = squeeze(line)
		if line == "" || strings.HasPrefix(line, "```") {
			continue
		}
		if b.Len() == 0 {
			if h, ok := c.speaker(line); ok && (h.who == c.self || h.who == oneself) {
				if line = h.rest; line == "" {
					continue
				}
			}
		} else {
			b.WriteByte('\n')
		}
		b.WriteString(line)
	}
	text = b.String()
	if !strings.Contains(text, "\n") {
		text = unquote(text)
	}
	switch {
	case text == "" && leaked:
		return "", FaultLeakedTokens
	case wordless(text):
		return "", FaultEmpty
	case refused(text):
		return "", FaultRefused
	case cut && !leaked:
		return text, FaultCutOff
	case leaked:
		return text, FaultLeakedTokens
	case foreign(text):
		return text, FaultOtherLanguage
	}
	return text, ""
}
