package scenarios

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keywords are the marks of each aspect, in the order in which ties are settled: the more telling
// first. A mark is a word or a phrase in lower case; one that ends in * stands for any ending.
var keywords = []struct {
	aspect Aspect
	marks  []string
}{
	{Weakness, []string{"destroyed", "destroy*", "weak*", "loosens", "silences", "powerless", "useless", "undo*", "undone", "dissolve*", "crumble*", "scatter*", "sickens", "drowsy", "sluggish", "faint", "fears", "confuse*", "splits", "lapse*", "loses its magic", "loses its properties", "ceases", "becomes nonmagical", "ends the", "stops", "would end", "would make", "would break", "cannot be kept", "no effect on", "suppressed", "dispelled", "keeps one from", "puts out", "touch of", "spit turns", "deaf to", "upset", "recall*", "thunder", "binds", "flat", "sets", "stand", "plainly", "salt", "oil", "could stop", "betray*", "bleaches", "chokes", "clouds"}},
	{Price, []string{"price", "cost*", "pays", "paid", "pay", "payment", "in return", "demands", "takes away", "tax", "fee", "toll", "bribe*", "loses the use", "loses the memory", "expend*", "charges", "ages the", "must leave", "means leaving", "is attuned", "whoever winds", "asks for", "profit*", "casts no shadow", "for each", "each stroke", "every answer", "must first", "each load", "taste", "teeth", "for life", "fails", "failed"}},
	{Danger, []string{"danger*", "poison*", "devour*", "cursed", "curse", "mad", "drown*", "dies", "died", "killed", "kills", "victim*", "bites", "bite", "you take", "takes damage", "hostile", "attacks you", "betrayed", "lost forever", "risk*", "failed save", "on a failure", "trapped", "infect*", "snap", "forget*", "burn*", "swallow*", "turned to", "tracks those", "passes through", "lose", "meeting oneself", "stranger", "under the skin", "throat*", "bleed", "skin", "boneless", "undress*", "shatter", "smell of", "never spoke", "peril*", "explo*", "suffocat*"}},
	{Plan, []string{"plan", "plans", "intend*", "means to", "is going to", "are going to", "will be", "is about to", "scheme*", "plot to", "hired", "set a trap", "will arrive", "will climb", "will smuggle", "will cheat", "will steal", "to march", "to infect", "to break"}},
	{Seeker, []string{"seek*", "wants", "want", "offers", "offered", "searched", "hunt*", "after it", "begs", "looking for", "covet*", "contest", "promised", "prepares for", "desire*", "sworn to", "prize", "hires"}},
	{Time, []string{"when", "night*", "eve of", "dawn", "dusk", "midnight", "o'clock", "next full moon", "on the first of", "month", "week", "every year", "festival", "minutes", "hour*", "begins on", "opens on", "is due", "is set for", "comes next", "season", "at the autumn", "nights are left", "day*"}},
	{Keeper, []string{"keeper", "keeps", "guard*", "carries", "carry", "tends", "feeds", "hides", "hid", "cares for", "holds the", "porter", "warden", "foreman", "chancellor", "in charge", "waters", "owner", "owns", "wraps", "serve*", "combs", "reared", "sings to", "prune", "stands behind", "knows what", "is hidden by", "head of"}},
	{Origin, []string{"made", "built", "carved", "forged", "cast by", "crafted", "created", "founded", "lost heir", "found in", "came in", "bought from", "avenges", "began", "wrought", "invented", "born", "whelped", "first did", "began with", "came from", "rose from", "comes from", "roots of", "planted", "poured", "ordered", "dug", "opened", "fell from", "signed", "origin*", "maker", "was struck between", "lent to", "dates from"}},
	{History, []string{"once", "ago", "used to", "was", "were", "had", "since", "history", "turned", "wore", "sold", "traded", "carried off", "foretold", "died of", "went through", "brought down", "last autumn", "learnt", "years", "came ashore", "grew rich", "settled", "war", "last man", "legend*", "ages past", "long"}},
	{Place, []string{"is worked", "sits", "hidden", "buried", "at the bottom", "settled in", "governs", "kept in", "in the belly", "lies", "where", "hangs", "stands", "located", "under the", "beneath", "behind the", "below", "island", "path", "way into", "roosts", "is nailed", "grows", "works at", "lives as", "meets in", "near", "appears in", "comes out of", "reigns", "hidden in", "is done in", "inside the city", "grazes"}},
	{Look, []string{"looks", "look", "colour", "color", "colored", "smell*", "shape*", "resemble*", "sounds like", "gold in", "white", "black", "grey", "gray", "blue", "greenish", "red", "inch*", "weigh*", "pound*", "glow*", "shimmer*", "embroidered", "wears", "rings", "ringed", "scar", "appears", "grown over", "stopped with", "clicks", "handprint*", "clear as", "holes", "face", "streaked", "liquid", "limps", "feet long", "wide"}},
	{Use, []string{"use", "uses", "used", "using", "must be", "action", "command word", "speak*", "drink", "play", "hold", "wear", "wearing", "attune*", "attuned", "attunement", "knock*", "push*", "by pushing", "works only", "only when", "only if", "sounds only", "threaded", "is called by", "to call", "to meet", "summon*", "one must", "signal", "lets one", "mounted", "read aloud", "takes a", "speak to", "comes up", "see by", "knees", "bare-handed", "means of", "brings", "to ask", "eaten", "passwords", "wound"}},
	{Power, []string{"can", "power", "whoever", "allows", "grants", "gain*", "bonus", "advantage", "resistance", "immun*", "immunity", "cast", "spell*", "damage", "turns", "causes", "makes", "cures", "heal*", "shows", "reveal*", "carries a rider", "obey*", "opens", "ability", "effect", "target", "invisible", "fly*", "speed", "any", "never wear out", "lets", "would change", "without a day", "gets any older", "finds", "repeats", "voice", "cannot"}},
	{Nature, []string{"is", "are", "counts as", "kind of", "a sort of", "called", "known as", "consists", "ends in", "sixty", "nothing but", "really", "rarity"}},
}

// Aspects returns every aspect, in the order in which a curious person would ask.
func Aspects() []Aspect {
	return []Aspect{Nature, Look, Place, Origin, History, Power, Use, Price, Danger, Weakness, Keeper, Seeker, Time, Plan}
}

// Keywords returns the words and phrases that mark an aspect, in lower case; one that ends in *
// stands for any ending.
func Keywords(a Aspect) []string {
	for _, row := range keywords {
		if row.aspect == a {
			return slices.Clone(row.marks)
		}
	}
	return nil
}

// AspectOf guesses by rule which aspect a fact answers: the one with most marks in the text, where a
// phrase counts for each of its words, and the plainest marks ("is", "can") decide only when nothing
// else speaks. Proper names count for nothing. A text without any mark is of no aspect.
func AspectOf(text string) Aspect {
	list := words(withoutNames(text))
	joined := " " + strings.Join(list, " ") + " "
	best, most := Aspect(""), 0.0
	for _, row := range keywords {
		score := 0.0
		for _, mark := range row.marks {
			if strings.Contains(joined, pattern(mark)) {
				score += weight(row.aspect, mark)
			}
		}
		if score > most {
			best, most = row.aspect, score
		}
	}
	return best
}

// withoutNames leaves out the words that begin with a capital letter but do not begin the text.
func withoutNames(text string) string {
	fields := strings.Fields(text)
	kept := fields[:0]
	for i, f := range fields {
		if r, _ := utf8.DecodeRuneInString(f); i == 0 || !unicode.IsUpper(r) {
			kept = append(kept, f)
		}
	}
	return strings.Join(kept, " ")
}

func pattern(mark string) string {
	if stem, open := strings.CutSuffix(mark, "*"); open {
		return " " + stem
	}
	return " " + mark + " "
}

// plain marks stand in sentences of every aspect.
var plain = []string{"is", "are", "can", "was", "were", "had", "when", "makes", "turns", "whoever", "use", "used", "once", "since", "long", "wide", "red", "black", "white", "day*", "night*", "week", "years", "month", "year", "hour*", "near", "keeps", "carries", "carry", "cast", "spell*", "effect", "target", "lies", "appears", "drink", "play", "hold", "wear", "called", "where", "behind the", "under the", "below", "war", "look", "wants", "want"}

func weight(a Aspect, mark string) float64 {
	if slices.Contains(plain, mark) {
		return 0.25
	}
	return 1 + float64(strings.Count(mark, " "))
}
