package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/characters"
	"parley/characters/yamlfile"
)

func joined(what, id string, problems []yamlfile.Problem) error {
	var all []error
	for _, p := range problems {
		at := fmt.Sprintf("%s %s", what, id)
		if id == "" {
			at = what + " without id"
		}
		if p.Path != "" {
			at += ": " + p.Path
		}
		all = append(all, fmt.Errorf("%s: %s", at, p.Text))
	}
	return errors.Join(all...)
}

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// checkTexts complains of required texts that are missing and of an id that is none.
func checkTexts(id string, fields ...[2]string) []yamlfile.Problem {
	var out []yamlfile.Problem
	if !idForm.MatchString(id) {
		out = append(out, yamlfile.Problem{Path: "id", Text: fmt.Sprintf("%q is no id; write lower-case letters, digits and single dashes, such as ashen-bell", id)})
	}
	for _, f := range fields {
		if strings.TrimSpace(f[1]) == "" {
			out = append(out, yamlfile.Problem{Path: f[0], Text: "missing or empty; write a text"})
		}
	}
	return out
}

// Validate returns everything that makes the knowledge unfit to be played: something missing, a fact
// that is empty or written twice, an aspect that does not exist.
func (k *Knowledge) Validate() error { return joined("knowledge", k.ID, k.Problems()) }

// Problems returns what Validate reports, by path.
func (k *Knowledge) Problems() []yamlfile.Problem {
	out := checkTexts(k.ID, [2]string{"title", k.Title}, [2]string{"topic", k.Topic}, [2]string{"hook", k.Hook})
	if len(k.Facts) == 0 {
		out = append(out, yamlfile.Problem{Path: "facts", Text: "none; write at least one sentence that can be found out"})
	}
	first := map[string]int{}
	for i, f := range k.Facts {
		path := fmt.Sprintf("facts[%d]", i)
		folded := strings.Join(words(f.Text), " ")
		switch at, twice := first[folded]; {
		case folded == "":
			out = append(out, yamlfile.Problem{Path: path + ".text", Text: "empty; write one sentence or remove the fact"})
		case twice:
			out = append(out, yamlfile.Problem{Path: path + ".text", Text: fmt.Sprintf("says the same as facts[%d]; remove one", at)})
		default:
			first[folded] = i
		}
		if f.Aspect != "" && !slices.Contains(Aspects(), f.Aspect) {
			out = append(out, yamlfile.Problem{Path: path + ".aspect", Text: fmt.Sprintf("%q is no aspect; write one of %s, or leave it out", f.Aspect, list(Aspects()))})
		}
	}
	return out
}

// Validate returns everything that makes the scene unfit to be played: something missing, a skill that
// does not exist, a brief that is written twice or names its skill.
func (s *Scene) Validate() error { return joined("scene", s.ID, s.Problems()) }

// Problems returns what Validate reports, by path.
func (s *Scene) Problems() []yamlfile.Problem {
	out := checkTexts(s.ID, [2]string{"title", s.Title}, [2]string{"premise", s.Premise})
	if len(s.Aims) == 0 {
		out = append(out, yamlfile.Problem{Path: "aims", Text: "none; write at least one {skill, brief}"})
	}
	first := map[string]int{}
	for i, a := range s.Aims {
		path := fmt.Sprintf("aims[%d]", i)
		if !a.Skill.Valid() {
			remedy := "one of " + list(characters.Skills())
			if meant, ok := characters.ParseSkill(string(a.Skill)); ok {
				remedy = string(meant)
			}
			out = append(out, yamlfile.Problem{Path: path + ".skill", Text: fmt.Sprintf("%q is no skill; write %s", a.Skill, remedy)})
		}
		folded := strings.Join(words(a.Brief), " ")
		switch at, twice := first[folded]; {
		case folded == "":
			out = append(out, yamlfile.Problem{Path: path + ".brief", Text: "empty; tell the character what it wants, in the second person"})
		case twice:
			out = append(out, yamlfile.Problem{Path: path + ".brief", Text: fmt.Sprintf("is the same as aims[%d]; remove one", at)})
		default:
			first[folded] = i
		}
		if word := names(a.Brief, a.Skill); word != "" {
			out = append(out, yamlfile.Problem{Path: path + ".brief", Text: fmt.Sprintf("gives the skill away by %q; say what the character wants without naming it", word)})
		}
	}
	return out
}

// roots are what every form of a skill's name begins with.
var roots = map[characters.Skill][]string{
	characters.Acrobatics: {"acrobat"}, characters.AnimalHandling: {"handl"}, characters.Arcana: {"arcan"},
	characters.Athletics: {"athlet"}, characters.Deception: {"decei", "decep"}, characters.History: {"histor"},
	characters.Insight: {"insight"}, characters.Intimidation: {"intimid"}, characters.Investigation: {"investig"},
	characters.Medicine: {"medic"}, characters.Nature: {"natur"}, characters.Perception: {"percei", "percep"},
	characters.Performance: {"perform"}, characters.Persuasion: {"persua"}, characters.Religion: {"religi"},
	characters.SleightOfHand: {"sleight"}, characters.Stealth: {"stealth"}, characters.Survival: {"surviv"},
}

// names returns the word by which a text names a skill, in any inflection, or "".
func names(text string, skill characters.Skill) string {
	for _, w := range words(text) {
		for _, root := range roots[skill] {
			if strings.HasPrefix(w, root) {
				return w
			}
		}
	}
	return ""
}

func list[T ~string](values []T) string { return strings.Join(texts(values), ", ") }

// texts returns values of a kind of text as texts.
func texts[T ~string](values []T) []string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return list
}
