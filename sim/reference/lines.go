package reference

// What is said around the point. Openers of an answer are short on purpose: the sentences that carry
// facts are the long ones.

var askOpeners = []form{
	"[Well met|Well then|Now], NPC. [We came about|Let us speak of|It is about] SUBJECT.",
	"[You know of|You have heard of|You can tell us about] SUBJECT, [NPC|I think|they say|I am told].",
	"[Back to|To return to|Still on|One more thing about] SUBJECT[, if you please|, NPC||, friend].",
	"[SUBJECT, then|About SUBJECT|As for SUBJECT|Concerning SUBJECT][, NPC||, friend].",
	"[I keep thinking of|I cannot stop thinking of|My mind is on] SUBJECT.",
	"[Forgive me if I press you|Bear with me|Indulge me|Hear me out], [NPC|friend]: SUBJECT.",
	"[Good|Thank you|That helps|I see], [NPC|friend]. [Now SUBJECT|SUBJECT again|More of SUBJECT].",
}

var askDeeds = []form{
	"[leans closer|draws a stool nearer|rests both hands on the table|lowers the voice|turns a cup in the fingers]",
	"[slides a coin across the table|pours another cup|pulls the hood back|holds the other's gaze|takes out a scrap of paper]",
	"[counts on the fingers|nods slowly|raises an eyebrow|taps the table twice|folds both arms]",
}

var answerOpeners = []form{
	"[Very well|So be it|All right|Fair enough|As you wish], [then|friend|listen|since you ask].",
	"[You ask well|A good question|Well asked|Straight to it|That I can answer].",
	"[Keep this quiet|Between us|Listen closely|Come nearer|Not so loud].",
	"[Hm|Ah|Well], [that|that I know|I can tell you|let me think].",
}

var answerLinks = []form{
	"[And|Also]:", "[Mark this too|One thing more|And mind this|More than that|There is this as well]:",
}

var holdBacks = []form{
	"[The rest|The other part|More than that] I [keep|will keep|had better keep] to myself.",
	"[Of the rest|About the rest|On the other matter] [I will not speak|my lips are shut|I say nothing].",
}

var refusals = []form{
	"[That|This] I [will not|cannot|had better not] [say|tell you|speak of][, friend|, not today||, not here].",
	"[Ask me something else|Ask something else|Leave that be|Let that rest], [friend|please|I beg you|traveller].",
	"[My lips are sealed|I gave my word|I have said too much already|There are ears here] [on that|about that|in that matter].",
	"[You will not hear that from me|Nobody hears that from me|I sell many things, but not that|That stays with me].",
}

var ignorance = []form{
	"[Of that|About that|On that] I [know nothing|have heard nothing|cannot help you|have no word][, friend|, I fear||, truly].",
	"[You would have to ask another|That is beyond me|I could only guess, and I will not|I never learned that].",
	"[I wish I knew|If only I knew|Nobody ever told me], [friend|traveller|believe me|in truth].",
	"[Nothing more|No more], [I fear|that is all|you have it all|on my honour].",
	"[On that I have no more|I can add nothing there|That much you have already], [I fear|friend|truly|on my honour].",
}

var npcIdle = []form{
	"[Another cup|More bread|A little more broth|Some cheese], [anyone|friends|good people|travellers]?",
	"[You are quiet|A quiet evening|Nobody speaks|What a silence]. [I do not mind|It suits me|As you like|So be it].",
	"[Sit|Stay|Rest], [sit|stay|rest] [a while|as long as you like|till the rain stops|by the fire].",
	"[The fire wants wood|The lamp burns low|The kettle sings|The wind is up] [again|tonight|as ever|now].",
}

var idleDeeds = []form{
	"[pokes|feeds|stirs] the fire", "[wipes|polishes|turns] [a cup|a mug|the old bowl]", "[looks|glances] [at the rafters|into the fire|at the rain|out of the window]",
	"[hums|whistles] [an old tune|half a song|a marching song]", "[stretches|yawns|scratches one ear|shifts from one foot to the other]", "[straightens|brushes off|tugs at] [a sleeve|the cloak|a glove]",
}

var shareOpeners = []form{
	"[Friends|Companions|All of you], [hear this|listen|you should know]. [I was told in private|It was whispered to me|I have it in confidence].",
	"[I will not keep this to myself|You ought to know what I know|We share what we learn]. [Here it is|Listen|So]:",
	"[Here is what I got|This is what I heard|This much I was told] [a moment ago|just now|over there|on the quiet].",
}

var recountOpeners = []form{
	"[This is what I learned|Here is what I found out|What I know now|What I take away][ from it||, as I heard it]:",
	"[As far as I gathered|From what was said|If I heard it right|So far as I was told]:",
	"[I paid attention|I listened well|I kept count]. [Point by point|In order|One by one]:",
}

var learnedNothing = []form{
	"[I learned nothing|Nothing|Nothing at all|I found out nothing] [new|of note|worth telling|that I could name].",
	"[I could not say|I have nothing to tell|There is nothing I could add|I know no more than before].",
	"[We did not get to it|It never came up|Nobody told me anything], [I am afraid|alas|I must admit|to be honest].",
}

var smallTalk = []form{
	"[What|Such] [weather|rain|wind|mud] [we are having|this week|today|again].",
	"[My|These] [boots|knees|old bones|feet] [are not what they were|ache today|have seen better roads|could do with a rest].",
	"[Good|Fine|Honest|Decent] [ale|bread|soup|company], [this|I must say|upon my word|as my mother used to say].",
	"[I slept badly|I slept like a log|I could eat a horse|I could do with a song|I never liked early mornings].",
	"[Did I tell you about|Remember|That reminds me of] [my cousin's goat|the feast at midsummer|my first pony|the time it snowed in June]? [No matter|Another time|What a day that was|Never mind].",
	"[How are you all|Is everyone well|Are we all comfortable|Nobody hungry]? [Good, good|Splendid|I am, too|Glad of it].",
	"[Lovely|Pretty|Curious|Handsome] [cushions|curtains|rafters|candles] [in here|they have|in this place|these].",
}
