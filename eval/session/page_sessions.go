package session

import (
	"fmt"

	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
)

// maxText is the most characters of one speech, answer or reply on a page; the streams hold all.
const maxText = 3000

// sessionBlocks is the list of sessions, and complete transcripts of a handful.
func sessionBlocks(m *run.Manifest, d *pageData) []view.Block {
	caption := "Sessions. Those with a link have their transcript below."
	if d.left > 0 {
		caption = fmt.Sprintf("The first sessions of each arm, and failed ones; %s more are in sessions.parquet. Those with a link have their transcript below.", report.Grouped(int64(d.left)))
	}
	list := &view.Table{Caption: caption, Head: view.Columns("Session", "Arm", "About", "State", "Ended by", "#Turns", "#Valid")}
	spoken := map[string]bool{}
	for _, s := range d.spoken {
		spoken[s.Session] = true
	}
	for i := range d.sessions {
		s := &d.sessions[i]
		id := view.Cell{Text: s.ID}
		if spoken[s.ID] {
			id.To = transcriptID(s.ID)
		}
		state := view.Cell{Text: string(s.State), Note: view.Clip(s.Error, 160)}
		list.Rows = append(list.Rows, []view.Cell{
			id, {Text: s.Arm}, {Text: s.Title}, state, {Text: s.Ended}, {Text: fmt.Sprint(s.Turns)},
			{Text: fmt.Sprintf("%d of %d", s.Valid, s.Moves)},
		})
	}
	if len(list.Rows) == 0 {
		return []view.Block{view.Text(fmt.Sprintf("No session is done yet: the run is %s.", m.State))}
	}
	blocks := []view.Block{}
	if len(list.Rows) > 20 {
		blocks = append(blocks, &view.Fold{Summary: fmt.Sprintf("The list of %d sessions", len(list.Rows)), Blocks: []view.Block{list}})
	} else {
		blocks = append(blocks, list)
	}
	blocks = append(blocks, view.Text("The first session of each arm, with all that was said. parley show DIR --session ID shows any other; --calls adds prompts and replies."))
	for _, s := range d.spoken {
		blocks = append(blocks, s.fold())
	}
	return blocks
}

// transcriptID is the anchor of a session's transcript. Session ids are letters, digits and hyphens.
func transcriptID(session string) string { return "session-" + session }

func (t *Transcript) fold() *view.Fold {
	row := t.Row
	fold := &view.Fold{
		ID:      transcriptID(row.ID),
		Summary: fmt.Sprintf("%s, %s: %s, %d turns", row.ID, row.Arm, row.Title, row.Turns),
		Blocks:  []view.Block{t.Cast()},
	}
	if row.Error != "" {
		fold.Blocks = append(fold.Blocks, view.Text("Failed: "+view.Clip(row.Error, 1000)))
	}
	talk := &view.Talk{}
	for i := range t.Events {
		talk.Lines = append(talk.Lines, t.Line(&t.Events[i], maxText))
	}
	fold.Blocks = append(fold.Blocks, talk)
	if len(t.Scores) == 0 {
		fold.Blocks = append(fold.Blocks, view.Text("Nothing was measured in this session."))
		return fold
	}
	fold.Blocks = append(fold.Blocks, t.ScoreTable(nil))
	for i := range t.Scores {
		if s := &t.Scores[i]; s.Control == "" && s.Turn == 0 && len(s.Evidence) > 0 {
			title, table := t.Evidence(s)
			fold.Blocks = append(fold.Blocks, &view.Fold{Summary: title, Blocks: []view.Block{table}})
		}
	}
	return fold
}
