package script

import (
	"fmt"
	"regexp"
	"strings"

	"parley/eval"
	"parley/sim/llm/loose"
	"parley/sim/prose"
)

// MaxSteps is the longest script that is read. A reply with more is a flood, and no script.
const MaxSteps = 100

// Script is a list of steps, as read from a reply.
type Script struct {
	Steps    []string
	Preamble string // the text before the steps
	Note     string // the text behind them
	Method   string // how they were marked: step, number, bullet, ordinal, inline, json
	Status   eval.Status
	Reason   string // why there are no steps
}

func noScript(format string, args ...any) Script {
	return Script{Status: eval.Unparsed, Reason: fmt.Sprintf(format, args...)}
}

var (
	thought  = regexp.MustCompile(`(?is)<(think|thinking|reasoning)>.*?</(?:think|thinking|reasoning)>`)
	unclosed = regexp.MustCompile(`(?i)<(think|thinking|reasoning)>`)
	closing  = regexp.MustCompile(`(?i)</(think|thinking|reasoning)>`)
	asides   = regexp.MustCompile(`(?i)^(material|ingredient|tool|equipment|supplies|requirement|what you|you('ll| will)? need|things you|tip|note|warning|variation|troubleshoot|disclaimer|benefit|safety|conclusion|summary)`)
	notes    = regexp.MustCompile(`(?i)^[*_(\[ ]*(note|notes|tip|tips|remember|disclaimer|warning|caution|important|p\.?s\.?|please note|keep in mind|by following|following these|with these|good luck|enjoy!?|i hope|hope this|let me know|that's it|that is it|and that's|in conclusion|in summary|overall|happy |congratulations)\b`)
	ordinals = regexp.MustCompile(`(?i)^(first(ly)?|second(ly)?|third(ly)?|fourth(ly)?|fifth(ly)?|sixth(ly)?|next|then|after that|afterwards|finally|lastly|last)\b,?\s*`)
	inlined  = regexp.MustCompile(`(?:^|[\s,;.])\(?(\d{1,3})[.)]\s*`)
)

// Read finds the steps in what a model sent: numbered in any usual way, headed "Step 1", bulleted,
// in a table, in a line, or as JSON. Numbers within steps stay with their step, as do the lines below
// it; the text before and behind the list is kept apart. Text without a list is no script: nothing
// is guessed from prose, but for sentences that count themselves (first, then, finally).
func Read(reply string) Script {
	text := thought.ReplaceAllString(strings.ReplaceAll(reply, "\r\n", "\n"), "")
	if at := closing.FindStringIndex(text); at != nil { // begun in the prompt
		text = text[at[1]:]
	}
	if at := unclosed.FindStringIndex(text); at != nil {
		text = text[:at[0]]
		if strings.TrimSpace(text) == "" {
			return noScript("the reply ends within its reasoning")
		}
	}
	if strings.TrimSpace(text) == "" {
		return noScript("the reply is empty")
	}
	s := fromJSON(text)
	if len(s.Steps) == 0 {
		s = fromLines(text)
	}
	if len(s.Steps) < 2 {
		if p := fromProse(text); len(p.Steps) > len(s.Steps) {
			s = p
		}
	}
	switch {
	case len(s.Steps) == 0:
		return noScript("the reply holds no list of steps")
	case len(s.Steps) > MaxSteps:
		return noScript("the reply lists %d steps, which is more than %d", len(s.Steps), MaxSteps)
	}
	s.Status = eval.Scored
	return s
}

// fromJSON reads a list of steps, or an object that holds one under "steps". Only a text that begins with
// it counts: JSON within prose may be part of a step.
func fromJSON(text string) Script {
	text = strings.TrimSpace(text)
	if text == "" || !strings.ContainsAny(text[:1], "[{`") {
		return Script{}
	}
	found := loose.Find(text)
	if len(found) == 0 || found[0].State != loose.Whole || text[0] != '`' && found[0].Start > 0 {
		return Script{}
	}
	list := &found[0]
	if list.Kind == loose.Object {
		for _, key := range []string{"steps", "Steps", "script"} {
			if v := list.Get(key); v != nil && v.Kind == loose.Array {
				list = v
				break
			}
		}
	}
	if list.Kind != loose.Array {
		return Script{}
	}
	s := Script{Method: "json"}
	for i := range list.Items {
		step, ok := stepOf(&list.Items[i])
		if !ok {
			return Script{}
		}
		if m := lineOf(step); m.kind == number || m.kind == stepWord {
			step = m.text
		}
		if step = strings.TrimSpace(step); step != "" {
			s.Steps = append(s.Steps, step)
		}
	}
	return s
}

// stepOf returns the text of a step, which is a string or an object that holds one.
func stepOf(v *loose.Value) (string, bool) {
	if v.Kind == loose.Object {
		for _, key := range []string{"text", "step", "description", "action", "instruction"} {
			if text := v.Get(key); text != nil && text.Kind == loose.String {
				return text.Text, true
			}
		}
		return "", true
	}
	return v.Text, v.Kind == loose.String
}

// fromProse reads steps within a line, or sentences that count themselves.
func fromProse(text string) Script {
	flat := strings.Join(strings.Fields(unbold(text)), " ")
	var steps []string
	want, from := 1, -1
	pre := flat
	for _, at := range inlined.FindAllStringSubmatchIndex(flat, -1) {
		if flat[at[2]:at[3]] != fmt.Sprint(want) || at[1] < len(flat) && startsWithDigit(flat[at[1]:]) && at[1] == at[3]+1 {
			continue
		}
		if from >= 0 {
			steps = append(steps, strings.Trim(flat[from:at[0]], " ,;"))
		} else {
			pre = flat[:at[0]]
		}
		from, want = at[1], want+1
	}
	if from >= 0 {
		steps = append(steps, strings.Trim(flat[from:], " ,;"))
	}
	if steps = kept(steps); len(steps) >= 2 {
		return Script{Steps: steps, Preamble: strings.TrimSpace(pre), Method: "inline"}
	}
	steps = nil
	var before []string
	counted := 0
	for _, part := range prose.Sentences(flat) {
		switch {
		case ordinals.MatchString(part):
			counted++
			steps = append(steps, part)
		case notes.MatchString(part) && counted > 0:
			if counted >= 3 {
				return Script{Steps: steps, Preamble: strings.Join(before, " "), Note: part, Method: "ordinal"}
			}
			return Script{}
		case counted == 0:
			before = append(before, part)
		default:
			steps[len(steps)-1] += " " + part
		}
	}
	if counted >= 3 {
		return Script{Steps: steps, Preamble: strings.Join(before, " "), Method: "ordinal"}
	}
	return Script{}
}

func kept(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}
