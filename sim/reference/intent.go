package reference

import (
	"context"

	"parley/characters"
	"parley/sim"
)

// intender plays a character with intentions: vivid acts them out, blunt names the skill, vague does
// something that could be anything. A character that wants nothing talks about nothing.
type intender struct{ style string }

// Act tries one of the character's intentions in two turns of three.
func (a intender) Act(_ context.Context, v *sim.View) (sim.Decision, error) {
	r := sim.Rand(v.Seed)
	if len(v.Aims) == 0 || r.IntN(3) == 0 {
		return chat(r), nil
	}
	skill := v.Aims[r.IntN(len(v.Aims))]
	switch a.style {
	case "blunt":
		return sim.Decision{Speech: pick(r, bluntLines) + " " + string(skill) + pick(r, bluntEnds)}, nil
	case "vague":
		return sim.Decision{Speech: pick(r, vagueLines), Deed: pick(r, vagueDeeds)}, nil
	}
	act := vivid[skill]
	d := sim.Decision{Deed: pick(r, act.deeds)}
	if r.IntN(4) > 0 {
		d.Speech = pick(r, act.lines)
	}
	return d, nil
}

// Debrief says that there was nothing; a game of intentions has no questions.
func (a intender) Debrief(_ context.Context, v *sim.View, _ []string) (sim.Answer, error) {
	return nothing(v), nil
}

var bluntLines = []form{
	"[I want to|I would like to|I am going to|Let me|Can I] [make|roll|try] [a check with|a check on|for|on]",
	"[My turn, so|All right|Here goes|Right, then]: [I use my|I am using|I will go with|this is about]",
	"[I try it with|What I do is|I am relying on|This calls for]",
}

var bluntEnds = []form{"[.| here.| on this.|, please.|, if I may.]", "[, and I hope it is enough.|, let us see.|, as well as I can.]"}

var vagueLines = []form{
	"[I will see|Let us see|I wonder] what [happens|comes of it|can be done][.| here.| now.]",
	"[I do something about it|I will handle this|Leave it to me|Let me have a go], [then|all right|why not|friends].",
	"[Hm|Right|Well], [there must be a way|something will come up|we shall manage|I have a feeling about this].",
}

var vagueDeeds = []form{
	"[does something|gets busy|gets to work|tries something] [over there|to one side|nearby|for a while]",
	"[moves about|walks over|goes up to it|turns to it] [for a moment|with some purpose|and back again|as if by chance]",
	"[handles|sees to|deals with] [the matter|the thing|what is there|what comes next]",
}

// act is how a skill looks and sounds when nobody says its name.
type act struct{ deeds, lines []form }

var vivid = map[characters.Skill]act{
	"Acrobatics": {
		[]form{"[vaults over|rolls under|flips across|springs over] the [beam|railing|table|gap] and [lands on both feet|comes up light as a cat|keeps the balance on one foot]", "[balances along|dances along|runs along] the [narrow ledge|rope|top of the wall|wet plank], arms out"},
		[]form{"[Watch this|Hold my pack|Make room], I [can land that|have the balance for it|will tumble right through|can roll under it].", "I'd like to [flip over|tumble past|somersault across|dive and roll under] [it|them|the thing]."}},
	"Animal Handling": {
		[]form{"[holds out|offers] [a crust|an apple|an open palm] to the [horse|dog|mule|bird] and [waits|clicks the tongue|strokes its neck|speaks low]", "[takes the bridle|kneels by the dog|scratches behind its ears] and [calms the beast|gentles it|coaxes it closer]"},
		[]form{"[Easy, girl|Easy, boy|Shh, shh|There, there]. [Nobody will hurt you|Good beast|Come to me|That's it].", "Can I [calm|soothe|settle|get on the good side of] the [horse|wolf|dog|beast]?"}},
	"Arcana": {
		[]form{"[traces|studies|copies] the [runes|glyphs|sigils|magic circle] with [one finger|a piece of chalk|narrowed eyes] and [mutters|tries to recall the formula|feels for the weave]", "[holds a palm over|turns over] the [enchanted stone|wand|crystal|spell scroll], feeling for [magic|an enchantment|its school|a ward]"},
		[]form{"Do I [recognise|know] this [spell|rune|sigil|enchantment]? [It looks like old magic|I have read of such wards|Something arcane clings to it|What school would that be].", "This [magic|enchantment|glyph|ritual], [what does it do|is it a ward|who would cast it|what plane does it come from]?"}},
	"Athletics": {
		[]form{"[climbs|hauls up|pulls up onto] the [wall|cliff|rope|side of the tower], [hand over hand|muscles straining|teeth clenched]", "[sets a shoulder to|shoves|heaves at|wrestles with] the [door|boulder|gate|grate] [with full strength|until it groans|again and again]"},
		[]form{"I want to [climb|jump across|swim over|push through|lift] [it|that|there].", "[Stand back|Give me room|On three], I'll [break it open|lift it|hold it up|swim across|make the jump]."}},
	"Deception": {
		[]form{"[puts on|pulls] a [smile|straight face|look of pure innocence|borrowed badge] and [lies|spins a tale|makes up a name|passes as one of them]", "[feigns|pretends] [a limp|ignorance|to be drunk|to be the captain's cousin]"},
		[]form{"[Oh, we|Us? We|My friends and I] are [just merchants|here to inspect the roof|expected inside|from the guild], [of course|on my honour|you can ask anyone|did nobody tell you].", "I tell him [we never saw it|it was already broken|we are on his side|the captain sent us], [keeping a straight face|as if it were true|lying through my teeth|sounding bored]."}},
	"History": {
		[]form{"[frowns at|brushes the dust from|studies] the [old crest|statue|banner|inscription] and [recalls an old war|thinks back to the chronicles|counts the dynasties]", "[runs a thumb over|looks long at] the [coat of arms|ancient coin|founder's name], [remembering lessons|trying to place the century|counting back the kings]"},
		[]form{"Have I [heard of|read about|been taught about] [this king|this battle|this house|that old war]?", "[I know that crest|I remember this story|The old chronicles speak of this], [from the war|the fallen kingdom|two hundred years ago|the time of the old empire]."}},
	"Insight": {
		[]form{"[watches|studies] [her|his|their] [face|hands|eyes] [for a lie|while the answer comes|to see what is behind it|for the least sign]", "[tilts the head|says nothing|lets the silence grow] and [weighs every word|reads the face across the table|looks for what is not said]"},
		[]form{"Is [he|she] [lying|telling the truth|hiding something|holding back]?", "[Do I believe that|Does that sound true|Does he mean it|Do I get a feeling about her]? [Something is off|I want to read him|I look her in the eye|I don't trust it]."}},
	"Intimidation": {
		[]form{"[slams|drives] [a fist|a dagger] [on|into] the table and [leans in|growls|stares him down]", "[looms over|grabs the collar of|backs into a corner] the [guard|man|thug], [cracking knuckles|baring teeth|one hand on the hilt]"},
		[]form{"[Talk|Speak|Tell me], [or I'll make you|or you'll regret it|before I lose my temper|while you still have teeth].", "You [do not want me angry|have seen what I can do|get one chance|should be very afraid], [friend|little man|understand|do you hear]?"}},
	"Investigation": {
		[]form{"[searches|goes through|rummages in|takes apart] the [desk|drawers|room|dead man's pockets] [for clues|inch by inch|for a hidden catch|piece by piece]", "[kneels|crouches] and [examines|inspects] the [lock|floorboards|bookshelf|mechanism] for [a hidden door|traps|anything out of place|how it works]"},
		[]form{"I'm going to [search|look through|check|examine] [the room|the body|the chest|those papers] [for anything useful|for traps|for clues|to see what I find].", "Is there [anything in the drawers|a secret door|a trap on it|some hidden catch]? I [look closely|search it|check every inch|work it out]."}},
	"Medicine": {
		[]form{"[presses|ties] [a cloth|a bandage|clean linen] [on|over|round] the wound and [feels for a pulse|stops the bleeding|checks his breathing]", "[kneels by|bends over] the [body|wounded man|sick child] to see [how she died|what ails him|if he still breathes|how deep the cut goes]"},
		[]form{"[Hold still|Let me see that|Stay with me], [I can stop the bleeding|this needs stitching|is it poison|breathe slowly].", "Can I [tell what killed him|stabilise her|treat the wound|see what sickness it is]?"}},
	"Nature": {
		[]form{"[crumbles|sniffs at|looks closely at] the [leaf|soil|moss|root|berries] and [names the plant|knows where it grows|thinks of the season]", "[looks up at|reads] the [clouds|birds|tree rings|riverbank], [judging the weather|knowing what beast lives here|thinking of the forest]"},
		[]form{"Do I know [this plant|what kind of tree that is|that animal|these mushrooms]?", "[That plant|This flower|Such a beast], [it only grows by water|it is poisonous|it blooms in spring|it nests in caves], [doesn't it|if I remember|I believe]."}},
	"Perception": {
		[]form{"[stops|freezes|holds up a hand] and [listens|looks around|sniffs the air|peers into the dark]", "[scans|watches] the [treeline|rooftops|room|shadows] for [movement|anyone following|a sound|anything strange]"},
		[]form{"Do I [see|hear|notice|smell] [anything|anyone|something moving|anything strange]?", "I [look around|keep an eye out|listen at the door|keep watch], [what do I see|do I notice anything|is anybody there|can I hear anything]?"}},
	"Performance": {
		[]form{"[strikes up|plays|begins] [a tune on the lute|a ballad|a jig|a tall tale] and [draws a crowd|gets them clapping|takes a bow]", "[climbs on a table|bows low|throws three knives in the air] and [sings|juggles|dances|recites] for the [crowd|whole room|guests]"},
		[]form{"[Gather round|Good people|Ladies and lords], [a song|a story|a show] [for your supper|such as you never heard|to warm the night]!", "I [start singing|play my lute|put on a show|dance] to [entertain them|get their attention|cheer them up|earn some coin]."}},
	"Persuasion": {
		[]form{"[spreads both hands|puts a hand on the heart|bows] and [asks kindly|pleads the case|offers a fair deal|appeals to his better side]", "[lays out|offers] [the reasons|a bargain|good coin|a promise], [patient and warm|one by one|with an honest smile]"},
		[]form{"[Please|Come now|Surely], [you can help us|we can come to terms|let us through|hear us out], [we both want peace|it is for the good of all|you would be doing right|we would owe you].", "I try to [convince|talk round|win over|reason with] [him|her|the guard|them]: [we are on the same side|let us work together|it is the right thing|there is something in it for you]."}},
	"Religion": {
		[]form{"[kneels at|bows before|lays a hand on] the [altar|shrine|holy symbol|idol] and [recalls the rites|thinks of the scripture|names the god]", "[studies|touches] the [saint's image|temple carvings|prayer beads], [thinking of which god|remembering the litany|making the sign]"},
		[]form{"Which [god|deity|saint] is this [shrine|symbol|temple] for? [I know the rites|I was raised in a temple|I remember the prayers|It looks holy].", "[This ritual|That symbol|The prayer], [is it of the old faith|do I know it from scripture|which cult uses it|what does the church say of it]?"}},
	"Sleight of Hand": {
		[]form{"[slips|lifts|palms] the [key|ring|purse|letter] [from his belt|up a sleeve|off the table] [without a sound|while he looks away|between two fingers]", "[works at|feels for] the [lock|clasp|knot] with [a bent pin|nimble fingers|thin picks]"},
		[]form{"I want to [pick his pocket|steal the key|swap the cups|slip it in my sleeve|palm it] [without them noticing|while they talk|as I walk by].", "[While he talks|As I shake his hand|Bumping into her], I [take the purse|lift the ring|plant the letter|cut the strings]."}},
	"Stealth": {
		[]form{"[creeps|slinks|sneaks] [along the wall|past the guard|from shadow to shadow|behind the crates], [barefoot|holding the breath|without a sound]", "[ducks|presses flat|hides] [behind the barrels|into the shadows|under the stairs|in the dark doorway] and [stays quiet|waits|does not move]"},
		[]form{"I [sneak|hide|creep up|stay low] and [try not to be seen|keep quiet|move through the shadows|follow him].", "[Quiet|Hush|Not a sound], I'll [go ahead and keep hidden|sneak around the back|slip past them|stay out of sight]."}},
	"Survival": {
		[]form{"[kneels by|follows|reads] the [tracks|broken twigs|trail|hoofprints] and [tells how many|points north|judges how old they are]", "[looks for|finds] [shelter|fresh water|dry wood|a game trail|a camp site] [before dark|out of the wind|in the wild]"},
		[]form{"Can I [track|follow the trail of|find the tracks of] [them|the beast|whoever passed here]?", "[Which way did they go|I look for tracks|Let me find us a camp|I can hunt us something], [they passed this way|the trail is fresh|we need water|before night falls]."}},
}
