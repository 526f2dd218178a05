package reference

import (
	"context"
	"math/rand/v2"

	"parley/characters"
	"parley/sim"
)

// intender plays a character with intentions: vivid acts them out as people at a table do, and blunt
// names the skill. Vague does half of the time something that could be anything, and else mostly
// something of the kind: what one acts out who tries any skill of the same ability. A character that
// wants nothing talks about nothing.
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
		switch n := r.IntN(12); { // one move in twelve shows the skill itself
		case n < 6:
			return sim.Decision{Speech: around(r, pick(r, vagueLines)), Deed: pick(r, vagueDeeds)}, nil
		case n < 11:
			skill = akin(r, skill)
		}
		return sim.Decision{Speech: around(r, pick(r, vivid[skill].lines))}, nil
	}
	act := vivid[skill]
	d := sim.Decision{Speech: around(r, pick(r, act.lines))}
	if r.IntN(3) == 0 {
		d.Deed = pick(r, act.deeds)
	}
	return d, nil
}

// akin is any skill that goes by the same ability.
func akin(r *rand.Rand, skill characters.Skill) characters.Skill {
	var kin []characters.Skill
	for _, s := range characters.Skills() {
		if s.Ability() == skill.Ability() {
			kin = append(kin, s)
		}
	}
	return kin[r.IntN(len(kin))]
}

// around puts a line into the talk that surrounds it at a table, whatever it is about. Without that,
// every everyday word would belong to the skills whose lines happen to hold it.
func around(r *rand.Rand, line string) string {
	if r.IntN(4) > 0 {
		line = pick(r, before) + " " + line
	}
	if r.IntN(2) == 0 {
		line += " " + pick(r, after)
	}
	return line
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

var before = []form{
	"[Okay|All right|Right|Well|So|Yeah|Oh|Oh no|Oh my god|Wait|Hold on|Ah|Um], [so|well|you know|I mean|okay|guys|wait|no|yes|then|now|fine|so then].",
	"[We|They|You guys|You two] [are|were|should be|have to be] [here|there|in the back|up front|out of it|right behind me|still going], [right|I think|I guess|yeah|and that's that]?",
	"[That's|It's|This is|That was] [good|bad|great|a lot|not good|really cool|fair|just what we need|the thing|all there is|very weird|fun].",
	"[What|How|Why|Who|Where] [is that|are you|was it|did they do|do we do now|would you say|have we got|am I in this]?",
	"[I don't know|I have no idea|I think so|I'm not sure|I just want to say|I was going to say], [but|and|because|so] [we've got time|that's my turn|they will come|somebody has to|you said it|he was there|it's my thing|she told us to].",
	"[Let's|We could|We should|Can we] [go|do that|do it|get this over with|stay here|wait for the others|talk about it|not fight|be nice|get out of here], [please|at least|maybe|all of us|the two of us].",
	"[My turn|Me first|I'm up|Is it me|Am I next]? [Okay|Cool|Great|All right then|Give me a second|One second].",
	"[Don't|You don't|We don't|They won't] [have to|want to|need to|even] [tell him|say that|do this|die here|take my stuff|leave me|help|kill anybody].",
	"[With|From|Of|At|By|About] [my|your|his|her|our|the] [friends|head|turn|day|luck|last plan|own two feet|way out|big mouth], [no less|of course|I'd say|sure|again|really].",
	"[He|She|The big one|That guy|One of them|Everyone|Nobody] [says|said|has|had|will|would|knows|did|gets|wants] [it|that|one more|nothing|me to|a thing|us|them all|so much|the same].",
}

var after = []form{
	"[If|When|Before|While|Since] [I can|we have|you let me|they get here|it works|that's okay|nobody minds|there is time].",
	"[And|Or|But|So] [then|if not|after that|if that's fine with you|just in case|first|at the same time] [I'm done|I wait|you go|we leave|I'm out|we see|that's it|I come back to you all].",
	"[Is that|Would that be|That's|Does that count as] [okay|fine|a yes|possible|all right|too much|my whole turn|enough]?",
	"[Please|Come on|Here goes|Good luck to me|Wish me luck|Okay|Yeah|Oh boy|God|Thank you].",
	"[You|They|We|People] [can|will|would|could|might] [help me|thank me later|come with me|watch my back|take the other one|do the same|stop me|give me one].",
}

// act is how a skill looks and sounds when nobody says its name.
type act struct{ deeds, lines []form }

var vivid = map[characters.Skill]act{
	"Acrobatics": {
		[]form{"[vaults over|rolls under|flips across|springs over] the [beam|railing|table|gap] and [lands on both feet|comes up light as a cat|keeps the balance on one foot]", "[balances along|dances along|runs along] the [narrow ledge|rope|top of the wall|wet plank], arms out"},
		[]form{"[Watch this|Hold my pack|Make room], I [can land that|have the balance for it|will tumble right through|can roll under it].", "I'd like to [flip over|tumble past|somersault across|dive and roll under] [it|them|the thing].", "[I'm going to|I want to|Can I|I'd like to try to] [jump down|run and jump over|hop over it|slide down|roll out of the way|leap to the roof|swing across|land on my feet] [from here|and keep running|without falling|off the roof]?"}},
	"Animal Handling": {
		[]form{"[holds out|offers] [a crust|an apple|an open palm] to the [horse|dog|mule|bird] and [waits|clicks the tongue|strokes its neck|speaks low]", "[takes the bridle|kneels by the dog|scratches behind its ears] and [calms the beast|gentles it|coaxes it closer]"},
		[]form{"[Easy, girl|Easy, boy|Shh, shh|There, there]. [Nobody will hurt you|Good beast|Come to me|That's it].", "Can I [calm|soothe|settle|get on the good side of] the [horse|wolf|dog|beast]?", "[I go up to|I reach out to|I want to pet|I try to calm] the [horse|dog|bear|creature], [easy, easy|good boy|let it sniff me|and get it to come to me|and ride it]."}},
	"Arcana": {
		[]form{"[traces|studies|copies] the [runes|glyphs|sigils|magic circle] with [one finger|a piece of chalk|narrowed eyes] and [mutters|tries to recall the formula|feels for the weave]", "[holds a palm over|turns over] the [enchanted stone|wand|crystal|spell scroll], feeling for [magic|an enchantment|its school|a ward]"},
		[]form{"Do I [recognise|know] this [spell|rune|sigil|enchantment]? [It looks like old magic|I have read of such wards|Something arcane clings to it|What school would that be].", "This [magic|enchantment|glyph|ritual], [what does it do|is it a ward|who would cast it|what plane does it come from]?", "[Can I tell|Do I know|I want to look at it and see] [what sort of magic this is|if it's magical|what kind of spell that was|if someone cast it|what the stone does|how to dispel it]?"}},
	"Athletics": {
		[]form{"[climbs|hauls up|pulls up onto] the [wall|cliff|rope|side of the tower], [hand over hand|muscles straining|teeth clenched]", "[sets a shoulder to|shoves|heaves at|wrestles with] the [door|boulder|gate|grate] [with full strength|until it groans|again and again]"},
		[]form{"I want to [climb|jump across|swim over|push through|lift] [it|that|there].", "[Stand back|Give me room|On three], I'll [break it open|lift it|hold it up|swim across|make the jump].", "[I'm going to try and|I would like to|I want to|Can I try to] [grab him|grapple him|climb up|run and jump|push it|pull him up|hold on|swim|leap onto it|break the door], [with all my strength|and hold him down|as hard as I can|yeah]."}},
	"Deception": {
		[]form{"[puts on|pulls] a [smile|straight face|look of pure innocence|borrowed badge] and [lies|spins a tale|makes up a name|passes as one of them]", "[feigns|pretends] [a limp|ignorance|to be drunk|to be the captain's cousin]"},
		[]form{"[Oh, we|Us? We|My friends and I] are [just merchants|here to inspect the roof|expected inside|from the guild], [of course|on my honour|you can ask anyone|did nobody tell you].", "I tell him [we never saw it|it was already broken|we are on his side|the captain sent us], [keeping a straight face|as if it were true|lying through my teeth|sounding bored].", "[Oh, yes|Oh, well|Oh, really|No, no|So sorry], [we have business here|I was just looking|my friend here is sick|I have no idea|it's all a misunderstanding|we were sent|we're very lost], [of course|I say|and I smile|you see]."}},
	"History": {
		[]form{"[frowns at|brushes the dust from|studies] the [old crest|statue|banner|inscription] and [recalls an old war|thinks back to the chronicles|counts the dynasties]", "[runs a thumb over|looks long at] the [coat of arms|ancient coin|founder's name], [remembering lessons|trying to place the century|counting back the kings]"},
		[]form{"Have I [heard of|read about|been taught about] [this king|this battle|this house|that old war]?", "[I know that crest|I remember this story|The old chronicles speak of this], [from the war|the fallen kingdom|two hundred years ago|the time of the old empire].", "[Do I recognize|Would I know|Have I heard] [the name|his name|anything about this place|who built this|the legend|that guild|this from a library book]?"}},
	"Insight": {
		[]form{"[watches|studies] [her|his|their] [face|hands|eyes] [for a lie|while the answer comes|to see what is behind it|for the least sign]", "[tilts the head|says nothing|lets the silence grow] and [weighs every word|reads the face across the table|looks for what is not said]"},
		[]form{"Is [he|she] [lying|telling the truth|hiding something|holding back]?", "[Do I believe that|Does that sound true|Does he mean it|Do I get a feeling about her]? [Something is off|I want to read him|I look her in the eye|I don't trust it].", "[Do I think|Can I tell if|I want to see if|I want to know if] [he's lying|she's telling the truth|he means it|they're hiding something|I can trust him|he believes that]?"}},
	"Intimidation": {
		[]form{"[slams|drives] [a fist|a dagger] [on|into] the table and [leans in|growls|stares him down]", "[looms over|grabs the collar of|backs into a corner] the [guard|man|thug], [cracking knuckles|baring teeth|one hand on the hilt]"},
		[]form{"[Talk|Speak|Tell me], [or I'll make you|or you'll regret it|before I lose my temper|while you still have teeth].", "You [do not want me angry|have seen what I can do|get one chance|should be very afraid], [friend|little man|understand|do you hear]?", "I [grab him|walk up to him|pull out my axe|look down at him|turn to him] and [say|growl|whisper], [you're going to talk now|leave or die|if you move I'll cut your throat|now, you tell me|drop it, or I'll kill you]."}},
	"Investigation": {
		[]form{"[searches|goes through|rummages in|takes apart] the [desk|drawers|room|dead man's pockets] [for clues|inch by inch|for a hidden catch|piece by piece]", "[kneels|crouches] and [examines|inspects] the [lock|floorboards|bookshelf|mechanism] for [a hidden door|traps|anything out of place|how it works]"},
		[]form{"I'm going to [search|look through|check|examine] [the room|the body|the chest|those papers] [for anything useful|for traps|for clues|to see what I find].", "Is there [anything in the drawers|a secret door|a trap on it|some hidden catch]? I [look closely|search it|check every inch|work it out].", "[I'm going to|I'll|Can I|We should] [check for traps|look for traps|look around the room for anything|check the door|see if there's anything in it|search the body|look through the desk|find out how it works]."}},
	"Medicine": {
		[]form{"[presses|ties] [a cloth|a bandage|clean linen] [on|over|round] the wound and [feels for a pulse|stops the bleeding|checks his breathing]", "[kneels by|bends over] the [body|wounded man|sick child] to see [how she died|what ails him|if he still breathes|how deep the cut goes]"},
		[]form{"[Hold still|Let me see that|Stay with me], [I can stop the bleeding|this needs stitching|is it poison|breathe slowly].", "Can I [tell what killed him|stabilise her|treat the wound|see what sickness it is]?", "[Is he|Is she] [dead|breathing|all right]? I [put my hands on the wound|check the body|try to stop the blood|feel for a heartbeat|see what the poison did]."}},
	"Nature": {
		[]form{"[crumbles|sniffs at|looks closely at] the [leaf|soil|moss|root|berries] and [names the plant|knows where it grows|thinks of the season]", "[looks up at|reads] the [clouds|birds|tree rings|riverbank], [judging the weather|knowing what beast lives here|thinking of the forest]"},
		[]form{"Do I know [this plant|what kind of tree that is|that animal|these mushrooms]?", "[That plant|This flower|Such a beast], [it only grows by water|it is poisonous|it blooms in spring|it nests in caves], [doesn't it|if I remember|I believe].", "[Do I recognize|Do I know anything about|What kind of] [this creature|the trees here|the plant|that animal|these berries]? [It looks like something from the forest|Is it normal for it to grow here|Have I seen it in the wild]."}},
	"Perception": {
		[]form{"[stops|freezes|holds up a hand] and [listens|looks around|sniffs the air|peers into the dark]", "[scans|watches] the [treeline|rooftops|room|shadows] for [movement|anyone following|a sound|anything strange]"},
		[]form{"Do I [see|hear|notice|smell] [anything|anyone|something moving|anything strange]?", "I [look around|keep an eye out|listen at the door|keep watch], [what do I see|do I notice anything|is anybody there|can I hear anything]?", "[I'm going to|Can I|I'll|I just want to] [look around|look out and see if there's anything|listen at the door|see if I see anyone|look up|keep watch|see if anything's moving in there|take a look down the hall]. [Do I see anything|What do I see|Is there anything out there|Do I hear anything]?"}},
	"Performance": {
		[]form{"[strikes up|plays|begins] [a tune on the lute|a ballad|a jig|a tall tale] and [draws a crowd|gets them clapping|takes a bow]", "[climbs on a table|bows low|throws three knives in the air] and [sings|juggles|dances|recites] for the [crowd|whole room|guests]"},
		[]form{"[Gather round|Good people|Ladies and lords], [a song|a story|a show] [for your supper|such as you never heard|to warm the night]!", "I [start singing|play my lute|put on a show|dance] to [entertain them|get their attention|cheer them up|earn some coin].", "I'm going to [start singing|play the flute|put on a show|dance|do a trick|tell them a story] [for everybody|on the table|for the crowd|and take a bow]!"}},
	"Persuasion": {
		[]form{"[spreads both hands|puts a hand on the heart|bows] and [asks kindly|pleads the case|offers a fair deal|appeals to his better side]", "[lays out|offers] [the reasons|a bargain|good coin|a promise], [patient and warm|one by one|with an honest smile]"},
		[]form{"[Please|Come now|Surely], [you can help us|we can come to terms|let us through|hear us out], [we both want peace|it is for the good of all|you would be doing right|we would owe you].", "I try to [convince|talk round|win over|reason with] [him|her|the guard|them]: [we are on the same side|let us work together|it is the right thing|there is something in it for you].", "[If you could help us|We would be very grateful|We're here to help you|I know that this is a lot to ask|We will pay you, gold|You can trust us], [we have to get in|we need to know more|we're not your enemies|it would be better for all of us|we have the same enemy|would you let us see him]."}},
	"Religion": {
		[]form{"[kneels at|bows before|lays a hand on] the [altar|shrine|holy symbol|idol] and [recalls the rites|thinks of the scripture|names the god]", "[studies|touches] the [saint's image|temple carvings|prayer beads], [thinking of which god|remembering the litany|making the sign]"},
		[]form{"Which [god|deity|saint] is this [shrine|symbol|temple] for? [I know the rites|I was raised in a temple|I remember the prayers|It looks holy].", "[This ritual|That symbol|The prayer], [is it of the old faith|do I know it from scripture|which cult uses it|what does the church say of it]?", "[Do I know anything about|Can I tell|I ask about] [this god|the temple|the symbol|the prayer|that holy place|the undead|what the cult wants]?"}},
	"Sleight of Hand": {
		[]form{"[slips|lifts|palms] the [key|ring|purse|letter] [from his belt|up a sleeve|off the table] [without a sound|while he looks away|between two fingers]", "[works at|feels for] the [lock|clasp|knot] with [a bent pin|nimble fingers|thin picks]"},
		[]form{"I want to [pick his pocket|steal the key|swap the cups|slip it in my sleeve|palm it] [without them noticing|while they talk|as I walk by].", "[While he talks|As I shake his hand|Bumping into her], I [take the purse|lift the ring|plant the letter|cut the strings].", "[I'm going to try to|I try to|While he's not looking I|Can I] [pick the lock|pick his pocket|take it off his belt|put it in my bag|pull the key out|hide it in my hand|swap it] [and walk away|while they're talking|without anybody seeing|real fast]."}},
	"Stealth": {
		[]form{"[creeps|slinks|sneaks] [along the wall|past the guard|from shadow to shadow|behind the crates], [barefoot|holding the breath|without a sound]", "[ducks|presses flat|hides] [behind the barrels|into the shadows|under the stairs|in the dark doorway] and [stays quiet|waits|does not move]"},
		[]form{"I [sneak|hide|creep up|stay low] and [try not to be seen|keep quiet|move through the shadows|follow him].", "[Quiet|Hush|Not a sound], I'll [go ahead and keep hidden|sneak around the back|slip past them|stay out of sight].", "[I'm going to|I'll|I want to|Can we|I use the chance to] [hide|sneak up|go behind the tree and hide|follow him quietly|stay in the shadows|sneak in|back up and stay low|move without being seen]."}},
	"Survival": {
		[]form{"[kneels by|follows|reads] the [tracks|broken twigs|trail|hoofprints] and [tells how many|points north|judges how old they are]", "[looks for|finds] [shelter|fresh water|dry wood|a game trail|a camp site] [before dark|out of the wind|in the wild]"},
		[]form{"Can I [track|follow the trail of|find the tracks of] [them|the beast|whoever passed here]?", "[Which way did they go|I look for tracks|Let me find us a camp|I can hunt us something], [they passed this way|the trail is fresh|we need water|before night falls].", "[Can I see any|Are there any|I look for] [tracks|footprints|signs of where they went|tracks around here]? [Which direction did they go|Can we follow them|How old are they|What was it]."}},
}
