package characters

// hallBackgrounds are those of temples, towers, courts and graves.
var hallBackgrounds = []background{
	{
		name: "Bell Warden", skills: [2]Skill{Insight, Religion},
		past: []string{
			"rang the hours at a shrine until the bell was melted for war",
			"swept a temple floor for ten years and heard everything said on it",
		},
		traits: []string{
			"falls silent on the hour, wherever that happens to be",
			"finds something in every quarrel that both sides could agree on",
			"quotes hymns, the less proper verses too",
			"listens with closed eyes, which people mistake for sleep",
			"blesses meals, bridges and bad ideas",
			"lights a candle for each stranger met on the road and has run out twice",
		},
		ideals: ideals{
			good:    "believes that mercy is the only offering that any god has ever needed",
			evil:    "holds that the faithful are a flock and that flocks are for shearing",
			lawful:  "keeps the rites to the letter, because doubt enters by the gaps",
			chaotic: "holds that the gods speak to whom they like and not by way of bishops",
			any: []string{
				"believes that a thing confessed weighs half as much",
				"wants to hear one true answer before the end",
			},
		},
		bonds: []string{
			"is gathering bronze, piece by piece, for a new bell",
			"owes everything to an abbess who is said to have lost her faith",
			"seeks the author of an unsigned confession",
			"keeps the key to a crypt that must stay shut",
		},
		flaws: []string{
			"forgives too early and is forgiven too seldom",
			"takes every accident for a sign",
			"listens to secrets with more appetite than is holy",
			"talks down to unbelievers in a very patient voice",
		},
	},
	{
		name: "Herbalist", skills: [2]Skill{Medicine, Nature},
		past: []string{
			"cured fevers in villages too poor for a physician",
			"gathered roots for an old woman whom some called a witch and all sent for",
		},
		traits: []string{
			"tastes unknown leaves before anyone can object",
			"asks how people have slept and waits for the answer",
			"smells of mint, smoke or worse, as the season has it",
			"talks of illnesses at table with real affection",
			"steps around flowers and over most rules of politeness",
			"washes hands three times a day and thinks less of those who do not",
		},
		ideals: ideals{
			good:    "believes that whoever can help must, and may grumble about it",
			evil:    "holds that the dose decides and that it is a fine thing to hold the spoon",
			lawful:  "follows the old recipes and writes down whoever dies of a new one",
			chaotic: "lets nature do as it likes and people too, within reason",
			any: []string{
				"believes that most evils begin as something untreated",
				"wants to find a cure for the grey cough before it finds another town",
			},
		},
		bonds: []string{
			"tends a walled garden from afar through letters to a neighbour's boy",
			"could not save one patient and visits her family every year",
			"guards the old woman's receipt book, which others would kill for",
			"is trusted by a village that has trusted no one since",
		},
		flaws: []string{
			"tries out remedies on friends without saying so",
			"cannot let a wound alone, not even an old one of the heart",
			"takes plants from gardens, temples and graves",
			"tells people the truth about their health unasked",
		},
	},
	{
		name: "Fallen Noble", skills: [2]Skill{History, Persuasion},
		past: []string{
			"was raised to inherit a valley that now belongs to the bank",
			"danced at court until a cousin spoke the wrong toast",
		},
		traits: []string{
			"waits a moment at doors, from habit, for somebody to open them",
			"remembers every pedigree and forgets every price",
			"thanks servants by name and guards by rank",
			"mends fine clothes so that the mending does not show",
			"treats hardship as if it were a country visited for pleasure",
			"settles disputes nobody has asked to have settled",
		},
		ideals: ideals{
			good:    "believes that a title is a debt to those who have none",
			evil:    "intends to be feared, since being loved has been tried",
			lawful:  "holds that oaths bind the oathtaker's whole line",
			chaotic: "has come to think that crowns are hats",
			any: []string{
				"believes that manners are what remains when all else is sold",
				"wants the house back, or else to stop wanting it",
			},
		},
		bonds: []string{
			"wears a signet that may no longer be used",
			"watches over the old steward, who works in a laundry now",
			"has sworn to learn who forged the letter that ruined the house",
			"keeps writing to a younger brother who serves the usurper",
		},
		flaws: []string{
			"spends money in the way of one who never had to count it",
			"cannot apologise without a speech",
			"takes good advice only from equals and finds few",
			"believes any flattery that mentions the family",
		},
	},
	{
		name: "Tower Apprentice", skills: [2]Skill{Arcana, Investigation},
		past: []string{
			"ground pigments and cleaned cages for a wizard who never learned the apprentice's name",
			"spent seven years in a tower and was asked to leave after one experiment",
		},
		traits: []string{
			"explains how a thing works while it is still falling",
			"carries chalk, string and a spoon, and has used all three to survive",
			"takes notes on the cuffs",
			"is delighted by any failure that makes a new colour",
			"sorts a room's contents by danger upon entering",
			"mutters both sides of an argument",
		},
		ideals: ideals{
			good:    "believes that knowledge locked in a tower is a kind of famine",
			evil:    "holds that whatever can be done will be done, so better first than second",
			lawful:  "believes in method: one change at a time and everything written down",
			chaotic: "holds that the forbidden shelf is the only one worth reading",
			any: []string{
				"would give a finger for a really good question",
				"believes that magic is a language and that somebody must have spoken it",
			},
		},
		bonds: []string{
			"has a page of the master's last book and no idea what it is for",
			"feels responsible for something that got out of its jar",
			"shares a cipher with a fellow apprentice who has vanished",
			"wants to be called by name, once, by the old wizard",
		},
		flaws: []string{
			"opens it in order to see what is inside",
			"thinks that people will be reasonable once they are given the facts",
			"forgets to eat, to sleep and to warn others",
			"claims to understand half a minute before it is so",
		},
	},
	{
		name: "Gravedigger", skills: [2]Skill{Medicine, Religion},
		past: []string{
			"buried the dead of a plague year, friends included",
			"kept a hill of graves in order for a town that had forgotten them",
		},
		traits: []string{
			"has a joke for every funeral and the tact to wait until after it",
			"guesses people's height exactly",
			"reads inscriptions aloud so that the names get some use",
			"digs neat holes, even for a camp fire",
			"is at ease with the dying and clumsy with the newly wed",
			"brushes earth off things that are perfectly clean",
		},
		ideals: ideals{
			good:    "believes that everybody deserves one person who says the name right",
			evil:    "holds that the dead need nothing and carry far too much of it",
			lawful:  "sees to it that the buried stay buried, as was agreed",
			chaotic: "finds all ranks equally deep and treats the living accordingly",
			any: []string{
				"believes that most hurry is fear in a hat",
				"wants to know what the silent ones know, though not just yet",
			},
		},
		bonds: []string{
			"dug one grave that turned out empty, and cannot leave it be",
			"keeps the rings of those whose kin have not yet come",
			"talks over each day with a wife who lies on the east slope",
			"promised a hanged stranger to bring word home",
		},
		flaws: []string{
			"says that everyone ends the same way, at weddings too",
			"keeps a thing for the dead that the living could use",
			"drinks with the sexton's thirst",
			"would rather dig than talk it out",
		},
	},
	{
		name: "Relic Hunter", skills: [2]Skill{Arcana, History},
		past: []string{
			"crawled through drowned temples on behalf of collectors with clean hands",
			"dug up a king, found the wrong one and was dismissed for saying so",
		},
		traits: []string{
			"knocks on walls while talking",
			"dates a pot by its rim and a lie by its details",
			"packs three lamps and no soap",
			"speaks two dead languages better than any living one",
			"bargains like a fishwife and weeps over broken glass",
			"knows a curse from a warning, usually in time",
		},
		ideals: ideals{
			good:    "believes that what a people has lost should be brought back to it",
			evil:    "holds that history goes to whoever has the crowbar",
			lawful:  "draws and measures everything before a single stone is moved",
			chaotic: "holds that kings should have taken it with them if they wanted to keep it",
			any: []string{
				"believes that every ruin is a letter that somebody forgot to open",
				"wants to be right about the ninth dynasty, in front of witnesses",
			},
		},
		bonds: []string{
			"lost a mentor behind a door that closed and is studying how to open it",
			"carries half of a clay tablet, of which a rival has the rest",
			"owes passage home to the diggers of a camp that was never paid",
			"swore to bring a stolen idol back to the island of its makers",
		},
		flaws: []string{
			"says just one more chamber, and means it each time",
			"pockets small things for safe keeping",
			"lectures in the presence of danger",
			"trusts a map more than the ground",
		},
	},
}
