package vdm_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval/ieg"
	"parley/finetune/vdm"
)

var deeds = map[characters.Skill][]string{
	characters.Stealth:       {"I slip behind the barrels without a sound", "I keep low and creep along the wall", "can I creep past without a sound"},
	characters.Athletics:     {"I climb up the rope as fast as I can", "I push against the gate with my shoulder", "can I climb over the gate"},
	characters.Persuasion:    {"I smile and beg the guard to let us pass", "please, good sir, let us pass, I beg", "I offer the guard a fair deal"},
	characters.Investigation: {"I go through the drawers for papers", "I search the desk for a hidden catch", "can I search the papers"},
}

var chatter = []string{"that sounds fine", "what did the innkeeper say about supper", "who has the map", "ha, nice one", "we should rest soon", "the rain is getting worse"}

// play makes windows in which the last that somebody says shows what it tries. At times two do, at
// times nobody does. Names are drawn anew for each part, so that none can be learned.
func play(part string, n int, seed uint64) []ieg.Interaction {
	r := rand.New(rand.NewPCG(seed, 0))
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	var all []characters.Skill
	for _, s := range characters.Skills() {
		if deeds[s] != nil {
			all = append(all, s)
		}
	}
	out := make([]ieg.Interaction, n)
	for i := range out {
		x := ieg.Interaction{ID: fmt.Sprintf("%s-%d", part, i), Group: fmt.Sprintf("%s-%d", part, i/8), Tier: "game"}
		for c := range 4 {
			x.Cast = append(x.Cast, fmt.Sprintf("%s%c%c Voss", part, 'a'+r.IntN(26), 'a'+c))
		}
		say := func(who, text string) { x.Lines = append(x.Lines, ieg.Line{Speaker: who, Text: text + "."}) }
		for range 8 + r.IntN(5) {
			say(pick(append([]string{ieg.DM}, x.Cast...)), pick(chatter))
		}
		for _, c := range r.Perm(4)[:[]int{0, 1, 1, 1, 2}[r.IntN(5)]] {
			s := all[r.IntN(len(all))]
			say(x.Cast[c], pick(deeds[s]))
			x.Intentions = append(x.Intentions, ieg.Intention{Character: x.Cast[c], Skill: s})
			if r.IntN(2) == 0 {
				say(ieg.DM, "all right")
			}
		}
		out[i] = x
	}
	return out
}

func train(t testing.TB, c vdm.Config, train, val []ieg.Interaction) *vdm.Linear {
	t.Helper()
	l, err := vdm.Train(context.Background(), c, train, val)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLearnsWhatIsThere(t *testing.T) {
	test := play("Test", 200, 3)
	for _, val := range [][]ieg.Interaction{play("Val", 100, 2), nil} {
		c, o := f(t, train(t, vdm.Config{Seed: 1}, play("Train", 400, 1), val), test)
		if c < 90 || o < 80 {
			t.Errorf("with %d windows to tune on, f_c %.1f f_o %.1f", len(val), c, o)
		}
	}
}

func TestPredictsNothingWhereNobodyTries(t *testing.T) {
	l := train(t, vdm.Config{Seed: 1}, play("Train", 400, 1), nil)
	right, of := 0, 0
	for _, x := range play("Test", 200, 3) {
		if len(x.Intentions) > 0 {
			continue
		}
		p, err := l.Predict(context.Background(), &x)
		if err != nil {
			t.Fatal(err)
		}
		if of++; len(p.Intentions) == 0 {
			right++
		}
	}
	if of < 20 || right*10 < of*9 {
		t.Errorf("%d of %d windows in which nobody tries anything were seen as such", right, of)
	}
}

func TestLearnsNothingFromNoise(t *testing.T) {
	noise := play("Train", 400, 1)
	r := rand.New(rand.NewPCG(9, 9))
	all := characters.Skills()
	for i := range noise {
		for k := range noise[i].Intentions {
			noise[i].Intentions[k] = ieg.Intention{Character: noise[i].Cast[r.IntN(4)], Skill: all[r.IntN(len(all))]}
		}
	}
	if _, o := f(t, train(t, vdm.Config{Seed: 1}, noise, nil), play("Test", 200, 3)); o > 25 {
		t.Errorf("f_o %.1f after learning from labels that have nothing to do with the talk", o)
	}
}

func save(t testing.TB, l *vdm.Linear) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := l.Save(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestTheSameToTheBit(t *testing.T) {
	xs := play("Train", 150, 1)
	first := save(t, train(t, vdm.Config{Seed: 5, Workers: 1}, xs, nil))
	for _, workers := range []int{0, 1, 3, 8} {
		for _, procs := range []int{1, 4} {
			old := runtime.GOMAXPROCS(procs)
			again := save(t, train(t, vdm.Config{Seed: 5, Workers: workers}, xs, nil))
			runtime.GOMAXPROCS(old)
			if !bytes.Equal(first, again) {
				t.Errorf("%d workers on %d processors make another virtual DM", workers, procs)
			}
		}
	}
	other := save(t, train(t, vdm.Config{Seed: 6}, xs, nil))
	if weights := regexp.MustCompile(`"weights":\[[^\]]*`); bytes.Equal(weights.Find(unpacked(t, first)), weights.Find(unpacked(t, other))) {
		t.Error("another seed makes the same virtual DM")
	}
}

// unpacked returns the JSON of a file, and packed makes a file of it.
func unpacked(t testing.TB, file []byte) []byte {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func packed(text []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(text)
	w.Close()
	return out.Bytes()
}

func TestSaveLoad(t *testing.T) {
	l := train(t, vdm.Config{Seed: 1}, play("Train", 150, 1), nil)
	file := save(t, l)
	back, err := vdm.Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, save(t, back)) || back.About() != l.About() {
		t.Error("what was loaded is not what was saved")
	}
	for _, x := range play("Test", 50, 2) {
		a, errA := l.Predict(context.Background(), &x)
		b, errB := back.Predict(context.Background(), &x)
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%s: %v, loaded %v (%v, %v)", x.ID, a, b, errA, errB)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	file := save(t, train(t, vdm.Config{Seed: 1}, play("Train", 60, 1), nil))
	flipped := bytes.Clone(file)
	flipped[len(flipped)-6] ^= 1 // of the checksum
	text := unpacked(t, file)
	with := func(old, new string) []byte { return packed(bytes.Replace(text, []byte(old), []byte(new), 1)) }
	for _, test := range []struct {
		name, want string
		file       []byte
	}{
		{"empty", "not a file of parley finetune train", nil},
		{"foreign", "not a file of parley finetune train", []byte("{\"id\":\"w1\"}\n")},
		{"of the first version", "train anew", []byte("parley linear virtual DM\n{}\n")},
		{"foreign JSON", "not a file of parley finetune train", packed([]byte("{}"))},
		{"cut", "cut off", file[:len(file)-1]},
		{"cut JSON", "cut off", packed(text[:len(text)/2])},
		{"longer", "stands behind", append(bytes.Clone(file), bytes.Repeat([]byte{1}, 20)...)},
		{"two", "stands behind", packed(append(bytes.Clone(text), text...))},
		{"flipped bit", "damaged", flipped},
		{"other version", "version 3", with(`"version":2`, `"version":3`)},
		{"fewer numbers", "not as many", with(`"bias":[`, `"bias":[0,`)},
		{"a number beyond all", "cannot unmarshal", with(`"bias":[`, `"bias":[1e99,`)},
		{"a threshold beyond 1", "probability", with(`"second":`, `"second":7`)},
		{"other skills", "other skills", with("Acrobatics", "Aerobatics")},
	} {
		if _, err := vdm.Load(bytes.NewReader(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", test.name, err, test.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	file := save(f, train(f, vdm.Config{Seed: 1}, play("Train", 1, 1), nil)) // small: the fuzzer copies it often
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add(packed([]byte("{}")))
	f.Fuzz(func(t *testing.T, file []byte) {
		l, err := vdm.Load(bytes.NewReader(file))
		if err != nil {
			return
		}
		x := play("Test", 1, 2)[0]
		if _, err := l.Predict(context.Background(), &x); err != nil {
			t.Error(err)
		}
	})
}

func TestOddWindows(t *testing.T) {
	l := train(t, vdm.Config{Seed: 1}, play("Train", 60, 1), nil)
	long := strings.Repeat("I search the desk, ", 20000)
	for _, x := range []ieg.Interaction{
		{},
		{Cast: []string{"Orla"}},
		{Lines: []ieg.Line{{Speaker: "Orla", Text: "I climb."}}},
		{Cast: []string{"Orla", "Orla", ""}, Lines: []ieg.Line{{}, {Speaker: "Orla & Bram", Text: long}, {Speaker: "Ⱥ", Text: "Ⱥ\xff 'x' ’"}}},
		{Cast: []string{"Δ", "火"}, Lines: []ieg.Line{{Speaker: "火", Text: "火!"}}},
	} {
		if _, err := l.Predict(context.Background(), &x); err != nil {
			t.Error(err)
		}
	}
}

func TestTrainErrors(t *testing.T) {
	if _, err := vdm.Train(context.Background(), vdm.Config{}, nil, nil); err == nil {
		t.Error("learned from nothing")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := vdm.Train(ctx, vdm.Config{}, play("Train", 20, 1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLearnsFromLittle(t *testing.T) {
	silent := play("Train", 30, 1)
	for i := range silent {
		silent[i].Intentions = nil
	}
	for _, test := range []struct {
		name string
		xs   []ieg.Interaction
	}{{"one window", play("Train", 1, 1)}, {"one group", play("Train", 8, 1)}, {"nobody tries anything", silent}} {
		l := train(t, vdm.Config{Seed: 1}, test.xs, nil)
		for _, x := range play("Test", 20, 2) {
			if p, err := l.Predict(context.Background(), &x); err != nil || test.name == "nobody tries anything" && len(p.Intentions) > 0 {
				t.Fatalf("%s: %v %v", test.name, p, err)
			}
		}
	}
}

func Example() {
	l, err := vdm.Train(context.Background(), vdm.Config{Seed: 1}, play("Train", 400, 1), nil)
	if err != nil {
		panic(err)
	}
	p, err := l.Predict(context.Background(), &ieg.Interaction{
		Cast: []string{"Orla Venn", "Bram"},
		Lines: []ieg.Line{
			{Speaker: "Bram", Text: "We should rest soon."},
			{Speaker: ieg.DM, Text: "The gate stands before you."},
			{Speaker: "Orla Venn", Text: "Can I climb over the gate?"},
		},
	})
	fmt.Println(p.Intentions, err)
	// Output: [{Orla Venn Athletics}] <nil>
}
