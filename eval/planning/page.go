package planning

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"parley/eval/report"
	"parley/eval/report/view"
	"parley/eval/run"
)

// maxShown is how many answers of each arm and task the page shows in full.
const maxShown = 20

// Report writes the page of a run.
func (e *Evaluation) Report(dir string, m *run.Manifest, w io.Writer) error {
	rows, err := Answers.All(dir)
	if err != nil {
		return err
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

// spread draws histograms by task and domain with a panel for each arm, and, folded, with one for each range of sizes.
func (e *Evaluation) spread(rows []Row) (blocks []view.Block) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Value == nil })
	domains, seen := map[string]bool{}, map[int]bool{}
	for i := range rows {
		domains[rows[i].Domain], seen[rows[i].Size] = true, true
	}
	var labels []string // of at most 4 ranges of sizes
	labelOf, sizes := map[int]string{}, slices.Sorted(maps.Keys(seen))
	for part := range slices.Chunk(sizes, max(1, (len(sizes)+3)/4)) {
		labels = append(labels, fmt.Sprintf("%d to %d objects", part[0], part[len(part)-1]))
		for _, size := range part {
			labelOf[size] = labels[len(labels)-1]
		}
	}
	bySize := &view.Fold{ID: "by-size", Summary: "By the number of objects"}
	for _, task := range e.config.Tasks {
		for _, domain := range slices.Sorted(maps.Keys(domains)) {
			blocks = append(blocks, histogram(fmt.Sprintf("spread-%d", len(blocks)+1), domain, task, e.config.Model, rows, func(r *Row) (string, bool) {
				return r.Arm, r.Domain == domain
			}))
		}
		for _, arm := range e.config.Model {
			bySize.Blocks = append(bySize.Blocks, histogram(fmt.Sprintf("size-%d", len(bySize.Blocks)), arm, task, labels, rows, func(r *Row) (string, bool) {
				return labelOf[r.Size], r.Arm == arm
			}))
		}
	}
	return append(blocks, bySize)
}

// histogram draws the values of the answers to a task, a panel for each label.
func histogram(id, title string, task Task, labels []string, rows []Row, labelOf func(*Row) (label string, ok bool)) *view.Figure {
	title = string(task) + ", " + title
	bars := &view.Bars{Title: title, X: view.Axis{Name: measureOf(task)}, Y: view.Axis{Name: "answers"}, Labels: binLabels}
	for series, label := range labels {
		bars.Panels = append(bars.Panels, view.Panel{Label: label, Series: series, Values: make([]float64, len(binLabels))})
	}
	for i := range rows {
		if label, ok := labelOf(&rows[i]); ok && rows[i].Task == task {
			bars.Panels[slices.Index(labels, label)].Values[bin(*rows[i].Value)]++
		}
	}
	return &view.Figure{ID: id, Plot: bars, Caption: title + ". Exactly 0 and exactly 1 have bars of their own; " + measureOf(task) + "."}
}

// readings counts answers by status and items by class.
func (e *Evaluation) readings(rows []Row) []view.Block {
	statuses := &view.Table{Caption: "Answers by what they are.", Head: view.Columns("Arm", "Task", "Status", "#Answers")}
	classes := &view.Table{Caption: "Items of answers by how they relate to the problem. Items that are well formed but name something unknown count as answered.", Head: view.Columns("Arm", "Task", "Class", "#Items")}
	for _, arm := range e.config.Model {
		for _, task := range e.config.Tasks {
			byStatus, byClass := map[Status]int{}, map[Class]int{}
			for _, r := range rows {
				if r.Arm != arm || r.Task != task || r.Status == "" {
					continue
				}
				byStatus[r.Status]++
				for _, it := range r.Items {
					byClass[it.Class]++
				}
				if len(r.Unread) > 0 {
					byClass["lines that were not read"] += len(r.Unread)
				}
			}
			for _, s := range slices.Sorted(maps.Keys(byStatus)) {
				statuses.Add(arm, string(task), string(s), fmt.Sprint(byStatus[s]))
			}
			for _, c := range slices.Sorted(maps.Keys(byClass)) {
				classes.Add(arm, string(task), string(c), fmt.Sprint(byClass[c]))
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
		missing := slices.Clone(q.Truth)
		items := &view.Table{Caption: "Items of the answer.", Head: view.Columns("Item", "Class", "True", "Read from")}
		for _, it := range r.Items {
			tone, right := "good", "yes" // true; bad: well formed and not true; doubtful: anything else
			if !slices.Contains(q.Truth, it.Item) {
				tone, right = "bad", "no"
			}
			if it.Class != Valid {
				tone = "doubtful"
			}
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == it.Item })
			items.Rows = append(items.Rows, []view.Cell{{Text: it.Item, Tone: tone}, {Text: string(it.Class), Tone: tone}, {Text: right}, {Text: view.Clip(it.Text, 120)}})
		}
		for _, u := range r.Unread {
			items.Rows = append(items.Rows, []view.Cell{{Text: "–", Grey: true}, {Text: u.Reason, Grey: true}, {}, {Text: view.Clip(u.Text, 120)}})
		}
		facts := view.Facts{
			{Name: "Truth", Text: q.Truth}, {Name: "Missing", Text: missing}, {Name: "Score", Text: []string{score}},
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
