package view

import (
	"slices"
	"strings"
)

// Talk is a transcript.
type Talk struct {
	Lines []Line
}

// Line is one entry of a transcript.
type Line struct {
	ID     string // an anchor, or empty
	Mark   string // such as its number
	URL    string // where its mark leads; empty: nowhere
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
	Found  []Found  // stretches of speech, deed and text that are pointed out
}

// Found is a stretch of a line that is pointed out, where it first occurs in one of its texts.
type Found struct {
	Text  string
	Mark  string // such as its number in a list
	Title string
}

// Stretch is a part of a text, pointed out where it has marks.
type Stretch struct {
	Text  string
	Marks []Found
}

// Stretches cuts a text of a line at what is pointed out in it. Where two such stretches overlap, the one that
// begins first has the marks of both.
func (l *Line) Stretches(text string) []Stretch {
	type place struct {
		from, to int
		found    Found
	}
	var places []place
	for _, f := range l.Found {
		if i := strings.Index(text, f.Text); i >= 0 && f.Text != "" {
			places = append(places, place{i, i + len(f.Text), f})
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.from - b.from })
	var parts []Stretch
	at := 0
	for _, p := range places {
		if p.from < at {
			last := &parts[len(parts)-1]
			last.Marks = append(last.Marks, p.found)
			end := max(at, p.to)
			last.Text, at = last.Text+text[at:end], end
			continue
		}
		if p.from > at {
			parts = append(parts, Stretch{Text: text[at:p.from]})
		}
		parts = append(parts, Stretch{Text: text[p.from:p.to], Marks: []Found{p.found}})
		at = p.to
	}
	if at < len(text) {
		parts = append(parts, Stretch{Text: text[at:]})
	}
	return parts
}
