package viewer_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"parley/eval"
	"parley/eval/run"
	"parley/eval/run/runtest"
	"parley/eval/session"
	"parley/logs"
	"parley/sim"
	"parley/sim/dice"
	"parley/sim/llm"
)

// shown writes what a page shows as lines: texts, [links](to where), {what is pointed out}, the choices that are made,
// dimmed cells and the widths of bars.
func shown(page string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	href := ""
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		attr := map[string]string{}
		for _, a := range token.Attr {
			attr[a.Key] = a.Val
		}
		switch {
		case token.Data == "main" || token.Data == "nav":
			b.WriteString("\n")
		case token.Data == "a" && kind == html.StartTagToken:
			href = attr["href"]
			b.WriteString("[")
		case token.Data == "a":
			fmt.Fprintf(&b, "](%s)", href)
		case token.Data == "mark" && kind == html.StartTagToken:
			b.WriteString("{")
		case token.Data == "mark":
			b.WriteString("}")
		case kind == html.TextToken:
			b.WriteString(token.Data)
		case strings.Contains(" h1 h2 h3 p tr li section label dt dd option details summary caption ", " "+token.Data+" "):
			b.WriteString("\n")
		case token.Data == "td" || token.Data == "th":
			b.WriteString(" | ")
		}
		if kind == html.EndTagToken {
			continue
		}
		if _, chosen := attr["selected"]; chosen || attr["aria-current"] != "" {
			b.WriteString("(*) ")
		}
		if strings.Contains(attr["class"], "dim") {
			b.WriteString("(dim) ")
		}
		if attr["class"] == "full" {
			b.WriteString(" =" + attr["width"] + "%= ")
		}
		for _, key := range []string{"id", "open"} {
			if value, ok := attr[key]; ok && token.Data != "select" && token.Data != "input" {
				fmt.Fprintf(&b, " #%s%s ", strings.TrimPrefix(key, "id"), value)
			}
		}
		if token.Data == "input" {
			fmt.Fprintf(&b, "<%s>", attr["value"])
		}
	}
	var lines []string
	for line := range strings.Lines(b.String()) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// made writes a run of three arms and three situations in which a session of each state, score and fault is.
func made(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o777))
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	num := func(v float64) *float64 { return &v }
	m := run.Manifest{
		Format: run.Format, ID: "made", Kind: session.Kind, Version: "v1", Go: "go1", State: run.Interrupted, Started: began, Config: json.RawMessage(`{"seed":7}`), Of: 9, Passes: 2,
		Arms: []string{"talk", "quiet", "third"}, Models: map[string]*run.Served{"script:a": {}}, Jobs: map[run.State]int{run.Complete: 5, run.Failed: 1},
		Metrics: []eval.Metric{{Scorer: "length", Name: "extra", Title: "Extra"}, {Scorer: "length", Name: "words", Title: "Words", Caption: "How long.", Unit: "players", Low: 0, High: 100, Headline: true}},
		Results: []eval.Result{
			{Scorer: "length", Metric: "words", Arm: "talk", Value: num(15.26), Low: num(10), High: num(20.5), N: 2, Of: 3, Unit: "players"},
			{Scorer: "length", Metric: "words", Arm: "third", Reason: "nothing is scored", Of: 1, Unit: "players"},
			{Scorer: "length", Metric: "words", Arm: "talk", Control: "told", Value: num(99)}, {Scorer: "length", Metric: "extra", Arm: "talk", Reason: "none"},
		},
		Shown: map[string]string{"length/words": "now"}, Tables: map[string]run.TableState{"sessions": {Rows: 1234}},
	}
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), m))
	must(t, os.MkdirAll(filepath.Join(dir, "copies"), 0o777)) // which is no file, as a hidden one is none to list
	must(t, os.WriteFile(filepath.Join(dir, ".hidden"), nil, 0o600))
	cast := []session.Seat{{ID: "ada", Name: "Ada Brook", Role: "player", Model: "script:a"}, {ID: "cato", Name: "Cato Dunne", Role: "npc", Model: "reference:npc"}}
	row := func(arm, index int, title string, change func(*session.Row)) session.Row {
		r := session.Row{
			ID: session.ID(arm, index), Index: index, Arm: m.Arms[arm], Title: title, State: run.Complete, Ended: "turns", Cast: cast, Turns: 4 + index, Moves: 3, Valid: 2,
			Calls: 5, Tokens: 12345, Started: began, Finished: began.Add(90 * time.Second), Scenario: `{"premise":"A bell rings."}`, Questions: []string{"What did you learn?"},
		}
		change(&r)
		return r
	}
	same := func(*session.Row) {}
	write(t, dir, "sessions", []session.Row{
		row(0, 0, "The Bell", same), row(1, 0, "The Bell", same), row(2, 0, "The Bell", same),
		row(0, 1, "The Mill", func(r *session.Row) {
			r.State, r.Error, r.Ended, r.Finished = run.Failed, "the model failed", "", time.Time{}
		}),
		row(1, 1, "The Mill", same), row(1, 2, "The Sea", same), row(2, 2, "The Sea", func(r *session.Row) { r.Finished = r.Started }),
	})
	roll := dice.Roll{Skill: "Stealth", Mode: dice.Straight, First: 12, Modifier: 2, Total: 14, Class: 15}
	var events []sim.Event
	play := func(id string, list ...sim.Event) {
		for i, e := range list {
			e.Session, e.Seq, e.Time = id, i, began
			events = append(events, e)
		}
	}
	scene := sim.Event{Kind: sim.KindScene, Text: "A bell rings."}
	play(session.ID(0, 0), scene, sim.Event{Kind: sim.KindAct, Turn: 1, Actor: "ada", Speech: "Where does the bell hang?", Deed: "leans closer", Calls: []string{session.ID(0, 0) + "/1/ada/act/0"}, Fault: "empty"},
		sim.Event{Kind: sim.KindRoll, Turn: 1, Actor: "ada", Roll: &roll}, sim.Event{Kind: sim.KindNarration, Turn: 1, Text: "Ada only just fails.", Audience: nil},
		sim.Event{Kind: sim.KindAct, Turn: 2, Actor: "cato", Speech: "It hangs under the lake.", Facts: []int{0}, Audience: nil},
		sim.Event{Kind: sim.KindPass, Turn: 3, Actor: "ada", Calls: []string{session.ID(0, 0) + "/5/ada/act/0"}}, sim.Event{Kind: sim.KindEnd, Turn: 3, Text: "turns"},
		sim.Event{Kind: sim.KindDebrief, Turn: 3, Actor: "ada", Text: "The bell hangs under the lake, they said.", Calls: []string{session.ID(0, 0) + "/0/ada/debrief/0"}})
	play(session.ID(1, 0), scene, sim.Event{Kind: sim.KindAct, Turn: 1, Actor: "ada", Speech: "Hm.", Audience: nil})
	play(session.ID(1, 1), scene, sim.Event{Kind: sim.KindAct, Turn: 1, Actor: "ada", Fault: "empty"}, sim.Event{Kind: sim.KindAct, Turn: 2, Actor: "ada", Fault: "cut"},
		sim.Event{Kind: sim.KindAct, Turn: 3, Actor: "ada", Fault: "loop"}, sim.Event{Kind: sim.KindAct, Turn: 4, Actor: "ada", Fault: "alien"})
	play(session.ID(0, 2), scene, sim.Event{Kind: sim.KindAct, Turn: 1, Actor: "ada", Speech: "I am here."}, sim.Event{Kind: sim.KindAct, Turn: 2, Actor: "cato", Speech: "So am I."})
	write(t, dir, "events", events)
	score := func(id, subject string, value *float64, change func(*eval.Score)) eval.Score {
		s := eval.Score{Session: id, Scorer: "length", Metric: "words", Subject: subject, Value: value, Status: eval.Scored, Method: "now"}
		if value == nil {
			s.Status, s.Reason = eval.Unparsed, "the judge said nothing"
		}
		change(&s)
		return s
	}
	plain := func(*eval.Score) {}
	write(t, dir, "scores", []eval.Score{
		score(session.ID(0, 0), "ada", num(7), func(s *eval.Score) { s.Metric = "extra" }),
		score(session.ID(0, 0), "ada", num(10), func(s *eval.Score) {
			s.Evidence = []eval.Evidence{{Want: "The bell hangs under the lake.", Got: "The bell hangs under the lake"}, {Want: "It is old.", Got: ""}}
			s.Calls = []string{"c"}
		}),
		score(session.ID(0, 0), "bela", num(20), plain), score(session.ID(0, 0), "ada", num(99), func(s *eval.Score) { s.Method = "before" }),
		score(session.ID(0, 0), "ada", num(98), func(s *eval.Score) { s.Control = "told" }), score(session.ID(0, 0), "ada", num(97), func(s *eval.Score) { s.Turn = 2 }),
		score(session.ID(1, 0), "ada", num(40), plain), score(session.ID(1, 0), "bela", nil, plain),
		score(session.ID(2, 0), "ada", nil, func(s *eval.Score) { s.Status, s.Reason = eval.NotApplicable, "nothing was asked" }),
		score(session.ID(1, 1), "ada", num(149), plain), score(session.ID(1, 2), "ada", num(90), plain), score(session.ID(2, 2), "ada", nil, plain),
	})
	one, two, big := 1, 2, 1234567
	hash := (llm.Message{Role: llm.User, Content: "Your turn."}).Hash()
	write(t, dir, "messages", []run.Message{{Hash: hash, Role: llm.User, Content: "Your turn."}})
	call := func(turn int, id string, change func(*llm.Call)) llm.Call {
		c := llm.Call{
			Session: session.ID(0, 0), ID: session.ID(0, 0) + "/" + id, Turn: turn, Actor: "ada", Purpose: "act", Model: "script:a", Prompt: []string{hash}, Seed: 7, Reply: "SAY: Where?",
			Finish: llm.Stop, Attempt: 1, Started: began,
		}
		change(&c)
		return c
	}
	var calls []llm.Call
	for i := range 45 {
		calls = append(calls, call(2, fmt.Sprintf("2/ada/act/%d", i), func(*llm.Call) {}))
	}
	write(t, dir, "calls", append(calls,
		call(0, "0/ada/debrief/0", func(c *llm.Call) { c.Purpose = "debrief" }),
		call(1, "1/ada/act/0", func(c *llm.Call) {
			c.Served, c.Tokens, c.Cached, c.Output, c.Reason, c.Schema, c.Dropped, c.FromCache = "a-1", &big, &two, &one, "thinking", true, 3, true
			c.Queue, c.Load, c.Read, c.Write, c.Total, c.Attempt = 1, 2_000, 3_000_000, 4_500_000, 7_502_001, 2
		}),
		call(5, "5/ada/act/0", func(c *llm.Call) {
			c.Served, c.Finish, c.Fault, c.Error, c.FinishRaw, c.Prompt = "script:a", "", llm.TooLong, "the prompt is too long", "raw", []string{hash, "gone"}
		}),
	))
}

// What the pages of a run show, to the number.
func TestGoldenPages(t *testing.T) {
	root := t.TempDir()
	made(t, filepath.Join(root, "made"))
	s := serve(t, root)
	s.text("/run/made/")
	s.text("/run/made/?q=bell")
	id, beside := session.ID(0, 0), session.ID(1, 0)
	for name, paths := range map[string][]string{
		"runs":    {"/"},
		"matrix":  {"/run/made/"},
		"session": {"/run/made/session?id=" + id, "/run/made/session?id=" + id + "&with=" + beside, "/run/made/session?id=" + session.ID(0, 2), "/run/made/session?id=" + session.ID(0, 1)},
		"turn": {
			"/run/made/turn?turn=1&id=" + id, "/run/made/turn?turn=5&id=" + id, "/run/made/turn?turn=0&id=" + id, "/run/made/turn?turn=4&id=" + id,
		},
		"results": {"/run/made/results"},
	} {
		var b strings.Builder
		for _, path := range paths {
			status, body := s.get(path)
			fmt.Fprintf(&b, "== %d %s\n%s", status, path, shown(body))
		}
		got := strings.ReplaceAll(b.String(), root, "ROOT")
		got = regexp.MustCompile(`(\w+\.(?:parquet|json)) \| \| [^|]+ \| \| ([^|]+) \| \| [0-9: -]+ \|`).ReplaceAllString(got, "$1 | | SIZE | | $2 | | TIME |")
		runtest.Golden(t, name+".txt", got)
	}
}

// The calls of a turn are shown twenty a page; before the first and behind the last are the neighbouring turns.
func TestPagesOfATurn(t *testing.T) {
	root := t.TempDir()
	made(t, filepath.Join(root, "made"))
	s := serve(t, root)
	s.text("/run/made/")
	id := session.ID(0, 0)
	for _, test := range []struct {
		turn, page  string
		first, last int // number of the calls; 0: there are none
		prev, next  string
		says        string
	}{
		{"2", "", 1, 20, "page=1&turn=1", "page=2&turn=2", "45 calls, page 1 of 3;"},
		{"2", "2", 21, 40, "page=1&turn=2", "page=3&turn=2", "45 calls, page 2 of 3;"},
		{"2", "3", 41, 45, "page=2&turn=2", "page=1&turn=5", "45 calls, page 3 of 3;"},
		{"2", "4", 41, 45, "page=2&turn=2", "page=1&turn=5", "45 calls, page 3 of 3;"},
		{"1", "", 1, 1, "page=1&turn=0", "page=1&turn=2", "1 call;"},
		{"5", "", 1, 1, "page=1&turn=2", "", "1 call;"},
		{"0", "", 1, 1, "", "page=1&turn=1", "1 call;"},
		{"9", "", 0, 0, "page=1&turn=5", "", "0 calls;"},
	} {
		_, body := s.get("/run/made/turn?id=" + id + "&turn=" + test.turn + "&page=" + test.page)
		link := func(rel string) string {
			m := regexp.MustCompile(`rel="` + rel + `" href="([^"]*)"`).FindStringSubmatch(body)
			if m == nil {
				return ""
			}
			return html.UnescapeString(m[1])
		}
		for rel, want := range map[string]string{"prev": test.prev, "next": test.next} {
			if got := link(rel); (got == "") != (want == "") || !strings.HasSuffix(got, want) {
				t.Errorf("turn %s, page %s: %s leads to %q, want %q", test.turn, test.page, rel, got, want)
			}
		}
		calls := regexp.MustCompile(`id="call-(\d+)"`).FindAllStringSubmatch(body, -1)
		n := max(0, test.last-test.first+1)
		if test.last == 0 {
			n = 0
		}
		if len(calls) != n || n > 0 && (calls[0][1] != fmt.Sprint(test.first) || calls[n-1][1] != fmt.Sprint(test.last)) {
			t.Errorf("turn %s, page %s: %d calls, want %d to %d", test.turn, test.page, len(calls), test.first, test.last)
		}
		if got := plain(body); !strings.Contains(got, test.says) {
			t.Errorf("turn %s, page %s does not say %q", test.turn, test.page, test.says)
		}
	}
}

// Which sessions a filter is after, in which order: the number of each row, with the arms of which a session is not dimmed.
func TestRowsOfTheMatrix(t *testing.T) {
	root := t.TempDir()
	made(t, filepath.Join(root, "made"))
	s := serve(t, root)
	s.text("/run/made/")
	for _, test := range []struct{ query, want, reason string }{
		{"", "1talk,quiet,third 2talk,quiet 3talk,quiet,third", "all"},
		{"sort=low", "1talk,quiet,third 3talk,quiet,third 2talk,quiet", "15, 90, 149"},
		{"sort=high", "2talk,quiet 3talk,quiet,third 1talk,quiet,third", "149, 90, 40"},
		{"sort=apart", "1talk,quiet,third 2talk,quiet 3talk,quiet,third", "25 apart, 0, 0"},
		{"sort=x", "1talk,quiet,third 2talk,quiet 3talk,quiet,third", "no order"},
		{"sort=low&metric=length/extra", "1talk,quiet,third 2talk,quiet 3talk,quiet,third", "what has no value is last"},
		{"sort=high&metric=length/extra", "1talk,quiet,third 2talk,quiet 3talk,quiet,third", "what has no value is last"},
		{"sort=low&fault=empty", "1talk 2quiet", "by cells that match"},
		{"sort=high&fault=none", "3talk,quiet,third 1quiet,third 2talk", "90, 40, none"},
		{"min=40", "1quiet 2quiet 3quiet", "the bound itself counts"}, {"min=40.1", "2quiet 3quiet", "from"},
		{"max=40", "1talk,quiet", "to"}, {"max=39.9", "1talk", "to"}, {"min=10&max=20", "1talk", "the mean of the subjects, 15"},
		{"min=7&metric=length/extra", "1talk", "another metric"}, {"min=8&metric=length/extra", "", "its bound"}, {"min=-1e9&metric=x/y", "1talk,quiet 2quiet 3quiet", "an unknown metric is the headline"},
		{"score=scored", "1talk,quiet 2quiet 3quiet", "with a value"}, {"score=unscored", "1quiet,third 2talk 3talk,third", "without one, or with one too few"},
		{"fault=any", "1talk 2quiet", "any fault"}, {"fault=none", "1quiet,third 2talk 3talk,quiet,third", "no fault"}, {"fault=loop", "2quiet", "one kind"}, {"fault=alien", "2quiet", "the last kind"},
		{"state=complete", "1talk,quiet,third 2quiet 3quiet,third", "complete"}, {"state=failed", "2talk", "failed"}, {"state=underway", "3talk", "under way"},
		{"state=complete&fault=empty&max=20", "1talk", "all at once"}, {"min=NaN", "1talk,quiet,third 2talk,quiet 3talk,quiet,third", "no number"},
	} {
		_, body := s.get("/run/made/?" + test.query)
		var rows []string
		for _, tr := range regexp.MustCompile(`(?s)<tr>\s*<th scope="row"><span class="no">(\d+)(.*?)</tr>`).FindAllStringSubmatch(body, -1) {
			var arms []string
			for _, td := range regexp.MustCompile(`<td class="s\d( dim)?( void)?" data-head="([^"]*)"`).FindAllStringSubmatch(tr[2], -1) {
				if td[1] == "" && td[2] == "" {
					arms = append(arms, td[3])
				}
			}
			rows = append(rows, tr[1]+strings.Join(arms, ","))
		}
		if got := strings.Join(rows, " "); got != test.want {
			t.Errorf("%q: %s, want %s (%s)", test.query, got, test.want, test.reason)
		}
	}
}

// A run of many situations has pages of fifty.
func TestPagesOfTheMatrix(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "many")
	made(t, dir)
	var rows []session.Row
	for i := range 101 {
		rows = append(rows, session.Row{ID: session.ID(0, i), Index: i, Arm: "talk", Title: fmt.Sprintf("Situation %d", i), State: run.Complete})
	}
	write(t, dir, "sessions", rows)
	made(t, filepath.Join(root, "fifty"))
	write(t, filepath.Join(root, "fifty"), "sessions", rows[:50])
	s := serve(t, root)
	s.text("/run/many/")
	if got := s.text("/run/fifty/"); !strings.Contains(got, "50 of 50 situations;") {
		t.Errorf("fifty situations are on one page: %.900s", got)
	}
	for _, test := range []struct {
		page        string
		first, last string
		says        string
		prev, next  string
	}{
		{"", "1", "50", "101 of 101 situations, page 1 of 3", "", "?fault=none&amp;page=2"},
		{"2", "51", "100", "101 of 101 situations, page 2 of 3", "?fault=none", "?fault=none&amp;page=3"},
		{"3", "101", "101", "101 of 101 situations, page 3 of 3", "?fault=none&amp;page=2", ""},
		{"9", "101", "101", "101 of 101 situations, page 3 of 3", "?fault=none&amp;page=2", ""},
		{"-1", "1", "50", "101 of 101 situations, page 1 of 3", "", "?fault=none&amp;page=2"},
	} {
		_, body := s.get("/run/many/?fault=none&page=" + test.page)
		body = strings.Replace(body, "100 of 101", "101 of 101", 1) // one has a fault in the events
		numbers := regexp.MustCompile(`class="no">(\d+)`).FindAllStringSubmatch(body, -1)
		if len(numbers) == 0 {
			t.Fatalf("page %s: %s", test.page, plain(body))
		}
		for rel, want := range map[string]string{"prev": test.prev, "next": test.next} {
			if has := strings.Contains(body, `rel="`+rel+`" href="`+want+`"`); has != (want != "") {
				t.Errorf("page %s: %s leads to %q: %t", test.page, rel, want, has)
			}
		}
		if !strings.Contains(plain(body), test.says) || numbers[0][1] != test.first || numbers[len(numbers)-1][1] != test.last {
			t.Errorf("page %s: %s to %s, want %s to %s: %s", test.page, numbers[0][1], numbers[len(numbers)-1][1], test.first, test.last, test.says)
		}
	}
}

// However much a run holds of different things, so many are kept apart, and sessions are placed once.
func TestLimits(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "much")
	must(t, os.MkdirAll(dir, 0o777))
	m := run.Manifest{Format: run.Format, ID: "much", Kind: session.Kind, State: run.Complete, Config: json.RawMessage("{}")}
	for i := range 60 {
		m.Arms = append(m.Arms, fmt.Sprintf("arm%03d", i))
	}
	must(t, logs.WriteJSON(filepath.Join(dir, run.ManifestName), m))
	long := strings.Repeat("x", 161)
	var rows []session.Row
	var events []sim.Event
	var scores []eval.Score
	for i := range 70 { // arms beyond those of the manifest are added, and those beyond the limit are in no column
		id := fmt.Sprintf("other%03d", i)
		rows = append(rows, session.Row{ID: id, Index: 0, Arm: fmt.Sprintf("arm%03d", i), Title: long, State: run.Complete})
		events = append(events, sim.Event{Session: id, Kind: sim.KindAct, Turn: 1, Fault: fmt.Sprintf("fault%03d", i)})
		scores = append(scores, eval.Score{Session: "other000", Scorer: "s", Metric: fmt.Sprintf("m%03d", i), Status: eval.Scored, Value: new(1.0)})
	}
	rows = append(rows, session.Row{ID: "again", Index: 0, Arm: "arm000", State: run.Failed, Error: long}, session.Row{ID: "below", Index: -1, Arm: "arm000", State: run.Complete})
	for i := range 510 {
		id := fmt.Sprintf("reason%03d", i)
		rows = append(rows, session.Row{ID: id, Index: i + 1, Arm: "arm001", Title: fmt.Sprintf("Situation %d", i), State: run.Complete})
		scores = append(scores, eval.Score{Session: id, Scorer: "s", Metric: "m000", Status: eval.Unparsed, Reason: fmt.Sprintf("reason %03d", i)})
	}
	for _, id := range []string{"a02-0000600", "a02-700", "a00-0000700", "a99-0000700", "a02-0000000"} { // under way: the first alone is named as sessions are
		events = append(events, sim.Event{Session: id, Kind: sim.KindAct, Turn: 3})
	}
	write(t, dir, "sessions", rows)
	write(t, dir, "events", events)
	write(t, dir, "scores", scores)
	s := serve(t, root)
	first := s.text("/run/much/")
	_, body := s.get("/run/much/?metric=s/m000")
	options := func(prefix string) int { return strings.Count(body, `<option value="`+prefix) }
	if arms := strings.Count(first, "arm0"); options("s/m0") != 64 || options("fault0") != 63 || !strings.Contains(first, "512 of 512 situations") || !strings.Contains(first, "5 under way") || arms < 64 || strings.Contains(first, "arm064") {
		t.Errorf("%d metrics, %d faults, %d arms: %.300s", options("s/m0"), options("fault0"), arms, first)
	}
	if !strings.Contains(first, "(80 more characters)") { // of the 160 that are kept, 80 are shown
		t.Errorf("a title of 161 characters: %s", first[strings.Index(first, "situations"):])
	}
	if got := s.text("/run/much/session?id=a02-700"); !strings.Contains(got, "under way") {
		t.Errorf("a session of no arm: %s", got)
	}
	for query, want := range map[string]string{
		"fault=fault062": "1 of 512", "fault=any": "1 of 512", "q=reason500&score=unscored": "0 turns see the session",
		"q=Situation+499": "0 turns see the session", "q=Situation+498": "0 turns reason 498", "state=underway": "1 of 512", "q=again": "0 of 512", "q=a02-0000600": "600",
	} {
		if got := s.text("/run/much/?metric=s/m000&" + query); !strings.Contains(got, want) {
			at := strings.Index(got, "situations")
			t.Errorf("%s: want %s in %.600s", query, want, got[max(0, at-30):])
		}
	}
}

// Messages whose hashes begin alike are told apart, in Parquet and in a journal, where a later one counts too.
func TestMessagesAlike(t *testing.T) {
	for _, journaled := range []bool{false, true} {
		root := t.TempDir()
		dir := filepath.Join(root, "alike")
		made(t, dir)
		var messages []run.Message
		var prompt []string
		for i := range 5 {
			hash := fmt.Sprintf("hash0000%d", i)
			messages = append(messages, run.Message{Hash: hash, Role: llm.User, Content: fmt.Sprintf("message %d.", i)})
			if i%2 == 1 {
				prompt = append(prompt, hash)
			}
		}
		messages = append(messages, run.Message{Hash: "hash00011", Role: llm.User, Content: "the last message."})
		prompt = append(prompt, "hash00011", "hash0000")
		if must(t, os.Remove(filepath.Join(dir, "messages.parquet"))); journaled {
			journal(t, dir, "messages", messages)
		} else {
			write(t, dir, "messages", messages)
		}
		write(t, dir, "calls", []llm.Call{{Session: session.ID(0, 0), ID: "c", Turn: 1, Prompt: prompt, Attempt: 1}})
		s := serve(t, root)
		s.text("/run/alike/")
		got := s.text("/run/alike/turn?turn=1&id=" + session.ID(0, 0))
		for i := range messages {
			if has := strings.Contains(got, messages[i].Content); has != (i%2 == 1) {
				t.Errorf("journal %t: %s is shown: %t", journaled, messages[i].Content, has)
			}
		}
		if strings.Count(got, "A message is missing in the run.") != 1 {
			t.Errorf("journal %t: %s", journaled, got)
		}
	}
}

// The evidence that is shown is that of the score that was asked for, else of the first measurement that has any.
func TestWhichEvidence(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "made")
	made(t, dir)
	score := func(id, metric, control string, turn int, evidence ...eval.Evidence) eval.Score {
		return eval.Score{Session: id, Scorer: "length", Metric: metric, Subject: "ada", Control: control, Turn: turn, Value: new(1.0), Status: eval.Scored, Method: "now", Evidence: evidence}
	}
	found := eval.Evidence{Want: "The bell hangs under the lake.", Got: "The bell hangs under the lake"}
	first, second := session.ID(0, 0), session.ID(2, 0)
	write(t, dir, "scores", []eval.Score{
		score(first, "late", "", 2, found), score(first, "told", "told", 0, found), score(first, "bare", "", 0), score(first, "words", "", 0, found), score(first, "extra", "", 0, found),
		score(second, "late", "", 2, found), score(second, "told", "told", 0, found), score(second, "bare", "", 0),
	})
	s := serve(t, root)
	s.text("/run/made/")
	for _, test := range []struct{ id, of, want string }{
		{first, "", "WORDS of Ada Brook"}, {first, "extra//now", "EXTRA of Ada Brook"}, {first, "told/told/now", "TOLD of Ada Brook"}, {first, "bare//now", "WORDS of Ada Brook"},
		{first, "none//now", "WORDS of Ada Brook"}, {second, "", ""}, {second, "told/told/now", "TOLD of Ada Brook"},
	} {
		metric, rest, _ := strings.Cut(test.of, "/")
		got := s.text("/run/made/session?id=" + test.id + "&of=length/" + metric + "/ada/" + rest)
		shown := regexp.MustCompile(`(WORDS|EXTRA|TOLD|LATE|BARE) of Ada Brook`).FindString(got)
		if shown != test.want {
			t.Errorf("%s of %s: %q, want %q", test.of, test.id, shown, test.want)
		}
	}
}
