package corpora

import (
	"regexp"
	"strings"

	"parley/characters"
)

// short are the skills as virtual tabletops abbreviate them in their data.
var short = map[string]characters.Skill{
	"acr": characters.Acrobatics, "ani": characters.AnimalHandling, "arc": characters.Arcana,
	"ath": characters.Athletics, "dec": characters.Deception, "his": characters.History,
	"ins": characters.Insight, "itm": characters.Intimidation, "inv": characters.Investigation,
	"med": characters.Medicine, "nat": characters.Nature, "prc": characters.Perception,
	"prf": characters.Performance, "per": characters.Persuasion, "rel": characters.Religion,
	"slt": characters.SleightOfHand, "ste": characters.Stealth, "sur": characters.Survival,
}

var (
	bonus     = regexp.MustCompile(`\(?[+-]?\d+\)?\s*$`)            // PERCEPTION (+8)
	key       = regexp.MustCompile(`^\^?\{?([a-z_]+)-u\}?$`)        // ^{sleight_of_hand-u}
	separator = regexp.MustCompile(`[:|\x{2014}\x{2013}]|\s-\s|,`)  // Stealth Check: Orla
	noCheck   = regexp.MustCompile(`(?i)\b(?:sav\w*|passive|dc)\b`) // a saving throw, a score, a difficulty
	manner    = regexp.MustCompile(`(?i)\b(?:with|at) (?:dis)?advantage\b|\((?:dis)?advantage\)`)
	makes     = regexp.MustCompile(`(?i)^(?:.{1,60}? )?(?:makes?|rolls?|rolling|attempts?) (?:an? )?`)
)

// labelled returns the skill that the caption of a roll names: "Wisdom (Perception) Check",
// "Stealth Skill Check: Orla", "PERCEPTION (+8)", "Orla makes a Stealth check!".
func labelled(caption string) (characters.Skill, bool) {
	const longest = 120 // bytes; a caption is short, a story is not
	caption = strings.TrimSpace(caption)
	if caption == "" || len(caption) > longest || noCheck.MatchString(caption) {
		return "", false
	}
	if m := key.FindStringSubmatch(caption); m != nil {
		caption = m[1]
	}
	for _, part := range separator.Split(manner.ReplaceAllString(caption, ""), -1) {
		part = strings.TrimSpace(bonus.ReplaceAllString(strings.TrimSpace(part), ""))
		for _, name := range []string{part, makes.ReplaceAllString(part, "")} {
			words := strings.Fields(strings.TrimRight(name, "!.?"))
			for n := len(words); n > 1; n-- { // "Perception Skill Check"
				switch strings.ToLower(words[n-1]) {
				case "check", "roll", "skill", "test":
					words = words[:n-1]
					continue
				}
				break
			}
			if skill, ok := characters.ParseSkill(strings.Join(words, " ")); ok {
				return skill, true
			}
		}
	}
	return "", false
}
