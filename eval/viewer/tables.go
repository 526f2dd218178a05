package viewer

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"unique"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/session"
	"parley/logs"
)

// The columns that an index reads of each table.
type (
	sessionRow struct {
		ID    string    `json:"id" parquet:"id"`
		Index int       `json:"index" parquet:"index"`
		Arm   string    `json:"arm" parquet:"arm"`
		Title string    `json:"title" parquet:"title"`
		State run.State `json:"state" parquet:"state"`
		Ended string    `json:"ended" parquet:"ended"`
		Error string    `json:"error" parquet:"error"`
		Turns int       `json:"turns" parquet:"turns"`
	}
	eventRow struct {
		Session string `json:"session" parquet:"session"`
		Turn    int    `json:"turn" parquet:"turn"`
		Fault   string `json:"fault" parquet:"fault"`
	}
	scoreRow struct {
		Session string      `json:"session" parquet:"session"`
		Scorer  string      `json:"scorer" parquet:"scorer"`
		Metric  string      `json:"metric" parquet:"metric"`
		Control string      `json:"control" parquet:"control"`
		Turn    int         `json:"turn" parquet:"turn"`
		Value   *float64    `json:"value" parquet:"value,optional"`
		Status  eval.Status `json:"status" parquet:"status"`
		Reason  string      `json:"reason" parquet:"reason"`
		Method  string      `json:"method" parquet:"method"`
	}
	callRow struct {
		Session string `json:"session" parquet:"session"`
	}
	messageRow struct {
		Hash string `json:"hash" parquet:"hash"`
	}
)

// readTables reads what is new in the tables.
func (x *index) readTables() error {
	placed := len(x.items)
	err := scan(x, run.Rows[sessionRow]{Name: session.Sessions.Name}, x.addSession)
	if err == nil {
		err = scan(x, run.Rows[eventRow]{Name: session.Events.Name}, x.addEvent)
	}
	if len(x.items) > placed {
		x.mu.Lock()
		slices.SortFunc(x.items, func(a, b *item) int { return cmp.Compare(a.index, b.index) })
		x.mu.Unlock()
	}
	if err == nil {
		err = scan(x, run.Rows[scoreRow]{Name: run.Scores.Name}, x.addScore)
	}
	if err == nil {
		err = scan(x, run.Rows[callRow]{Name: run.Calls.Name}, func(r *callRow, at logs.Span) {
			if r.Session != "" {
				e := x.entry(r.Session)
				e.at.Calls = e.at.Calls.Join(at)
			}
		})
	}
	if err == nil {
		err = scan(x, run.Rows[messageRow]{Name: run.Messages.Name}, x.addMessage)
	}
	return err
}

func (x *index) addSession(r *sessionRow, at logs.Span) {
	e := x.entry(r.ID)
	e.title, e.ended, e.failure, e.state = intern(r.Title), intern(r.Ended), report.Shorten(r.Error, maxError), r.State
	e.turns, e.at.Row = r.Turns, at
	x.place(e, slices.Index(x.arms, r.Arm), r.Index, r.Arm)
}

func (x *index) addEvent(r *eventRow, at logs.Span) {
	e := x.entry(r.Session)
	e.at.Events = e.at.Events.Join(at)
	if e.state == "" { // under way: its id says where it belongs
		e.turns = max(e.turns, r.Turn)
		var arm, i int
		if e.index < 0 {
			fmt.Sscanf(r.Session, "a%d-%d", &arm, &i)
		}
		if arm > 0 && i > 0 && session.ID(arm-1, i-1) == r.Session {
			x.place(e, arm-1, i-1, "")
		}
	}
	if r.Fault != "" {
		e.faults |= 1 << x.among(&x.faults, r.Fault, maxFaults)
	}
}

// addScore adds a measurement of a whole session. Where a run was scored again, those that are shown count.
func (x *index) addScore(r *scoreRow, at logs.Span) {
	e := x.entry(r.Session)
	e.at.Scores = e.at.Scores.Join(at)
	if r.Turn != 0 || r.Control != "" {
		return
	}
	name := r.Scorer + "/" + r.Metric
	if method, again := x.manifest.Shown[name]; again && method != r.Method {
		return
	}
	i := x.among(&x.metrics, name, maxMetrics)
	if i >= maxMetrics {
		return
	}
	for len(e.scores) <= i {
		e.scores = append(e.scores, cell{})
	}
	c := &e.scores[i]
	if r.Value != nil {
		c.sum += *r.Value
		c.n++
		return
	}
	if r.Status != eval.NotApplicable {
		c.without++
	} else if c.without > 0 {
		return
	}
	c.reason = uint16(x.among(&x.reasons, report.Shorten(r.Reason, maxError), maxReasons))
}

func (x *index) addMessage(r *messageRow, at logs.Span) {
	if t := x.tables[run.Messages.Name]; t.file.Parquet {
		x.prefixes = append(x.prefixes, prefix(r.Hash))
		return
	}
	if x.lines == nil {
		x.lines = map[uint64]int64{}
	}
	x.lines[maphash.String(seed, r.Hash)] = at.From
}

// scan reads what is new in a table. What cannot be read is a finding; the error is that of a file that is another
// one, or of the end of the program.
func scan[T any](x *index, rows run.Rows[T], each func(*T, logs.Span)) error {
	x.mu.Lock()
	t := x.tables[rows.Name]
	if t == nil {
		t = &table{}
		x.tables[rows.Name] = t
	}
	x.mu.Unlock()
	file, err := rows.File(x.dir)
	switch {
	case err != nil:
		x.find(rows.Name, err)
		return nil
	case !file.Grew(t.file):
		return errChanged
	case file.Info == nil || t.file.Info != nil && file.Info.Size() == t.file.Info.Size():
		return nil
	}
	x.mu.Lock()
	t.file, x.reading = file, rows.Name
	x.mu.Unlock()
	batch := make([]logs.Placed[T], 0, 256)
	add := func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		for i := range batch {
			each(&batch[i].Row, batch[i].At)
			t.next = batch[i].At.To
		}
		t.rows += int64(len(batch))
		x.version += int64(len(batch))
		batch = batch[:0]
	}
	for row, err := range rows.Scan(file, t.next) {
		if err != nil {
			x.find(rows.Name, err)
			break
		}
		if batch = append(batch, row); len(batch) == cap(batch) {
			add()
			if err := x.ctx.Err(); err != nil {
				return err
			}
		}
	}
	add()
	return nil
}

// find notes what cannot be read of a table.
func (x *index) find(table string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if text := table + ": " + err.Error(); !slices.Contains(x.findings, text) {
		x.findings = append(x.findings, text)
		x.version++
	}
}

// entry returns the summary of a session, a new one where there is none.
func (x *index) entry(id string) *entry {
	e := x.byID[id]
	if e == nil {
		e = &entry{id: id, arm: -1, index: -1}
		x.sessions, x.byID[id] = append(x.sessions, e), e
	}
	return e
}

// place puts a session into the matrix; one of an arm that the manifest does not have adds it.
func (x *index) place(e *entry, arm, index int, name string) {
	if e.index >= 0 {
		it := x.byIndex[e.index]
		it.title = cmp.Or(it.title, e.title)
		return
	}
	if arm < 0 && name != "" && len(x.arms) < maxArms {
		arm, x.arms = len(x.arms), append(x.arms, name)
	}
	if arm < 0 || arm >= len(x.arms) || index < 0 {
		return
	}
	it := x.byIndex[index]
	if it == nil {
		it = &item{index: index}
		x.items, x.byIndex[index] = append(x.items, it), it
	}
	for len(it.cells) <= arm {
		it.cells = append(it.cells, nil)
	}
	if it.cells[arm] == nil {
		it.cells[arm], e.arm, e.index = e, arm, index
	}
	it.title = cmp.Or(it.title, e.title)
}

// among returns the place of a text in a list, which it is added to; most where the list is full.
func (x *index) among(list *[]string, text string, most int) int {
	if i := slices.Index(*list, text); i >= 0 {
		return i
	}
	if len(*list) >= most {
		return most
	}
	*list = append(*list, text)
	return len(*list) - 1
}

// intern returns one copy of texts that many sessions have.
func intern(text string) string { return unique.Make(report.Shorten(text, maxError)).Value() }
