package ieg_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/characters"
	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/run/runtest"
)

// play makes windows in which the last speaker says, with that much clarity, a word of the skill that
// it tries. Groups have five windows each.
func play(name string, n int, clarity float64, seed uint64) []ieg.Interaction {
	r := rand.New(rand.NewPCG(seed, 7))
	cast := []string{"Ann", "Bob", "Cid"}
	xs := make([]ieg.Interaction, n)
	for i := range xs {
		skill := characters.Skills()[r.IntN(6)]
		said := skill
		if r.Float64() >= clarity {
			said = characters.Skills()[r.IntN(6)]
		}
		who := cast[r.IntN(3)]
		xs[i] = ieg.Interaction{
			ID: fmt.Sprintf("%s:%d", name, i), Group: fmt.Sprintf("%s:%d", name, i/5), Cast: cast, Source: name,
			Lines:      []ieg.Line{{ieg.DM, "Well?"}, {cast[r.IntN(3)], "Hm."}, {who, fmt.Sprintf("word%d word%d", 30*slices.Index(characters.Skills(), said)+r.IntN(30), 900+r.IntN(9))}},
			Intentions: []ieg.Intention{{who, skill}},
		}
	}
	return xs
}

// counter is a virtual DM in a few lines: the last speaker tries the skill whose words these are.
type counter map[string]map[characters.Skill]int

func train(_ context.Context, xs, _ []ieg.Interaction, _ uint64) (ieg.Predictor, error) {
	c := counter{}
	for i := range xs {
		for _, in := range xs[i].Intentions {
			for _, w := range strings.Fields(xs[i].Lines[len(xs[i].Lines)-1].Text) {
				if c[w] == nil {
					c[w] = map[characters.Skill]int{}
				}
				c[w][in.Skill]++
			}
		}
	}
	return c, nil
}

func (counter) Name() string { return "counter" }

func (c counter) Predict(_ context.Context, x *ieg.Interaction) (ieg.Prediction, error) {
	last := x.Lines[len(x.Lines)-1]
	best, most := characters.Acrobatics, 0.0
	for _, s := range characters.Skills() {
		score := 0.0
		for _, w := range strings.Fields(last.Text) {
			all := 0
			for _, n := range c[w] {
				all += n
			}
			if all > 0 {
				score += float64(c[w][s]) / float64(all)
			}
		}
		if score > most {
			best, most = s, score
		}
	}
	return ieg.Prediction{Intentions: []ieg.Intention{{last.Speaker, best}}}, nil
}

func study() ieg.Study {
	return ieg.Study{
		Train: train, Seed: 11,
		RealTrain: play("real", 400, 0.8, 1), RealVal: play("val", 100, 0.8, 2), RealTest: play("test", 150, 0.8, 3),
		Generated: []ieg.Source{{"clear", play("clear", 300, 0.8, 4)}, {"hazy", play("hazy", 500, 0.3, 5)}, {"mute", play("mute", 260, 0, 6)}},
	}
}

func report(t *testing.T, s ieg.Study) *ieg.Report {
	t.Helper()
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func results(t *testing.T, s ieg.Study) []eval.Result {
	t.Helper()
	return report(t, s).Results(ieg.Bootstrap{Seed: s.Seed})
}

// standard is the report of study and its results, which several tests look at.
var standard = sync.OnceValues(func() (*ieg.Report, []eval.Result) {
	s := study()
	r, err := s.Run(context.Background())
	if err != nil {
		panic(err)
	}
	return r, r.Results(ieg.Bootstrap{Seed: s.Seed})
})

func TestStudy(t *testing.T) {
	_, got := standard()
	gap := func(arm, control string) float64 { return *valueOf(t, got, "G_o", arm, control).Value }
	floor, dealt := gap("real", ieg.NoiseFloor), gap("real", ieg.Shuffled)
	if floor > 6 || dealt < 3*floor {
		t.Errorf("noise floor %.2f, shuffled %.2f", floor, dealt)
	}
	if a, b, c := gap("clear", ""), gap("hazy", ""), gap("mute", ""); !(a < b && b < c) {
		t.Errorf("G_o: clear %.2f, hazy %.2f, mute %.2f", a, b, c)
	}
	if d := valueOf(t, got, "G_o_difference", "mute - clear", ""); d.Low == nil || *d.Low <= 0 {
		t.Errorf("mute - clear: %+v", d)
	}
	if c, f := valueOf(t, got, "G_c", "mute", ""), valueOf(t, got, "f_c", "mute", ""); c.Value != nil || !strings.Contains(c.Reason, "does not measure words") || *f.Value != 100 {
		t.Errorf("who acts is plain without words, and G_c of mute play is %+v, f_c %+v", c, f)
	}
	// 260 windows without the fifth that is set aside, in whole groups, worth somewhat less once their skills are
	// weighted to those of real play; halves of 400.
	for arm, want := range map[[2]string]float64{{"clear", ""}: 231, {"mute", ""}: 194, {"mute", ieg.Mute}: 194, {"mute", ieg.Matched}: 194, {"real", ""}: 387, {"real", ieg.Shuffled}: 387, {"half 1", ieg.NoiseFloor}: 200} {
		if r := valueOf(t, got, "train_windows", arm[0], arm[1]); *r.Value != want {
			t.Errorf("%v was trained on %v windows, want %v", arm, *r.Value, want)
		}
	}
	for i, r := range got {
		if (r.Value == nil || r.Low == nil) && r.Reason == "" {
			t.Errorf("%+v has no value or interval and no reason", r)
		}
		if r.Low != nil && (*r.Low > *r.High || !(strings.Contains(r.Metric, "difference") || strings.HasPrefix(r.Metric, "signed") || strings.HasPrefix(r.Metric, "words") || r.Metric == "f_o_chance" || *r.Low >= 0 && *r.High <= 100)) {
			t.Errorf("%+v", r)
		}
		if slices.ContainsFunc(got[:i], func(o eval.Result) bool {
			return o.Metric == r.Metric && o.Arm == r.Arm && o.Control == r.Control
		}) {
			t.Errorf("%s of %s (%s) stands twice", r.Metric, r.Arm, r.Control)
		}
	}
	for _, arm := range []string{"last-speaker", "majority", "nobody"} {
		f := valueOf(t, got, "f_o", arm, ieg.Baseline)
		if f.N != 150 || f.Of != 150 {
			t.Errorf("%s: %d of %d", arm, f.N, f.Of)
		}
	}
	if f := valueOf(t, got, "f_c", "last-speaker", ieg.Baseline); *f.Value != 100 {
		t.Errorf("f_c of the last speaker is %v", *f.Value)
	}
}

// The order in which things are done or listed changes no number of any of them.
func TestStudyIsOrderless(t *testing.T) {
	s := study()
	one, want := standard()
	s.Workers = 7
	if got := report(t, s); !reflect.DeepEqual(got, one) {
		t.Error("seven workers give another report than one")
	}
	slices.Reverse(s.Generated)
	got := results(t, s)
	for _, r := range want {
		if strings.Contains(r.Metric, "difference") {
			a, b, _ := strings.Cut(r.Arm, " - ")
			if back := valueOf(t, got, r.Metric, b+" - "+a, ""); math.Abs(*back.Value+*r.Value) > 1e-9 {
				t.Errorf("%s: %v, the other way round %v", r.Arm, *r.Value, *back.Value)
			}
			continue
		}
		if back := valueOf(t, got, r.Metric, r.Arm, r.Control); !reflect.DeepEqual(*back, r) {
			t.Errorf("%+v, with the sources in another order %+v", r, *back)
		}
	}
	slices.Reverse(s.Generated)
	s.Seed++
	if reflect.DeepEqual(report(t, s), one) {
		t.Error("another seed gives the same report")
	}
}

// Nothing that is learned is tested, and what stands for generated play never saw real play.
func TestStudyKeepsApart(t *testing.T) {
	s := study()
	var mu sync.Mutex
	sizes := map[int]bool{}
	s.Train = func(ctx context.Context, xs, val []ieg.Interaction, seed uint64) (ieg.Predictor, error) {
		mu.Lock()
		defer mu.Unlock()
		sizes[len(xs)] = true
		names := map[string]bool{}
		groups := map[string]bool{}
		for i := range xs {
			names[xs[i].Source] = true
			groups[xs[i].Group] = true
		}
		for i := range val {
			if groups[val[i].Group] {
				t.Errorf("group %s is trained on and validated on", val[i].Group)
			}
			names[val[i].Source] = true
		}
		if len(val) == 0 || names["test"] || len(names) > 1 && (len(names) > 2 || !names["real"] || !names["val"]) {
			t.Errorf("a virtual DM saw %v", names)
		}
		return train(ctx, xs, val, seed)
	}
	s.Workers = 3
	calls := 0
	s.Progress = func(done, of int) {
		if calls++; done != calls || of != 65 {
			t.Errorf("progress %d of %d at call %d", done, of, calls)
		}
	}
	report(t, s)
	if len(sizes) != 4 || calls != 65 {
		t.Errorf("training sizes %v in %d trainings", sizes, calls)
	}
}

func TestStudyRefuses(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*ieg.Study)
	}{
		{"a study needs a trainer", func(s *ieg.Study) { s.Train = nil }},
		{"no real play to train on", func(s *ieg.Study) { s.RealTrain = nil }},
		{"no real play to test on", func(s *ieg.Study) { s.RealTest = nil }},
		{`group "real:0" stands in the real play to train on`, func(s *ieg.Study) { s.RealTest = s.RealTrain[:5] }},
		{`group "val:0" stands in the real play to validate on`, func(s *ieg.Study) { s.RealTest = s.RealVal }},
		{`group "test:0" stands in hazy`, func(s *ieg.Study) { s.Generated[1].Interactions = s.RealTest }},
		{`two sources of generated play are called "clear"`, func(s *ieg.Study) { s.Generated[2].Name = "clear" }},
		{"has no name", func(s *ieg.Study) { s.Generated[2].Name = "" }},
		{"-1 seeds", func(s *ieg.Study) { s.Seeds = -1 }},
	} {
		s := study()
		test.change(&s)
		if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := study()
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want a cancelled context", err)
	}
}

// What cannot be had is a reason, and the rest stands.
func TestStudyWithFailures(t *testing.T) {
	s := study()
	s.Seeds = 2
	s.Generated = append(s.Generated, ieg.Source{Name: "none"}, ieg.Source{Name: "few", Interactions: play("few", 36, 1, 8)}, ieg.Source{Name: "lonely", Interactions: play("lonely", 5, 1, 9)})
	s.Train = func(ctx context.Context, xs, val []ieg.Interaction, seed uint64) (ieg.Predictor, error) {
		if xs[0].Source == "hazy" {
			return nil, errors.New("nobody tries anything")
		}
		p, err := train(ctx, xs, val, seed)
		return fixed(func(x *ieg.Interaction) (ieg.Prediction, error) {
			if x.ID == "test:0" {
				return ieg.Prediction{Reason: "the reply was cut"}, nil
			}
			return p.Predict(ctx, x)
		}), err
	}
	got := results(t, s)
	for arm, why := range map[string]string{
		"hazy": "train a virtual DM: nobody tries anything", "none": "there is no play", "lonely": "a single group", "few": "worth 23, and 30 are needed",
	} {
		for _, metric := range []string{"f_c", "f_o", "G_c", "G_o"} {
			if r := valueOf(t, got, metric, arm, ""); r.Value != nil || r.N != 0 || !strings.Contains(r.Reason, why) {
				t.Errorf("%s of %s: %+v, want %q", metric, arm, r, why)
			}
		}
	}
	if d := valueOf(t, got, "G_o_difference", "mute - hazy", ""); d.Value != nil || d.Reason == "" || d.N != 0 || d.Of != 0 {
		t.Errorf("%+v", d)
	}
	f := valueOf(t, got, "f_o", "clear", "")
	if f.Value == nil || f.N != 298 || f.Of != 300 || !strings.Contains(f.Reason, "2 x unscored: the reply was cut") {
		t.Errorf("%+v", f)
	}
	// One prediction that is no set changes nothing of the others.
	s.RealTest = s.RealTest[1:]
	if g := valueOf(t, results(t, s), "f_o", "clear", ""); math.Abs(*g.Value-*f.Value) > 1e-9 {
		t.Errorf("F is %v with an unscored prediction and %v without that window", *f.Value, *g.Value)
	}
}

// Stretches of generated play that cannot have the shares of real play, which tries one skill in two thirds of its
// stretches, keep a fifth of their worth, and say what they lack; a few of them are refused.
func TestStretchesUnlikeRealPlay(t *testing.T) {
	stretched := func(name string, n int) []ieg.Interaction {
		xs := play(name, n, 0.8, 4)
		for i := range xs {
			for k, who := range xs[i].Cast {
				xs[i].Intentions = append(xs[i].Intentions, tries(who, characters.Skills()[(i+5*k)%18]))
			}
		}
		return xs
	}
	s := study()
	s.Stretches, s.Seeds, s.RealVal = true, 1, nil
	for i := range s.RealTrain {
		if i%3 > 0 {
			s.RealTrain[i].Intentions[0].Skill = characters.Perception
		}
	}
	alien := play("alien", 400, 0.8, 4)
	for i := range alien {
		if i%2 == 0 {
			alien[i].Intentions[0].Skill = characters.Survival // which real play does not try
		} else if i%20 == 1 {
			alien[i].Intentions[0].Skill = characters.Perception
		}
	}
	s.Generated = []ieg.Source{{"many", stretched("many", 400)}, {"some", stretched("some", 60)}, {"alien", alien}}
	got := results(t, s)
	if r := valueOf(t, got, "train_windows", "many", ""); *r.Value < 80 || *r.Value > 200 || !strings.Contains(r.Reason, "400 windows, none weighted more than 5-fold, are worth 83") || !strings.Contains(r.Reason, "% of their skills are not as in real play") {
		t.Errorf("%v of %d: %s", *r.Value, r.Of, r.Reason)
	}
	if r := valueOf(t, got, "train_windows", "alien", ""); !strings.Contains(r.Reason, "are worth 71;") {
		t.Errorf("%s", r.Reason)
	}
	if r := valueOf(t, got, "G_o", "many", ""); r.Value == nil || r.Low == nil {
		t.Errorf("%+v", r)
	}
	if r := valueOf(t, got, "G_o", "some", ""); r.Value != nil || !strings.Contains(r.Reason, "and 30 are needed") {
		t.Errorf("%+v", r)
	}
}

// A single group of real play has no halves; a test of one group has no interval.
func TestStudyOfOneGroup(t *testing.T) {
	s := study()
	s.RealVal = nil
	for _, part := range [][]ieg.Interaction{s.RealTrain, s.RealTest} {
		for i := range part {
			part[i].Group = part[i].Source
		}
	}
	got := results(t, s)
	if r := valueOf(t, got, "G_o", "real", ieg.NoiseFloor); r.Value != nil || !strings.Contains(r.Reason, "no halves") {
		t.Errorf("%+v", r)
	}
	if r := valueOf(t, got, "G_o", "clear", ""); r.Value == nil || r.Low != nil || r.Reason == "" {
		t.Errorf("%+v", r)
	}
}

// TestGolden holds a whole report against the one that was read by eye.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	_, list := standard()
	b.WriteString(lines(list) + "\n")
	if err := ieg.WriteTable(&b, list); err != nil {
		t.Fatal(err)
	}
	runtest.Golden(t, "report.golden", b.String())
}

func interval(r eval.Result) string {
	if r.Value == nil {
		return "-"
	}
	if r.Low == nil {
		return fmt.Sprintf("%.3f", *r.Value)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", *r.Value, *r.Low, *r.High)
}

func ExampleStudy() {
	s := ieg.Study{
		Train:     train, // a Trainer, such as finetune/vdm's
		RealTrain: play("real", 400, 0.8, 1),
		RealTest:  play("test", 150, 0.8, 3),
		Generated: []ieg.Source{{"clear", play("clear", 400, 0.8, 4)}, {"mute", play("mute", 400, 0, 6)}},
		Seeds:     2,
		Workers:   2,
	}
	report, err := s.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range report.Results(ieg.Bootstrap{}) {
		if r.Metric == "G_o" && r.Control != ieg.Mute {
			fmt.Printf("%-5s %-11s %5.1f of 100\n", r.Arm, r.Control, *r.Value)
		}
	}
	// Output:
	// clear               3.0 of 100
	// mute               55.3 of 100
	// real  noise-floor   1.2 of 100
	// real  shuffled     65.6 of 100
}

// The words of clear play add to the same windows without words, those of mute play nothing.
func TestWords(t *testing.T) {
	_, got := standard()
	value := func(metric, arm, control string) float64 { return *valueOf(t, got, metric, arm, control).Value }
	for _, test := range []struct {
		reason, metric, arm, control string
		least, most                  float64 // of the interval
	}{
		{"words add to clear play", "words_o", "clear", "", 20, 100},
		{"hazy play is under real play", "signed_o", "hazy", "", 0, 100},
		{"the noise floor begins at 0", "G_o", "real", ieg.NoiseFloor, 0, 100},
		{"mute play has a gap", "G_o", "mute", "", 1, 100},
	} {
		if r := valueOf(t, got, test.metric, test.arm, test.control); r.Low == nil || *r.Low < test.least || *r.High > test.most || *r.Value < *r.Low || *r.Value > *r.High {
			t.Errorf("%s: %+v", test.reason, r)
		}
	}
	for _, test := range []struct {
		reason, metric, arm, control string
		most                         float64
	}{
		{"words add nothing to mute play", "words_o", "mute", "", 6},
		{"who acts is plain without words", "words_c", "clear", "", 0},
		{"a rule that names one skill is not beyond chance", "f_o_chance", "last-speaker", ieg.Baseline, 1},
		{"nor is one that names one character too", "f_o_chance", "majority", ieg.Baseline, 1},
		{"skills dealt out anew cannot be learned", "f_o_chance", "real", ieg.Shuffled, 6},
		{"of six skills, one is guessed without words", "f_o", "real", ieg.Mute, 25},
		{"a difference is that of its sides", "signed_o", "hazy", "", math.Abs(value("f_o", "real", "")-value("f_o", "hazy", "")) + 1e-9},
	} {
		if r := valueOf(t, got, test.metric, test.arm, test.control); math.Abs(*r.Value) > test.most {
			t.Errorf("%s: %+v", test.reason, r)
		}
	}
	rule := valueOf(t, got, "f_o", "mute", "")
	if said := strings.Contains(rule.Reason, "under the trivial rule last-speaker"); said != (*rule.Value < value("f_o", "last-speaker", ieg.Baseline)) {
		t.Errorf("f_o of mute play is %v, and it says %q", *rule.Value, rule.Reason)
	}
}
