package view

// Talk is a transcript.
type Talk struct {
	Lines []Line
}

// Line is one entry of a transcript.
type Line struct {
	ID     string // an anchor, or empty
	Mark   string // such as its number
	Who    string // empty: nobody, as in narration
	To     string // said to these alone; empty: to all
	Series int    // who by colour: 0, 1, 2 ...
	Speech string
	Deed   string
	Text   string   // narration, or an answer out of play
	Aside  bool     // out of play
	Notes  []string // what is to be known of it
	Faults []string // what was wrong with it
	Raw    string   // the reply as it came, folded; empty: nothing to show
}
