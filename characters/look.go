package characters

// features and garments complete a race's builds to an appearance: "<build>, with <feature> and
// <garment>".
var features = []string{
	"ink stains up to the wrists", "three fingers on the left hand", "very clean hands", "a tooth of dark wood",
	"a rope scar round the neck", "knuckles like walnuts", "a limp that comes and goes with the weather",
	"a split upper lip", "chalk dust in every crease", "a bite mark on the forearm", "a thumb dyed madder red",
	"lines about the eyes from long looking", "a hand that is never quite still",
	"calluses in places that no honest trade explains", "a silvered scald from wrist to elbow", "one milk-white eye",
	"a scar that splits one eyebrow", "a nose broken at least twice", "a burn the shape of a leaf on one cheek",
	"a blue star tattooed under the ear", "one grey eye and one brown", "small brass rings along one ear",
	"a map of old freckles on both arms", "a rash of powder burns on one hand", "sun-cracked lips",
	"a missing earlobe", "a wen beside the nose", "a neck browned to the collar line",
	"a row of tally marks inked on the wrist", "a long-healed dent in the forehead",
}

// scalable is how many of the features, from the first, go with scales.
const scalable = 16

var garments = []string{
	"a long coat gone green at the elbows", "a cloak pieced from six others", "boots that cost more than the rest",
	"a waistcoat with one gold button left", "a shirt of undyed wool and a rope for a belt", "a hat that has been sat on",
	"gloves with the fingertips cut off", "a scarf wound three times about the neck", "a leather apron full of pockets",
	"a travelling robe hemmed with mud", "a sheepskin turned inside out", "a soldier's jacket without its badges",
	"a velvet sleeve sewn to a canvas jerkin", "a hood lined with rabbit fur", "a belt hung with small tin cups",
	"a raincape of waxed sailcloth", "wrappings of saffron linen", "a mourning band of some years' standing",
	"a brocade coat worn inside out", "a satchel held shut with a fork", "a poncho smelling of juniper",
	"a spotless collar above patched knees", "a quilted vest with the stuffing showing", "a fisherman's smock bleached by salt",
	"a chain of office with the pendant missing", "sandals soled with old harness", "a shawl of faded festival red",
	"a bandolier of corked bottles", "a ferryman's whistle on a cord", "a kirtle the colour of wet slate",
}

// voices are clauses like those of a background.
var voices = []string{
	"speaks low and leaves the ends of sentences hanging",
	"talks fast, in short bursts, like somebody feeding a fire",
	"says little and says it twice",
	"speaks with old-fashioned courtesy, even to goats",
	"drawls, and stretches the last word of any question",
	"whispers when angry and booms when pleased",
	"puts most things as questions",
	"talks in proverbs, some of them made up on the spot",
	"swears mildly and often, by kitchen tools",
	"has a laugh that comes before the joke",
	"counts points off on the fingers, however few there are",
	"clips every word, as if charged by the letter",
	"speaks in a warm rasp, from smoke or shouting",
	"begins in the middle and circles back to the start",
	"gives everyone a nickname and keeps to it",
	"answers with a story and leaves the rest to the listener",
	"speaks plainly, in the fewest words that will carry it",
	"tends to finish other people's sentences, wrongly",
	"pauses before names, as if tasting them",
	"talks of the future with great certainty and of the past with none",
	"rolls every r and is proud of it",
	"has a clear, carrying voice made for bad weather",
	"thinks aloud and then denies it",
	"never raises the voice and never has to",
	"lards any speech with terms of the trade",
	"murmurs politely until crossed, and then is very loud",
	"sounds forever on the point of yawning",
	"speaks slowly, as if each word were paid for",
	"sings a line now and then where others would curse",
	"calls everyone friend in a tone that could mean either",
}
