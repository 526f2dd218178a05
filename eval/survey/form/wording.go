package form

import (
	"regexp"
	"slices"
	"strings"

	"parley/eval/iep/wordnet"
)

var leadings = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(don['’]?t|wouldn['’]?t|isn['’]?t|aren['’]?t|doesn['’]?t|won['’]?t|can['’]?t|shouldn['’]?t|didn['’]?t|haven['’]?t) \w+`),
	regexp.MustCompile(`(?i), (isn['’]?t it|aren['’]?t they|don['’]?t you( think| agree)?|wouldn['’]?t you( say| agree)?|right|correct|no)\?$`),
	regexp.MustCompile(`(?i)\b(obviously|undoubtedly|needless to say|without a doubt|it goes without saying|as (we|you|everyone|everybody)( all)? knows?|everyone (knows|agrees)|everybody (knows|agrees)|nobody can deny|no one can deny)\b`),
	regexp.MustCompile(`(?i)^(clearly|surely|of course|naturally)\b,?`),
	// A report of what others think, before the question.
	regexp.MustCompile(`(?i)(?:^|[.!] )(?:most|many|all|sensible|reasonable|experts|scientists|doctors|studies|research)\b[^.?!]{0,30}\b(?:think|agree|believe|say|love|know|prefer|support|want|show)s?\b[^.?!]*[.!] `),
	regexp.MustCompile(`(?i)(?:^|[.!?,;:] )(do|would|will) you (not )?(also )?agree (that|with (us|me))\b`),
	regexp.MustCompile(`(?i)\bhow (amazing|great|wonderful|fantastic|awful|terrible|horrible|brilliant|excellent|dreadful|much do you (love|hate|enjoy|adore|dislike))\b`),
	regexp.MustCompile(`(?i)\bwhy do you (love|like|hate|prefer|enjoy|dislike|adore)\b`),
	regexp.MustCompile(`(?i)\b(our|the|this|these|such an?|your) (amazing|excellent|fantastic|wonderful|outstanding|award-winning|world-class|superb|incredible|brilliant|terrible|awful|disastrous|dreadful|horrible|ridiculous|absurd|disgraceful)\b`),
}

// leading returns the words that suggest an answer; "" for none.
func leading(text string) string {
	text = line(text)
	for _, re := range leadings {
		if m := re.FindString(text); m != "" {
			return m
		}
	}
	return ""
}

// loadedWords belittle people or take one kind of them for all. The list is short and knows no irony.
var loadedWords = regexp.MustCompile(`(?i)\b(normal people|real (men|women)|you people|those people|people like that|even (a woman|women|a girl|girls|old people) can|old folks|the elderly who|the handicapped|handicapped people|wheelchair-bound|crippled|retarded|primitive (people|cultures?|countries)|third[- ]world (people|countries)|illegal aliens|lazy (unemployed|foreigners|students|poor)|housewives|mankind|man ?power|uneducated people|simple people|bad neighbourhoods|decent people|hysterical (women|mothers)|senile|foreigners who|welfare cheats|so-called (poor|refugees|victims|disabled))\b`)

// loaded returns the words that belittle people; "" for none.
func loaded(text string) string { return loadedWords.FindString(text) }

// fixed are pairs that are one thing.
var fixed = set(`terms/conditions food/drink food/drinks pros/cons bed/breakfast trial/error research/development black/white
	back/forth more/more bread/butter fish/chips supply/demand health/safety salt/pepper arts/crafts rules/regulations
	questions/answers ladies/gentlemen men/women boys/girls parents/guardians time/energy day/night again/again
	first/last quick/easy short/sweet risks/side name/address friends/family mum/dad lost/found question/answer knife/fork here/there up/down now/then`)

// synonyms are words that say the same in questions, and that WordNet does not bring together, a group a line.
var synonyms = strings.Split(`pointless useless futile unnecessary
stressed overwhelmed pressured
angry annoyed frustrated
lonely isolated
calm relaxed peaceful
happy content joyful
safe secure protected
kind caring warm
polite courteous respectful friendly
clear understandable readable legible easy
simple easy straightforward
interesting engaging exciting inspiring
noisy loud
clean neat
rules regulations policies guidelines
aims goals
worries concerns fears
ideas suggestions proposals
roles responsibilities
thoughts feelings
hopes dreams
accepted included welcome
valued appreciated respected
encouraged supported
fairly respectfully respect
modern up-to-date current`, "\n")

// oneThing reports whether two words in small letters are a fixed pair or say the same.
func oneThing(a, b string) bool {
	if _, related := wordnet.Related(stem(a))[stem(b)]; related || fixed[a+"/"+b] {
		return true
	}
	return slices.ContainsFunc(synonyms, func(group string) bool {
		words := strings.Fields(group)
		return slices.Contains(words, a) && slices.Contains(words, b)
	})
}

var asksOne = regexp.MustCompile(`(?i)^(how|do|does|did|are|is|was|were|would|will|should|could|can|have|has|please rate|rate|i|we|my|our|the|this|these|to what extent)\b`)

var (
	joined = regexp.MustCompile(`(?i)([\p{L}'’-]+),? (?:and(?: also)?|as well as|and/or) (?:(?:the|a|an|our|your|its|their|how|of|with|to|by|is|are|was|were) )*([\p{L}'’-]+)`)
	// tellsApart finds options that answer for each of two things.
	tellsApart = regexp.MustCompile(`(?i)\b(both|neither|equally)\b`)
	between    = regexp.MustCompile(`(?i)\bbetween\b[^,.?]*$`)
)

// barrelled returns the words that make one question two; "" for none. Only questions with one answer
// on a scale, or a yes or no, can have two in one. "My parents and I" are one subject.
func barrelled(q *Question) string {
	text := line(q.Text)
	switch q.Type {
	case Rating, Likert:
	case Single:
		if len(q.Options) > 5 || q.Answer != "" || slices.ContainsFunc(q.Options, tellsApart.MatchString) {
			return ""
		}
	default:
		return ""
	}
	if q.Type != Likert && !asksOne.MatchString(text) {
		return ""
	}
	for _, m := range joined.FindAllStringSubmatchIndex(text, -1) {
		before, after := strings.ToLower(text[m[2]:m[3]]), strings.ToLower(text[m[4]:m[5]])
		if after == "i" || oneThing(before, after) || between.MatchString(text[:m[2]]) {
			continue
		}
		return text[m[0]:m[1]]
	}
	return ""
}
