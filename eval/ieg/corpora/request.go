package corpora

import (
	"regexp"
	"strings"

	"parley/characters"
)

// How a Dungeon Master asks for a check, found by reading transcripts. A skill's name alone is no
// request: it has to be told to make, roll or give it, in the same sentence.
var (
	skillName = regexp.MustCompile(`(?i)\b(` + skillNames() + `)\b`)
	// asked is a verb that asks anywhere before the skill, up to 60 characters ahead.
	asked = regexp.MustCompile(`(?i)\b(?:make|making|roll|rolls|give me|let me see|let's see)\b`)
	// wanted asks only right before the skill: "I need another", "do me a".
	wanted = regexp.MustCompile(`(?i)\b(?:do|need|take|have|get|want) (?:(?:me|you|you guys|him|her|to|all|do) ){0,2}(?:an?|another|your|that|those) $`)
	// alone is a sentence that is nothing but the check: "Perception check, please."
	alone = regexp.MustCompile(`(?i)^[\s"]*(?:(?:okay|ok|all right|alright|right|so|and|then|now|yeah|yes|sure|just|go ahead|(?:a|an|another|one|quick|straight|group|your|the|some)\b)[,.]?\s+|[A-Z][\w']+,\s+)*$`)
	// asAlone is how such a sentence goes on after the skill. A check that is only named is left out, as in
	// the published windows.
	asAlone = regexp.MustCompile(`(?i)^(?:,| (?:skill )?(?:checks?|rolls?)\b[^.?!]{0,40}) ?\b(?:please|for me|if you would)\b[^.?!]{0,20}[.!]`)
	// urged is a question that asks for a check, and no denial.
	urged  = regexp.MustCompile(`(?i)\bwhy don't you\b`)
	saving = regexp.MustCompile(`(?i)\bsav(?:e|es|ing)\b`)
	// other is what follows a skill's name that is no check of it.
	other = regexp.MustCompile(`(?i)^ (?:sav|dice|die\b)`)
	// moot says that the sentence reports, remembers, offers or denies a check.
	moot = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(?:did|what'd|didn't|who'd|you'd)\b`,
		`\bif you(?:'d)? (?:want|wanna|wish|would like|like|choose|could|can)\b`,
		`\byou (?:can|may|could|might)(?: \w+){0,2} (?:make|roll|do|give)\b`,
		`\bwhen you\b`, `\b(?:rolled|made)\b`,
		`\b(?:don't|doesn't|won't|not) (?:\w+ ){0,2}(?:need|have|make|roll|give)\b`,
		`\b(?:no need|instead of)\b`, `\bwould you like\b`, `\bdo you want\b`,
		`\b(?:he|she|it|they)(?:'s|'re|'ll| is| are| has| have| will| would)? (?:going to |to )?(?:make|roll)`,
		`\b(?:I|we)(?:'ll|'m going to| will)? (?:make|roll)\b`,
		`\bto make\b.{0,30}\byou(?:'ll| will| have)\b`,
	}, "|"))
	// offer is a sentence that makes the next one an offer: "You can. Make a stealth check."
	offer = regexp.MustCompile(`(?i)\byou (?:can|may)[.,!]? *$`)
	// withdrawn takes a request back, in the same turn or the next.
	withdrawn = regexp.MustCompile(`(?i)\b(?:never ?mind|scratch that|forget (?:it|that)|you don't (?:need|have) to(?: roll)?|no need to roll|don't (?:bother|worry about)|actually,? (?:no|don't|you don't))\b`)
)

// skillNames lists what requests may call the skills: their full names.
func skillNames() string {
	var names []string
	for _, s := range characters.Skills() {
		names = append(names, strings.ReplaceAll(string(s), " ", `[ -]`))
	}
	return strings.Join(names, "|")
}

// Asks returns the skill that a Dungeon Master's turn asks for. One request is read from a turn: the
// first. A check that is offered, reported, denied or taken back in the same turn, a saving throw, or
// a skill that is only mentioned is no request.
func Asks(text string) (characters.Skill, bool) {
	for _, at := range skillName.FindAllStringIndex(text, -1) {
		start := strings.LastIndexAny(text[:at[0]], ".?!") + 1
		before := text[start:at[0]]
		if earlier := skillName.FindAllStringIndex(before, -1); earlier != nil {
			before = before[earlier[len(earlier)-1][1]:]
		}
		by := alone.MatchString(text[start:at[0]]) && asAlone.MatchString(text[at[1]:]+".")
		if !by && !asksBefore(before) || other.MatchString(text[at[1]:]) {
			continue
		}
		if moot.MatchString(urged.ReplaceAllString(text[start:at[1]], "")) || offer.MatchString(text[:start]) || withdrawn.MatchString(text[at[1]:]) {
			continue
		}
		return characters.ParseSkill(text[at[0]:at[1]])
	}
	return "", false
}

// asksBefore reports whether the words between a sentence's start and a skill's name ask for it.
func asksBefore(before string) bool {
	const far = 60 // characters between verb and skill
	if verbs := asked.FindAllStringIndex(before, -1); verbs != nil {
		gap := before[verbs[len(verbs)-1][1]:]
		if len(gap) <= far && !saving.MatchString(gap) {
			return true
		}
	}
	return wanted.MatchString(before)
}
