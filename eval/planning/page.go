package planning

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
)

// maxShown is how many answers of each arm and task the page shows in full.
const maxShown = 20

// Report writes the page of a run.
func (e *Evaluation) Report(dir string, m *run.Manifest, w io.Writer) error {
	var rows []Row
	for r, err := range Answers.Read(dir) {
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	questions := map[string]*Question{}
	for q, err := range Questions.Read(dir) {
		if err != nil {
			return err
		}
		questions[q.ID] = &q
	}
	c := e.config
	page := &report.Page{
		Manifest: m, Metrics: e.Metrics(), Config: c, Rerun: "parley run FILE",
		Subtitle: fmt.Sprintf("%d questions of %d tasks to %d models; form %s, seed %d.", len(questions), len(c.Tasks), len(c.Model), c.Form, c.Seed),
		Sections: []view.Section{
			{ID: "scores", Title: "How the scores spread", Blocks: e.spread(rows)},
			{ID: "read", Title: "How answers were read", Blocks: e.readings(rows)},
			{ID: "answers", Title: "Answers", Blocks: e.answers(rows, questions)},
		},
	}
	return page.Write(w)
}

// bins are tenths of the scale, with exactly 0 and exactly 1 apart.
var binLabels = []string{"0", "to .1", "to .2", "to .3", "to .4", "to .5", "to .6", "to .7", "to .8", "to .9", "below 1", "1"}

func bin(v float64) int {
	switch {
	case v <= 0:
		return 0
	case v >= 1:
		return 11
	}
	return 1 + min(9, int(v*10))
}

// measureOf names the value of a row.
func measureOf(t Task) string {
	if t == Plan {
		return "action distance (lower is better)"
	}
	return "IoU (higher is better)"
}

// spread draws a histogram for each task and domain, a panel for each arm, and a table of means by size.
func (e *Evaluation) spread(rows []Row) (blocks []view.Block) {
	type key struct{ task, domain string }
	groups := map[key][]*Row{}
	for i := range rows {
		if rows[i].Value != nil {
			k := key{string(rows[i].Task), rows[i].Domain}
			groups[k] = append(groups[k], &rows[i])
		}
	}
	sizes := &view.Table{Caption: "Means by the number of objects.", Head: view.Columns("Task", "Domain", "Measure", "Arm", "#Objects", "#Mean", "#Answers")}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b key) int {
		return strings.Compare(a.task+"\x00"+a.domain, b.task+"\x00"+b.domain)
	})
	for n, k := range keys {
		bars := &view.Bars{
			Title: fmt.Sprintf("%s, %s", k.task, k.domain), X: view.Axis{Name: measureOf(Task(k.task))}, Y: view.Axis{Name: "answers"}, Labels: binLabels,
		}
		for series, arm := range e.config.Model {
			p := view.Panel{Label: arm, Series: series, Values: make([]float64, len(binLabels))}
			bySize := map[int][2]float64{}
			for _, r := range groups[k] {
				if r.Arm == arm {
					p.Values[bin(*r.Value)]++
					s := bySize[r.Size]
					bySize[r.Size] = [2]float64{s[0] + *r.Value, s[1] + 1}
				}
			}
			bars.Panels = append(bars.Panels, p)
			for _, size := range slices.Sorted(maps.Keys(bySize)) {
				s := bySize[size]
				sizes.Add(k.task, k.domain, measureOf(Task(k.task)), arm, fmt.Sprint(size), fmt.Sprintf("%.2f", s[0]/s[1]), fmt.Sprint(int(s[1])))
			}
		}
		blocks = append(blocks, &view.Figure{ID: fmt.Sprintf("spread-%d", n+1), Plot: bars, Caption: "Exactly 0 and exactly 1 have bars of their own; " + measureOf(Task(k.task)) + "."})
	}
	return append(blocks, sizes)
}

// readings counts answers by status and items by class.
func (e *Evaluation) readings(rows []Row) []view.Block {
	statuses := &view.Table{Caption: "Answers by what they are.", Head: view.Columns("Arm", "Task", "Status", "#Answers")}
	classes := &view.Table{Caption: "Items of answers by how they relate to the problem. Items that are well formed but name something unknown count as answered.", Head: view.Columns("Arm", "Task", "Class", "#Items")}
	for _, arm := range e.config.Model {
		for _, task := range e.config.Tasks {
			byStatus, byClass, unread := map[Status]int{}, map[Class]int{}, 0
			for i := range rows {
				if r := &rows[i]; r.Arm == arm && r.Task == task && r.Status != "" {
					byStatus[r.Status]++
					unread += len(r.Unread)
					for _, it := range r.Items {
						byClass[it.Class]++
					}
				}
			}
			for _, s := range slices.Sorted(maps.Keys(byStatus)) {
				statuses.Add(arm, string(task), string(s), fmt.Sprint(byStatus[s]))
			}
			for _, c := range slices.Sorted(maps.Keys(byClass)) {
				classes.Add(arm, string(task), string(c), fmt.Sprint(byClass[c]))
			}
			if unread > 0 {
				classes.Add(arm, string(task), "lines that were not read", fmt.Sprint(unread))
			}
		}
	}
	return []view.Block{statuses, classes}
}

// answers shows single answers: context, answer with the class of each item, truth and score.
func (e *Evaluation) answers(rows []Row, questions map[string]*Question) (blocks []view.Block) {
	shown := map[string]int{}
	for i := range rows {
		r := &rows[i]
		k := r.Arm + "\x00" + string(r.Task)
		q := questions[r.Question]
		if shown[k]++; shown[k] > maxShown || q == nil {
			continue
		}
		score := "unscored: " + string(r.Status) + r.Error
		if r.Value != nil {
			score = fmt.Sprintf("%s %.2f", measureOf(r.Task), *r.Value)
		}
		items := &view.Table{Caption: "Items of the answer.", Head: view.Columns("Item", "Class", "True", "Read from")}
		for _, it := range r.Items {
			right := view.Cell{Text: "yes"}
			if !slices.Contains(q.Truth, it.Item) {
				right = view.Cell{Text: "no", Grey: true}
			}
			items.Rows = append(items.Rows, []view.Cell{{Text: it.Item}, {Text: string(it.Class), Grey: it.Class != Valid}, right, {Text: view.Clip(it.Text, 120)}})
		}
		for _, u := range r.Unread {
			items.Rows = append(items.Rows, []view.Cell{{Text: "–", Grey: true}, {Text: u.Reason, Grey: true}, {}, {Text: view.Clip(u.Text, 120)}})
		}
		facts := view.Facts{
			{Name: "Truth", Text: q.Truth}, {Name: "Missing", Text: without(q.Truth, itemsOf(r))}, {Name: "Score", Text: []string{score}},
		}
		if r.Reason != "" {
			facts = append(facts, view.Fact{Name: "Not valid", Text: []string{r.Reason}})
		}
		blocks = append(blocks, &view.Fold{
			ID: "answer-" + r.ID, Summary: fmt.Sprintf("%s, %s: %s", r.Arm, r.Question, score),
			Blocks: []view.Block{view.Code(q.Prompt()), view.Code(r.Raw), items, facts},
		})
	}
	if len(rows) > len(blocks) {
		blocks = append(blocks, view.Text(fmt.Sprintf("The first %d answers of each model and task are shown; the table answers has all.", maxShown)))
	}
	return blocks
}

func itemsOf(r *Row) (out []string) {
	for _, i := range r.Items {
		out = append(out, i.Item)
	}
	return out
}
