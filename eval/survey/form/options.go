package form

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The words that put an option on one side of a scale. The others are neutral or unknown.
var (
	lowWords = set(`poor bad terrible awful horrible worst worse dissatisfied disagree unhappy unlikely hard difficult unfair
		unclear weak boring dull useless unhelpful uncomfortable unsafe unpleasant disappointed disappointing unimportant irrelevant
		tense negative unacceptable inadequate uninterested ineffective uncertain`)
	middling  = set(`fair acceptable adequate`)
	passable  = set(`fair ok okay`) // below the middle where a scale has no other middle
	weak      = regexp.MustCompile(`(?i)\b(not|no|hardly|barely|slightly|somewhat|fairly|quite|moderately|rather|(a )?(little|bit))\b`)
	opposite  = regexp.MustCompile(`(?i)\b(unfair|unacceptable|inadequate)`)
	highWords = set(`good excellent great wonderful outstanding best better satisfied agree happy likely easy clear strong
		exciting useful helpful comfortable safe certain pleasant delighted important relevant calm positive superb fantastic
		interested effective amazing perfect`)
	midWords = set(`neutral neither undecided unsure average mixed okay ok medium indifferent`)
	negation = set(`not no hardly dis un isn't don't doesn't`)
)

// side returns the side of an option, -1, 0 or 1, and the word that puts it there; false where it cannot be told.
// Words of middling are on no side, unless one of the options has their opposite.
func side(option string, opposed bool) (at int, by string, known bool) {
	words := tokens(option)
	text := " " + strings.Join(words, " ") + " "
	if strings.Contains(text, " too ") || strings.Contains(text, " just right ") {
		return 0, "", false // a scale with its best in the middle
	}
	for _, phrase := range []string{" not sure ", " don't know ", " do not know ", " no opinion ", " not applicable ", " n a ", " prefer not ", " so so ", " neither ", " partly ", " partially "} {
		if strings.Contains(text, phrase) {
			return 0, "", true
		}
	}
	negated := false
	for _, w := range words {
		switch {
		case midWords[w], middling[w] && !opposed:
			return 0, w, true
		case lowWords[w]:
			at, by, known = -1, w, true
		case highWords[w], middling[w]:
			at, by, known = 1, w, true
		case negation[w]:
			negated = true
		}
	}
	if negated {
		return -at, by, known
	}
	return at, by, known
}

// balance counts the options on both sides of a scale; false where the options are no scale of which
// every step is known. A scale from nothing to much, such as "not important" to "extremely important", has no sides.
func balance(options []string) (low, high int, ok bool) {
	if len(options) < 3 {
		return 0, 0, false
	}
	opposed := slices.ContainsFunc(options, opposite.MatchString)
	outside := asides(options)
	nouns, steps, fair, mild := map[string]bool{}, 0, 0, false
	for _, o := range options {
		at, by, known := side(o, opposed)
		mild = mild || weak.MatchString(o)
		switch {
		case outside && aside(o):
			continue
		case !known:
			return 0, 0, false
		case passable[by] && at == 0:
			fair++
		case at < 0:
			low++
			nouns[by] = true
		case at > 0:
			high++
			nouns[by] = true
		}
		if by != "" {
			steps++
		}
	}
	if fair > 0 && steps%2 == 0 {
		low += fair // poor, fair, good, excellent
	} else if fair > 0 && low > 0 && high == low+2 {
		low, high = low+1, high-1 // poor, fair, good, very good, excellent: good is the middle
	}
	if len(nouns) == 1 && (mild || high < len(options)) {
		return 0, 0, true
	}
	return low, high, true
}

// aside reports whether a person speaks in an option, as in "I never go there".
func aside(option string) bool {
	return strings.HasPrefix(option, "I ") || strings.HasPrefix(option, "I'")
}

// asides reports whether some options, and fewer than half, are such.
func asides(options []string) bool {
	n := 0
	for _, o := range options {
		if aside(o) {
			n++
		}
	}
	return n > 0 && 2*n < len(options)
}

// escapes are words of options for those who find themselves in none of the others, or in several.
var escapes = regexp.MustCompile(`(?i)\b(others?|otherwise|else|elsewhere|none|nothing|neither|nobody|another|no one|n/?a|not applicable|` +
	`prefer not|rather not|different|(don['’]?t|do not|can['’]?t|cannot) (know|mind|remember|recall|say|have|use)|(did|have|was|am|are|is|does|do)(n['’]?t| not)|` +
	`unsure|not sure|undecided|no preference|any\w*|all of|all (the )?(same|equally)|equally|both|either|several|more than one|a (bit|mix|mixture|combination) of|` +
	`(mov|switch|chang|alternat|jump)(e|es|ed|ing)? (between|around|back and forth)|it depends|depends|differs|somebody|somewhere|something|varies|various|` +
	`does not matter|never|no .*|not? (yet|needed)|specify|i need none)\b|^(all|just|only)\b`)

// hasEscape reports whether one of the options is a way out. Where the others are things, that is also one in which
// a person speaks, such as "I will decide later".
func hasEscape(options []string) bool {
	return slices.ContainsFunc(options, escapes.MatchString) || asides(options)
}

// complete lists sets in which everybody has a place: options that name nothing else are not open.
var complete = set(`monday tuesday wednesday thursday friday saturday sunday mon tue wed thu thur fri sat sun weekday weekend
	january february march april may june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn fall winter
	north south east west northeast northwest southeast southwest
	early late noon midday lunchtime am pm
	africa antarctica asia europe oceania australia america
	first second third fourth quarter day evening morning afternoon night time soprano alto tenor bass breakfast lunch dinner
	and or to the of in a on`)

// completeSet reports whether all options name members of such sets.
func completeSet(options []string) bool {
	for _, o := range options {
		for _, w := range tokens(o) {
			if !complete[w] && !complete[strings.TrimSuffix(w, "s")] {
				return false
			}
		}
	}
	return true
}

// offered finds the questions that let people choose from what is offered, or ask what they took of it: the author of
// the form knows all of that. So it is with permissions, and with what is asked of a list and not of a person.
var offered = regexp.MustCompile(`(?i)^which\b.*\b((would|will|should) (you|we|your \w+) (\w+ )?like( to \w+)?|` +
	`(would|will|do|should) (you|we|your \w+) (\w+ )?(want|need|prefer|choose|join)|` +
	`(did|have|are|will|would) (you|we|your \w+) (\w+ ){0,2}(tak|attend|join|choos|chose|book|order|complet|finish|appl|enrol|regist|sign|select|test|see|saw|visit|enter|receiv)\w*|suits? (you|your \w+))` +
	`( (for|in|on|at|with|up)\b.*)?\W*(\?.*)?$|^who (is|are)\b|^which( \w+)? of (our|these( \w+)? (are|is|were|share|belong))\b|^(may|can|should) we\b`)

// opens finds the questions with one answer whose answers no author can list: reasons, sources, favourites, origins, and
// what people use at home. All others may be about a set that the author knows.
var opens = regexp.MustCompile(`(?i)^(why|who (told|recommended|introduced|referred)|how did (you|your \w+) (\w+ )?(hear|find|learn|discover)|` +
	`which \w+( \w+)? (do|did) (you|your \w+) (\w+ )?(use|play|speak|read|watch|drive|own|eat|drink))\b|` +
	`\b(reasons?|favou?rite|religion|nationality|ethnic\w*|mother tongue|native language|occupation|profession|hobby|purpose|stop(s|ped) (you|your \w+)|kept you|prevent(s|ed)|holds? you back|motivat(es|ed))\b`)

// steps are words of options on a scale, where all answers have their place.
var steps = regexp.MustCompile(`(?i)\b((less|more) (than|often)|never|rarely|seldom|sometimes|often|usually|always|daily|weekly|monthly|yearly|every|once|twice|under|over|below|above|up to|between|before|after|small(er)?|large(r)?|low|medium|high|beginner|advanced|intermediate|yes|no|morning|noon|afternoon|evening|night|half|full|true|false)\b`)

// noWayOut returns a message where a set of options is open and has no place for those who fit none; "" elsewhere.
func noWayOut(q *Question) string {
	if q.Type != Single && q.Type != Multiple || len(q.Options) < 3 || q.Answer != "" || offered.MatchString(strings.TrimSpace(q.Text)) {
		return ""
	}
	scale := 0
	for _, o := range q.Options {
		if steps.MatchString(o) || digits(o) != "" {
			scale++
		}
	}
	if _, _, ok := balance(q.Options); ok || hasEscape(q.Options) || 2*scale >= len(q.Options) || completeSet(q.Options) {
		return ""
	}
	if q.Type == Single && !opens.MatchString(q.Text) {
		return ""
	}
	return "the options leave out who fits none of them; offer \"other\" or \"none of these\""
}

var span = regexp.MustCompile(`^(?:\D{0,2}[^\pL\d])?(\d{1,9})\s*(?:-|–|—|to|bis|and)\s*(?:\D?[^\pL\d])?(\d{1,9})\b([^(,;]*)`)

// overlaps returns, for each option, the earlier option with which its range of numbers shares more
// than nothing; empty for none. Ranges of different units, by the last word, share nothing. Where they may touch, one
// begins where another ends.
func overlaps(options []string, touch bool) []string {
	type reach struct {
		low, high  int
		unit, text string
	}
	found := make([]string, len(options))
	var before []reach
	for i, o := range options[:min(len(options), 200)] {
		m := span.FindStringSubmatch(strings.TrimSpace(o))
		if m == nil {
			continue
		}
		low, err1 := strconv.Atoi(m[1])
		high, err2 := strconv.Atoi(m[2])
		if err1 != nil || err2 != nil || low >= high {
			continue
		}
		unit := ""
		if words := tokens(m[3]); len(words) > 0 {
			unit = stem(words[len(words)-1])
		}
		for _, b := range before {
			if low <= b.high && b.low <= high && !(touch && (low == b.high || high == b.low)) && (unit == b.unit || unit == "" || b.unit == "") {
				found[i] = b.text
			}
		}
		before = append(before, reach{low, high, unit, o})
	}
	return found
}
