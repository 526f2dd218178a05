package agent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/sim/agent"
)

// TestKinds reads replies of the kinds that users reported, in other words than the cases of the shared data.
func TestKinds(t *testing.T) {
	for _, test := range []struct {
		reason, raw string
		want        agent.Move
	}{
		// Reasoning.
		{"Seed, not closed", "<seed:think>I should lie.\nHello.", fault(agent.FaultReasoning)},
		{"Cohere", "<|START_THINKING|>I should lie.<|END_THINKING|><|START_RESPONSE|>SAY: Hello.<|END_RESPONSE|>", say("Hello.")},
		{"gpt-oss without marks", "analysisI should lie.assistantfinalHello.", say("Hello.")},
		{"sections in words", "[Thinking Process] I should lie.\n[Action] Hello.", fault(agent.FaultReasoning)},
		{"a thought within the object", `{"thought": "I should lie.", "speech": "Hello."}`, say("Hello.")},

		// Calls of tools.
		{"two calls", "```json\n[{\"name\": \"say\", \"arguments\": {\"text\": \"Hi\"}}, {\"name\": \"walk\", \"arguments\": {}}]\n```", fault(agent.FaultToolCall)},
		{"two calls in lines", "{\"name\": \"say\", \"arguments\": {}}\n{\"name\": \"walk\", \"arguments\": {}}", fault(agent.FaultToolCall)},
		{"as the wire has it", `{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "say", "arguments": "{}"}}]}`, fault(agent.FaultToolCall)},
		{"Mistral", `[TOOL_CALLS][{"name": "say", "arguments": {}}]`, fault(agent.FaultToolCall)},
		{"Llama", `<|python_tag|>{"name": "say", "parameters": {}}`, fault(agent.FaultToolCall)},
		{"Hermes within prose", "I speak.\n<tool_call>{\"name\": \"say\"}</tool_call>", fault(agent.FaultToolCall)},
		{"functions as tags", "<function=say>{\"text\": \"Hi\"}</function>", fault(agent.FaultToolCall)},
		{"ReAct", "Action: say\nAction Input: {\"text\": \"Hi\"}", fault(agent.FaultToolCall)},

		// Objects.
		{"unknown keys", `{"mood": "calm", "plan": "wait"}`, fault(agent.FaultMalformed)},
		{"an unknown key beside a known one", `{"speech": "Hello.", "mood": "calm"}`, fault(agent.FaultMalformed)},
		{"a schema of the form", `{"speech": {"type": "string", "description": "the words"}, "deed": {"type": "string"}}`, fault(agent.FaultMalformed)},
		{"the form's types", `{"speech": "string", "deed": "string"}`, fault(agent.FaultMalformed)},
		{"twice encoded", `"{\"speech\": \"Hello.\", \"deed\": \"waves\"}"`, act("Hello.", "waves")},
		{"nothing", `{}`, fault(agent.FaultMalformed)},
		{"prose before it on the line", `My reply is {"speech": "Hello.", "deed": ""}`, say("Hello.")},
		{"a lead-in before it, prose behind", `My move: {"speech": "Hello."} Anything else?`, say("Hello.")},
		{"one's name before it, prose behind", `Orla: {"speech": "Hello."} I hope that helps.`, say("Hello.")},
		{"an end token in a field", `{"speech": "Hello.<|im_end|>", "deed": "", "to": []}`, say("Hello.")},
		{"another turn in a field", `{"speech": "Hello.<|im_end|><|im_start|>user\nBren: no", "deed": "nods"}`, faulty("Hello.", "nods", agent.FaultTemplateTokens)},
		{"a direction in a field", `{"speech": "Orla (whispers to Bren): Psst.", "deed": "", "to": []}`, whisper("Psst.", "bren")},
		{"a deed in a field", `{"speech": "Orla (smiling): Hello.", "deed": "waves"}`, act("Hello.", "waves; smiling")},
		{"a tool and its input", `{"tool": "look", "input": "door"}`, fault(agent.FaultToolCall)},
		{"refused by a field", `{"refusal": "I can't do that."}`, fault(agent.FaultRefusal)},

		// Dice and narration that were made up.
		{"dice in a line", "I climb.\nOrla rolls Athletics: 14 + 3 = 17 against 15, success", faulty("I climb.", "", agent.FaultSpeaksForOthers)},
		{"dice in brackets", "SAY: Up!\nDO: climbs [Orla rolls Athletics: 14 + 3 = 17, success] She is up.", faulty("Up!", "climbs", agent.FaultSpeaksForOthers)},
		{"dice in an object", `{"speech": "Up!\n[Roll] Orla, Athletics: 1d20 + 3 = 17 (success)", "deed": "climbs"}`, faulty("Up!", "climbs", agent.FaultSpeaksForOthers)},
		{"a result without dice", "I climb.\n🎲 Athletics: 17 (success)", faulty("I climb.", "", agent.FaultSpeaksForOthers)},
		{"narration", "Hello.\n[The door opens, and a cold wind blows in.]", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
		{"the game master", "Hello.\nDM: The door opens.", faulty("Hello.", "", agent.FaultSpeaksForOthers)},
		{"a table is no dice", "The price is 3 + 4 = 7 crowns.", say("The price is 3 + 4 = 7 crowns.")},

		// Passes.
		{"in brackets", "(passes)", agent.Move{}},
		{"in the transcript's words", "[Orla says and does nothing.]", agent.Move{}},
		{"with a name", "Orla passes her turn.", agent.Move{}},
		{"with a label", "**PASS**", agent.Move{}},
		{"no pass", "I pass the salt to Bren.", say("I pass the salt to Bren.")},

		// Out of character.
		{"double parentheses", "Hello. ((brb, dinner))", faulty("Hello.", "", agent.FaultOutOfCharacter)},
		{"brackets", "[OOC: is this fine?] Hello.", faulty("Hello.", "", agent.FaultOutOfCharacter)},
		{"to the end of the line", "Hello.\nOOC: is this fine?", faulty("Hello.", "", agent.FaultOutOfCharacter)},
		{"in an object", `{"speech": "Hello. (OOC: is this fine?)", "deed": ""}`, faulty("Hello.", "", agent.FaultOutOfCharacter)},
		{"nothing else", "((brb))", fault(agent.FaultOutOfCharacter)},

		// Prose.
		{"as in a novel", "Orla leans on her spear. \"You came late,\" she says, and spits. \"Sit down.\"", act("You came late, Sit down.", "Orla leans on her spear. she says, and spits.")},
		{"in the first person", "I bar the door. \"Not tonight.\"", act("Not tonight.", "I bar the door.")},
		{"a word in quotation marks", `They call it the "north road", you know.`, say(`They call it the "north road", you know.`)},
		{"somebody quoted", `My father said "never sell" and he was right.`, say(`My father said "never sell" and he was right.`)},
		{"emphasis", "That is *not* what I *really* said.", say("That is not what I really said.")},
		{"emphasis at the beginning", "*This* is mine.", say("This is mine.")},
		{"emphasis at the end", "It is *mine*.", say("It is mine.")},
		{"a deed before", "*sighs* well, then.", act("well, then.", "sighs")},
		{"a deed in parentheses", "(laughs) Never.", act("Never.", "laughs")},
		{"a remark in parentheses", "The bell (the old one) is gone.", say("The bell (the old one) is gone.")},
		{"speaking behind the name", "Orla (speaking): Hello.", say("Hello.")},
		{"marks at the head", ": Hello.", say("Hello.")},
		{"a bar", "| Hello.", say("Hello.")},

		// Names.
		{"called", "Bren: take five coins.", say("Bren: take five coins.")},
		{"says so", "Bren says so: we leave at dawn.", say("Bren says so: we leave at dawn.")},
		{"another one's line", "Bren: Take five coins.", fault(agent.FaultSpeaksForOthers)},
		{"a dialogue in small letters", "orla: hello\nbren: hi", faulty("hello", "", agent.FaultSpeaksForOthers)},
		{"a wide bracket", "<Orla> Hello.", say("Hello.")},

		// Whispers.
		{"a direction", "[to Bren] Psst.", whisper("Psst.", "bren")},
		{"a direction behind a label", "SAY (whispers to Bren): Psst.", whisper("Psst.", "bren")},
		{"a label behind prose", "Psst.\nTO: Bren", whisper("Psst.", "bren")},
		{"only for one", "(for Bren's ears only) Psst.", whisper("Psst.", "bren")},
		{"an unknown name", "(whispers to Gorm) Psst.", fault(agent.FaultUnknownAddressee)},
		{"to herself", "(to herself) Psst.", say("(to herself) Psst.")},
		{"to all", "(to everyone) Hear me!", say("Hear me!")},
		{"a way of speaking", "\"Go,\" I whisper, my voice barely audible.", act("Go,", "I whisper, my voice barely audible.")},
		{"about whispers", "I heard a whisper to Bren in the hall.", say("I heard a whisper to Bren in the hall.")},

		// Repetition.
		{"numbered", "1. I wait.\n2. I wait.\n3. I wait.\n4. I wait.\n5. I wait.\n6. I wait.\n7. I wait.\n8. I wait.\n9. I wait.\n10. I wait.\n11. I wait.\n12. I wait.\n13. I wait.\n14. I wait.\n15. I wait.", fault(agent.FaultRepetition)},
		{"a table of lines", "|---------|---------|---------|---------|---------|---------|---------|---------|\n| north | south |\n", say("---------|---------|---------|---------|---------|---------|---------|---------| | north | south |")},

		// Refusals.
		{"French", "Désolé, mais je ne peux pas vous aider avec cela.", fault(agent.FaultRefusal)},
		{"Spanish", "Lo siento, pero no puedo ayudarte con eso.", fault(agent.FaultRefusal)},
		{"Spanish, a request", "Lo siento, no puedo cumplir con esta solicitud.", fault(agent.FaultRefusal)},
		{"Italian", "Mi dispiace, ma non posso aiutarti con questo.", fault(agent.FaultRefusal)},
		{"Portuguese", "Desculpe, mas não posso ajudar com isso.", fault(agent.FaultRefusal)},
		{"Japanese", "申し訳ありませんが、そのリクエストにはお応えできません。", fault(agent.FaultRefusal)},
		{"Korean", "죄송하지만 그 요청은 도와드릴 수 없습니다.", fault(agent.FaultRefusal)},
		{"Russian", "Как языковая модель, я не могу участвовать в этом.", fault(agent.FaultRefusal)},
		{"Arabic", "عذرًا، لا أستطيع المساعدة في هذا الطلب.", fault(agent.FaultRefusal)},
		{"German", "Ich kann diese Anfrage leider nicht bearbeiten.", fault(agent.FaultRefusal)},
		{"German, a request before", "Diese Anfrage kann ich leider nicht erfüllen.", fault(agent.FaultRefusal)},
		{"English, a stock phrase", "I'm sorry, but I can't help with that.", fault(agent.FaultRefusal)},
		{"English, a policy", "I can't continue; that would go against my content policy.", fault(agent.FaultRefusal)},
		{"a guard", "I cannot let you in. Nobody passes this gate tonight.", say("I cannot let you in. Nobody passes this gate tonight.")},
		{"a guard who is sorry", "I'm sorry, but I can't help you. My orders are clear.", say("I'm sorry, but I can't help you. My orders are clear.")},
		{"a request at court", "I cannot grant your request, traveller.", say("I cannot grant your request, traveller.")},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got := agent.Parse(test.raw, "orla", public())
			if diff := cmp.Diff(test.want, got, ignore); diff != "" {
				t.Errorf("%.300q (-want +got):\n%s", test.raw, diff)
			}
		})
	}
}
