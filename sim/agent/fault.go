package agent

// The kinds of what can be wrong with a reply: the values of sim.Decision.Fault and sim.Answer.Fault.
// A reply with one of the first group is played as a pass. Its call keeps it as it was received.
const (
	FaultEmpty            = "empty"             // nothing that can be seen
	FaultCutOff           = "cut-off"           // it ran into the limit of its tokens, or its stream broke, before the move was whole
	FaultRefusal          = "refusal"           // the model says, out of character, that it will not, or what it is
	FaultFiltered         = "filtered"          // a content filter stopped the prompt or the reply
	FaultReasoning        = "reasoning"         // it is not certain where the reasoning ends
	FaultToolCall         = "tool-call"         // a call of a tool in place of a move
	FaultMalformed        = "malformed"         // no move in the form: unknown keys, a schema, the form's own placeholders
	FaultNoWords          = "no-words"          // marks or pictures only
	FaultRepetition       = "repetition"        // it repeats itself over and over
	FaultOtherLanguage    = "other-language"    // most of its letters are not Latin; a debrief's text is kept
	FaultUnknownAddressee = "unknown-addressee" // a whisper to a name that is not at the table, or that two share
)

// Of a reply with one of these kinds, what is in order is played.
const (
	FaultSpeaksForOthers = "speaks-for-others" // it goes on as somebody else, or as the game master: cut there
	FaultTemplateTokens  = "template-tokens"   // text follows a chat template's token: cut there
	FaultOutOfCharacter  = "out-of-character"  // it holds a note to the other players: taken out
	FaultTooLong         = "too-long"          // speech or deed of more than MaxRunes: cut behind a sentence
)

// MaxRunes is the most that a move may say, and the most that it may do, in characters.
const MaxRunes = 4000

// boundRunes is the same for a server that holds a reply to the schema: room for three long sentences.
const boundRunes = 600
