package scenarios

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/sim/prose"
)

// subject is the item that sentences are made to name.
type subject struct {
	name   string // "Cloak of the Bat"
	plural bool   // Boots, Gauntlets, Eyes
	title  []string
	this   *regexp.Regexp // "this cloak", "the magic weapon"
}

// generic are the words by which a rule text may refer to an item of a category, whatever its name.
var generic = map[string]string{
	"Weapon": "weapon|sword", "Weapons": "weapon|sword", "Armor": "armor", "Potion": "potion", "Potions": "potion",
	"Wondrous Items": "garment|instrument",
}

func newSubject(it *item) *subject {
	s := &subject{name: it.Name, title: stems(it.Name)}
	head, _, _ := strings.Cut(it.Name, " of ")
	fields := strings.Fields(head)
	noun := fields[len(fields)-1]
	lower := strings.ToLower(noun)
	s.plural = strings.HasSuffix(lower, "s") && !strings.HasSuffix(lower, "ss") && lower != "brass" || lower == "dice"
	kinds := ""
	if g := generic[it.Equipment.Name]; g != "" {
		kinds = "|" + g
	}
	s.this = regexp.MustCompile(`(?i)\b(this|these|the|that) (pair of |piece of |suit of |set of )?(magic |magical )?(` +
		regexp.QuoteMeta(lower) + `|item|artifact|device` + kinds + `)('s|s'|)(?:[ ,.;:)]|$)`)
	return s
}

func (s *subject) be(one, many string) string {
	if s.plural {
		return many
	}
	return one
}

var parenthesis = regexp.MustCompile(`\(([^()]*)\)`)

// headline names the kind of the item and how rare it is.
func (s *subject) headline(it *item) string {
	kind := strings.ToLower(it.Desc[0])
	kind = strings.TrimSpace(strings.SplitN(parenthesis.ReplaceAllString(kind, ""), ",", 2)[0])
	kind = strings.ReplaceAll(strings.ReplaceAll(kind, "wondous", "wondrous"), "items", "item")
	if len(strings.Fields(kind)) > 3 || kind == "" {
		kind = strings.TrimSuffix(strings.ToLower(it.Equipment.Name), "s")
	}
	grade := strings.ToLower(it.Rarity.Name)
	base := ""
	if m := parenthesis.FindStringSubmatch(it.Desc[0]); m != nil && !strings.HasPrefix(strings.ToLower(m[1]), "requires") &&
		strings.Index(it.Desc[0], "(") < strings.Index(it.Desc[0]+",", ",") {
		base = " (" + strings.ToLower(m[1]) + ")"
	}
	if grade == "varies" || strings.Contains(grade, "(") {
		return "The " + s.name + s.be(" is ", " are ") + article(kind) + base + " whose rarity varies."
	}
	if grade == "artifact" {
		return "The " + s.name + s.be(" is ", " are ") + article(kind) + base + " and counts among the artifacts."
	}
	return "The " + s.name + s.be(" is ", " are ") + article(grade+" "+kind) + base + "."
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune((noun + " ")[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// attunement returns a sentence about who has to attune to the item, or "" where none has to.
func (s *subject) attunement(it *item) string {
	for _, m := range parenthesis.FindAllStringSubmatch(it.Desc[0], -1) {
		if rest, ok := strings.CutPrefix(strings.ToLower(m[1]), "requires attunement"); ok {
			return "The " + s.name + s.be(" requires", " require") + " attunement" + rest + "."
		}
	}
	if it.Attune != nil && *it.Attune {
		return "The " + s.name + s.be(" requires", " require") + " attunement."
	}
	return ""
}

const (
	maxFact = 360 // letters
	minFact = 4   // words
)

var (
	label  = regexp.MustCompile(`^\*{2,3}([^*]+)\*{2,3} *`)
	markup = strings.NewReplacer("*", "", "_", "", "—", " - ", "\u00a0", " ", " (see below)", "")
	// unusable are sentences of and for tables, and those that leave things to whoever runs a game.
	unusable = regexp.MustCompile(`(?i)\b(GM|table|following\w*|d100|roll(ing)? (a |1)?d\d+|on a (1|20)|statistics of|as shown|described (below|above))\b|\d+d\d+ ?[A-Z][a-z]|^\||[a-z]\d[A-Z]`)
	// clinging sentences say something only together with the one before, even if they name the item.
	clinging = regexp.MustCompile(`^(If you (do|don't|fail|succeed)|Otherwise|On (a|an) |Then |Thereafter|For (this|that|example)|As (part|an alternative)|After(ward| that)|Until then|Instead|In either|When you do\b|You then|Such )`)
	// leaning sentences do so unless they name the item.
	leaning = regexp.MustCompile(`^(If (it|they|he|she)|It |Its |They |Their |He |She |In (this|that|response)|When (it|they)\b|This |These |That |Those |The (target|effect|creature|property|spell|damage|duration|cloud|sphere|radius|area|user|wearer|transformation|mist|smoke|light|tree|image|other|first|second|same|bonus|gate|die|check|save|result)\b|Both |Each |Either |Any |Once (it|you|that)|You (must then|remain|reappear)|A (target|creature) (takes|that|affected|must)|While (so|in|it)|Only |There )`)
	joint   = regexp.MustCompile(`^(However|In addition|Also|Additionally|Furthermore), `)
	held    = regexp.MustCompile(`^((?:While|When|Once|As long as) (?:you(?:'re| are|) ?)?(?:wear|hold|carry|wearing|holding|carrying|using|drink|attuned to)) (?:it|them)\b`)
	to      = regexp.MustCompile(`(?i)\byou`)
)

// statements takes an item's paragraphs apart into stretches that make sense alone. A sentence that needs
// the one before is joined to it; where the two get too long together it is left out.
func (s *subject) statements(paragraphs []string) []string {
	var out []string
	for _, p := range paragraphs {
		p = markup.Replace(label.ReplaceAllString(p, ""))
		open := false // the sentence before is the last of out
		for _, text := range sentences(p) {
			text = raised(joint.ReplaceAllString(text, ""))
			if unusable.MatchString(text) || !endsSentence.MatchString(text) || len(strings.Fields(text)) < minFact {
				open = false
				continue
			}
			named, ok := s.named(text)
			if clinging.MatchString(text) || !ok && leaning.MatchString(text) {
				if open = open && len(out[len(out)-1])+len(text) < maxFact; open {
					out[len(out)-1] = strings.TrimRight(out[len(out)-1], ".!?") + "; " + lowered(text)
				}
				continue
			}
			switch {
			case ok:
			case to.MatchString(text):
				named = "With the " + s.name + ", " + lowered(text)
			default:
				named = "As for the " + s.name + ", " + lowered(text)
			}
			if open = len(named) <= maxFact; open {
				out = append(out, named)
			}
		}
	}
	return out
}

// sentences splits a paragraph. What begins with a small letter goes on with the sentence before.
func sentences(text string) []string {
	var out []string
	for _, s := range prose.Sentences(text) {
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "\"“(")); len(out) > 0 && !unicode.IsUpper(first) && !unicode.IsDigit(first) {
			out[len(out)-1] += " " + s
			continue
		}
		out = append(out, s)
	}
	return out
}

// named puts the item's name in place of the first word that refers to it; not ok if there is none.
func (s *subject) named(text string) (string, bool) {
	if strings.Contains(text, s.name) {
		return text, true
	}
	if held.MatchString(text) {
		return held.ReplaceAllString(text, "${1} the "+strings.ReplaceAll(s.name, "$", "$$")), true
	}
	m := s.this.FindStringSubmatchIndex(text)
	if m == nil {
		return text, false
	}
	the := "the "
	if m[0] == 0 {
		the = "The "
	}
	return text[:m[0]] + the + s.name + text[m[10]:m[11]] + text[m[11]:], true
}

// lowered begins a sentence with a small letter, so that it can follow on another.
func lowered(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	second, _ := utf8.DecodeRuneInString(text[n:])
	if unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(r)) + text[n:]
}

// raised begins a sentence with a capital.
func raised(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// said reports whether a text says little but what one of the facts says already.
func (s *subject) said(facts []Fact, text string) bool {
	own := without(stems(text), s.title)
	for _, f := range facts {
		if overlap(own, without(stems(f.Text), s.title)) >= tooAlike {
			return true
		}
	}
	return len(own) == 0
}
