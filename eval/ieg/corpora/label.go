package corpora

import (
	_ "embed"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley/characters"
)

// skillsJSON says how virtual tabletops write the skills: the keys in the data of their 5e and Pathfinder
// systems, and the names in the languages that sheets and systems are translated to.
//
//go:embed skills.json
var skillsJSON []byte

// dnd5e, pf2e and translated are the skills by their keys and names; names are folded.
var dnd5e, pf2e, translated = func() (a, b, c map[string]characters.Skill) {
	var table map[characters.Skill]struct {
		DnD5e, PF2e string
		Names       []string
	}
	if err := json.Unmarshal(skillsJSON, &table); err != nil {
		panic(err)
	}
	a, b, c = map[string]characters.Skill{}, map[string]characters.Skill{}, map[string]characters.Skill{}
	for skill, row := range table {
		a[row.DnD5e] = skill
		if row.PF2e != "" {
			b[row.PF2e] = skill
		}
		for _, name := range append(row.Names, string(skill)) {
			c[strings.Join(folded(name), "-")] = skill
		}
	}
	return a, b, c
}()

// folded returns the words of a text in lower case; those in Latin letters without accents.
func folded(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\'' && r != '’' })
	for i, w := range words {
		if foreign(w) {
			words[i] = strings.ToLower(w)
		} else {
			words[i] = string(characters.Slug(w))
		}
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}

// foreign reports whether a text has letters of another script than the Latin one.
func foreign(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) })
}

// holds reports whether folded words, joined by hyphens, have a skill's name among them. Scripts that
// write no spaces, or inflect, have it within a word.
func holds(joined, name string) bool {
	if foreign(name) {
		return strings.Contains(joined, name)
	}
	return strings.Contains("-"+joined+"-", "-"+name+"-")
}

// noise are words of a caption that do not tell one skill from another, folded: what sheets call a check.
var noise = strings.Fields("check checks roll rolls skill test ability prufung probe wurf fertigkeit fertigkeitswurf " +
	"jet de di d del competence prueba tirada habilidad prova tiro teste pericia the a an with vs vaardigheidscheck proef " +
	"rzut proba umiejetnosci slag tjek kast hod zkouska dobas proba kontrolu heitto")

// compounds are the words for a check that languages join to the name of the skill.
var compounds = strings.Fields("wurf probe check worp proef slag tjek heitto")

var (
	bonus     = regexp.MustCompile(`[+\x{2212}-]\s*\d+\s*$|\s\d+\s*$`)              // PERCEPTION +8
	key       = regexp.MustCompile(`^\^?\{?([a-z_]+)-u\}?$`)                        // ^{sleight_of_hand-u}
	separator = regexp.MustCompile(`[:|()\x{2014}\x{2013}]|\s-\s|[,;!\[\]]|\.\s`)   // Stealth Check: Orla
	noCheck   = regexp.MustCompile(`(?i)\b(?:sav\w*|passive?|passiv|initiative)\b`) // a saving throw, a score
	makes     = regexp.MustCompile(`(?i)^(?:.{1,60}? )?(?:makes?|rolls?|rolling|attempts?) (?:an?|\d+) `)
	ability   = regexp.MustCompile(`(?i)^(?:str|dex|con|int|wis|cha)$`)
)

// labelled returns the skill that the caption of a roll names: "Wisdom (Perception) Check", "Stealth Skill
// Check: Orla", "PERCEPTION (+8)", "Orla makes a Stealth check!", "Jet de Discrétion".
func labelled(caption string) (characters.Skill, bool) {
	const maxCaption = 120 // bytes; a caption is short, a story is not
	caption = strings.TrimSpace(caption)
	if caption == "" || len(caption) > maxCaption || noCheck.MatchString(caption) {
		return "", false
	}
	if m := key.FindStringSubmatch(caption); m != nil {
		return named(m[1])
	}
	for _, part := range separator.Split(makes.ReplaceAllString(caption, ""), -1) {
		if skill, ok := named(bonus.ReplaceAllString(part, "")); ok {
			return skill, true
		}
	}
	return "", false
}

// named returns the skill of a name in any language of the table, which may stand among noise.
func named(text string) (characters.Skill, bool) {
	text = strings.TrimRight(strings.TrimSpace(text), "!.?")
	if text == "" || ability.MatchString(text) {
		return "", false
	}
	if skill, ok := characters.ParseSkill(text); ok {
		return skill, true
	}
	words := folded(text)
	if skill, ok := translated[strings.Join(words, "-")]; ok {
		return skill, true
	}
	for _, ending := range compounds { // Wahrnehmungswurf
		if first, ok := strings.CutSuffix(strings.Join(words, "-"), ending); ok {
			if skill, ok := translated[strings.TrimSuffix(first, "-")]; ok {
				return skill, true
			}
			if skill, ok := translated[strings.TrimSuffix(first, "s")]; ok {
				return skill, true
			}
		}
	}
	check := checkWord.MatchString(text)
	joined := strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(noise, w) }), "-")
	if skill, ok := translated[joined]; ok {
		return skill, true
	}
	if skill, ok := characters.ParseSkill(strings.ReplaceAll(joined, "-", " ")); ok {
		return skill, true
	}
	best := ""
	for name := range translated { // the longest name among other words
		if (check || foreign(name)) && (len(name) > len(best) || len(name) == len(best) && name < best) && holds(joined, name) {
			best = name
		}
	}
	return translated[best], best != ""
}

// checkWord finds the words that people use for a check.
var checkWord = regexp.MustCompile(`(?i)\b(?:checks?|roll\w*|skill|dc|test|probe|\w*wurf|jet|tirada|prueba|prova|teste|pericia|rzut|slag|tjek|hod|kontrol\w*)\b|провер|бросок|кидок|перевірк|检定|檢定|判定|판정`)

// tells reports whether a line gives a label away: it names the skill, in any language, as a check.
func tells(text string, skill characters.Skill) bool {
	if asked, ok := Asks(text); ok && asked == skill {
		return true
	}
	if !checkWord.MatchString(text) {
		return false
	}
	line := strings.Join(folded(text), "-")
	for name, s := range translated {
		if s == skill && holds(line, name) {
			return true
		}
	}
	return false
}

var (
	tags   = regexp.MustCompile(`(?s)<!--.*?-->|<[a-zA-Z/!](?:[^<>"']|"[^"]*"|'[^']*')*>`)
	breaks = regexp.MustCompile(`(?i)^</?(?:p|div|br|li|tr|td|h\d|section|header|article)\b`)
	unseen = regexp.MustCompile(`(?is)<(?:script|style)\b.*?</(?:script|style)>|<\w+\b[^<>]*\bclass="[^"]*\bsecret\b[^"]*".*?</(?:section|div|p|span)>`)
)

// plain returns the text of a message as the table reads it: without tags, in one line, entities
// unescaped once.
func plain(text string) string {
	if strings.ContainsRune(text, '<') {
		text = unseen.ReplaceAllString(text, " ")
		text = tags.ReplaceAllStringFunc(text, func(tag string) string {
			if breaks.MatchString(tag) {
				return " "
			}
			return ""
		})
	}
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}
