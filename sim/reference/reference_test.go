package reference_test

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/reference"
	"parley/sim/simtest"
)

func open(t *testing.T, name string, options ...string) reference.Actor {
	t.Helper()
	v := url.Values{}
	for i := 0; i+1 < len(options); i += 2 {
		v.Set(options[i], options[i+1])
	}
	a, err := reference.Open(name, v)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// table plays one session of four on a piece of the library.
func table(t *testing.T, i int, seats func(s *scenarios.Scenario) map[characters.ID]sim.Actor) *sim.Episode {
	t.Helper()
	shelf := scenarios.Library().Knowledge
	s := scenarios.NewExchange(&shelf[i%len(shelf)], characters.Generate(sim.Rand(uint64(i)), 4))
	g := sim.Game{Episode: sim.NewEpisode("s", uint64(i), s, 30), Actors: seats(s), Now: simtest.Clock()}
	for _, err := range g.Play(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return g.Episode
}

func seated(t *testing.T, player string) func(*scenarios.Scenario) map[characters.ID]sim.Actor {
	return func(s *scenarios.Scenario) map[characters.ID]sim.Actor {
		seats := simtest.Everybody(s, open(t, player))
		seats[s.NPC] = open(t, "npc")
		return seats
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct{ name, option, value, want string }{
		{"nobody", "", "", "known are"},
		{"npc", "share", "2", "from 0 to 1"},
		{"npc", "share", "NaN", "from 0 to 1"},
		{"npc", "volume", "1", "no option"},
		{"diligent", "share", "1", "no option"},
	} {
		v := url.Values{}
		if test.option != "" {
			v.Set(test.option, test.value)
		}
		if _, err := reference.Open(test.name, v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
	for _, name := range reference.Names() {
		open(t, name)
	}
	for _, share := range []string{"0", "1", "0.5"} {
		open(t, "npc", "share", share)
	}
	for spec, want := range map[string]bool{"reference:npc": true, "reference:": true, "reference": false, "ollama:reference:npc": false} {
		if reference.Is(spec) != want {
			t.Errorf("%s is a reference actor: %t", spec, !want)
		}
	}
}

// What is asked to the point is given, in words that the fact itself uses; what is not asked stays.
func TestNPCAnswersToThePoint(t *testing.T) {
	s := simtest.Exchange(2)
	facts := s.Knowledge.Facts
	for _, test := range []struct {
		reason, speech string
		want           []int
	}{
		{"asked where", "Where is it?", []int{0}},
		{"asked who made it", "Tell me, who made the Ashen Bell?", []int{1}},
		{"asked what it can do", "What can it do?", []int{2}},
		{"asked two things", "Where is it? And who made it?", []int{0, 1}},
		{"asked by what a fact is about", "Is it true that the smith used stolen coins?", []int{1}},
		{"asked for whatever there is", "What else do you know?", []int{0}},
		{"no question", "I like bells. Where I come from there are many.", nil},
		{"a question about nothing", "How are you today?", nil},
		{"what nobody knows", "When does it happen?", nil},
	} {
		g := sim.Game{Episode: sim.NewEpisode("s", 3, s, 2), Now: simtest.Clock(), Actors: simtest.Everybody(s, open(t, "npc"))}
		g.Actors["a"] = simtest.Actor(func(*sim.View) (sim.Decision, error) { return sim.Decision{Speech: test.speech}, nil })
		for _, err := range g.Play(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
		}
		e := g.Episode.Moves()[1]
		if !slices.Equal(e.Facts, test.want) {
			t.Errorf("%s: %q gives %v; want %v (%s)", test.reason, test.speech, e.Facts, test.want, e.Speech)
		}
		for _, f := range e.Facts {
			if !strings.Contains(e.Speech, facts[f].Text) {
				t.Errorf("%s: the answer does not tell fact %d: %s", test.reason, f, e.Speech)
			}
		}
	}
}

// A whispered question is answered to the one who asked, and to nobody else.
func TestLonersShareNothing(t *testing.T) {
	for i := range 20 {
		ep := table(t, i, seated(t, "loner"))
		for _, m := range ep.Moves() {
			if len(m.Audience) != 2 && m.Kind == sim.KindAct && (m.Actor != ep.Scenario.NPC || len(m.Facts) > 0) {
				t.Errorf("session %d, turn %d is perceived by %v: %s", i, m.Turn, m.Audience, m.Speech)
			}
			if m.Actor != ep.Scenario.NPC && len(m.Facts) > 0 {
				t.Errorf("session %d, turn %d: a loner tells facts", i, m.Turn)
			}
		}
	}
}

// Where a diligent player is told something in private, it passes it on.
func TestDiligentPlayersShare(t *testing.T) {
	shared := 0
	for i := range 20 {
		ep := table(t, i, func(s *scenarios.Scenario) map[characters.ID]sim.Actor {
			seats := simtest.Everybody(s, open(t, "diligent"))
			npc := open(t, "npc")
			seats[s.NPC] = simtest.Actor(func(v *sim.View) (sim.Decision, error) { // tells one player only
				d, err := npc.Act(context.Background(), v)
				if len(d.Facts) > 0 {
					d.To = []characters.ID{s.Cast[0].ID}
				}
				return d, err
			})
			return seats
		})
		for _, m := range ep.Moves() {
			if m.Actor == ep.Scenario.Cast[0].ID && len(m.Facts) > 0 {
				shared += len(m.Facts)
				for _, f := range m.Facts {
					if !strings.Contains(m.Speech, ep.Scenario.Knowledge.Facts[f].Text) {
						t.Errorf("session %d, turn %d: fact %d is not what is told: %s", i, m.Turn, f, m.Speech)
					}
				}
			}
		}
	}
	if shared < 40 {
		t.Errorf("%d facts were shared in 20 sessions", shared)
	}
}

// A whisper is answered to its asker alone; what was asked openly before is answered first, and what somebody was told in
// a whisper is still news to the table.
func TestNPCKeepsWhispersApart(t *testing.T) {
	s := simtest.Exchange(3)
	ask := func(by characters.ID, speech string, to ...characters.ID) *sim.Event {
		return &sim.Event{Kind: sim.KindAct, Actor: by, Speech: speech, Audience: to}
	}
	tell := func(facts []int, to ...characters.ID) *sim.Event {
		return &sim.Event{Kind: sim.KindAct, Actor: "c", Speech: "So it is.", Facts: facts, Audience: to}
	}
	for _, test := range []struct {
		before []*sim.Event
		want   []int
		to     []characters.ID
		reason string
	}{
		{[]*sim.Event{ask("a", "Where is it?", "a", "c")}, []int{0}, []characters.ID{"a"}, "a whisper"},
		{[]*sim.Event{ask("a", "Where is it?"), ask("b", "Who made it?", "b", "c")}, []int{0}, nil, "the open question came first"},
		{[]*sim.Event{ask("b", "Who made it?", "b", "c"), ask("a", "Where is it?")}, []int{1}, []characters.ID{"b"}, "the whisper came first"},
		{[]*sim.Event{ask("a", "Where is it?"), tell([]int{0}), ask("b", "Who made it?", "b", "c")}, []int{1}, []characters.ID{"b"}, "the open question is answered"},
		{[]*sim.Event{ask("a", "Where is it?", "a", "c"), tell([]int{0}, "c", "a"), ask("b", "Where is it?")}, []int{0}, nil, "told in a whisper, asked openly"},
		{[]*sim.Event{ask("a", "Where is it?", "a", "c"), tell([]int{0}, "c", "a"), ask("b", "Where is it?", "b", "c")}, []int{0}, []characters.ID{"b"}, "told to another"},
		{[]*sim.Event{ask("a", "Where is it?", "a", "c"), tell([]int{0}, "c", "a"), ask("a", "Where is it?", "a", "c")}, nil, []characters.ID{"a"}, "told already"},
		{[]*sim.Event{ask("a", "Where is it?"), tell([]int{0}), ask("b", "Where is it?", "b", "c")}, nil, []characters.ID{"b"}, "told to all already"},
		{[]*sim.Event{ask("a", "Where is it?", "a", "c"), ask("b", "Who made it?", "b", "c"), tell([]int{0}, "c", "a")}, []int{1}, []characters.ID{"b"}, "the other's whisper still waits"},
		{[]*sim.Event{ask("b", "Who made it?", "b", "c"), tell(nil)}, []int{1}, []characters.ID{"b"}, "an open answer is none to a whisper"},
		{[]*sim.Event{ask("a", "Where is it?"), tell(nil, "c", "b")}, []int{0}, nil, "a whisper is no open answer"},
		{[]*sim.Event{ask("a", "Where is it?"), ask("b", "Who made it?")}, []int{0, 1}, nil, "two open questions are answered together"},
	} {
		v := sim.NewEpisode("s", 1, s, 9).View("c", 5)
		v.Events = test.before
		d, err := open(t, "npc").Act(t.Context(), v)
		if err != nil || !slices.Equal(d.Facts, test.want) || !slices.Equal(d.To, test.to) {
			t.Errorf("%s: it gives %v to %v, want %v to %v: %q (%v)", test.reason, d.Facts, d.To, test.want, test.to, d.Speech, err)
		}
	}
}

// An NPC holds back facts with the probability of its share, the same ones all session long, and ends facts as sentences.
func TestNPCShare(t *testing.T) {
	s := simtest.Exchange(2)
	s.Knowledge.Facts[0].Text = strings.TrimSuffix(s.Knowledge.Facts[0].Text, ".")
	given, asked := 0, 2000
	for seed := range uint64(asked) {
		ep := sim.NewEpisode("s", seed, s, 9)
		told := func(turn int) bool {
			v := ep.View("b", turn)
			v.Events = []*sim.Event{{Kind: sim.KindAct, Actor: "a", Speech: "Where is it?"}}
			d, err := open(t, "npc", "share", "0.3").Act(t.Context(), v)
			if err != nil || len(d.Facts) > 0 && !strings.Contains(d.Speech, s.Knowledge.Facts[0].Text+".") {
				t.Fatalf("%q, %v", d.Speech, err)
			}
			return len(d.Facts) > 0
		}
		first := told(2)
		if told(4) != first {
			t.Fatalf("seed %d: it changes its mind", seed)
		}
		if first {
			given++
		}
	}
	if share := float64(given) / float64(asked); share < 0.27 || share > 0.33 {
		t.Errorf("it gives %.3f of the facts, want 0.3", share)
	}
}

// What a player says after the play: what it was told by whoever said which sentences count, the long sentences of a
// model's NPC, no questions, nothing twice; with the knowledge in hand, all of it.
func TestDebriefs(t *testing.T) {
	s := simtest.Exchange(2)
	const long, six, question = "The bell hangs under the northern lake.", "It hangs under the lake.", "Who told you about the bell under the lake?"
	by := func(actor characters.ID, speech string, calls []string, facts ...int) *sim.Event {
		return &sim.Event{Kind: sim.KindAct, Actor: actor, Speech: speech, Calls: calls, Facts: facts}
	}
	var many []*sim.Event
	for i := range 50 {
		many = append(many, by("b", fmt.Sprintf("The bell rang %d times in the last year.", i), []string{"c"}))
	}
	for _, test := range []struct {
		events []*sim.Event
		want   []string
		reason string
	}{
		{[]*sim.Event{by("b", "Well, well. "+long, nil, 0)}, []string{long}, "the longest sentence carries the fact"},
		{[]*sim.Event{by("b", "Well. "+long+" "+six, nil, 0, 1)}, []string{long, six}, "two facts"},
		{[]*sim.Event{by("b", long, nil, 0), by("b", long, nil, 0)}, []string{long}, "nothing twice"},
		{[]*sim.Event{by("a", long, nil, 0)}, nil, "its own words"},
		{[]*sim.Event{by("b", long, nil)}, nil, "a reference NPC says which sentences count"},
		{[]*sim.Event{by("b", long+" "+six+" "+question, []string{"call"})}, []string{long}, "a model's NPC: sentences of seven words, no questions"},
		{[]*sim.Event{by("c", long, []string{"call"})}, nil, "another player's model"},
		{[]*sim.Event{{Kind: sim.KindRoll, Actor: "b", Speech: long, Facts: []int{0}}}, nil, "no move"},
		{nil, nil, "nothing was said"},
	} {
		v := sim.NewEpisode("s", 1, s, 9).View("a", 5)
		v.Events = test.events
		a, err := open(t, "diligent").Debrief(t.Context(), v, nil)
		if _, rest, _ := strings.Cut(a.Text, "\n"); err != nil || rest != strings.Join(test.want, "\n") || a.Text == "" {
			t.Errorf("%s: %q, want %q (%v)", test.reason, a.Text, test.want, err)
		}
	}
	v := sim.NewEpisode("s", 1, s, 9).View("a", 5)
	v.Events = many
	a, err := open(t, "diligent").Debrief(t.Context(), v, nil)
	if n := strings.Count(a.Text, "\n"); err != nil || n != 40 {
		t.Errorf("of fifty sentences %d are kept, want 40 (%v)", n, err)
	}
	for _, name := range []string{"diligent", "loner", "small-talk", "silent", "trader"} {
		v := sim.NewEpisode("s", 1, s, 9).View("a", 5)
		v.Events = []*sim.Event{by("b", long, nil, 0)}
		a, err := open(t, name).Debrief(t.Context(), v, nil)
		if listens := name == "diligent" || name == "loner"; err != nil || strings.Contains(a.Text, long) != listens {
			t.Errorf("%s: %q (%v)", name, a.Text, err)
		}
		v.Knowledge = s.Knowledge
		a, err = open(t, name).Debrief(t.Context(), v, nil)
		for _, f := range s.Knowledge.Facts {
			if err != nil || !strings.Contains(a.Text, f.Text) {
				t.Errorf("%s, told: %q (%v)", name, a.Text, err)
			}
		}
	}
}

// A diligent player passes on what it alone was told, at most two facts at a time, and what was said openly not again.
func TestWhatIsPassedOn(t *testing.T) {
	s := simtest.Exchange(3)
	whisper := func(speech string, facts ...int) *sim.Event {
		return &sim.Event{Kind: sim.KindAct, Actor: "c", Speech: speech, Facts: facts, Audience: []characters.ID{"c", "a"}}
	}
	for _, test := range []struct {
		events []*sim.Event
		want   []int
		text   string
		reason string
	}{
		{[]*sim.Event{whisper("It hangs under the lake. Orla Venn made the bell.", 0, 1)}, []int{0, 1}, "It hangs under the lake. Orla Venn made the bell.", "two facts"},
		{[]*sim.Event{whisper("It is one thing. It is another. It is the third.", 0, 1, 2)}, []int{0, 1}, "It is one thing. It is another.", "two at most"},
		{[]*sim.Event{whisper("It is one thing.", 0), whisper("It is one thing.", 0)}, []int{0}, "It is one thing.", "once"},
		{[]*sim.Event{whisper("It is one thing.", 0), {Kind: sim.KindAct, Actor: "b", Speech: "It is one thing.", Facts: []int{0}}}, nil, "", "all know it"},
		{[]*sim.Event{whisper("It is one thing.", 0, 1)}, []int{0}, "It is one thing.", "fewer sentences than facts"},
		{[]*sim.Event{whisper("Hm.")}, nil, "", "no fact"},
	} {
		v := sim.NewEpisode("s", 1, s, 9).View("a", 5)
		v.Events = test.events
		d, err := open(t, "diligent").Act(t.Context(), v)
		if err != nil || !slices.Equal(d.Facts, test.want) || !strings.HasSuffix(d.Speech, test.text) || test.text == "" && !strings.HasSuffix(d.Speech, "?") {
			t.Errorf("%s: %v, %q (%v)", test.reason, d.Facts, d.Speech, err)
		}
		if d, _ := open(t, "loner").Act(t.Context(), v); len(d.Facts) > 0 || !slices.Equal(d.To, []characters.ID{"c"}) {
			t.Errorf("%s: a loner says %q to %v", test.reason, d.Speech, d.To)
		}
	}
}

// A question names its subject as it is called in the middle of a sentence.
func TestQuestionsNameTheirSubject(t *testing.T) {
	for title, want := range map[string]string{"The Salt Road": "the Salt Road", "": "this matter", "Oma's Well": "Oma's Well"} {
		said := 0
		for seed := range uint64(50) {
			v := sim.NewEpisode("s", seed, simtest.Exchange(2), 9).View("a", 1)
			v.Title = title
			d, err := open(t, "diligent").Act(t.Context(), v)
			if err != nil || strings.ToUpper(d.Speech[:1]) != d.Speech[:1] {
				t.Errorf("%q, %v", d.Speech, err)
			}
			if strings.Contains(strings.ToLower(d.Speech), strings.ToLower(want)) {
				said++
			}
			if title != want && title != "" && strings.Contains(strings.ReplaceAll(d.Speech[1:], ". The", ". the"), title) {
				t.Errorf("%q", d.Speech)
			}
		}
		if said < 10 {
			t.Errorf("%q is named in %d of 50 questions", want, said)
		}
	}
}

// The grammar is rich: over many seeds every actor says and does many different things.
func TestSpeechIsVaried(t *testing.T) {
	for _, name := range reference.Names() {
		if name == "silent" {
			continue
		}
		a := open(t, name)
		s := simtest.Exchange(2)
		ep := sim.NewEpisode("s", 1, s, 30)
		said := map[string]bool{}
		for seed := range uint64(2000) {
			v := ep.View("a", 1)
			if name == "npc" {
				v = ep.View("b", 1)
				v.Events = []*sim.Event{{Kind: sim.KindAct, Actor: "a", Speech: "Where is it?"}}
			}
			v.Seed, v.Root = sim.Mix(seed), 1
			v.Aims = []characters.Skill{characters.Skills()[seed%18]}
			d, err := a.Act(context.Background(), v)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []string{"SUBJECT", "NPC", "[", "]", "|"} {
				if strings.Contains(d.Speech+d.Deed, w) {
					t.Fatalf("%s: a hole in the grammar: %q %q", name, d.Speech, d.Deed)
				}
			}
			said[d.Speech+"|"+d.Deed] = true
		}
		if len(said) < 200 {
			t.Errorf("%s has %d different moves in 2000", name, len(said))
		}
	}
}

// Each skill looks like something when it is acted out, and vivid players never say its name.
func TestVividPlayersDoNotNameTheSkill(t *testing.T) {
	s := simtest.Exchange(2)
	ep := sim.NewEpisode("s", 1, s, 30)
	for _, skill := range characters.Skills() {
		acted, named := map[string]bool{}, 0
		for seed := range uint64(600) {
			v := ep.View("a", 1)
			v.Seed, v.Aims = sim.Mix(seed), []characters.Skill{skill}
			d, _ := open(t, "vivid").Act(context.Background(), v)
			acted[d.Speech+d.Deed] = true
			if strings.Contains(strings.ToLower(d.Speech+d.Deed), strings.ToLower(string(skill))) {
				t.Errorf("%s is named: %q %q", skill, d.Speech, d.Deed)
			}
			if b, _ := open(t, "blunt").Act(context.Background(), v); strings.Contains(b.Speech, string(skill)) {
				named++
			}
		}
		if len(acted) < 40 || named < 200 {
			t.Errorf("%s: acted out in %d ways, named bluntly %d times", skill, len(acted), named)
		}
	}
}

func TestTheSameViewGivesTheSameMove(t *testing.T) {
	a, b := table(t, 3, seated(t, "diligent")), table(t, 3, seated(t, "diligent"))
	if !reflect.DeepEqual(a.Events, b.Events) {
		t.Error("two plays of one seed differ")
	}
}
