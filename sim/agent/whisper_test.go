package agent_test

import (
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/sim/agent"
)

// whispers are the ways in which models mark a whisper, to Bren where BREN stands. Each has the words
// "the key" in it, of which nobody else may hear.
var whispers = []struct {
	reason string
	form   agent.Form
	raw    string
}{
	{"a line for it", l, "SAY: I have the key.\nTO: BREN"},
	{"a line for it that comes first", l, "TO: BREN\nSAY: I have the key."},
	{"a line for it without its colon", l, "TO BREN\nSAY: I have the key."},
	{"a line for it behind an empty line", l, "SAY: I have the key.\n\nTO: BREN"},
	{"behind the label, in parentheses", l, "SAY (to BREN): I have the key."},
	{"behind the label, bold", l, "**SAY (to BREN):** I have the key."},
	{"behind the label, with only", l, "SAY (to BREN only): I have the key."},
	{"behind the label, whispering", l, "SAY (whispering to BREN): I have the key."},
	{"behind the label, in brackets", l, "SAY [to BREN]: I have the key."},
	{"behind the label, quietly", l, "SAY (quietly, to BREN): I have the key."},
	{"behind the label, without a colon", l, "SAY (to BREN) I have the key."},
	{"behind the label, without parentheses", l, "SAY to BREN: I have the key."},
	{"behind the label, whispering, without parentheses", l, "SAY, whispering to BREN: I have the key."},
	{"behind the label, an arrow", l, "SAY -> BREN: I have the key."},
	{"behind the label, at a name", l, "SAY @BREN: I have the key."},
	{"in small letters", l, "say (to BREN): I have the key."},
	{"behind the text's label", l, "SAY: (to BREN only) I have the key."},
	{"behind the text's label, in brackets", l, "SAY: [whispers to BREN] I have the key."},
	{"behind the text's label, in asterisks", l, "SAY: *whispers to BREN* I have the key."},
	{"behind the text's label, a whisper in its ear", l, "SAY: *leans over and whispers in BREN's ear* I have the key."},
	{"behind the text's label, within quotes", l, `SAY: "(whispers to BREN) I have the key."`},
	{"behind the text's label, only to", l, "SAY: (only to BREN) I have the key."},
	{"behind the text's label, for somebody only", l, "SAY: (for BREN's ears only) I have the key."},
	{"behind the text's label, an ear", l, "SAY: (in BREN's ear, only) I have the key."},
	{"behind the text's label, so that", l, "SAY: (so only BREN can hear) I have the key."},
	{"behind the text's label, privately", l, "SAY: (privately to BREN) I have the key."},
	{"behind the text's label, in private", l, "SAY: (in private, to BREN) I have the key."},
	{"behind the text's label, under the breath", l, "SAY: (under her breath, to BREN) I have the key."},
	{"a label of its own", l, "WHISPER: BREN\nSAY: I have the key."},
	{"a label of its own, with the words", l, "WHISPER: I have the key.\nTO: BREN"},
	{"a label of its own, with both", l, "WHISPER: BREN: I have the key."},
	{"a label of its own, with both in parentheses", l, "WHISPER: (to BREN) I have the key."},
	{"a label of its own with to", l, "WHISPER TO BREN: I have the key."},
	{"a label of its own with to, the words on the next line", l, "WHISPER TO BREN:\nI have the key."},
	{"a label of its own with a name", l, "WHISPER BREN: I have the key."},
	{"a label of its own with a name in parentheses", l, "WHISPER (BREN): I have the key."},
	{"a label of its own with an arrow", l, "WHISPER -> BREN: I have the key."},
	{"a label of its own in small letters", l, "Whispers to BREN: I have the key."},
	{"a label of its own within a line", l, "SAY: Good evening. WHISPER TO BREN: I have the key."},
	{"a label of its own on a later line", l, "SAY: Good evening.\nWHISPER TO BREN: I have the key."},
	{"the line for it with the words", l, "TO BREN: I have the key."},
	{"no label, in brackets", l, "[whispers to BREN] I have the key."},
	{"no label, in brackets and with a colon behind", l, "[whispers to BREN] Listen: I have the key."},
	{"no label, an aside", l, "(aside to BREN) I have the key."},
	{"no label, to", l, "(to BREN) I have the key."},
	{"no label, in angle brackets", l, "<whispers to BREN> I have the key."},
	{"no label, on a line of its own", l, "(whispers to BREN)\nI have the key."},
	{"no label, at the end", l, "I have the key. (whispered to BREN)"},
	{"no label, in between", l, "Good evening, all. (whispers to BREN) I have the key."},
	{"no label, a deed in between", l, "Good evening, all. *whispers to BREN* I have the key."},
	{"a command", l, "/whisper BREN I have the key."},
	{"before the labels", l, "(whispers to BREN)\nSAY: I have the key."},
	{"before the labels, a deed", l, "*leans to BREN and whispers*\nSAY: I have the key."},
	{"before the labels, told", l, "Orla leans over to BREN and whispers:\nSAY: I have the key."},
	{"behind the labels", l, "SAY: I have the key.\n\n(whispered to BREN)"},
	{"one's own name, whispers", l, "Orla (whispers to BREN): I have the key."},
	{"one's own name, aside", l, "Orla (aside to BREN): I have the key."},
	{"one's own name, to", l, "Orla (to BREN): I have the key."},
	{"one's own name, only", l, "Orla (only to BREN): I have the key."},
	{"one's own name and a verb", l, "Orla whispers to BREN: I have the key."},
	{"one's own name, a verb and an ear", l, "Orla whispers in BREN's ear: I have the key."},
	{"one's own name and more verbs", l, "Orla leans toward BREN and whispers: I have the key."},
	{"told, with quotes", l, `I whisper to BREN, "I have the key."`},
	{"told, with curly quotes", l, "I lean close to BREN and whisper, “I have the key.”"},
	{"told, with a participle", l, `Leaning close to BREN, I whisper, "I have the key."`},
	{"told in the third person", l, `Orla whispers to BREN, "I have the key."`},
	{"told behind the quotes", l, `"I have the key," I whisper to BREN.`},
	{"told behind the quotes, by name", l, `"I have the key," Orla whispers to BREN.`},
	{"told between quotes", l, `"I have," I whisper to BREN, "the key."`},
	{"told before a colon", l, "I whisper to BREN: I have the key."},
	{"told before a colon, with a participle", l, "Whispering to BREN: I have the key."},
	{"told, behind the label", l, `SAY: I whisper to BREN, "I have the key."`},
	{"the deed", l, "SAY: I have the key.\nDO: whispers to BREN"},
	{"the deed, behind another one", l, "SAY: I have the key.\nDO: leans in and quietly whispers to BREN"},
	{"the deed, for something else", l, "SAY: I have the key.\nDO: leans over to whisper to BREN"},
	{"the deed, the name before", l, "SAY: I have the key.\nDO: leans close to BREN and whispers"},
	{"the deed, a participle", l, "SAY: I have the key.\nDO: draws near, whispering to BREN"},
	{"the deed, an ear", l, "SAY: I have the key.\nDO: whispers into BREN's ear"},
	{"the deed, with its subject", l, "SAY: I have the key.\nDO: Orla whispers to BREN"},
	{"the deed, what is whispered", l, "SAY: I have the key.\nDO: whispers a warning to BREN"},
	{"the deed, in a low voice", l, "SAY: I have the key.\nDO: whispers in a low voice to BREN"},
	{"the deed, with the words", l, `DO: leans over and whispers to BREN: "I have the key."`},
	{"the deed, with what they say", l, "DO: whispers to BREN that she has the key"},
	{"the deed's label", l, "SAY: I have the key.\nDO (whispers to BREN): hands it over"},

	{"the field", j, `{"speech": "I have the key.", "deed": "", "to": ["BREN"]}`},
	{"the field with somebody who is nobody", j, `{"speech": "I have the key.", "deed": "", "to": ["BREN", "Nobody"]}`},
	{"the field with nobody first", j, `{"speech": "I have the key.", "deed": "", "to": ["none", "BREN"]}`},
	{"the field with nobody else", j, `{"speech": "I have the key.", "deed": "", "to": "BREN, nobody else"}`},
	{"the field with only", j, `{"speech": "I have the key.", "deed": "", "to": ["BREN only"]}`},
	{"the field with nobody but", j, `{"speech": "I have the key.", "deed": "", "to": ["nobody but BREN"]}`},
	{"the field with a verb", j, `{"speech": "I have the key.", "deed": "", "to": ["whispers to BREN"]}`},
	{"another name for the field", j, `{"speech": "I have the key.", "whisperTo": "BREN"}`},
	{"the audience", j, `{"speech": "I have the key.", "audience": ["BREN"]}`},
	{"a field of its own", j, `{"speech": "I have the key.", "whisper": "BREN", "to": []}`},
	{"a field of its own with the words", j, `{"whisper": "I have the key.", "to": ["BREN"]}`},
	{"a field that says so", j, `{"speech": "I have the key.", "whisper": true, "target": "BREN"}`},
	{"a kind of move", j, `{"action": "whisper", "target": "BREN", "content": "I have the key."}`},
	{"a type of move", j, `{"type": "whisper", "target": "BREN", "message": "I have the key."}`},
	{"in the speech", j, `{"speech": "(whispers to BREN) I have the key.", "deed": "", "to": []}`},
	{"in the speech, in brackets", j, `{"speech": "[aside to BREN] I have the key.", "deed": "", "to": []}`},
	{"in the speech, only", j, `{"speech": "(to BREN only) I have the key.", "deed": "", "to": []}`},
	{"in the speech, a deed", j, `{"speech": "*whispers to BREN* I have the key.", "deed": "", "to": []}`},
	{"in the speech, a label", j, `{"speech": "WHISPER TO BREN: I have the key.", "deed": "", "to": []}`},
	{"in the speech, told", j, `{"speech": "I whisper to BREN, \"I have the key.\"", "deed": "", "to": []}`},
	{"in the speech, though the field says none", j, `{"speech": "(whispers to BREN) I have the key.", "deed": "", "to": ["none"]}`},
	{"in the speech, though the field says everyone", j, `{"speech": "(whispers to BREN) I have the key.", "deed": "", "to": ["everyone"]}`},
	{"in the speech, without the field", j, `{"speech": "(to BREN) I have the key."}`},
	{"in the deed", j, `{"speech": "I have the key.", "deed": "leans close and whispers to BREN", "to": []}`},
	{"in the deed, in parentheses", j, `{"speech": "I have the key.", "deed": "(whispers to BREN)", "to": []}`},
	{"before the object", j, "(whispers to BREN)\n" + `{"speech": "I have the key.", "deed": "", "to": []}`},
	{"before the object, told", j, "Orla whispers to BREN:\n" + `{"speech": "I have the key.", "deed": "", "to": []}`},
}

// What is marked as a whisper to somebody at the table is one, and what is marked as one to somebody
// else is for nobody: it never becomes public.
func TestWhispers(t *testing.T) {
	for _, test := range whispers {
		for name, want := range map[string]characters.ID{"Bren": "bren", "Old Maud": "maud", "Gorm": "", "Gorm the Red": ""} {
			raw := strings.ReplaceAll(test.raw, "BREN", name)
			got := agent.Parse(raw, test.form, "orla", public())
			switch {
			case want == "":
				if len(got.To) > 0 || got.Speech+got.Deed != "" || got.Fault == "" {
					t.Errorf("%s: %q is played as %+v", test.reason, raw, got)
				}
			case !slices.Equal(got.To, []characters.ID{want}) || got.Fault != "":
				t.Errorf("%s: %q is played as %+v, want a whisper to %s", test.reason, raw, got, want)
			case !strings.Contains(got.Speech+got.Deed, "the key") || strings.ContainsAny(got.Speech, "([<*"):
				t.Errorf("%s: %q loses words or keeps the mark: %+v", test.reason, raw, got)
			}
		}
	}
}

// A mark that names nobody leaves it open who may hear it.
func TestWhispersToNobodyNamed(t *testing.T) {
	for _, raw := range []string{
		"WHISPER: I have the key.",
		"WHISPER:\nI have the key.",
		"(aside) I have the key.",
		"SAY: (so only she can hear) I have the key.",
		"SAY (to her): I have the key.",
		`{"speech": "I have the key.", "whisper": true}`,
		`{"action": "whisper", "content": "I have the key."}`,
		`{"speech": "I have the key.", "to": ["everyone except Bren"]}`,
		`{"speech": "I have the key.", "to": ["everyone but Bren and Maud"]}`,
		"SAY: I have the key.\nTO: all but Bren",
	} {
		if got := agent.Parse(raw, agent.Lines, "orla", public()); got.Fault != agent.FaultUnknownAddressee || got.Speech+got.Deed != "" {
			t.Errorf("%q is played as %+v", raw, got)
		}
	}
}

// What is said aloud stays so, whomever it is said to and whatever it says of whispers.
func TestSpeechThatIsNoWhisper(t *testing.T) {
	for _, test := range []struct{ raw, speech, deed string }{
		{"SAY: I have the key.\nDO: leans in and whispers", "I have the key.", "leans in and whispers"},
		{`{"speech": "I have the key.", "deed": "whispers conspiratorially", "to": []}`, "I have the key.", "whispers conspiratorially"},
		{"SAY: (whispers) I have the key.", "(whispers) I have the key.", ""},
		{"SAY (whispering): I have the key.", "I have the key.", ""},
		{"Good [whispers] evening.", "Good [whispers] evening.", ""},
		{`{"speech": "I have the key.", "deed": "whispers", "to": []}`, "I have the key.", "whispers"},
		{`{"speech": "I have the key.", "tone": "whisper", "to": []}`, "I have the key.", ""},
		{"SAY: Easy now.\nDO: whispers to the horse", "Easy now.", "whispers to the horse"},
		{"SAY: Easy now.\nDO: whispering to himself, he counts the coins", "Easy now.", "whispering to himself, he counts the coins"},
		{"SAY: Hear me.\nDO: whispers in the dark to the dead", "Hear me.", "whispers in the dark to the dead"},
		{"SAY: I know a lot (about ears, only the left one).", "I know a lot (about ears, only the left one).", ""},
		{`{"speech": "I whispered to Bren once, and he told me: the heron sings at noon.", "to": []}`, "I whispered to Bren once, and he told me: the heron sings at noon.", ""},
		{"SAY: I whispered to Bren yesterday: the goat is brass.\nTO: everyone", "I whispered to Bren yesterday: the goat is brass.", ""},
		{`{"speech": "I whisper to Bren: the goat is brass.", "to": ["everyone"]}`, "I whisper to Bren: the goat is brass.", ""},
		{`SAY: I whispered to Bren once, and he said "the goat is brass".`, `I whispered to Bren once, and he said "the goat is brass".`, ""},
		{"To Bren I say: welcome.", "To Bren I say: welcome.", ""},
		{"SAY: To Bren I say: welcome.", "To Bren I say: welcome.", ""},
		{"To Bren, my friend: welcome.", "To Bren, my friend: welcome.", ""},
		{"SAY: To Bren and to all of you: welcome.", "To Bren and to all of you: welcome.", ""},
		{"To arms, friends! To the gate: now!", "To arms, friends! To the gate: now!", ""},
		{"TO ARMS, FRIENDS!", "TO ARMS, FRIENDS!", ""},
		{"SAY: I heard Maud whisper to Bren that the bell is cursed.", "I heard Maud whisper to Bren that the bell is cursed.", ""},
		{"Why do you whisper to Bren?", "Why do you whisper to Bren?", ""},
		{"SAY: Whisper it to Bren if you must, but speak.", "Whisper it to Bren if you must, but speak.", ""},
		{"SAY: They whisper \"beware\" in the streets.", `They whisper "beware" in the streets.`, ""},
		{"SAY: The old woman said \"run\", and Maud whispered to Bren.", `The old woman said "run", and Maud whispered to Bren.`, ""},
		{"SAY: The wind whispers to those who listen: go home.", "The wind whispers to those who listen: go home.", ""},
		{"SAY: I whisper to you all: beware.", "I whisper to you all: beware.", ""},
		{"SAY: Whispers of war: that is all I hear.", "Whispers of war: that is all I hear.", ""},
		{"Whispers of war: that is all I hear.", "Whispers of war: that is all I hear.", ""},
		{"Say to Bren: I forgive him.", "Say to Bren: I forgive him.", ""},
		{"SAY: Say hello to Bren: he is back.", "Say hello to Bren: he is back.", ""},
		{"SAY: Set that aside, Bren. Only Maud knows.", "Set that aside, Bren. Only Maud knows.", ""},
		{"SAY: Only Bren can hear it (and I, of course).", "Only Bren can hear it (and I, of course).", ""},
		{"SAY: Bren alone may pass (he has the key).", "Bren alone may pass (he has the key).", ""},
		{"SAY: It was (only half of it, Bren) a lie.", "It was (only half of it, Bren) a lie.", ""},
		{"Orla says to Bren: welcome.", "welcome.", ""},
		{"Orla (loudly): Welcome.", "Welcome.", "loudly"},
		{"SAY (loudly): Welcome.", "Welcome.", "loudly"},
		{"SAY (to everyone): Welcome.", "Welcome.", ""},
		{"SAY: (to all) Welcome.", "Welcome.", ""},
		{"SAY (to Bren, Zéphyrine and Old Maud): Welcome.", "Welcome.", ""},
		{"WHISPER: none\nSAY: Welcome.", "Welcome.", ""},
		{"SAY: Welcome.\nTO: nobody", "Welcome.", ""},
		{"SAY: Welcome.\nTO:", "Welcome.", ""},
		{"SAY: (turning to Bren) Welcome.", "(turning to Bren) Welcome.", ""},
		{"SAY: (to Bren, loudly) Welcome.", "(to Bren, loudly) Welcome.", ""},
		{"SAY: Welcome.\nDO: turns to Bren", "Welcome.", "turns to Bren"},
		{"SAY: What are you two hiding?\nDO: notices Bren whispering to Maud", "What are you two hiding?", "notices Bren whispering to Maud"},
		{"SAY: Quiet, you two.\nDO: waits while Bren whispers to Maud", "Quiet, you two.", "waits while Bren whispers to Maud"},
		{"SAY: Tell her.\nDO: asks Bren to whisper to Maud", "Tell her.", "asks Bren to whisper to Maud"},
		{"SAY: Let us go.\nDO: whispers a prayer to Tymora", "Let us go.", "whispers a prayer to Tymora"},
		{"SAY: Let us go.\nDO: steps aside, pulling Bren along", "Let us go.", "steps aside, pulling Bren along"},
		{"DO: whispers to the horse", "", "whispers to the horse"},
		{"SAY: I ask.\nDO: leans in, voice barely above a whisper", "I ask.", "leans in, voice barely above a whisper"},
		{`{"speech": "(to Bren) Welcome.", "deed": "", "to": []}`, "(to Bren) Welcome.", ""},
		{`{"speech": "Welcome.", "deed": "", "to": ["Nobody"]}`, "Welcome.", ""},
		{`{"speech": "Welcome.", "deed": "", "to": ["Bren", "everyone"]}`, "Welcome.", ""},
		{`{"speech": "Welcome.", "deed": "", "whisper": false, "to": []}`, "Welcome.", ""},
		{`{"speech": "Welcome.", "deed": "", "whisper": "none"}`, "Welcome.", ""},
		{`{"type": "speech", "speech": "Welcome.", "target": "Bren"}`, "Welcome.", ""},
		{`{"action": "speak", "content": "Welcome."}`, "Welcome.", ""},
		{`{"action": "speak", "message": "Welcome.", "target": "Bren"}`, "Welcome.", ""},
		{`{"role": "assistant", "content": "Welcome."}`, "Welcome.", ""},
		{`{"action": "say", "text": "Welcome."}`, "Welcome.", ""},
		{`{"action": "speak to Bren", "content": "Welcome."}`, "Welcome.", "speak to Bren"},
	} {
		if got := agent.Parse(test.raw, agent.Lines, "orla", public()); got.Speech != test.speech || got.Deed != test.deed || len(got.To) > 0 || got.Fault != "" {
			t.Errorf("%q is played as %+v", test.raw, got)
		}
	}
}
