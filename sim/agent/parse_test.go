package agent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/characters"
	"parley/sim/agent"
)

const (
	j = agent.JSON
	l = agent.Lines
)

var ignore = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(agent.Move{}, "Form")}

func say(s string) agent.Move          { return agent.Move{Speech: s} }
func act(s, d string) agent.Move       { return agent.Move{Speech: s, Deed: d} }
func fault(f string) agent.Move        { return agent.Move{Fault: f} }
func faulty(s, d, f string) agent.Move { return agent.Move{Speech: s, Deed: d, Fault: f} }
func whisper(s string, to ...characters.ID) agent.Move {
	return agent.Move{Speech: s, To: to}
}

// natural is long speech that does not repeat itself.
func natural(sentences int) string {
	words := strings.Fields("amber bridge candle dusk ember forest grave harbour island juniper kettle lantern marsh north oak pilgrim quarry river stone tower under valley winter yarrow zinc")
	var b strings.Builder
	n := 7
	for range sentences {
		for range 9 {
			n = (n*31 + 17) % 9973
			b.WriteString(words[n%len(words)])
			b.WriteByte(' ')
		}
		b.WriteString("ended. ")
	}
	return strings.TrimSpace(b.String())
}

var replies = []struct {
	reason string
	form   agent.Form
	raw    string
	want   agent.Move
}{
	// The JSON form as it should be.
	{"all fields", j, `{"speech": "Hello.", "deed": "waves", "to": []}`, act("Hello.", "waves")},
	{"speech alone", j, `{"speech":"Hello.","deed":"","to":[]}`, say("Hello.")},
	{"deed alone", j, `{"speech":"","deed":"waves","to":[]}`, act("", "waves")},
	{"a pass", j, `{"speech":"","deed":"","to":[]}`, agent.Move{}},
	{"a whisper", j, `{"speech":"Psst.","deed":"","to":["Bren"]}`, whisper("Psst.", "bren")},
	{"a check", j, `{"speech":"","deed":"climbs","to":[],"check":"Sleight of Hand"}`, agent.Move{Deed: "climbs", Skill: characters.SleightOfHand}},
	{"no check", j, `{"speech":"","deed":"climbs","to":[],"check":"none"}`, act("", "climbs")},
	{"a check that is no skill is dropped, the move is not", j, `{"speech":"","deed":"climbs","to":[],"check":"Parkour"}`, act("", "climbs")},
	{"escapes", j, `{"speech":"\u201cNo,\u201d he said \u2014 \"never\".","deed":"","to":[]}`, say(`“No,” he said — "never".`)},
	{"a surrogate pair", j, `{"speech":"Ha \ud83e\udd80!","deed":"","to":[]}`, say("Ha 🦀!")},

	// JSON as models write it.
	{"fences", j, "```json\n{\"speech\": \"Hello.\", \"deed\": \"\", \"to\": []}\n```", say("Hello.")},
	{"a fence that does not close", j, "```json\n{\"speech\": \"Hello.\", \"deed\": \"\"}", say("Hello.")},
	{"an empty fence before it", j, "```\n```\n{\"speech\": \"Hello.\"}", say("Hello.")},
	{"backticks in a string", j, "{\"speech\": \"It says `open` on it.\"}", say("It says `open` on it.")},
	{"prose around", j, "Sure! Here is my move:\n{\"speech\": \"Hello.\"}\nI hope this helps!", say("Hello.")},
	{"a list behind it: the first value counts", j, `{"speech": "Hello."} [1]`, say("Hello.")},
	{"a list around it", j, `[{"speech": "Hello."}]`, say("Hello.")},
	{"one's own name before it", j, `Orla: {"speech": "Hello."}`, say("Hello.")},
	{"another one's name before it", j, "Bren:\n{\"speech\": \"I did it.\"}", fault(agent.FaultSpeaksForOthers)},
	{"another one's name before its fence", j, "**Bren:**\n```json\n{\"speech\": \"I did it.\"}\n```", fault(agent.FaultSpeaksForOthers)},
	{"a Python dict", j, `{'speech': 'Hello.', 'deed': None, 'to': []}`, say("Hello.")},
	{"an apostrophe in single quotes", j, `{'speech': 'It's mine, Bren's not.', 'deed': ''}`, say("It's mine, Bren's not.")},
	{"quotes that are not escaped", j, `{"speech": "He said "no" to me", "deed": ""}`, say(`He said "no" to me`)},
	{"curly quotes as delimiters", j, `{“speech”: “Hello.”, “deed”: “waves”}`, act("Hello.", "waves")},
	{"keys without quotes", j, `{speech: "Hello.", deed: "waves"}`, act("Hello.", "waves")},
	{"a value without quotes", j, "{speech: Hello there\n}", say("Hello there")},
	{"a trailing comma", j, `{"speech": "Hello.", "to": [],}`, say("Hello.")},
	{"line breaks inside of a string", j, "{\"speech\": \"Hello,\nyou there.\"}", say("Hello, you there.")},
	{"line breaks escaped twice", j, `{"speech": "Hello,\\nyou there."}`, say("Hello, you there.")},
	{"null for a field", j, `{"speech": null, "deed": "waves", "to": null}`, act("", "waves")},
	{"everything null", j, `{"speech": null, "deed": null}`, agent.Move{}},
	{"an object within another", j, `{"move": {"speech": "Hello.", "deed": "waves"}}`, act("Hello.", "waves")},
	{"a list of sentences", j, `{"speech": ["Hello.", "Who are you?"]}`, say("Hello. Who are you?")},
	{"other names for the keys", j, `{"Dialogue": "Hello.", "Action": "waves"}`, act("Hello.", "waves")},
	{"a key that nobody asked for", j, `{"reasoning": "I should greet.", "speech": "Hello."}`, say("Hello.")},
	{"a pass by its own key", j, `{"pass": true}`, agent.Move{}},
	{"the key again in the text", j, `{"speech": "speech: Hello."}`, say("Hello.")},
	{"the label in the text", j, `{"speech": "SAY: Hello.", "deed": "DO: waves"}`, act("Hello.", "waves")},
	{"one's own name in the text", j, `{"speech": "Orla Venn: Hello."}`, say("Hello.")},
	{"one's own name as the speaker", j, `{"name": "Orla", "speech": "Hello."}`, say("Hello.")},
	{"another one as the speaker", j, `{"speaker": "Bren", "speech": "I did it."}`, fault(agent.FaultSpeaksForOthers)},
	{"a second object of another one", j, `{"speech": "Hello."}` + "\n" + `{"speaker": "Bren", "speech": "Hi."}`, say("Hello.")},
	{"another one's line behind it", j, `{"speech": "Hello."}` + "\nBren: Hi.", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line in the text", j, `{"speech": "Hello.\nBren: Hi Orla!\nOrla: Good."}`, faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line in the deed", j, `{"speech": "Hello.", "deed": "waves\n**Maud**: *nods*"}`, faulty("Hello.", "waves", agent.FaultSpeaksForOthers)},
	{"only another one's line in the text", j, `{"speech": "Bren: Hi Orla!"}`, fault(agent.FaultSpeaksForOthers)},
	{"cut within a string", j, `{"speech": "Hello, I was`, fault(agent.FaultCutOff)},
	{"cut before the last brace", j, `{"speech": "Hello.", "deed": ""`, fault(agent.FaultCutOff)},
	{"cut within the first key", j, `{"spee`, fault(agent.FaultMalformed)},
	{"cut after white space without end", j, "{\"speech\": \"Hello.\",\n\n\n\n\n", fault(agent.FaultCutOff)},
	{"a fence that opens and an object that is cut", j, "```json\n{\"speech\": \"Hello", fault(agent.FaultCutOff)},
	{"an object without a move", j, `{"answer": 42}`, fault(agent.FaultMalformed)},
	{"the schema itself", j, `{"type":"object","properties":{"a":{"type":"string"}}}`, fault(agent.FaultMalformed)},
	{"the placeholders", j, `{"speech": "<words Orla speaks>", "deed": "<what Orla does>", "to": []}`, fault(agent.FaultMalformed)},
	{"prose where an object was asked for", j, "I greet the others and sit down.", say("I greet the others and sit down.")},
	{"braces in prose", j, "I {sigh} and {wave.", say("I {sigh} and {wave.")},
	{"the other form is taken too", j, "SAY: Hello.\nDO: waves", act("Hello.", "waves")},

	// The lines form as it should be.
	{"both lines", l, "SAY: Hello.\nDO: waves", act("Hello.", "waves")},
	{"speech alone", l, "SAY: Hello.", say("Hello.")},
	{"deed alone", l, "DO: waves", act("", "waves")},
	{"the other order", l, "DO: waves\nSAY: Hello.", act("Hello.", "waves")},
	{"a pass", l, "PASS", agent.Move{}},
	{"a whisper", l, "SAY: Psst.\nTO: Bren", whisper("Psst.", "bren")},
	{"a whisper to two", l, "TO: Bren and Old Maud\nSAY: Psst.", whisper("Psst.", "bren", "maud")},
	{"a check", l, "DO: climbs\nCHECK: Athletics", agent.Move{Deed: "climbs", Skill: characters.Athletics}},

	// Lines as models write them.
	{"bold labels", l, "**SAY:** Hello.\n**DO**: waves", act("Hello.", "waves")},
	{"labels in another case", l, "Say: Hello.\ndo: waves", act("Hello.", "waves")},
	{"bullets", l, "- SAY: Hello.\n- DO: waves", act("Hello.", "waves")},
	{"numbers", l, "1. SAY: Hello.\n2. DO: waves", act("Hello.", "waves")},
	{"a dash for the colon", l, "SAY - Hello.", say("Hello.")},
	{"a space before the colon", l, "SAY : Hello.", say("Hello.")},
	{"other labels", l, "Speech: Hello.\nAction: waves", act("Hello.", "waves")},
	{"labels on one line", l, "SAY: Hello there. DO: waves", act("Hello there.", "waves")},
	{"the text on the next line", l, "SAY:\nHello.\nDO:\nwaves", act("Hello.", "waves")},
	{"speech on several lines", l, "SAY: Hello.\nWho are you?", say("Hello. Who are you?")},
	{"the label on every line", l, "SAY: Hello.\nSAY: Who are you?", say("Hello. Who are you?")},
	{"a second move is not played", l, "SAY: Hello.\nDO: waves\nSAY: And now goodbye.", act("Hello.", "waves")},
	{"one's own name before the label", l, "Orla: SAY: Hello.", say("Hello.")},
	{"one's own name behind the label", l, "SAY: Orla: Hello.", say("Hello.")},
	{"one's own name on its own line", l, "**Orla Venn**\nSAY: Hello.", say("Hello.")},
	{"quotes around the text", l, "SAY: \"Hello.\"", say("Hello.")},
	{"curly quotes around the text", l, "SAY: “Hello.”", say("Hello.")},
	{"quotes within stay", l, `SAY: "Hello," he said, "friend."`, say(`"Hello," he said, "friend."`)},
	{"asterisks around the deed", l, "DO: *waves*", act("", "waves")},
	{"a deed within the speech", l, "SAY: *waves slowly* Hello.", act("Hello.", "waves slowly")},
	{"stress is not a deed", l, "SAY: I *never* lie. That is **true**.", say("I never lie. That is true.")},
	{"prose before", l, "Sure, here is my response:\nSAY: Hello.", say("Hello.")},
	{"prose behind an empty line", l, "SAY: Hello.\n\nLet me know if I should go on!", say("Hello.")},
	{"fences", l, "```\nSAY: Hello.\n```", say("Hello.")},
	{"a pass in other dress", l, "**PASS.**", agent.Move{}},
	{"a pass with an empty speech", l, "SAY:\nDO:\nPASS", agent.Move{}},
	{"a pass behind a move is none", l, "SAY: Hello.\nPASS", say("Hello.")},
	{"the word pass in speech", l, "Pass me the salt.", say("Pass me the salt.")},
	{"none for nothing", l, "SAY: Hello.\nDO: none", say("Hello.")},
	{"brackets for nothing", l, "SAY: (silence)\nDO: nods", act("", "nods")},
	{"nothing to do", l, "SAY: Hello.\nDO: Nothing.", say("Hello.")},
	{"nothing is also an answer", l, "SAY: Nothing.", say("Nothing.")},
	{"a silence", l, "SAY: ...", agent.Move{}},
	{"placeholders", l, "SAY: <words Orla speaks>\nDO: <what Orla does>", fault(agent.FaultMalformed)},
	{"the other form is taken too", l, `{"speech": "Hello."}`, say("Hello.")},

	// No label at all, which is what the smallest models do.
	{"plain speech", l, "Hello, who are you?", say("Hello, who are you?")},
	{"one's own name before it", l, "Orla: Hello.", say("Hello.")},
	{"one's full name before it, bold", l, "**Orla Venn:** Hello.", say("Hello.")},
	{"a space before the name", l, " Orla: Hello.", say("Hello.")},
	{"one's name in brackets", l, "[Orla]: Hello.", say("Hello.")},
	{"one's name in another case", l, "ORLA: Hello.", say("Hello.")},
	{"one's name on every line", l, "Orla: Hello.\nOrla: Who are you?", say("Hello. Who are you?")},
	{"what models call themselves", l, "Assistant: Hello.", say("Hello.")},
	{"the transcript's own way", l, `Orla: "Hello." *waves at Bren*`, act("Hello.", "waves at Bren")},
	{"the transcript's whisper", l, `Orla (whispers to Bren): "Psst."`, whisper("Psst.", "bren")},
	{"a whisper to nobody known is not said aloud", l, `Orla (whispers to Gorm): "Psst."`, fault(agent.FaultUnknownAddressee)},
	{"whispering, to nobody in particular", l, `Orla (whispering): "Psst."`, say("Psst.")},
	{"what stands behind the name is done", l, "Orla (smiling): Hello.", act("Hello.", "smiling")},
	{"says", l, "Orla says: Hello.", say("Hello.")},
	{"whispers in words", l, "Orla whispers to Bren: Psst.", say("Psst.")},
	{"deeds between sentences", l, `*draws the bow* "Stay back!" *steps aside*`, act("Stay back!", "draws the bow; steps aside")},
	{"the quotes do not close", l, `"Stay back!`, say("Stay back!")},
	{"a colon within a sentence", l, "I tell you one thing: run.", say("I tell you one thing: run.")},
	{"the time", l, "12:30: the bell rings.", say("12:30: the bell rings.")},
	{"Markdown escapes", l, `Hello\_there, Bren\!`, say("Hello_there, Bren!")},

	// Others.
	{"another one's line", l, "Orla: Hello.\nBren: Hi!\nMaud: Hm.", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line, bold", l, "Hello.\n**Bren Ironhand:** Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line as a heading", l, "Hello.\n### Bren\nHi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line with a whisper", l, "Hello.\nBren (whispers to Orla): \"Hi.\"", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line, escaped", l, "Hello.\nZéphyrine d\\'Arc: Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line without accent and apostrophe", l, "Hello.\nZephyrine dArc: Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line by id", l, "Hello.\nzephyrine-d-arc: Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line by another line break", l, "Hello.\u2028Bren: Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line with carriage returns", l, "Hello.\r\n\r\nBren: Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"a wide colon", l, "Hello.\nBren：Hi!", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"another one's line under a label", l, "SAY: Hello.\nDO: waves\nBren: Hi!", faulty("Hello.", "waves", agent.FaultSpeaksForOthers)},
	{"another one alone", l, "Bren: Hi!", fault(agent.FaultSpeaksForOthers)},
	{"another one's line first", l, "Bren: Hi!\nOrla: Hello.", fault(agent.FaultSpeaksForOthers)},
	{"another one behind one's label", l, "SAY: Bren: Hi!", fault(agent.FaultSpeaksForOthers)},
	{"the narrator", l, "Hello.\nNarrator: The door opens.", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"the user", l, "Hello.\nUser: And then?", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"the assistant once more", l, "Hello.\nAssistant: Hello again.", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"the table's dice", l, "Hello.\n[Orla rolls Stealth: 20 + 5 = 25, success]", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"the table's pass", l, "Hello.\n[Bren says and does nothing.]", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
	{"a name without a colon is not a speaker", l, "Hello.\nFairyMan smiles at you.", say("Hello. FairyMan smiles at you.")},
	{"a cast member's name without a colon neither", l, "Hello.\nBren smiles at you.", say("Hello. Bren smiles at you.")},
	{"calling somebody", l, "Bren! Come here.", say("Bren! Come here.")},
	{"calling somebody within a line", l, "I say, Bren: come here.", say("I say, Bren: come here.")},
	{"a sentence that begins with a name", l, "Bren knows this: we must go.", say("Bren knows this: we must go.")},

	// Whom.
	{"everybody is no whisper", j, `{"speech": "Hello.", "to": ["everyone"]}`, say("Hello.")},
	{"all the others are everybody", j, `{"speech": "Hello.", "to": ["Bren", "Zéphyrine", "Old Maud"]}`, say("Hello.")},
	{"a string for the list", j, `{"speech": "Psst.", "to": "Bren"}`, whisper("Psst.", "bren")},
	{"a list in a string", j, `{"speech": "Psst.", "to": "Bren, Maud"}`, whisper("Psst.", "bren", "maud")},
	{"an empty name", j, `{"speech": "Hello.", "to": [""]}`, say("Hello.")},
	{"the full name", j, `{"speech": "Psst.", "to": ["Bren Ironhand"]}`, whisper("Psst.", "bren")},
	{"the id", j, `{"speech": "Psst.", "to": ["zephyrine-d-arc"]}`, whisper("Psst.", "zephyrine-d-arc")},
	{"no accent, no apostrophe, no case", j, `{"speech": "Psst.", "to": ["ZEPHYRINE DARC"]}`, whisper("Psst.", "zephyrine-d-arc")},
	{"the curly apostrophe", j, `{"speech": "Psst.", "to": ["Zéphyrine d’Arc"]}`, whisper("Psst.", "zephyrine-d-arc")},
	{"Markdown around the name", j, `{"speech": "Psst.", "to": ["**Bren**"]}`, whisper("Psst.", "bren")},
	{"the last name", j, `{"speech": "Psst.", "to": ["Ironhand"]}`, whisper("Psst.", "bren")},
	{"a name without its title", j, `{"speech": "Psst.", "to": ["Maud"]}`, whisper("Psst.", "maud")},
	{"a name with more", j, `{"speech": "Psst.", "to": ["Bren (the dwarf)"]}`, whisper("Psst.", "bren")},
	{"at a name", j, `{"speech": "Psst.", "to": ["@Bren"]}`, whisper("Psst.", "bren")},
	{"a name twice", j, `{"speech": "Psst.", "to": ["Bren", "bren"]}`, whisper("Psst.", "bren")},
	{"oneself beside another", j, `{"speech": "Psst.", "to": ["Orla", "Bren"]}`, whisper("Psst.", "bren")},
	{"oneself alone", j, `{"speech": "Psst.", "to": ["Orla"]}`, fault(agent.FaultUnknownAddressee)},
	{"nobody at the table", j, `{"speech": "Psst.", "to": ["Gorm"]}`, fault(agent.FaultUnknownAddressee)},
	{"one known, one not: only the known one hears it", j, `{"speech": "Psst.", "to": ["Gorm", "Bren"]}`, agent.Move{Speech: "Psst.", To: []characters.ID{"bren"}, Fault: agent.FaultUnknownAddressee}},
	{"a pass to nobody known", j, `{"speech": "", "to": ["Gorm"]}`, agent.Move{}},
	{"the whisper in the speech", j, `{"speech": "(whispers to Bren) Psst.", "to": []}`, whisper("Psst.", "bren")},
	{"the whisper as a deed in the speech", l, "*whispers to Bren* Psst.", act("Psst.", "whispers to Bren")},
	{"a whisper in the deed is a way of speaking", j, `{"speech": "Psst.", "deed": "whispers to Bren and Maud", "to": []}`, act("Psst.", "whispers to Bren and Maud")},
	{"whispering to a horse is for all to see", j, `{"speech": "", "deed": "whispers to the horse", "to": []}`, act("", "whispers to the horse")},

	// What is no move.
	{"nothing", j, "", fault(agent.FaultEmpty)},
	{"white space", l, " \n\t\u00a0\n", fault(agent.FaultEmpty)},
	{"an empty fence", l, "```\n```", fault(agent.FaultEmpty)},
	{"marks without words", l, "!!! ###", fault(agent.FaultNoWords)},
	{"what it is", l, "As an AI language model, I cannot take part in this.", fault(agent.FaultRefusal)},
	{"what it will not", l, "I'm sorry, but I can't assist with that request.", fault(agent.FaultRefusal)},
	{"the stock phrase", j, "I’m sorry, but I can’t assist with that.", fault(agent.FaultRefusal)},
	{"role play refused", l, "I cannot continue this role-play, as it involves violence.", fault(agent.FaultRefusal)},
	{"a refusal in the form", j, `{"speech": "I am an AI and do not have feelings.", "deed": "", "to": []}`, fault(agent.FaultRefusal)},
	{"a refusal in character", l, "SAY: I cannot help you, stranger. The abbot forbids it.", say("I cannot help you, stranger. The abbot forbids it.")},
	{"sorry in character", l, "SAY: I'm sorry, but I can't let you pass.", say("I'm sorry, but I can't let you pass.")},
	{"a request in character", l, "SAY: Your request is bold, and I like it.", say("Your request is bold, and I like it.")},
	{"Chinese", j, `{"speech": "你好，你是谁？", "deed": "", "to": []}`, fault(agent.FaultOtherLanguage)},
	{"Russian", l, "SAY: Привет, друзья.", fault(agent.FaultOtherLanguage)},
	{"an accent is not another language", l, "SAY: Zéphyrine, où là?", say("Zéphyrine, où là?")},
	{"one foreign word", l, "SAY: The runes read ᚠᚢᚦ, I think.", say("The runes read ᚠᚢᚦ, I think.")},
	{"mostly foreign", l, "SAY: OK, 我们走吧，快一点。", fault(agent.FaultOtherLanguage)},

	// Reasoning and tokens.
	{"reasoning before", j, `<think>They want a greeting.</think>{"speech": "Hello."}`, say("Hello.")},
	{"reasoning without its opening", l, "They want a greeting.\nBren: no.\n</think>\nSAY: Hello.", say("Hello.")},
	{"reasoning escaped", j, `\u003cthink\u003eHm.\u003c/think\u003e{"speech": "Hello."}`, say("Hello.")},
	{"reasoning without end", j, "<think>They want a greeting, so", fault(agent.FaultReasoning)},
	{"reasoning and no answer", j, "<think>They want a greeting.</think>\n", fault(agent.FaultEmpty)},
	{"two thoughts", l, "<thinking>a</thinking>SAY: Hello.\n<thinking>b</thinking>DO: waves", act("Hello.", "waves")},
	{"an end token", l, "SAY: Hello.<|im_end|>", say("Hello.")},
	{"an end token behind JSON", j, `{"speech": "Hello."}</s>`, say("Hello.")},
	{"a token and another turn", l, "Hello.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nBren: Hi.", faulty("Hello.", "", agent.FaultTemplateTokens)},
	{"a header at the beginning", l, "<|start_header_id|>assistant<|end_header_id|>\n\nHello.", say("Hello.")},
	{"another role at the beginning", l, "<|im_start|>user\nHello.", fault(agent.FaultTemplateTokens)},
	{"a token in the middle of JSON", j, `{"speech": "Hello <|im_end|>`, fault(agent.FaultCutOff)},
	{"instruction marks", l, "Hello. [/INST] And so on.", faulty("Hello.", "", agent.FaultTemplateTokens)},
	{"tokens alone", l, "<|endoftext|>", fault(agent.FaultEmpty)},
	{"DeepSeek's", l, "Hello.<｜end▁of▁sentence｜>", say("Hello.")},
	{"Gemma's", l, "Hello.<end_of_turn>", say("Hello.")},
	{"the analysis channel", l, "<|channel|>analysis<|message|>A greeting.<|end|><|start|>assistant<|channel|>final<|message|>Hello.", say("Hello.")},

	// Too much.
	{"thanks without end", l, strings.Repeat("You're welcome! ", 8), fault(agent.FaultRepetition)},
	{"said three times is rhetoric", l, "No! No! No!", say("No! No! No!")},
	{"100 KB of one letter", l, "SAY: " + strings.Repeat("a", 100_000), fault(agent.FaultRepetition)},
	{"100 KB of one line", j, strings.Repeat("I will not say it again, the bell is cursed.\n", 2300), fault(agent.FaultRepetition)},
	{"100 KB of one turn", l, strings.Repeat("Orla: Hello.\nBren: Hi.\n", 4400), fault(agent.FaultRepetition)},
	{"100 KB of one paragraph", l, strings.Repeat(natural(40)+"\n", 40), fault(agent.FaultRepetition)},
	{"a flood in a string that does not end", j, `{"speech": "Hello` + strings.Repeat(" and then", 11_000), fault(agent.FaultRepetition)},
	{"stuck late", l, natural(12) + strings.Repeat(" again", 800), fault(agent.FaultRepetition)},
	{"long and fresh", l, "SAY: " + natural(15), say(natural(15))},
}

func TestParse(t *testing.T) {
	if len(replies) < 120 {
		t.Errorf("only %d replies", len(replies))
	}
	for _, test := range replies {
		t.Run(string(test.form)+" "+test.reason, func(t *testing.T) {
			got := agent.Parse(test.raw, "orla", public())
			if diff := cmp.Diff(test.want, got, ignore); diff != "" {
				t.Errorf("%.300q (-want +got):\n%s", test.raw, diff)
			}
		})
	}
}

func TestParseCapsAtSentence(t *testing.T) {
	for _, raw := range []string{"SAY: " + natural(90), `{"speech": "` + natural(90) + `"}`, "DO: " + natural(90)} {
		got := agent.Parse(raw, "orla", public())
		text := got.Speech + got.Deed
		if got.Fault != agent.FaultTooLong || len(text) > agent.MaxRunes || len(text) < agent.MaxRunes/2 ||
			!strings.HasSuffix(text, "ended.") || !strings.HasPrefix(natural(90), text) {
			t.Errorf("fault %q, %d bytes: ... %q", got.Fault, len(text), text[max(0, len(text)-30):])
		}
	}
	if got := agent.Parse("SAY: "+strings.Repeat("ä", 40)+natural(90)[:3955], "orla", public()); got.Fault != "" {
		t.Errorf("3,995 letters in 4,035 bytes have the fault %q; the cap counts letters", got.Fault)
	}
}

func TestParseNamesOfOneTable(t *testing.T) {
	cast := []characters.Public{
		{ID: "orla", Name: "Orla"}, {ID: "bren-ash", Name: "Bren Ash"}, {ID: "bren-oak", Name: "Bren Oak"},
		{ID: "nameless", Name: "The Nameless One"}, {ID: "helper", Name: "助手"}, {ID: "st-john", Name: "St. John: the \"Quiet\""},
	}
	for _, test := range []struct {
		reason, to string
		want       agent.Move
	}{
		{"two share it: not said aloud, not to either", "Bren", fault(agent.FaultUnknownAddressee)},
		{"two share it, another is clear: still open who is meant", `Bren", "The Nameless One`, fault(agent.FaultUnknownAddressee)},
		{"the whole name is clear", "Bren Oak", whisper("Psst.", "bren-oak")},
		{"the last name is clear", "Ash", whisper("Psst.", "bren-ash")},
		{"an article is no name", "The", fault(agent.FaultUnknownAddressee)},
		{"a name with an article", "the nameless one", whisper("Psst.", "nameless")},
		{"letters that are not Latin", "助手", whisper("Psst.", "helper")},
		{"a name that would break a line", "St. John the Quiet", whisper("Psst.", "st-john")},
	} {
		got := agent.Parse(`{"speech": "Psst.", "to": ["`+test.to+`"]}`, "orla", cast)
		if diff := cmp.Diff(test.want, got, ignore); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", test.reason, test.to, diff)
		}
	}
	if got := agent.Parse("Hello.\nBren: Hi!", "bren-ash", cast); got.Speech != "Hello." || got.Fault != agent.FaultSpeaksForOthers {
		t.Errorf("a name that two share may be the other one's: got %+v", got)
	}
}
