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
	if err := a.see(a.factory, a.table, v); err != nil {
		return sim.Answer{}, err
	}
	purpose := "debrief"
	if v.Control != "" {
		purpose += ":" + v.Control
	}
	question, err := a.question(a.factory, a.table, v, questions)
	if err != nil {
		return sim.Answer{}, err
	}
	sampling := a.factory.Sampling
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

// question renders what a debrief asks in place of a move.
func (a *memory) question(m *Factory, t *Table, v *sim.View, questions []string) (llm.Message, error) {
	name := promptDebrief
	if v.Control == sim.ControlTold {
		name = promptTold
	}
	s := seatOf(v, t.data, a.cast.self)
	for _, q := range questions {
		s.Questions = append(s.Questions, tame(q))
	}
	return m.Prompts.section(llm.User, name, *s)
}

// account cleans an answer in free text: of fences, the character's own name before it and
// quotation marks around it. Lines stay lines.
func (c *cast) account(text string, cut bool) (answer, fault string) {
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
