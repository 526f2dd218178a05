// Package agent plays characters with a language model: it shows the model what its character knows,
// asks it for a move in one of two forms, and reads the reply.
//
// # Prompts
//
// Prompts are files (see Prompts). A prompt is made of messages that are each sent many times: rules,
// scene, one for every line of the transcript, the character, and the turn's instruction. All lines, a
// character's own included, are the transcript's, in the third person and in the user's role, so that an
// agent that is built anew sends the same prompt, agents share a prefix, and templates that insist on
// alternating roles are content: on the wire a prompt is one system message and one user message.
//
// # Replies
//
// A reply that is no move is counted under its kind, kept as it was received in its call, and played as a
// pass. No model repairs it, and it is not asked for again. All servers' replies take one way: reasoning is
// split off (llm.SplitReasoning), template tokens are cut, the form is read, and what was read is checked.
//
//	rule                                                              outcome
//	reasoning, in any marks that SplitReasoning knows                 taken out; never shown
//	reasoning whose end is not certain                                reasoning
//	nothing that can be seen                                          empty (cut-off at the limit of tokens)
//	a call of a tool: marked, fenced, listed, tool_calls, f(x="y")    tool-call
//	eight-byte pieces of the letters, under 25 % of them new          repetition
//	a template token at the end; the model's own role at the head     taken out
//	a template token with words behind it                             cut there: template-tokens
//	an object on lines of its own, also in a string, list or fence    JSON form
//	... keys by the table moveKeys; any other key                   malformed
//	... that the text ends in                                         cut-off
//	... as the text of a field                                        read in its place
//	lines labelled SAY, DO, TO, CHECK; PASS or (passes) alone         lines form
//	neither                                                           prose: speech, but for what follows
//	... *clause*, (acts), [acts] by itself                            deed; emphasis within a sentence stays
//	... utterances in quotation marks, told around them               quotations are speech, the rest deed
//	the actor's own name at the head of a line                        taken off
//	another's name at the head of a line, the game master's, dice     cut there: speaks-for-others
//	... before words in small letters, or before "says so"            stays: somebody is called
//	((note)), [[note]], (OOC ...), OOC: to the line's end             taken out: out-of-character
//	"to", TO:, or one (to Bren) at the head, with known names         a whisper to these
//	... with an unknown name                                          unknown-addressee
//	any other whisper                                                 a way of speaking, public
//	a phrase of refusals.txt at the head                              refusal
//	most letters not Latin                                            other-language
//	letters in neither speech nor deed                                no-words
//	more than MaxRunes                                                cut behind a sentence: too-long
//
// Refusals are known in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish,
// Russian, Ukrainian, Chinese, Japanese, Korean, Arabic and Hindi, besides the server's own field for them.
//
// The command "parley bench replies" prints how many replies each rule decides on, by form and model.
package agent
