package agent

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"parley/characters"
	"parley/sim/llm"
)

// Form is how a reply is written.
type Form string

const (
	// JSON is an object by a schema, which a server can enforce.
	JSON Form = "json"
	// Lines are labelled lines, for models and servers without JSON.
	Lines Form = "lines"
	// Prose is a reply in neither form. It is not asked for.
	Prose Form = "prose"
)

// Move is what a reply says its author does.
type Move struct {
	Speech string // on one line, at most MaxRunes; a pass has neither speech nor deed
	Deed   string // likewise
	To     []characters.ID
	Skill  characters.Skill // the check that the deed needs; empty: the reply names none
	Fault  string           // one of the kinds, or empty
	Form   Form             // as it was read; empty where it was not
}

// Parse reads the reply of a model that plays self, one of the cast, as the table in the package's comment
// says. It takes either form, whichever was asked for, in time linear in the reply.
func Parse(raw string, self characters.ID, public []characters.Public) Move {
	_, text, ok := llm.SplitReasoning(raw)
	if !ok {
		return Move{Fault: FaultReasoning}
	}
	return newCast(self, public).parse(text, false)
}

// draft is a move before its texts are cleaned and its names are resolved.
type draft struct {
	form                Form
	speech, deed, check string
	to                  []string // the names of the field or the line for them, else of the first direction
	fault               string   // why it is not played
	marked              string   // the kind that counts most of what was cut or taken out
}

// weights are the kinds of what was cut or taken out, that which counts most last.
var weights = []string{"", FaultOutOfCharacter, FaultTemplateTokens, FaultSpeaksForOthers}

// mark notes that something was cut or taken out.
func (d *draft) mark(kind string) {
	if slices.Index(weights, kind) > slices.Index(weights, d.marked) {
		d.marked = kind
	}
}

// toolMark matches calls of tools that are not in JSON alone.
var toolMark = regexp.MustCompile(`(?i)</?\|?(?:start_)?(?:tool_calls?|function_calls?|tool_use|invoke|tool_response)\b|</?tools>|(?:\x60{3}|<)tool_(?:code|outputs)|<function=|<\|python_tag\|>|\[TOOL_CALLS?\]|<｜tool|<\|tool|\bto=functions\.|(?:^|\n)\W{0,4}action input\W{0,3}:|^\s*\[?[a-z_.]+\((?:[a-z_]+ ?= ?["'\d\[{]|["'{])`)

func callsTool(text string) bool {
	return (has(text, "=`(") || marked(text) || strings.Contains(text, "nput")) && toolMark.MatchString(text)
}

// amiss returns the kind of a text that is nothing to play, whatever its form; empty for any other. cut
// says that the server stopped it before the model did.
func amiss(text string, cut bool) string {
	switch unseen := invisible(text); {
	case unseen && cut:
		return FaultCutOff
	case unseen:
		return FaultEmpty
	case callsTool(text):
		return FaultToolCall
	case repeats(text):
		return FaultRepetition
	}
	return ""
}

// parse reads a reply without its reasoning.
func (c *cast) parse(text string, cut bool) Move {
	if kind := amiss(text, cut); kind != "" {
		return Move{Fault: kind}
	}
	own, leaked := ownTurn(text)
	if own == "" && leaked != "" {
		return Move{Fault: FaultTemplateTokens}
	}
	d, found := c.object(own+leaked, 0)
	if !found {
		d = c.unformed(own, leaked != "")
		if cut && d.fault == "" && (d.marked == "" || d.marked == FaultOutOfCharacter) { // it reaches to the end
			d.fault = FaultCutOff
		}
	}
	if d.fault != "" {
		return Move{Fault: d.fault, Form: d.form}
	}
	return c.finish(&d)
}

// unformed reads what is no object.
func (c *cast) unformed(text string, leaked bool) draft {
	d := c.lines(text)
	if leaked {
		d.mark(FaultTemplateTokens)
	}
	empty := d.form == Prose && d.speech == "" && d.marked == ""
	switch {
	case sections.MatchString(text):
		d.fault = FaultReasoning
	case empty && wordless(text):
		d.fault = FaultEmpty
	case empty, strings.HasPrefix(d.speech, "{"): // an object that is none
		d.fault = FaultMalformed
	}
	return d
}

// sections matches a heading of reasoning in words, where it is not certain what follows it.
var sections = regexp.MustCompile(`(?im)^[\s*#\[(\x60]*(?:thinking(?: process)?|thought process|chain of thought|internal monologue|inner monologue|reasoning|thoughts?)[\s*\])]*(?:[:\]]|\n)`)

// finish cleans a draft's texts, resolves its names, checks them and cuts what is too long.
func (c *cast) finish(d *draft) Move {
	speech, deed := c.speech(d), deedText(d.deed)
	if d.form == Prose {
		speech, deed = novel(speech, deed)
	}
	speech, silent := worded(speech)
	deed, idle := worded(deed)
	m := Move{Speech: speech, Deed: deed, Form: d.form, Fault: d.marked}
	if speech == "" && deed == "" { // without a fault it is a pass that was meant
		m.Fault = cmp.Or(m.Fault, silent, idle)
		return m
	}
	to, ok := c.addressees(d.to)
	switch {
	case refused(speech) || speech == "" && refused(deed):
		return Move{Fault: FaultRefusal, Form: d.form}
	case foreign(speech, deed):
		return Move{Fault: FaultOtherLanguage, Form: d.form}
	case !ok && len(to) == 0:
		return Move{Fault: FaultUnknownAddressee, Form: d.form}
	case !ok:
		m.Fault = cmp.Or(m.Fault, FaultUnknownAddressee)
	}
	var long, longer bool
	m.To = to
	m.Speech, long = capped(speech)
	m.Deed, longer = capped(deed)
	if m.Fault == "" && (long || longer) {
		m.Fault = FaultTooLong
	}
	if d.check != "" {
		m.Skill, _ = characters.ParseSkill(d.check)
	}
	return m
}

// worded folds a text to one line without quotation marks around it. It is empty for a way to leave a field
// empty, and with a fault for a <placeholder> of the form and where there is no letter to be seen.
func worded(text string) (clean, fault string) {
	s := squeeze(text)
	if s == "" && strings.TrimSpace(text) != "" { // it has only what cannot be seen
		return "", FaultEmpty
	}
	s = unquote(s)
	word := strings.Trim(s, " .*[]()…-")
	switch {
	case placeholder(s), s == "string":
		return "", FaultMalformed
	case len(word) <= len("silence") && strings.Contains(`  none null n/a pass passes silence empty '' "" `, " "+strings.ToLower(word)+" "), strings.EqualFold(s, "(nothing)"):
		return "", ""
	case wordless(s):
		return "", FaultNoWords
	}
	return s, ""
}

// placeholder reports whether a text is one of a form that was copied, such as <words>.
func placeholder(s string) bool {
	return strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") && strings.Count(s, "<") == 1
}

// joined puts a mark between two texts, unless one is empty.
func joined(a, b, between string) string {
	if a == "" || b == "" {
		return cmp.Or(a, b)
	}
	return a + between + b
}
