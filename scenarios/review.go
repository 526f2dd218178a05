package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/characters"
	"parley/characters/yamlfile"
)

// The rules for authored pieces. What is measured with them is only as good as the pieces are.
const (
	minFacts, maxFacts       = 6, 10
	minWords, maxWords       = 80, 220 // of a knowledge's text
	minAims, maxAims         = 8, 12
	minPremise, maxPremise   = 50, 110 // words
	minAspects               = 5
	maxOfAspect              = 2
	tooAlike                 = 0.6 // overlap of two facts' content words
	contained                = 0.6 // of a fact's content words, in the text
	sentenceEnd, doubtfulEnd = `[.!?]["”’)]?$`, `[.!?]["”’)]? +[A-Z]`
)

var endsSentence, twoSentences = regexp.MustCompile(sentenceEnd), regexp.MustCompile(doubtfulEnd)

// Leaks returns the content words, stemmed, by which a text gives something of the facts away. The
// words of the title do not count: whoever knows that there is something to ask about knows them.
func (k *Knowledge) Leaks(text string) []string {
	var given []string
	said := without(stems(text), stems(k.Title))
	for _, f := range k.Facts {
		for _, s := range stems(f.Text) {
			if slices.Contains(said, s) && !slices.Contains(given, s) {
				given = append(given, s)
			}
		}
	}
	return given
}

// Review checks valid knowledge by the rules for authored pieces and returns everything that falls
// short: 6 to 10 facts of at least 5 aspects, none of them more than twice; every fact one sentence
// that names the subject and can be told apart from the others by its words; a hook that gives
// nothing away; a text of 80 to 220 words that contains every fact.
func (k *Knowledge) Review() error {
	var out []yamlfile.Problem
	say := func(path, format string, args ...any) {
		out = append(out, yamlfile.Problem{Path: path, Text: fmt.Sprintf(format, args...)})
	}
	if n := len(k.Facts); n < minFacts || n > maxFacts {
		say("facts", "%d, where %d to %d are wanted", n, minFacts, maxFacts)
	}
	if given := k.Leaks(k.Hook); len(given) > 0 {
		say("hook", "gives something of the facts away: %s", strings.Join(given, ", "))
	}
	if n := len(strings.Fields(k.Text)); n < minWords || n > maxWords {
		say("text", "%d words, where %d to %d are wanted", n, minWords, maxWords)
	}
	title, account := stems(k.Title), stems(k.Text)
	count := map[Aspect]int{}
	own := make([][]string, len(k.Facts))
	for i, f := range k.Facts {
		path := fmt.Sprintf("facts[%d]", i)
		all := stems(f.Text)
		own[i] = without(all, title)
		if f.Aspect == "" {
			say(path, "has no aspect")
		}
		if count[f.Aspect]++; count[f.Aspect] == maxOfAspect+1 {
			say(path, "is the third of aspect %q", f.Aspect)
		}
		if text := strings.TrimSpace(f.Text); !endsSentence.MatchString(text) || twoSentences.MatchString(text) {
			say(path, "is not one sentence")
		}
		if share(title, all) == 0 {
			say(path, "does not name its subject, %s", k.Title)
		}
		if share(own[i], account) < contained {
			say(path, "is not in the text")
		}
		for j := range i {
			if overlap(own[i], own[j]) >= tooAlike {
				say(path, "shares most of its words with facts[%d]", j)
			}
		}
	}
	if len(count) < minAspects {
		say("facts", "of %d aspects, where at least %d are wanted", len(count), minAspects)
	}
	return joined("knowledge", k.ID, out)
}

// Review checks a valid scene by the rules for authored ones and returns everything that falls
// short: a premise of 50 to 110 words, 8 to 12 aims, each for another skill, and no skill named
// anywhere.
func (s *Scene) Review() error {
	var out []yamlfile.Problem
	say := func(path, format string, args ...any) {
		out = append(out, yamlfile.Problem{Path: path, Text: fmt.Sprintf(format, args...)})
	}
	if n := len(strings.Fields(s.Premise)); n < minPremise || n > maxPremise {
		say("premise", "%d words, where %d to %d are wanted", n, minPremise, maxPremise)
	}
	if n := len(s.Aims); n < minAims || n > maxAims {
		say("aims", "%d, where %d to %d are wanted", n, minAims, maxAims)
	}
	for _, skill := range characters.Skills() {
		if word := names(s.Premise, skill); word != "" {
			say("premise", "names a skill by %q", word)
		}
		for i, a := range s.Aims {
			if word := names(a.Brief, skill); word != "" && skill != a.Skill {
				say(fmt.Sprintf("aims[%d].brief", i), "names a skill by %q", word)
			}
		}
	}
	seen := map[characters.Skill]bool{}
	for i, a := range s.Aims {
		if seen[a.Skill] {
			say(fmt.Sprintf("aims[%d].skill", i), "%s is there twice", a.Skill)
		}
		seen[a.Skill] = true
	}
	return joined("scene", s.ID, out)
}
