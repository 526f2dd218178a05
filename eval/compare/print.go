package compare

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"parley/eval"
	"parley/eval/report"
	"parley/eval/report/view"
	"parley/sim/llm"
)

// verdict is the table that comes first: one row for each arm, the best first.
func (r *Report) verdict() (head []string, rows [][]string) {
	title := r.metric(r.Headline).Title
	head = []string{"ARM", title + " (95 %)", "TO " + map[bool]string{true: "BEST", false: "BASE"}[r.Baseline == ""] + " (95 %)", "P"}
	for _, m := range r.columns() {
		head = append(head, m.Short)
	}
	head = append(head, "COST", "S/TURN", "TOK/S")
	for i := range r.Arms {
		a := &r.Arms[i]
		v := a.Metrics[r.Headline]
		difference, p := "-", "-"
		if d := r.against(a.Arm, r.Headline); d != nil {
			difference = within(d.Value, d.Low, d.High, 1)
			if p = "?"; d.PHolm != nil {
				p = report.PValue(*d.PHolm)
			}
		}
		cost := "?"
		if a.Cost != nil {
			cost = strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.4f", *a.Cost), "0"), ".")
		}
		speed := "-"
		if a.SecondsPerTurn != nil {
			speed = fmt.Sprintf("%.1f/%.1f", *a.SecondsPerTurn, *a.SecondsPerTurnP95)
		}
		row := []string{llm.Clean(a.Arm), within(v.Value, v.Low, v.High, 1), difference, p}
		for _, m := range r.columns() {
			row = append(row, number(a.Metrics[m.Name].Value, map[bool]string{true: "%.0f%%", false: "%.2f"}[m.High == 100]))
		}
		rows = append(rows, append(row, cost, speed, number(a.TokensPerSecond, "%.0f")))
	}
	if gain := r.gain(); gain != nil {
		head = slices.Insert(head, 2, "GAIN")
		for i := range rows {
			rows[i] = slices.Insert(rows[i], 2, number(r.Arms[i].Metrics[gain.Name].Value, "%+.1f"))
		}
	}
	return head, rows
}

// columns returns the metrics that have a column of their own in the verdict.
func (r *Report) columns() []eval.Metric {
	return slices.DeleteFunc(slices.Clone(r.metrics), func(m eval.Metric) bool { return m.Short == "" })
}

// gain returns the metric that says by how much the headline is above its control; nil where there is none.
func (r *Report) gain() *eval.Metric {
	of := r.metric(r.Headline).Scorer
	i := slices.IndexFunc(r.metrics, func(m eval.Metric) bool { return m.Against != "" && m.Scorer == of })
	if i < 0 {
		return nil
	}
	return &r.metrics[i]
}

// legend explains the columns of the verdict.
func (r *Report) legend() string {
	text := ""
	if m := r.metric(r.Headline); m.Caption != "" {
		text = m.Title + ": " + strings.TrimSuffix(m.Caption, ".") + ". "
	}
	if gain := r.gain(); gain != nil {
		text += "GAIN: over the control " + gain.Against + ". "
	}
	text += "P: corrected by Holm's method. COST: of a session"
	for i := range r.Arms {
		if c := r.Arms[i].Currency; c != "" {
			text += " in " + c
			break
		}
	}
	return text + ". S/TURN: median/95th percentile, without waiting at limits."
}

// details is the second table: where the arms run and how they talk.
func (r *Report) details() (head []string, rows [][]string) {
	head = []string{"ARM", "PLACE", "MODELS", "SESSIONS", "WORDS/TURN", "DISTINCT-1", "DISTINCT-2", "REPEATED", "REFUSED", "TRUNCATED", "FAULTS"}
	for _, place := range []string{"local", "hosted"} {
		for i := range r.Arms {
			a := &r.Arms[i]
			if a.Place != place {
				continue
			}
			rows = append(rows, []string{
				llm.Clean(a.Arm), a.Place, llm.Clean(strings.Join(a.Models, " ")), fmt.Sprint(a.Sessions), number(a.Metrics["words_per_turn"].Value, "%.1f"),
				number(a.Metrics["distinct_1"].Value, "%.0f%%"), number(a.Metrics["distinct_2"].Value, "%.0f%%"), number(a.Metrics["repetition"].Value, "%.1f%%"),
				fmt.Sprint(a.Faults["refusal"]), fmt.Sprint(a.Truncated), fmt.Sprintf("%s of %d moves", a.faults(), a.Moves),
			})
		}
	}
	return head, rows
}

// use is the third table: what the calls of each arm came to, the NPC's and the judge's too, and all together.
func (r *Report) use() (head []string, rows [][]string) {
	head = []string{"ARM", "CALLS", "PROMPT TOKENS", "REPLY TOKENS", "COST IN ALL", "SERVICE", "QUEUE", "FIRST"}
	count := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return report.Grouped(*n)
	}
	var all Arm
	all.CostTotal = new(float64)
	for i := range r.Arms {
		a := &r.Arms[i]
		rows = append(rows, a.use(llm.Clean(a.Arm), count))
		all.Calls, all.Service, all.Queue = all.Calls+a.Calls, all.Service+a.Service, all.Queue+a.Queue
		all.PromptTokens, all.CompletionTokens = plus(all.PromptTokens, a.PromptTokens), plus(all.CompletionTokens, a.CompletionTokens)
		if a.CostTotal == nil {
			all.CostTotal = nil
		}
		if all.CostTotal != nil {
			*all.CostTotal += *a.CostTotal
		}
	}
	if len(rows) > 1 {
		rows = append(rows, all.use("all", count))
	}
	return head, rows
}

func (a *Arm) use(name string, count func(*int64) string) []string {
	seconds := func(s float64) string { return report.Seconds(int64(s * 1e6)) }
	cost := "?"
	if a.CostTotal != nil {
		cost = strings.TrimSpace(fmt.Sprintf("%.4f %s", *a.CostTotal, a.Currency))
	}
	return []string{name, report.Grouped(int64(a.Calls)), count(a.PromptTokens), count(a.CompletionTokens), cost, seconds(a.Service), seconds(a.Queue), number(a.ToFirst, "%.2f s")}
}

// plus adds counts of which either may be missing.
func plus(a, b *int64) *int64 {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	sum := *a + *b
	return &sum
}

// Verdict prints the first table and what follows from it, for a terminal of 100 columns.
func (r *Report) Verdict(w io.Writer) error {
	head, rows := r.verdict()
	if err := report.Print(w, tableOf("", head, rows)); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s\n\n%s\n", report.Wrap(r.legend()), report.Wrap(llm.Clean(r.Conclusion)))
	for _, note := range r.Notes {
		fmt.Fprintln(w, report.Wrap("note: "+llm.Clean(note)))
	}
	for _, g := range r.Gates {
		fmt.Fprintln(w, report.Wrap(fmt.Sprintf("%s: %s of %s: %s", map[bool]string{true: "holds", false: "FAILS"}[g.OK], llm.Clean(g.Gate), llm.Clean(g.Arm), g.Why)))
	}
	return nil
}

// Print prints all of the comparison for a terminal.
func (r *Report) Print(w io.Writer) error {
	if err := r.Verdict(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	head, rows := r.details()
	for i := range rows { // models and faults are long
		rows[i] = slices.Delete(slices.Clone(rows[i][:len(head)-1]), 2, 3)
	}
	if err := report.Print(w, tableOf("", slices.Delete(slices.Clone(head[:len(head)-1]), 2, 3), rows)); err != nil {
		return err
	}
	fmt.Fprintln(w)
	head, rows = r.use()
	if err := report.Print(w, tableOf("", head, rows)); err != nil {
		return err
	}
	fmt.Fprintln(w, report.Wrap("All calls of an arm's sessions, the NPC's and the judge's too; replays and cached replies cost nothing. SERVICE: time of the servers. QUEUE: waiting at parley's own limits and to ask again. FIRST: of players, mean time to the first piece of a streamed reply.")+"\n")
	for i := range r.Arms {
		a := &r.Arms[i]
		fmt.Fprintln(w, report.Wrap(fmt.Sprintf("%s: %s; malformed: %s of %d moves", llm.Clean(a.Arm), llm.Clean(strings.Join(a.Models, ", ")), a.faults(), a.Moves)))
	}
	return nil
}

// faults lists the kinds of malformed moves with their counts.
func (a *Arm) faults() string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(a.Faults)) {
		list = append(list, fmt.Sprintf("%d %s", a.Faults[kind], kind))
	}
	return cmp.Or(strings.Join(list, ", "), "none")
}

// Markdown prints the comparison as Markdown tables.
func (r *Report) Markdown(w io.Writer) error {
	clean := strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ")
	for _, table := range []func() ([]string, [][]string){r.verdict, r.details, r.use} {
		head, rows := table()
		fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat(" --- |", len(head)))
		for _, row := range rows {
			for i := range row {
				row[i] = clean.Replace(row[i])
			}
			fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%s\n", clean.Replace(r.Conclusion))
	for _, note := range r.Notes {
		fmt.Fprintf(w, "\n- %s\n", clean.Replace(note))
	}
	return nil
}

// CSV prints every value of every arm and every difference, a line each.
func (r *Report) CSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"arm", "minus", "place", "metric", "value", "low", "high", "n", "of", "p", "p_holm", "needed"}) // errors stay until Flush
	full := func(v *float64) string { return number(v, "%v") }
	for i := range r.Arms {
		a := &r.Arms[i]
		put := func(metric string, v Value) {
			_ = c.Write([]string{a.Arm, "", a.Place, metric, full(v.Value), full(v.Low), full(v.High), fmt.Sprint(v.N), fmt.Sprint(v.Of), "", "", ""})
		}
		for _, name := range slices.Sorted(maps.Keys(a.Metrics)) {
			put(name, a.Metrics[name])
		}
		put("cost", Value{Value: a.Cost, N: a.Sessions, Of: a.Sessions})
		put("seconds_per_turn", Value{Value: a.SecondsPerTurn, N: a.Moves, Of: a.Moves})
		put("seconds_per_turn_p95", Value{Value: a.SecondsPerTurnP95, N: a.Moves, Of: a.Moves})
		put("seconds_to_first", Value{Value: a.ToFirst, N: a.Calls, Of: a.Calls})
		put("queue_seconds", Value{Value: &a.Queue, N: a.Calls, Of: a.Calls})
		put("service_seconds", Value{Value: &a.Service, N: a.Calls, Of: a.Calls})
		put("cost_total", Value{Value: a.CostTotal, N: a.Sessions, Of: a.Sessions})
		put("tokens_per_second", Value{Value: a.TokensPerSecond, N: a.Calls, Of: a.Calls})
	}
	for _, d := range r.Differences {
		needed := ""
		if d.Needed != nil {
			needed = fmt.Sprint(*d.Needed)
		}
		_ = c.Write([]string{d.A, d.B, "", d.Metric, full(d.Value), full(d.Low), full(d.High), fmt.Sprint(d.Pairs), fmt.Sprint(d.Pairs), full(d.P), full(d.PHolm), needed})
	}
	c.Flush()
	return c.Error()
}

// LaTeX prints the verdict as a table of LaTeX.
func (r *Report) LaTeX(w io.Writer) error {
	clean := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`)
	head, rows := r.verdict()
	fmt.Fprintf(w, "\\begin{tabular}{l%s}\n\\hline\n", strings.Repeat("r", len(head)-1))
	for i, row := range append([][]string{head}, rows...) {
		for k := range row {
			row[k] = clean.Replace(row[k])
		}
		fmt.Fprintf(w, "%s \\\\\n", strings.Join(row, " & "))
		if i == 0 {
			fmt.Fprintln(w, `\hline`)
		}
	}
	_, err := fmt.Fprintf(w, "\\hline\n\\end{tabular}\n\n%s\n", clean.Replace(r.Conclusion))
	return err
}

// Blocks shows the verdict on a page.
func (r *Report) Blocks() []view.Block {
	blocks := []view.Block{view.Text(r.Conclusion)}
	for _, part := range []struct {
		table   func() ([]string, [][]string)
		caption string
	}{{r.verdict, r.legend()}, {r.use, "What the calls of each arm came to, the NPC's and the judge's too. Service is the time of the servers, queue the waiting at parley's own limits and to ask again."}} {
		head, rows := part.table()
		blocks = append(blocks, tableOf(part.caption, head, rows))
	}
	return blocks
}

// tableOf makes a table of texts, the first column of names and the others of numbers.
func tableOf(caption string, head []string, rows [][]string) *view.Table {
	t := &view.Table{Caption: caption}
	for i, name := range head {
		t.Head = append(t.Head, view.Column{Name: name, Number: i > 0})
	}
	for _, row := range rows {
		t.Add(row...)
	}
	return t
}

// within writes a value with its interval, whose ends have no decimals where the value has one.
func within(value, low, high *float64, decimals int) string {
	if value == nil {
		return "unscored"
	}
	text := fmt.Sprintf("%.*f", decimals, *value)
	if low != nil && high != nil {
		text += fmt.Sprintf(" (%.*f to %.*f)", decimals-1, *low, decimals-1, *high)
	}
	return text
}

// number writes a value that may be missing.
func number(v *float64, format string) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}
