package reference

import (
	"strings"
	"unicode"

	"parley/scenarios"
)

// topic is an aspect with the words that ask for it. A question asks for the first topic of the table
// whose words stand in it.
type topic struct {
	aspect scenarios.Aspect
	words  []string
	ask    []form // about "it", which the asker makes plain beforehand
}

// topics are in the order in which words decide: "where does it come from" asks for the origin.
var topics = []topic{
	{scenarios.Origin, []string{"who made", "who built", "who forged", "who wrote", "come from", "came from", "comes from", "origin", "who first", "maker"}, []form{
		"[Who made it|Who first made it|Where does it come from|Where did it come from|What is its origin]?",
		"[Do you know|Can you tell us|Would you say|Has anyone told you] [who made it|where it comes from|where it came from]?"}},
	{scenarios.History, []string{"what happened", "history", "what became", "in the past", "been through", "story behind", "years ago"}, []form{
		"[What happened to it|What became of it] [since|over the years|before we came|in your time]?",
		"[What is the history of it|Is there a story behind it|What has it been through] [in these parts|so far|as you know it]?"}},
	{scenarios.Weakness, []string{"weak", "stop it", "undo", "destroy", "defeat", "ward off", "against it", "stopped", "put an end", "vulnerable"}, []form{
		"[Has it a weakness|What is its weakness|What would stop it|How could it be stopped|Can anything undo it]?",
		"[If it came to the worst|If we had to|Should it turn on us], [what would stop it|how could one put an end to it|what helps against it]?"}},
	{scenarios.Danger, []string{"danger", "risk", "harm", "careful of", "afraid", "fear", "threat", "beware", "wary"}, []form{
		"[Is there danger in it|What makes it dangerous|What should we beware of|What is the risk|What must we be careful of]?",
		"[Before we go on|Honestly now|Between us], [what is the danger|what should we fear|what ought we to be wary of]?"}},
	{scenarios.Price, []string{"price", "cost", "pay", "in return", "demand", "toll", "sacrifice", "reward"}, []form{
		"[What does it cost|What is the price of it|What does it demand in return|What would one have to pay]?",
		"[And the price|And what would it cost us|Nothing is free: what does it demand|What toll does it take]?"}},
	{scenarios.Seeker, []string{"who wants", "who else", "seek", "is after", "are after", "looking for it", "covet", "hunting"}, []form{
		"[Who wants it|Who else wants it|Who is after it|Who seeks it]?",
		"[Is anyone else after it|Are others looking for it|Who would covet such a thing] [besides us|by now|these days]?"}},
	{scenarios.Keeper, []string{"who has", "who keeps", "who guards", "guard", "who holds", "who owns", "who serves", "in whose", "watches over", "keeper", "belong"}, []form{
		"[Who has it now|Who keeps it|Who guards it|Who watches over it|In whose hands is it]?",
		"[Does someone guard it|Is there a keeper|To whom does it belong] [now|at present|these days]?"}},
	{scenarios.Plan, []string{"planning", "intend", "about to", "going to do", "what is the plan", "scheme", "next step", "up to"}, []form{
		"[What are they planning|What do they intend|What is the plan|What are they about to do|What are they up to]?",
		"[Someone is up to something|There is a scheme in this|I smell a scheme]: what do they intend [with it|now|next]?"}},
	{scenarios.Time, []string{"when ", "how long", "what hour", "what day", "which night", "how soon", "how often"}, []form{
		"[When does it happen|When will it be|When was it|How soon is it|How often does it happen]?",
		"[Is there a time for it|We must know the hour]: when [should one be there|does it begin|is it]?"}},
	{scenarios.Use, []string{"how does one use", "how do you use", "how is it used", "how to use", "open it", "wake it", "how does it work", "command word", "call it", "how would one", "make it work", "how do we use"}, []form{
		"[How does one use it|How is it used|How does it work|How would one wake it|How do we use it]?",
		"[Suppose we had it before us|Say it lay in my hand|Suppose we stood before it]: [how does one use it|how would one open it|how does it work]?"}},
	{scenarios.Power, []string{"what can it", "what does it do", "power", "able to", "capable", "good for", "what could it", "can do"}, []form{
		"[What can it do|What does it do|What power has it|What is it capable of|What is it good for]?",
		"[They say it can do things|Folk whisper about it|I have heard talk]: what power [has it|is in it|does it have] [really|in truth|if any]?"}},
	{scenarios.Look, []string{"look like", "looks like", "recogni", "appearance", "sound like", "smell like", "describe", "what colour", "how big", "know it by"}, []form{
		"[What does it look like|How would we recognise it|How do we know it by sight|Could you describe it]?",
		"[If we saw it|If it lay among others|In poor light], [how would we recognise it|what would we know it by|what does it look like]?"}},
	{scenarios.Place, []string{"where", "which way", "how do we get", "how far", "road to", "the way to", "find it"}, []form{
		"[Where is it|Where can we find it|Where does it lie|Where is it kept]?",
		"[Which way is it|How far is it|How do we get there] [from here|on foot|from this place]?"}},
	{scenarios.Nature, []string{"what is it", "what exactly", "what sort", "what kind", "what manner", "what are we dealing", "the truth about it", "what is this"}, []form{
		"[What is it|What exactly is it|What sort of thing is it|What manner of thing is it|What kind of thing is it], [really|in truth|in plain words|if you had to say]?",
		"[What are we dealing with|What are we dealing with here|Tell me plainly, what is it]?"}},
}

// anything are the words that ask for whatever is left.
var anything = []string{"what else", "anything else", "anything more", "everything you know", "all you know", "what more", "what do you know", "tell us more", "tell me more", "left out", "forgotten"}

var askAnything = []form{
	"[What else do you know|Is there anything else|Is there anything more to it|What have you left out]?",
	"[Have you forgotten something|Is that all, or is there anything else|What more should we know|Tell us more, what else is there]?",
	"[Think once more|Take your time|One last thing]: [is there anything else|what else do you know|have you left out anything more]?",
}

// question is a part of a speech that asks for something to the point.
type question struct {
	aspect scenarios.Aspect // "" asks for anything that is left
	text   string
}

// questions reads what a speech asks to the point: sentence by sentence, those with a question mark.
func questions(speech string) []question {
	var asked []question
	for _, s := range sentences(speech) {
		if !strings.Contains(s, "?") {
			continue
		}
		low := strings.ToLower(s)
		found := false
		for i := range topics {
			if containsAny(low, topics[i].words) {
				asked, found = append(asked, question{topics[i].aspect, low}), true
				break
			}
		}
		switch {
		case found:
		case containsAny(low, anything):
			asked = append(asked, question{"", low})
		default:
			asked = append(asked, question{"none", low})
		}
	}
	return asked
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if i := strings.Index(s, w); i >= 0 && (i == 0 || !unicode.IsLetter(rune(s[i-1]))) {
			return true
		}
	}
	return false
}

// sentences cuts a text at full stops, question and exclamation marks and line ends. A mark within a
// number or after a single letter does not end one.
func sentences(text string) []string {
	var out []string
	start := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			cut(i)
		case '.', '!', '?':
			end := i + 1
			for end < len(text) && strings.IndexByte(".!?\"')*", text[end]) >= 0 {
				end++
			}
			initial := text[i] == '.' && i >= 2 && text[i-2] == ' ' && unicode.IsUpper(rune(text[i-1]))
			if (end == len(text) || text[end] == ' ' || text[end] == '\n') && !initial {
				cut(end)
				i = end - 1
			}
		}
	}
	cut(len(text))
	return out
}
