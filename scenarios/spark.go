package scenarios

import "math/rand/v2"

// topics and settings are drawn where none is given.
var (
	topics   = []string{"item", "place", "creature", "person", "plot", "rite", "song", "law", "sickness", "ship", "weapon", "tree", "book", "feast"}
	settings = []string{
		"a rescue", "a trial", "a theft", "a festival", "a siege", "a negotiation", "a journey cut short", "a house with one locked room",
		"a market on its last day", "a funeral", "a contest", "a shipwreck", "an audience at court", "a ruin after rain",
	}
)

// sparks are worked into what a model writes, two at a time.
var sparks = []string{
	"a debt older than both parties", "something kept in vinegar", "a left-handed sexton", "nine identical doors", "a bridge of bones",
	"a bell that nobody rings", "a map drawn on leather", "a tax on shadows", "an honest smuggler", "a flock of white crows", "a wager between brothers",
	"a wooden tooth", "salt where there should be snow", "a clock that loses an hour", "a wedding that was called off", "a mill without a river",
	"a tame bear", "a stolen signature", "a lamp that burns upwards of a century", "a village of twins", "a well with an echo that answers",
	"a duke who is never seen to eat", "a letter opened too late", "an orchard on a roof", "a saint nobody prays to", "a ferry that runs on Tuesdays",
	"a coin with three sides", "a choir of the deaf", "a fog that comes from a cellar", "a horse that refuses one road", "a glove found in the ice",
	"a password that is a recipe", "a painter who works blindfold", "a crown pawned for bread", "a hive in a cannon", "a spoon worth a castle",
}

// draw returns two different sparks.
func draw(r *rand.Rand) []string {
	first := r.IntN(len(sparks))
	second := r.IntN(len(sparks) - 1)
	if second >= first {
		second++
	}
	return []string{sparks[first], sparks[second]}
}
