package corpora

import (
	"fmt"
	"slices"

	"parley/eval/ieg"
)

// stretches cuts a session into consecutive stretches of maxLines lines, each with all checks that are rolled in it:
// the windows of AntEval. A check belongs to the play before it. Hidden lines ask for checks or answer with their
// totals; they are left out, and so are lines that name a check of the stretch. A rest of less than half a stretch,
// and a stretch without a check, are none.
func (f *File) stretches(x ieg.Interaction, lines []ieg.Line, rolls []roll, hidden map[int]bool) (out []ieg.Interaction) {
	for from := 0; from < len(lines); from += maxLines {
		to := min(from+maxLines, len(lines))
		s := x
		s.ID, s.Lines, s.Intentions = fmt.Sprintf("%s:%s:stretch%d", x.Source, x.Group, from/maxLines+1), nil, nil
		for _, r := range rolls {
			t := ieg.Intention{Character: r.who, Skill: r.skill}
			if from < r.after && r.after <= to && !slices.Contains(s.Intentions, t) {
				s.Intentions = append(s.Intentions, t)
			}
		}
		for i := from; i < to; i++ {
			told := slices.ContainsFunc(s.Intentions, func(t ieg.Intention) bool { return tells(lines[i].Text, t.Skill) })
			if !hidden[i] && !told {
				s.Lines = append(s.Lines, lines[i])
			}
		}
		switch {
		case len(s.Intentions) == 0:
			f.Tally.leave("a stretch of play without a check")
		case 2*(to-from) < maxLines || len(s.Lines) == 0:
			f.Tally.leave("a rest of less than half a stretch")
		default:
			s.Cast = slices.Clone(x.Cast)
			out = append(out, s)
		}
	}
	return out
}
