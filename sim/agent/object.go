package agent

import (
	"encoding/json"
	"strings"

	"parley/sim/llm/loose"
)

// spelling folds the ways in which models write a key.
var spelling = strings.NewReplacer("-", "_", " ", "_")

// moveKeys are the names that models give to the fields of a move.
var moveKeys = func() map[string]string {
	kinds := map[string]string{}
	for kind, names := range map[string]string{
		"speech":  "speech say says said speak dialogue dialog utterance words text content message",
		"deed":    "deed deeds do does action actions act",
		"to":      "to whisper_to whispers_to private_to heard_by audience addressee addressees recipient recipients",
		"check":   "check skill skill_check",
		"pass":    "pass",
		"speaker": "speaker name character actor role",
		"target":  "target targets listener listeners",   // who is spoken to, aloud
		"thought": "thought thoughts thinking reasoning", // not read
		"refusal": "refusal",
	} {
		for _, name := range strings.Fields(names) {
			kinds[name] = kind
		}
	}
	return kinds
}()

// moveKey folds the name of a field. It is empty for one that no move has.
func moveKey(name string) string { return moveKeys[folded(name)] }

func folded(name string) string { return strings.ToLower(spelling.Replace(strings.TrimSpace(name))) }

// object reads a reply that is a JSON object, perhaps in a string, a list or a fence. found is false for
// prose, also with an object within a line of it.
func (c *cast) object(text string, depth int) (d draft, found bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, `"`) && strings.Contains(text, `{`) && depth < 2 {
		var inner string
		if json.Unmarshal([]byte(text), &inner) == nil {
			return c.object(inner, depth+1)
		}
	}
	if strings.IndexByte(text, '{') < 0 {
		return d, false
	}
	for _, v := range loose.Find(text) {
		line := strings.LastIndexByte(text[:v.Start], '\n') + 1
		if !c.introduces(text[line:v.Start]) && strings.Trim(text[v.End:], " \t\n`") != "" {
			continue // an object within a sentence is prose
		}
		one := &v
		quoted := strings.HasPrefix(strings.TrimLeft(text[v.Start+1:v.End], " \t\r\n"), `"`) // as keys are, and no note is
		var at []int
		if !quoted {
			at = note.FindStringIndex(text[v.Start:v.End])
		}
		if at != nil && at[0] == 0 {
			continue // {OOC: words} is no object
		}
		if v.Kind == loose.Array {
			if len(v.Items) > 0 && depth < 2 && strings.HasPrefix(v.Items[0].Text, "{") {
				return c.object(v.Items[0].Text, depth+1)
			}
			if len(v.Items) == 0 || v.Items[0].Kind != loose.Object {
				continue
			}
			one = &v.Items[0]
		}
		d = c.fields(one, v.State)
		d.form = JSON
		if d.fault == "" {
			c.around(&d, text[:v.Start], text[v.End:])
		}
		return d, true
	}
	return d, false
}

// introduces reports whether a line may go on with an object that is the reply: it is empty, or a name.
func (c *cast) introduces(line string) bool {
	line = strings.Trim(line, decoration)
	if line == "" || line == "json" {
		return true
	}
	name, behind, ok := strings.Cut(line, ":")
	return ok && strings.Trim(behind, decoration) == "" && (c.named(name) != unknown || leadIn.MatchString(line))
}

// around looks for other speakers before and behind an object.
func (c *cast) around(d *draft, before, behind string) {
	before = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(before), "json"), "```"))
	if h, ok := c.head(before[strings.LastIndexByte(before, '\n')+1:], true); ok && h.rest == "" && c.other(h.who) {
		*d = draft{fault: FaultSpeaksForOthers}
		return
	}
	own, leaked := withoutTokens(behind)
	if leaked {
		d.mark(FaultTemplateTokens)
	}
	for line := range strings.Lines(own) {
		if h, ok := c.head(line, true); ok && c.other(h.who) {
			d.mark(FaultSpeaksForOthers)
		}
	}
	for _, v := range loose.Find(own) {
		for i, k := range v.Keys {
			if moveKey(k) == "speaker" && i < len(v.Items) && c.other(c.named(v.Items[i].Text)) {
				d.mark(FaultSpeaksForOthers)
			}
		}
	}
}

// fields makes a draft of an object, which is a move only where every key is one of a move.
func (c *cast) fields(v *loose.Value, state loose.State) (d draft) {
	if isCall(v) {
		return draft{fault: FaultToolCall}
	}
	known := false
	for _, k := range v.Keys {
		known = known || moveKey(k) != ""
	}
	switch {
	case state == loose.Cut:
		return draft{fault: FaultCutOff}
	case state == loose.Broken || v.Kind != loose.Object:
		return draft{fault: FaultMalformed}
	case !known && len(v.Items) == 1 && v.Items[0].Kind == loose.Object: // {"move": {...}}
		return c.fields(&v.Items[0], state)
	}
	moves := 0
	for i, k := range v.Keys {
		value, ok := texts(&v.Items[i])
		if k = moveKey(k); k == "" || !ok {
			return draft{fault: FaultMalformed}
		}
		if k == "speech" {
			if inner, found := c.within(strings.Join(value, "\n")); found {
				return inner
			}
		}
		if c.field(&d, k, value) {
			moves++
		}
		if d.fault != "" {
			return draft{fault: d.fault}
		}
	}
	if moves == 0 {
		return draft{fault: FaultMalformed}
	}
	switch strings.ToLower(d.deed) { // the kind of a move: {"action": "speak"}
	case "speak", "say", "talk", "speech", "dialogue", "respond", "reply", "whisper":
		if d.speech != "" {
			d.deed = ""
		}
	}
	d.speech, d.deed = c.own(&d, literal(d.speech)), c.own(&d, literal(d.deed))
	return d
}

// field takes over a field of a move, and reports whether it says what is done.
func (c *cast) field(d *draft, key string, value []string) bool {
	switch text := strings.Join(value, "\n"); key {
	case "speech":
		d.speech = joined(d.speech, text, "\n")
	case "deed":
		d.deed = joined(d.deed, text, "\n")
	case "to":
		d.to, d.fielded = append(d.to, value...), true
	case "check":
		d.check = text
	case "refusal":
		if text != "" {
			d.fault = FaultRefusal
		}
		return false
	case "speaker":
		if c.other(c.named(text)) {
			d.fault = FaultSpeaksForOthers
		}
		return false
	case "target", "thought":
		return false
	}
	return true
}

// within reads a move that is itself in the text of a field.
func (c *cast) within(text string) (draft, bool) {
	if text = strings.Trim(text, " \n`"); strings.HasPrefix(text, "{") {
		return c.object(text, 2)
	}
	return draft{}, false
}

// literal makes line breaks of those that were escaped twice.
func literal(text string) string { return strings.ReplaceAll(text, `\n`, "\n") }

// texts returns the texts of a field: of a scalar or of a list of them.
func texts(v *loose.Value) (all []string, ok bool) {
	switch v.Kind {
	case loose.Object:
		return nil, false
	case loose.Null:
		return nil, true
	case loose.Array:
		for i := range v.Items {
			if v.Items[i].Kind >= loose.Array {
				return nil, false
			}
			all = append(all, v.Items[i].Text)
		}
		return all, true
	case loose.Bool:
		return nil, true
	}
	return []string{v.Text}, true
}

// isCall reports whether an object calls a tool: a name with arguments, or a list of such.
func isCall(v *loose.Value) bool {
	name, arguments := false, false
	for i, k := range v.Keys {
		switch folded(k) {
		case "tool_calls", "function_call", "tool_call", "tool_use":
			return true
		case "name", "function", "tool", "tool_name", "function_name", "recipient_name":
			name = true
		case "arguments", "parameters", "args", "tool_input", "kwargs", "action_input", "input":
			arguments = true
		case "type":
			if i < len(v.Items) {
				t := folded(v.Items[i].Text)
				arguments = arguments || strings.HasPrefix(t, "tool_")
				name = name || strings.HasPrefix(t, "tool_") || t == "function"
			}
		}
		if i < len(v.Items) && v.Items[i].Kind == loose.Object && strings.EqualFold(k, "function") && isCall(&v.Items[i]) {
			return true
		}
	}
	return name && arguments
}
