package characters

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/characters/yamlfile"
)

// The longest texts that a sheet may hold, in letters.
const (
	maxName        = 60
	maxText        = 600
	maxDescription = 2000
)

var idPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate reports everything that is wrong with the sheet, one line for each, or nil. It does not
// ask whether skills and scores could have come about by the rules: a character may have a past.
func (s *Sheet) Validate() error {
	var all []error
	for _, p := range s.Problems() {
		all = append(all, fmt.Errorf("%s: %s", p.Path, p.Text))
	}
	return errors.Join(all...)
}

// Problems returns what Validate reports, by the field that it is in: "abilities.str", "skills[1]".
func (s *Sheet) Problems() []yamlfile.Problem {
	var found []yamlfile.Problem
	add := func(field, text string) {
		if text != "" {
			found = append(found, yamlfile.Problem{Path: field, Text: text})
		}
	}
	switch {
	case s.ID == "" && s.Name != "":
		add("id", missing)
	case s.ID == "":
	case len(s.ID) > 64 || !idPattern.MatchString(string(s.ID)):
		add("id", fmt.Sprintf("%q is not an id; write lower-case letters, digits and dashes, up to 64, such as orla-venn", s.ID))
	}
	add("name", checkName(s.Name))
	add("race", checkWord("race", s.Race, Races()))
	add("class", checkWord("class", s.Class, Classes()))
	add("background", checkText(s.Background, maxName))
	add("alignment", checkWord("alignment", s.Alignment, Alignments()))
	if s.Level < 1 || s.Level > 20 {
		add("level", fmt.Sprintf("%d is out of range; write 1 to 20", s.Level))
	}
	for _, ability := range abilityOrder {
		if score := s.Abilities.Score(ability); score < 1 || score > 30 {
			add("abilities."+string(ability), fmt.Sprintf("%d is out of range; write 1 to 30", score))
		}
	}
	for i, skill := range s.Skills {
		field := fmt.Sprintf("skills[%d]", i)
		if !skill.Valid() {
			add(field, checkSkill(string(skill)))
		} else if slices.Contains(s.Skills[:i], skill) {
			add(field, fmt.Sprintf("%s is there twice; remove one", skill))
		}
	}
	for _, f := range [][2]string{{"trait", s.Trait}, {"ideal", s.Ideal}, {"bond", s.Bond}, {"flaw", s.Flaw}, {"appearance", s.Appearance}, {"voice", s.Voice}} {
		add(f[0], checkText(f[1], maxText))
	}
	if s.Description == "" {
		add("description", missing)
	}
	add("description", checkText(s.Description, maxDescription))
	for i, secret := range s.Secrets {
		field := fmt.Sprintf("secrets[%d]", i)
		if slices.Contains(s.Secrets[:i], secret) {
			add(field, "the same secret is there twice; remove one")
			continue
		}
		if secret == "" {
			add(field, missing)
		}
		add(field, checkText(secret, maxText))
	}
	return found
}

const missing = "missing; write it, it may not be empty"

// notNames are first words that are taken for another speaker, or for none, at every table.
var notNames = []string{"narrator", "dm", "gm", "npc", "player", "character", "name", "unknown", "unnamed", "referee", "everyone", "everybody", "nobody", "all"}

// checkName says what is wrong with a character's name, or "".
func checkName(name string) string {
	if name == "" {
		return missing
	}
	if text := checkText(name, maxName); text != "" {
		return text
	}
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" '’ʼ-.", r) {
			return fmt.Sprintf("%q is not a name: it holds %q; write letters, spaces, apostrophes and hyphens", name, r)
		}
	}
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) {
		return fmt.Sprintf("%q is not a name; begin it with a letter", name)
	}
	if strings.Contains(name, "  ") {
		return fmt.Sprintf("%q has two spaces in a row; write one", name)
	}
	first, _, _ := strings.Cut(fold(name), " ")
	if slices.Contains(notNames, first) {
		return fmt.Sprintf("%q would be mistaken for somebody else at the table; choose another name", name)
	}
	return ""
}

// checkText says what is wrong with a text, or "".
func checkText(text string, longest int) string {
	switch {
	case !utf8.ValidString(text):
		return "not UTF-8; save the file as UTF-8"
	case strings.TrimSpace(text) != text:
		return "space before or after the text; remove it"
	case utf8.RuneCountInString(text) > longest:
		return fmt.Sprintf("%d letters long; shorten it to %d", utf8.RuneCountInString(text), longest)
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' || r == '\ufeff' || r == '\ufffd' {
			return fmt.Sprintf("holds the unprintable character %U; remove it", r)
		}
	}
	return ""
}

// checkWord says what is wrong with a word that has to be one of a list, or "".
func checkWord(what, word string, known []string) string {
	if word == "" || slices.Contains(known, word) {
		return ""
	}
	folded := strings.ReplaceAll(fold(word), " ", "-")
	for _, k := range known {
		if near := strings.ReplaceAll(fold(k), " ", "-"); yamlfile.Within(folded, near, 2) {
			return fmt.Sprintf("unknown %s %q; did you mean %s?", what, word, k)
		}
	}
	return fmt.Sprintf("unknown %s %q; write one of %s", what, word, strings.Join(known, ", "))
}

func checkSkill(word string) string {
	if word == "" {
		return missing
	}
	if skill, ok := ParseSkill(word); ok {
		return fmt.Sprintf("unknown skill %q; did you mean %s?", word, skill)
	}
	var known []string
	for _, s := range skills {
		known = append(known, string(s.skill))
	}
	return checkWord("skill", word, known)
}
