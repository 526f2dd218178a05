package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"parley/characters"
	"parley/sim"
	"parley/sim/dice"
	"parley/sim/llm"
	"parley/sim/llm/loose"
)

// The difficulty classes that a game master may set.
const (
	easiest = 5
	hardest = 25
)

// DM is a sim.Referee that asks a model what a deed needs. The model decides on the check, its
// difficulty, and advantage or disadvantage, and tells what is seen either way; the dice are rolled
// here, from the session's seed. It sees the scene, the public part of the cast, and of the play what
// everybody perceived who perceives the deed: no secret, no brief and no knowledge.
//
// A verdict that is none leaves the deed without a check and without words: all that follows it is a
// narration without text whose Fault says what was wrong, which no transcript shows to anybody. The
// reply stays raw in its call. A DM has no state: all sessions may share one.
type DM struct {
	factory *Factory
	schema  json.RawMessage
}

// NewDM makes a game master of a model. It is asked for JSON in either Form, but with a schema only
// in the form JSON; Layout and Checks make no difference.
func NewDM(cfg Config) (*DM, error) {
	m, err := New(cfg)
	if err != nil {
		return nil, fmt.Errorf("set up the game master: %w", err)
	}
	d := &DM{factory: m}
	if m.Form == JSON {
		d.schema = verdictSchema()
	}
	return d, nil
}

// Resolve asks for a verdict on a deed, once, and lets the dice decide. Errors are those of the
// model, but for a content filter's, which is a fault of the verdict.
func (d *DM) Resolve(ctx context.Context, ep *sim.Episode, attempt *sim.Event) ([]sim.Event, []llm.Call, error) {
	if attempt.Deed == "" {
		return nil, nil, nil
	}
	a, tail, err := d.seat(ep, attempt)
	if err != nil {
		return nil, nil, err
	}
	turn := uint64(attempt.Turn)
	resp, calls, err := a.ask(ctx, sim.Mix(ep.Seed, sim.HashText("referee"), turn), llm.Tag{
		Session: ep.Session, Purpose: "referee", Turn: attempt.Turn,
	}, d.factory.Sampling, d.schema, tail)
	none := func(fault string) ([]sim.Event, []llm.Call, error) {
		return []sim.Event{{Kind: sim.KindNarration, Fault: fault, Audience: attempt.Audience}}, calls, nil
	}
	switch {
	case err != nil && llm.FaultOf(err) == llm.Blocked:
		return none(FaultFiltered)
	case err != nil:
		return nil, calls, fmt.Errorf("ask for a verdict: %w", err)
	}
	if fault := finishFault(resp); fault != "" {
		return none(fault)
	}
	v, fault := readVerdict(resp.Text, broken(resp))
	if v == nil {
		return none(fault)
	}
	told := sim.Event{Kind: sim.KindNarration, Text: v.success, Fault: fault, Audience: attempt.Audience}
	if v.skill == "" {
		return []sim.Event{told}, calls, nil
	}
	r := sim.Rand(sim.Mix(ep.Seed, sim.HashText("dice"), turn))
	roll := dice.Check(r, string(v.skill), ep.Scenario.Sheet(attempt.Actor).Modifier(v.skill), v.class, v.mode)
	if !roll.Success {
		told.Text = v.failure
	}
	return []sim.Event{{Kind: sim.KindRoll, Actor: attempt.Actor, Roll: &roll, Audience: attempt.Audience}, told}, calls, nil
}

// seat prepares one question: what the game master sees, and the question itself.
func (d *DM) seat(ep *sim.Episode, attempt *sim.Event) (*Agent, llm.Message, error) {
	s := ep.Scenario
	v := &sim.View{Session: ep.Session, Kind: s.Kind, Title: s.Title, Premise: s.Premise, NPC: s.NPC, Turns: ep.Turns}
	for _, c := range s.Cast {
		v.Cast = append(v.Cast, c.Public())
	}
	c := newCast("", v.Cast)
	t := tableOf(v, c, true)
	scene, err := d.factory.Prompts.render(promptScene, *t)
	if err != nil {
		return nil, llm.Message{}, err
	}
	question, err := d.factory.Prompts.section(llm.User, promptReferee, attemptOf(t, c, attempt))
	if err != nil {
		return nil, llm.Message{}, err
	}
	a := &Agent{factory: d.factory}
	a.opening = &opening{cast: c, head: []llm.Message{llm.NewMessage(llm.System, scene), playSoFar}}
	for _, e := range ep.Events {
		if !shared(e, attempt, v.Cast) {
			continue
		}
		if text := c.line(e, s.Premise); text != "" {
			a.lines = append(a.lines, llm.NewMessage(llm.User, text))
		}
	}
	return a, question, nil
}

// shared reports whether everybody who perceives the attempt perceived the event too.
func shared(e, attempt *sim.Event, cast []characters.Public) bool {
	if len(e.Audience) == 0 {
		return true
	}
	for i := range cast {
		if id := cast[i].ID; attempt.Heard(id) && !e.Heard(id) {
			return false
		}
	}
	return true
}

// verdict is the decision of a game master on a deed.
type verdict struct {
	skill            characters.Skill // empty: no check
	class            int
	mode             dice.Mode
	success, failure string // failure only with a check
}

// readVerdict reads a reply. It is no verdict, nil, unless everything that the check needs is there and
// is one of the values that were offered. A verdict may have a fault too: one whose text is too long, or
// which is followed by a template token, is played.
func readVerdict(text string, cut bool) (*verdict, string) {
	if kind := amiss(text, cut); kind != "" {
		return nil, kind
	}
	text, leaked := ownTurn(text)
	fields, fault := verdictFields(text)
	switch {
	case fault == FaultMalformed && refused(text):
		return nil, FaultRefusal
	case fault != "" && leaked != "":
		return nil, FaultTemplateTokens
	case fault != "" && cut:
		return nil, FaultCutOff
	case fault != "":
		return nil, fault
	}
	v, ok := &verdict{}, true
	if !strings.EqualFold(strings.TrimSpace(fields["check"]), "none") {
		if ok = v.readCheck(fields); v.skill == "" {
			return nil, FaultMalformed
		}
	}
	var long, longer bool
	v.success, long = told(fields["success"])
	ok = ok && v.success != ""
	if v.skill != "" {
		v.failure, longer = told(fields["failure"])
		ok = ok && v.failure != ""
	}
	switch {
	case refused(v.success):
		return nil, FaultRefusal
	case !ok:
		return nil, FaultMalformed
	case foreign(v.success, v.failure):
		return nil, FaultOtherLanguage
	case leaked != "":
		return v, FaultTemplateTokens
	case long || longer:
		return v, FaultTooLong
	}
	return v, ""
}

// readCheck reads which check is rolled, and how.
func (v *verdict) readCheck(fields map[string]string) (ok bool) {
	if v.skill, ok = characters.ParseSkill(fields["check"]); !ok {
		v.skill = ""
		return false
	}
	v.class, ok = readClass(fields["difficulty"])
	v.mode = cmp.Or(dice.Mode(strings.ToLower(strings.TrimSpace(fields["mode"]))), dice.Straight)
	return ok && (v.mode == dice.Straight || v.mode == dice.Advantage || v.mode == dice.Disadvantage)
}

// verdictFields returns the texts of the first object with a key of a verdict, by the keys' folded names.
func verdictFields(text string) (map[string]string, string) {
	for _, v := range loose.Find(text) {
		if v.Kind == loose.Array && len(v.Items) > 0 {
			v.Items[0].State = v.State
			v = v.Items[0]
		}
		fields := map[string]string{}
		for i, k := range v.Keys {
			if k = verdictKeys.of(k); k != "" {
				fields[k] = v.Items[i].Text
				if v.Items[i].Kind == loose.Null && k == "check" {
					fields[k] = "none"
				}
			}
		}
		switch {
		case len(fields) == 0:
		case v.State == loose.Cut:
			return nil, FaultCutOff
		case v.State == loose.Broken:
			return nil, FaultMalformed
		default:
			return fields, ""
		}
	}
	return nil, FaultMalformed
}

// readClass reads a difficulty class: 15, "15" or "DC 15".
func readClass(text string) (int, bool) {
	text = strings.TrimSpace(text)
	if len(text) > 2 && strings.EqualFold(text[:2], "dc") {
		text = strings.TrimSpace(text[2:])
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, ".0"))
	return n, err == nil && easiest <= n && n <= hardest
}

// told cleans a narration, as a move's texts are. It is empty where that leaves no words.
func told(text string) (clean string, long bool) {
	clean, _ = worded(deedText(text))
	return capped(clean)
}

// verdictKeys are the names that models give to the fields of a verdict.
var verdictKeys = spelled(map[string]string{
	"check": "check skill skill_check", "difficulty": "difficulty difficulty_class dc", "mode": "mode roll",
	"success": "success on_success succeeds", "failure": "failure on_failure fail fails",
})

// verdictSchema returns the JSON schema of a verdict.
func verdictSchema() json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"check":{"type":"string","enum":["none"`)
	for _, skill := range characters.Skills() {
		fmt.Fprintf(&b, ",%q", skill)
	}
	b.WriteString(`]},"difficulty":{"type":"integer","enum":[`) // more servers take an enum than bounds
	for class := easiest; class <= hardest; class++ {
		if class > easiest {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(class))
	}
	fmt.Fprintf(&b, `]},"mode":{"type":"string","enum":[%q,%q,%q]}`, dice.Straight, dice.Advantage, dice.Disadvantage)
	fmt.Fprintf(&b, `,"success":{"type":"string"%[1]s},"failure":{"type":"string"%[1]s}}`, bound)
	b.WriteString(`,"required":["check","difficulty","mode","success","failure"],"additionalProperties":false}`)
	return json.RawMessage(b.String())
}
