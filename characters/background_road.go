package characters

// roadBackgrounds are those of roads, hills and water.
var roadBackgrounds = []background{
	{
		name: "Caravan Guard", skills: [2]Skill{Perception, Survival},
		past: []string{
			"walked beside other people's silk for nine dry seasons",
			"took the last watch on the salt road and lost only one wagon",
		},
		traits: []string{
			"wakes at every change of the wind",
			"walks at the back, where trouble comes from",
			"shares water before being asked and advice only afterwards",
			"names each mule and none of the merchants",
			"checks the knots that somebody else has tied",
			"judges a camp by what can be seen from it",
		},
		ideals: ideals{
			good:    "holds that nobody is left behind on the road, whatever they paid",
			evil:    "believes that protection is worth exactly what the frightened will give",
			lawful:  "considers a day's hire a day's oath",
			chaotic: "holds that whoever draws a line across a road deserves to see it crossed",
			any: []string{
				"believes that careful people live to be called lucky",
				"wants to see where the road ends, since it must",
			},
		},
		bonds: []string{
			"still carries the bell of the wagon that was lost",
			"is sworn to a well keeper in the desert who once asked for nothing",
			"writes down every traveller's name, so that somebody knows who passed",
			"is searching for a caravan that never came out of the hills",
		},
		flaws: []string{
			"sees an ambush in every picnic",
			"decides quickly whom to save and regrets it slowly",
			"cannot sleep under a roof and complains of it",
			"talks to animals with a patience that people never get",
		},
	},
	{
		name: "Drover", skills: [2]Skill{AnimalHandling, Survival},
		past: []string{
			"drove black cattle over the passes before the first snow",
			"spent more nights with sheep than with people, and better ones",
		},
		traits: []string{
			"clicks the tongue at dogs, horses and slow thinkers alike",
			"forecasts the weather from a bad knee, and is right",
			"eats standing up, facing uphill",
			"takes an hour to answer a hard question and then answers it",
			"treats a lost lamb and a lost lord with the same tired kindness",
			"whistles a tune that no one else can finish",
		},
		ideals: ideals{
			good:    "believes that the weakest of the herd sets the pace for all",
			evil:    "holds that most people are cattle and want only driving",
			lawful:  "keeps to the old ways and grazing rights, stone by stone",
			chaotic: "holds that no fence was ever put up for the good of those inside",
			any: []string{
				"believes that patience wins against teeth",
				"wants nothing that could not be carried over a pass",
			},
		},
		bonds: []string{
			"follows the tracks of the raiders who took a whole season's herd",
			"is the last who knows the high path that a mother found",
			"promised a dying dog's pup to a child in the valley and means to deliver it",
			"pays the winter rent of an old shepherd who would be ashamed to know",
		},
		flaws: []string{
			"holds townsfolk to be soft in the head and tells them so",
			"would rather lose a day than admit to the wrong path",
			"never says what is wrong until it has gone wrong",
			"grieves for beasts and has nothing left for people",
		},
	},
	{
		name: "Courier", skills: [2]Skill{Athletics, Persuasion},
		past: []string{
			"ran sealed orders between two armies that both missed their pay",
			"rode the post road in all weathers until the post was abolished",
		},
		traits: []string{
			"reckons every distance in hours and every hour in lost chances",
			"repeats names aloud so as never to deliver to the wrong one",
			"talks sentries into holding the horse",
			"cannot sit through a meal without looking at the door",
			"collects gossip along the way and gives it out as small change",
			"laces the boots twice before any promise",
		},
		ideals: ideals{
			good:    "believes that bad news should be brought by somebody who stays for the tears",
			evil:    "holds that a message is worth most to the one it was not meant for",
			lawful:  "holds the seal of a letter to be holier than any altar",
			chaotic: "believes that words belong to whoever needs them most",
			any: []string{
				"wants to arrive: the rest is scenery",
				"believes that anybody can be talked to in the first minute",
			},
		},
		bonds: []string{
			"carries one letter that came a day too late and was never handed over",
			"loves somebody met for a quarter of an hour at a change of horses",
			"is indebted to a ferry family for a night without questions",
			"looks for the officer whose false order sent forty soldiers into a bog",
		},
		flaws: []string{
			"makes promises at a gallop and remembers them at a walk",
			"reads haste into everything and starts before the plan is finished",
			"is proud of never having been caught, to everyone's weariness",
			"leaves before goodbyes can be said",
		},
	},
	{
		name: "Bounty Hunter", skills: [2]Skill{Intimidation, Investigation},
		past: []string{
			"brought in deserters for a garrison that paid by the head",
			"tracked forgers through five towns and a wedding",
		},
		traits: []string{
			"asks the same question three times in three tones",
			"sits with the back to the wall and the eyes on the hands of others",
			"knows a faked limp at forty paces",
			"is gentle with those already caught",
			"keeps the old warrants folded small as a kind of diary",
			"never uses a name until sure that it is the right one",
		},
		ideals: ideals{
			good:    "brings them in alive, because a warrant may be wrong",
			evil:    "holds that guilt is the business of whoever pays",
			lawful:  "believes that the law is worth nothing where nobody fetches the guilty",
			chaotic: "lets go those who have run from something worse than a judge",
			any: []string{
				"believes that everybody leaves a trail and few bother to read it",
				"wants the truth of a matter more than the purse for it",
			},
		},
		bonds: []string{
			"is after one last name, a brother's",
			"keeps an eye on the family of somebody who was brought in and hanged",
			"rides with a debt of honour to the quarry that once cut the rope",
			"works to buy a small house that stands empty by a mill",
		},
		flaws: []string{
			"questions friends as though they were suspects",
			"would follow a trail past a burning house",
			"drinks on the day that a bounty is paid",
			"believes the worst of people and is hurt when it is true",
		},
	},
	{
		name: "Deckhand", skills: [2]Skill{Acrobatics, Athletics},
		past: []string{
			"worked the rigging of a grain ship until it went down in sight of harbour",
			"was pressed into a war fleet at fifteen and jumped over its side at twenty",
		},
		traits: []string{
			"calls left and right by the names that ships have for them",
			"climbs something high to think",
			"spits over the shoulder before speaking of tomorrow",
			"can sleep anywhere that moves and hardly anywhere that does not",
			"sings the work along and gives everyone a part",
			"ties whatever is loose and unties whatever is not needed",
		},
		ideals: ideals{
			good:    "believes that a drowning enemy is only somebody drowning",
			evil:    "holds that the sea keeps no witnesses and neither need anyone else",
			lawful:  "trusts in a crew where each has a post and keeps it",
			chaotic: "will serve under no captain who cannot be voted out",
			any: []string{
				"believes that what is shared in a storm stays shared on land",
				"wants a horizon in at least one window",
			},
		},
		bonds: []string{
			"wears a ring on a cord for a shipmate who went under",
			"means to raise the wreck, or at least its bell",
			"keeps faith with a harbour boy who warned of the press gang",
			"has sworn to strike a certain lieutenant, once, on dry land",
		},
		flaws: []string{
			"takes every silence ashore for the calm before something",
			"gambles with anyone who calls it a tradition",
			"obeys a loud enough order before thinking about it",
			"is uneasy around graves, cats and people who whistle indoors",
		},
	},
	{
		name: "Lighthouse Keeper", skills: [2]Skill{Nature, Perception},
		past: []string{
			"tended a lamp on a rock that had visitors twice a year",
			"watched one stretch of sea for so long that the fog had names",
		},
		traits: []string{
			"speaks to nobody in particular and is surprised by answers",
			"notices a change of light before a change of mood",
			"keeps lists of birds, ships and odd dreams",
			"rises in the night to see whether the fire still burns",
			"polishes metal when listening",
			"enjoys company in small amounts, like strong drink",
		},
		ideals: ideals{
			good:    "believes that a light is owed to everyone, pirates included",
			evil:    "learned that a lamp moved by a hundred paces can feed a poor coast",
			lawful:  "does what has to be done at the hour when it has to be done",
			chaotic: "trusts tides and birds and no order that comes in an envelope",
			any: []string{
				"believes that looking long enough is a form of understanding",
				"holds that what the sea gives back was meant to be found",
			},
		},
		bonds: []string{
			"saw a ship founder on the one night the lamp was out, and knows her name",
			"writes to a keeper on the next rock, whom no one has ever seen",
			"keeps a bottle with a map that came in on a spring tide",
			"has promised the grandmother's lamp to no one yet and worries about it",
		},
		flaws: []string{
			"forgets to mention the things that seem obvious from a tower",
			"takes interruptions for shipwrecks",
			"would sooner watch a disaster than shout",
			"mistrusts whatever comes from inland",
		},
	},
}
