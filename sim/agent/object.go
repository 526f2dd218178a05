package agent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"parley/sim/llm/loose"
)

// spelling folds the ways in which models write a key.
var spelling = strings.NewReplacer("-", "_", " ", "_")

// keys says for each spelling of a key which one it means.
type keys map[string]string

// spelled makes keys of the spellings of each, divided by spaces.
func spelled(names map[string]string) keys {
	all := keys{}
	for key, spellings := range names {
		for _, name := range strings.Fields(spellings) {
			all[name] = key
		}
	}
	return all
}

// of returns the key that a name means; empty where there is none.
func (k keys) of(name string) string {
	return k[strings.ToLower(spelling.Replace(strings.TrimSpace(name)))]
}

var (
	// moveKeys are the names that models give to the fields of a move.
	moveKeys = spelled(map[string]string{
		"speech":  "speech say says said speak dialogue dialog utterance words text content message",
		"deed":    "deed deeds do does action actions act",
		"to":      "to whisper_to whispers_to private_to heard_by audience addressee addressees recipient recipients",
		"check":   "check skill skill_check",
		"pass":    "pass",
		"speaker": "speaker name character actor role",
		"target":  "target targets listener listeners",   // who is spoken to, aloud
		"thought": "thought thoughts thinking reasoning", // not read
		"refusal": "refusal",
	})
	// parts are the keys that make a move of an object.
	parts = []string{"speech", "deed", "to", "check", "pass"}
	// sayings are deeds that only name the kind of a move, as in {"action": "speak"}.
	sayings = map[string]bool{"speak": true, "say": true, "talk": true, "speech": true, "dialogue": true, "respond": true, "reply": true, "whisper": true}
)

// callKey matches a key that only the object of a tool's call has.
var callKey = regexp.MustCompile(`(?i)(?:arguments|parameters|args|kwargs|input|tool[ _-]?calls?|function[ _-]?call|tool_use|(?:tool|function)(?:_name)?)["']?\s*:`)

// object reads a reply that is a JSON object, perhaps in a string, a list or a fence. found is false for
// prose, also with an object within a line of it.
func (c *cast) object(text string, depth int) (d draft, found bool) {
	text = strings.TrimSpace(text)
	if !has(text, "{") {
		return d, false
	}
	if quoted := strings.Trim(strings.TrimPrefix(text, "```json"), "` \n"); strings.HasPrefix(quoted, `"`) && depth < 2 {
		var inner string
		if json.Unmarshal([]byte(quoted), &inner) == nil {
			return c.object(inner, depth+1)
		}
	}
	for _, v := range loose.Find(text) {
		before, whole, behind := text[:v.Start], text[v.Start:v.End], text[v.End:]
		if !c.introduces(lastLine(before)) && strings.Trim(behind, " \t\n`") != "" {
			continue // an object within a sentence is prose
		}
		state := v.State
		if v.Kind == loose.Array && len(v.Items) > 0 {
			if v = v.Items[0]; depth < 2 && strings.HasPrefix(v.Text, "{") {
				return c.object(v.Text, depth+1)
			}
		}
		if v.Kind != loose.Object || len(v.Keys) > 0 && strings.EqualFold(v.Keys[0], "ooc") {
			continue
		}
		d = c.fields(&v, state)
		if (d.fault == FaultMalformed || d.fault == FaultCutOff) && callKey.MatchString(whole) {
			d.fault = FaultToolCall
		}
		d.form = JSON
		c.around(&d, before, behind)
		return d, true
	}
	return d, false
}

// introduces reports whether an object may follow a line: where it is empty or a mark of the form, announces a
// move, or is a name.
func (c *cast) introduces(line string) bool {
	line = strings.Trim(line, decoration)
	return line == "" || line == "json" || leadIn.MatchString(line) || c.named(strings.TrimSuffix(line, ":")) != unknown
}

// around reads the text before and behind the object of a move, which may be of other speakers.
func (c *cast) around(d *draft, before, behind string) {
	before = strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(before), "json"), "```"))
	if h, ok := c.head(lastLine(before), true); d.fault == "" && ok && h.rest == "" && c.other(h.who) {
		d.fault = FaultSpeaksForOthers
	}
	own, leaked := ownTurn(behind)
	if leaked != "" {
		d.mark(FaultTemplateTokens)
	}
	for line := range strings.Lines(own) {
		if h, ok := c.head(line, true); ok && c.other(h.who) {
			d.mark(FaultSpeaksForOthers)
		}
	}
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// fields makes a draft of an object, which is a move only where every key is one of a move.
func (c *cast) fields(v *loose.Value, state loose.State) (d draft) {
	switch {
	case state == loose.Cut:
		return draft{fault: FaultCutOff}
	case state == loose.Broken:
		return draft{fault: FaultMalformed}
	case len(v.Keys) == 1 && moveKeys.of(v.Keys[0]) == "" && v.Items[0].Kind == loose.Object: // {"move": {...}}
		return c.fields(&v.Items[0], state)
	}
	moves := false
	for i := range v.Keys {
		key := moveKeys.of(v.Keys[i])
		list, ok := texts(&v.Items[i])
		text := strings.Join(list, "\n")
		if inner := strings.Trim(text, " \n`"); key == "speech" && strings.HasPrefix(inner, "{") { // a move in the text of a field
			if d, found := c.object(inner, 2); found {
				return d
			}
		}
		if !ok || key == "" {
			return draft{fault: FaultMalformed}
		}
		if fault := c.field(&d, key, text, list); fault != "" {
			return draft{fault: fault}
		}
		moves = moves || slices.Contains(parts, key)
	}
	if !moves {
		return draft{fault: FaultMalformed}
	}
	if d.speech != "" && sayings[strings.ToLower(d.deed)] {
		d.deed = ""
	}
	d.deed = c.own(&d, d.deed) // first, because a speech may hold deeds
	d.speech = c.own(&d, d.speech)
	return d
}

// field takes the text of a field, or its list, into a draft.
func (c *cast) field(d *draft, key, text string, list []string) (fault string) {
	switch {
	case key == "refusal" && text != "":
		return FaultRefusal
	case key == "speaker" && c.other(c.named(text)):
		return FaultSpeaksForOthers
	case key == "speech":
		d.speech = joined(d.speech, text, "\n")
	case key == "deed":
		d.deed = joined(d.deed, text, "\n")
	case key == "to":
		d.to = append(d.to, list...)
	case key == "check":
		d.check = text
	}
	return ""
}

// texts returns the texts of a field, of a scalar or of a list of them. ok is false for any other.
func texts(v *loose.Value) (all []string, ok bool) {
	switch v.Kind {
	case loose.Object:
		return nil, false
	case loose.Null, loose.Bool:
		return nil, true
	case loose.Array:
		for i := range v.Items {
			if v.Items[i].Kind >= loose.Array {
				return nil, false
			}
			all = append(all, v.Items[i].Text)
		}
		return all, true
	}
	return []string{v.Text}, true
}
