package form

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley/eval/iep/wordnet"
)

var leadings = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(do|would|is|are|does|wo|ca|should|did|have)n?['’]?t (you|we|it|they|this|that|these|those|there|the|our|people|everyone|everybody)\b`),
	regexp.MustCompile(`(?i), ((is|are|was|were|do|does|did|would|have|has)n['’]?t (it|you|they)( think| agree| say)?|right|correct|no)\?$`),
	regexp.MustCompile(`(?i)\b(obviously|undoubtedly|needless to say|without a doubt|it goes without saying|everyone (knows|agrees)|everybody (knows|agrees)|nobody can deny|no one can deny)\b`),
	regexp.MustCompile(`(?i)(?:^|[.,;:] )as (we|you|everyone|everybody)( all)? knows?\b`),
	regexp.MustCompile(`(?i)^(clearly|surely|of course|naturally)\b,?`),
	// A report of what others think, before the question.
	regexp.MustCompile(`(?i)(?:^|[.!] )(?:most|many|all|sensible|reasonable|experts|scientists|doctors|studies|research)\b[^.?!]{0,30}\b(?:think|agree|believe|say|love|know|prefer|support|want|show)s?\b[^.?!]*[.!] `),
	regexp.MustCompile(`(?i)\bhow (amazing|great|wonderful|fantastic|awful|terrible|horrible|brilliant|excellent|dreadful|much do you (love|hate|adore))\b`),
	regexp.MustCompile(`(?i)\bwhy do you (love|like|hate|dislike|adore)\b`),
	regexp.MustCompile(`(?i)\b(our|the|this|these|such an?|your) (amazing|excellent|fantastic|wonderful|outstanding|award-winning|world-class|superb|incredible|brilliant|terrible|awful|disastrous|dreadful|horrible|ridiculous|absurd|disgraceful)\b`),
}

// agreement asks people to agree, except where it is consent to what one may do; among speaks of the people who are asked.
var (
	agreement = regexp.MustCompile(`(?i)(?:^|[.!?,;:] )(do|would|will) you (not )?(also )?agree (that|with (us|me))\b`)
	consent   = regexp.MustCompile(`(?i)^[^.?!]*\b(may|can|stor(e|ed)|use|publish(ed)?|shared?|kept|keep|process(ed)?|contact(ed)?|record(ed)?)\b`)
	among     = regexp.MustCompile(`(?i)\bof (you|us)\b`)
)

// leading returns the words that suggest an answer; "" for none.
func leading(text string) string {
	text = line(text)
	for _, re := range leadings {
		if m := re.FindString(text); m != "" && !among.MatchString(m) {
			return m
		}
	}
	if m := agreement.FindStringIndex(text); m != nil && !consent.MatchString(text[m[1]:]) {
		return text[m[0]:m[1]]
	}
	return ""
}

// loadedWords belittle people, take one kind of them for all, or judge before people do. The list is short and knows no
// irony.
var loadedWords = regexp.MustCompile(`(?i)\b(normal people|real (men|women)|you people|those people|people like that|even (a woman|women|a girl|girls|old people) can|old folks|the elderly who|the handicapped|handicapped people|wheelchair-bound|crippled|retarded|primitive (people|cultures?|countries)|third[- ]world (people|countries)|illegal aliens|lazy (unemployed|foreigners|students|poor)|housewives|mankind|man ?power|uneducated people|simple people|bad neighbourhoods|decent people|hysterical (women|mothers)|senile|foreigners who|welfare cheats|so-called (poor|refugees|victims|disabled)|(greedy|reckless|heartless|corrupt|lazy|selfish|ignorant|stupid|cruel|innocent|irresponsible|shameful|wasteful) [a-z]+|why do you waste|have you stopped [a-z]+ing|(throw|threw) away on)\b`)

// loaded returns words that belittle or judge; "" for none.
func loaded(text string) string { return loadedWords.FindString(text) }

// fixed are pairs that are one thing.
var fixed = set(`terms/conditions food/drink food/drinks pros/cons bed/breakfast trial/error research/development black/white
	back/forth more/more bread/butter fish/chips supply/demand health/safety salt/pepper arts/crafts rules/regulations
	questions/answers ladies/gentlemen men/women boys/girls parents/guardians time/energy day/night again/again
	first/last quick/easy read/understood read/understand read/accept read/agree read/accepted short/sweet risks/side name/address friends/family mum/dad lost/found question/answer knife/fork here/there up/down now/then`)

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
	joined = regexp.MustCompile(`(?i)([\p{L}'’-]+),? (?:and(?: also)?|as well as) (?:(?:the|a|an|our|your|its|their|how|of|with|to|by|is|are|was|were) )*([\p{L}'’-]+)`)
	// tellsApart finds options that answer for each of two things.
	tellsApart = regexp.MustCompile(`(?i)\b(both|neither|equally)\b`)
	// condition begins a part of a sentence in which two things make one case.
	condition = regexp.MustCompile(`(?i)\b(between|if|when|while|after|before|who|both|(mix|mixture|balance|combination|range|choice) of)\b[^,.?]*$`)
	together  = regexp.MustCompile(`(?i)^[^,.?]*\b(together|apart|each other|one another)\b`)
	pronoun   = set("me you us him her them he she they we")
	motion    = set("go come try wait sit")                                                                    // go and see
	rest      = set("so similar other others beyond above over under older younger later more elsewhere back") // nuts and other food
	agreed    = regexp.MustCompile(`(?i)\b(consent|accept|agree to|permission|confirm|have read)\b`)
	of        = regexp.MustCompile(`(?i) (my|your|our|his|her|their) `)
)

// oneCase reports whether what a match of joined found in a text is one thing: one person with others, a name, a fixed
// pair, times, or a part of a condition.
func oneCase(text string, m []int) bool {
	first, second := text[m[2]:m[3]], text[m[4]:m[5]]
	before, after := strings.ToLower(first), strings.ToLower(second)
	capital := func(s string) bool { return unicode.IsUpper([]rune(s)[0]) }
	return after == "i" || before == after || motion[before] || rest[after] || pronoun[before] && of.MatchString(text[m[3]:m[4]]) ||
		capital(first) && capital(second) && m[2] > 0 || completeSet([]string{before, after}) || oneThing(before, after) ||
		condition.MatchString(text[:m[2]]) || together.MatchString(text[m[1]:])
}

// barrelled returns the words that make one question two; "" for none. Only questions with one answer
// on a scale, or a yes or no, can have two in one. "My parents and I" are one subject.
func barrelled(q *Question) string {
	text := line(q.Text)
	switch q.Type {
	case Rating, Likert:
	case Single:
		if len(q.Options) > 5 || q.Answer != "" || agreed.MatchString(text) || slices.ContainsFunc(q.Options, tellsApart.MatchString) {
			return ""
		}
	default:
		return ""
	}
	if q.Type != Likert && !asksOne.MatchString(text) {
		return ""
	}
	for _, m := range joined.FindAllStringSubmatchIndex(text, -1) {
		if !oneCase(text, m) {
			return text[m[0]:m[1]]
		}
	}
	return ""
}
