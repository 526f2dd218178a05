package iep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/characters"
	"parley/scenarios"
	"parley/sim/llm"
)

// Planted is a made-up debrief that tells exactly the facts in Told, in other words, among sentences
// that tell nothing and facts of other pieces of knowledge.
type Planted struct {
	Knowledge *scenarios.Knowledge
	Told      []int
	Answer    string
}

// Plant makes a debrief about the i-th piece of a shelf.
func Plant(shelf []scenarios.Knowledge, i int, r *rand.Rand) Planted {
	k := &shelf[i]
	p := Planted{Knowledge: k, Told: r.Perm(len(k.Facts))[:r.IntN(len(k.Facts)+1)]}
	var lines []string
	for _, f := range p.Told {
		lines = append(lines, reword(r, k.Facts[f].Text, k.Title))
	}
	for range 2 + r.IntN(3) {
		lines = append(lines, distractors[r.IntN(len(distractors))])
	}
	if len(shelf) > 1 { // something true of something else
		other := &shelf[(i+1+r.IntN(len(shelf)-1))%len(shelf)]
		lines = append(lines, reword(r, other.Facts[r.IntN(len(other.Facts))].Text, other.Title))
	}
	r.Shuffle(len(lines), func(a, b int) { lines[a], lines[b] = lines[b], lines[a] })
	slices.Sort(p.Told)
	p.Answer = strings.Join(lines, " ")
	return p
}

// reword says a fact in other words: a frame around it, the subject as a pronoun, common words by
// their synonyms, a clause moved to the front, numbers as digits.
func reword(r *rand.Rand, fact, title string) string {
	s := strings.TrimRight(fact, ".!? ")
	if low := strings.ToLower(s); strings.HasPrefix(low, strings.ToLower(title)+" ") && r.IntN(3) > 0 {
		s = []string{"it", "the thing", "the one we asked about"}[r.IntN(3)] + s[len(title):]
	}
	for _, mark := range []string{" because ", " when ", " if ", " after ", " before ", " until "} {
		if at := strings.Index(s, mark); at > 0 && r.IntN(2) == 0 {
			s = strings.TrimSpace(s[at:]) + ", " + s[:at]
			break
		}
	}
	words := strings.Fields(s)
	for i, w := range words {
		core := strings.Trim(w, ",;:\"'()")
		other, ok := synonyms[strings.ToLower(core)]
		if digits, isNumber := numerals[strings.ToLower(core)]; isNumber && !strings.ContainsAny(digits, "xsnrt") && r.IntN(2) == 0 {
			other, ok = digits, true
		}
		if ok && core != "" {
			words[i] = strings.Replace(w, core, other, 1)
		}
	}
	s = strings.Join(words, " ")
	if first, rest, _ := strings.Cut(s, " "); functionWords[strings.ToLower(first)] {
		s = strings.ToLower(first) + " " + rest
	}
	return fmt.Sprintf(frames[r.IntN(len(frames))], s)
}

var functionWords = map[string]bool{"the": true, "a": true, "an": true, "it": true, "its": true, "if": true, "when": true, "after": true, "before": true, "because": true, "until": true, "only": true, "whoever": true, "anyone": true}

var frames = []string{
	"We were told that %s.", "It seems that %s.", "As far as I understood, %s.", "Then there is this: %s.",
	"I also found out that %s.", "According to our host, %s.", "What surprised me: %s.", "One more thing is that %s.",
	"I remember that %s.", "If I heard it right, %s.", "And %s.", "Apparently %s, so they say.",
}

var distractors = []string{
	"It was a pleasant evening and the soup was hot.", "Nobody seemed to be in a hurry.", "My companions asked most of the questions.",
	"I liked the way our host laughed.", "There was more to it, but I did not learn what.", "The road here was long and muddy.",
	"We should talk about it again tomorrow.", "I would not trust every word of that.", "Somebody in the corner kept listening to us.",
	"We thanked our host and shared what we had.", "I could have asked more, had there been time.", "It all sounded rather strange to me.",
	"I do not know who is behind it.", "One of us nearly fell asleep.", "The others seemed pleased with what they heard.",
	"There was a song that I had never heard before.",
}

// synonyms are other words for common ones, of the same form.
var synonyms = map[string]string{
	"made": "crafted", "built": "put up", "lies": "rests", "hidden": "concealed", "hides": "conceals", "kept": "stored", "keeps": "holds on to",
	"guards": "watches over", "guarded": "watched over", "wants": "desires", "seeks": "looks for", "takes": "claims", "gives": "grants", "brings": "carries",
	"kills": "slays", "killed": "slain", "dies": "perishes", "died": "perished", "opens": "unlocks", "old": "ancient", "big": "large", "small": "little",
	"under": "beneath", "below": "beneath", "near": "close to", "beside": "next to", "across": "over", "inside": "within", "begins": "starts", "ends": "stops",
	"every": "each", "night": "nightfall", "house": "dwelling", "child": "youngster", "children": "youngsters", "king": "ruler", "road": "way", "wood": "forest",
	"stone": "rock", "water": "waters", "speaks": "talks", "answers": "replies", "hears": "listens to", "sees": "notices", "walks": "goes", "fell": "tumbled",
	"found": "discovered", "lost": "mislaid", "stolen": "taken", "stole": "took", "bought": "purchased", "sold": "traded", "pays": "hands over", "paid": "handed over",
	"costs": "is worth", "must": "has to", "cannot": "is unable to", "never": "at no time", "always": "at all times", "only": "just", "often": "many times", "soon": "before long",
	"means": "intends", "plans": "intends", "wrote": "penned", "wears": "has on", "carries": "bears", "drinks": "sips", "eats": "feeds on", "burns": "is ablaze",
	"breaks": "shatters", "broken": "shattered", "sleeps": "slumbers", "wakes": "rouses", "buried": "laid in the ground", "hangs": "dangles", "stands": "is found", "holds": "contains",
	"about": "around", "almost": "nearly", "enough": "sufficient", "each": "every", "whole": "entire", "strong": "mighty", "weak": "feeble", "thick": "dense",
	"fears": "dreads", "loves": "adores", "hates": "loathes", "promised": "swore", "brother": "sibling", "sister": "sibling", "master": "lord", "servant": "attendant",
}

// Check is what a judge made of planted debriefs.
type Check struct {
	Exact   []bool // it counted exactly the facts that were told
	Within1 []bool // it was right to within one
	Bias    []float64
	Flip    []bool         // it counted otherwise when the key points were in the reverse order
	Missing map[string]int // reasons why there was no verdict
}

// CheckJudge plants n debriefs over a shelf of knowledge and lets a judge match them, each in both
// orders of the key points.
func CheckJudge(ctx context.Context, j Judge, shelf []scenarios.Knowledge, n int, r *rand.Rand) (*Check, []llm.Call, error) {
	c := &Check{Missing: map[string]int{}}
	var calls []llm.Call
	for i := range n {
		p := Plant(shelf, i%len(shelf), r)
		var gold []string
		for f := range p.Knowledge.Facts {
			gold = append(gold, p.Knowledge.Facts[f].Text)
		}
		count := func(turned bool) (int, error) {
			points := slices.Clone(gold)
			if turned {
				slices.Reverse(points)
			}
			ask := Ask{Session: fmt.Sprintf("check-%04d-%t", i+1, turned), Subject: string(characters.ID(p.Knowledge.ID)), Seed: r.Uint64()}
			v, made, err := j.Match(ctx, ask, p.Knowledge, points, p.Answer)
			calls = append(calls, made...)
			if err == nil {
				err = v.check(len(points))
			}
			return len(v.Matches), err
		}
		straight, err := count(false)
		turned, err2 := count(true)
		if ctx.Err() != nil {
			return nil, calls, ctx.Err()
		}
		if err = errors.Join(err, err2); err != nil {
			c.Missing[err.Error()]++
			continue
		}
		off := straight - len(p.Told)
		c.Exact = append(c.Exact, off == 0)
		c.Within1 = append(c.Within1, off >= -1 && off <= 1)
		c.Bias = append(c.Bias, float64(off))
		c.Flip = append(c.Flip, straight != turned)
	}
	return c, calls, nil
}
