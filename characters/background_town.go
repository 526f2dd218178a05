package characters

// townBackgrounds are those of streets, markets and back rooms.
var townBackgrounds = []background{
	{
		name: "Market Thief", skills: [2]Skill{SleightOfHand, Stealth},
		past: []string{
			"lived for six summers off the purses of a fish market",
			"learned to walk quietly under the stalls of a town that hanged its thieves",
		},
		traits: []string{
			"notices every clasp, lock and loose board in a room before noticing the people",
			"gives small stolen things away as presents, often to those they came from",
			"never stands with both hands in plain sight",
			"keeps a second way out in mind even while laughing",
			"haggles for things that are already free",
			"hums when nervous and stops humming when in danger",
		},
		ideals: ideals{
			good:    "holds that only those with full larders may be robbed",
			evil:    "believes that whatever is left unguarded has been given away",
			lawful:  "keeps every bargain made among thieves, since nobody else will enforce one",
			chaotic: "holds that a locked door is an insult to everyone outside it",
			any: []string{
				"believes that skill deserves respect, whatever it is used for",
				"wants to own, just once, a thing honestly bought and dearly paid for",
			},
		},
		bonds: []string{
			"still leaves coins at the door of the baker who lied to the watch one winter night",
			"is looking for the partner who was caught the night the rope slipped",
			"taught three orphans the trade and feels answerable for their necks",
			"carries a silver comb that was too beautiful to sell",
		},
		flaws: []string{
			"cannot pass a full pocket without testing it",
			"runs first and asks afterwards whether there was any need",
			"takes every watchman's question for an accusation",
			"promises a share to more people than there are shares",
		},
	},
	{
		name: "Street Player", skills: [2]Skill{Acrobatics, Performance},
		past: []string{
			"walked ropes and swallowed fire from one fair to the next",
			"played kings and corpses on a cart that opened into a stage",
		},
		traits: []string{
			"tells every story as if it had happened last week, nearby",
			"mimics a stranger's walk within an hour of meeting them",
			"bows to applause even when it is meant for somebody else",
			"sleeps until noon and is at the height of all powers at midnight",
			"turns a quarrel into a scene and then looks for the audience",
			"mends costumes by the fire, whoever's they are",
		},
		ideals: ideals{
			good:    "believes that an hour of laughter can keep somebody alive until spring",
			evil:    "holds that people who want to be fooled should pay for it",
			lawful:  "keeps the old plays word for word, as they were handed down",
			chaotic: "believes that no crown is safe until somebody has made fun of it",
			any: []string{
				"holds that a thing done gracefully is already half right",
				"would rather be remembered for one great night than for a decent life",
			},
		},
		bonds: []string{
			"means to buy back the painted cart that was lost to a moneylender",
			"writes to a former stage partner who never writes back",
			"keeps the wooden mask of the old player who taught the craft",
			"owes a whole village for a winter's bread and intends to play there for it",
		},
		flaws: []string{
			"cannot leave a silence alone",
			"will say anything that gets a gasp, true or not",
			"sulks for days when somebody else is better liked",
			"spends the takings on the night they are taken",
		},
	},
	{
		name: "Ledger Clerk", skills: [2]Skill{History, Investigation},
		past: []string{
			"kept the toll books of a bridge for eleven years without a blot",
			"copied deeds in a cellar until one of them turned out to be false",
		},
		traits: []string{
			"counts things while thinking: steps, candles, lies",
			"corrects a date in the middle of somebody else's confession",
			"writes the day's doings in a book each night, the embarrassing ones too",
			"trusts paper more than faces and ink more than paper",
			"sharpens quills when angry",
			"remembers what everybody owes and mentions it to nobody",
		},
		ideals: ideals{
			good:    "believes that small people are protected by accurate records",
			evil:    "holds that whoever keeps the books decides what happened",
			lawful:  "holds that a rule written down is kinder than a mood",
			chaotic: "believes that some debts ought to be burned with the paper they stand on",
			any: []string{
				"wants the sum to come out, whatever it shows",
				"believes that nothing is truly past while somebody can still look it up",
			},
		},
		bonds: []string{
			"carries the one page that would clear a dead colleague's name",
			"sends half of all earnings to a sister who was cheated of a farm",
			"hopes to see the great archive at the coast before it floods",
			"protects the old toll keeper who looked away once when it mattered",
		},
		flaws: []string{
			"would rather be exact than be kind",
			"hides behind procedure when courage is wanted",
			"reads other people's letters and calls it thoroughness",
			"keeps a list of slights, with dates",
		},
	},
	{
		name: "Card Sharp", skills: [2]Skill{Deception, SleightOfHand},
		past: []string{
			"won and lost a tavern in the course of one night",
			"dealt cards on the river boats under seven different names",
		},
		traits: []string{
			"offers a wager on anything, from the weather to the truth of a stranger's tale",
			"smiles most warmly when holding nothing",
			"rolls a copper over the knuckles to help thinking",
			"reads a table of people before reading a page",
			"pays small debts at once and large ones with a story",
			"never takes the seat that is offered",
		},
		ideals: ideals{
			good:    "never plays against anybody who needs the money to eat",
			evil:    "believes that trust is only a stake that the other side has put down",
			lawful:  "holds that even a cheat is bound by the rules of the house",
			chaotic: "lets a coin decide where reason is tired, and abides by it",
			any: []string{
				"believes that luck comes to those who act as if it had",
				"holds that one learns a person's heart by watching them lose",
			},
		},
		bonds: []string{
			"is saving to buy the river boat on which it all began",
			"hunts the masked player who won a family ring with a seventh ace",
			"would do anything for the innkeeper who took a knife in a quarrel over cards",
			"still has the first marked deck, a gift from a grandmother",
		},
		flaws: []string{
			"doubles the stake when the sensible thing is to go home",
			"lies out of habit, even about breakfast",
			"believes that every kindness hides a second deal",
			"has debts in every port and forgets which",
		},
	},
	{
		name: "Pit Fighter", skills: [2]Skill{Athletics, Intimidation},
		past: []string{
			"fought for wagers in a drained cistern under the city",
			"was sold into the ring for a debt and fought the way out of it",
		},
		traits: []string{
			"measures everyone by reach and weight before the first greeting",
			"shares food without being asked and never takes the last of it",
			"laughs at threats and goes quiet at compliments",
			"greets old opponents like family",
			"stretches every morning as if the bell were about to ring",
			"speaks of pain as others do of weather",
		},
		ideals: ideals{
			good:    "believes that strength is on loan from those who have none",
			evil:    "holds that the one left standing was right",
			lawful:  "never strikes before the bell nor after it",
			chaotic: "will bow to nobody who has not bled in the same sand",
			any: []string{
				"believes that fear is an honest adviser and a bad master",
				"wants one fight that nobody has been paid for",
			},
		},
		bonds: []string{
			"visits the grave of the friend who was killed in a match arranged to be lost",
			"means to free those who still fight in the cistern",
			"wears the old trainer's hand wraps under every glove",
			"has a child somewhere in the northern towns and a drawing of her",
		},
		flaws: []string{
			"takes a raised voice for a challenge",
			"cannot bear to be thought afraid",
			"hears boasting as a request",
			"trusts nobody who has soft hands",
		},
	},
	{
		name: "Smuggler", skills: [2]Skill{Deception, Stealth},
		past: []string{
			"ran salt and letters past the customs boats on moonless nights",
			"knew each cave of the east shore and what was hidden in it",
		},
		traits: []string{
			"answers a question with a better question",
			"packs so that everything can be dropped at once and nothing is missed",
			"knows the price of every thing in three towns",
			"names the phase of the moon without looking up",
			"is on first-name terms with half of the guards and all of their dogs",
			"talks at length about nothing when there is something to hide",
		},
		ideals: ideals{
			good:    "believes that a border has never yet fed anybody",
			evil:    "holds that everything and everyone has a landing price",
			lawful:  "delivers what was paid for, sealed, and never looks inside",
			chaotic: "holds that a tax is only a robbery with a stamp on it",
			any: []string{
				"believes that silence is the one cargo that always gains in value",
				"wants to know what lies beyond the last marked bay",
			},
		},
		bonds: []string{
			"owes freedom to a customs officer who pretended to be asleep",
			"is bound to an old crew by a promise made in a sinking boat",
			"keeps a family of refugees hidden and fed",
			"guards a sealed chest whose owner never came for it",
		},
		flaws: []string{
			"tells nobody the whole plan, not even those who have to carry it out",
			"sees an informer behind every friendly face",
			"takes the secret path even where the road is shorter",
			"cannot resist a cargo that is said to be impossible",
		},
	},
}
