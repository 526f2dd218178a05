package ieg_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"parley/eval/ieg"
)

const oneWindow = `{"id":"w1","group":"g","split":"train","cast":["Orla","Pim"],"context":[{"speaker":"DM","text":"It's <dark> & \"still\"."}],"intentions":[{"character":"Orla","skill":"Stealth"}],"tier":"game","source":"x"}`

func readAll(r io.Reader) (xs []ieg.Interaction, err error) {
	for x, err := range ieg.Read(r, "in.jsonl") {
		if err != nil {
			return xs, err
		}
		xs = append(xs, x)
	}
	return xs, nil
}

func TestWindowsRoundTrip(t *testing.T) {
	text := oneWindow + "\n" + strings.NewReplacer(`"w1"`, `"w2"`, `[{"character":"Orla","skill":"Stealth"}]`, `[]`, `,"source":"x"`, "", `"train"`, `""`).Replace(oneWindow) + "\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, text)
	z.Close()
	for name, in := range map[string]io.Reader{"plain": strings.NewReader(text), "gzip": &packed} {
		xs, err := readAll(in)
		if err != nil || len(xs) != 2 {
			t.Fatalf("%s: %d windows, %v", name, len(xs), err)
		}
		var out bytes.Buffer
		for i := range xs {
			if err := ieg.Write(&out, &xs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(text, out.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	var out bytes.Buffer
	x := ieg.Interaction{ID: "w", Group: "g", Cast: []string{"Pim"}, Lines: []ieg.Line{{Speaker: "Pim", Text: "Hm."}}}
	if err := ieg.Write(&out, &x); err != nil || !strings.Contains(out.String(), `"intentions":[]`) {
		t.Errorf("no intentions: %q, %v", out.String(), err)
	}
}

func TestWindowsRefused(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{`"w1"`, `""`, "has no id"},
		{`"g"`, `""`, "has no group"},
		{`"train"`, `"dev"`, "none of train, val and test"},
		{`["Orla","Pim"]`, `[]`, "has no cast"},
		{`["Orla","Pim"]`, `["Orla","Orla"]`, "twice in the cast"},
		{`["Orla","Pim"]`, `["Orla","DM"]`, `a member called "DM"`},
		{`["Orla","Pim"]`, `["Pim"]`, `"Orla" has an intention and is not in the cast`},
		{`"Stealth"`, `"stealth"`, "none of the 18 skills"},
		{`"Stealth"}`, `"Stealth"},{"character":"Orla","skill":"Stealth"}`, "stands twice"},
		{`"DM"`, `" "`, "no speaker or no text"},
		{`[{"speaker":"DM","text":"It's <dark> & \"still\"."}]`, `[]`, "has no context"},
		{`"source"`, `"sauce"`, "unknown field"},
		{`"x"}`, `"x"} {}`, "something follows"},
		{`"x"}`, `"x"`, "cut off"},
		{`"x"}`, "\"\xff\"}", "not UTF-8"},
		{oneWindow, ``, "empty"},
		{oneWindow, `null`, "has no id"},
		{oneWindow, `[]`, "parse window"},
		{oneWindow, strings.Repeat("x", 9<<20), "longer than 8 MiB"},
	} {
		text := strings.Replace(oneWindow, `"w1"`, `"w0"`, 1) + "\n" + strings.Replace(oneWindow, test.old, test.new, 1) + "\n"
		xs, err := readAll(strings.NewReader(text))
		if len(xs) != 1 || err == nil || !strings.HasPrefix(err.Error(), "in.jsonl:2: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40s: %d windows, error %v, want %q in line 2", test.new, len(xs), err, test.want)
		}
	}
	if _, err := readAll(strings.NewReader(oneWindow + "\n" + oneWindow)); err == nil || !strings.Contains(err.Error(), "in.jsonl:2: window w1 stood in line 1 already") {
		t.Errorf("the same id twice: %v", err)
	}
	if _, err := readAll(io.MultiReader(strings.NewReader(oneWindow+"\n"), iotest.ErrReader(errors.New("the disk is gone")))); err == nil || err.Error() != "in.jsonl:2: read windows: the disk is gone" {
		t.Errorf("a read that fails: %v", err)
	}
	for _, text := range []string{"\x1f", "\x1f{", "x\x8b"} {
		if _, err := readAll(strings.NewReader(text)); err == nil || strings.Contains(err.Error(), "compressed") {
			t.Errorf("%q is not compressed: %v", text, err)
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, oneWindow)
	z.Close()
	if _, err := readAll(bytes.NewReader(packed.Bytes()[:packed.Len()-9])); err == nil || !strings.HasPrefix(err.Error(), "in.jsonl:") {
		t.Errorf("cut gzip: %v", err)
	}
	if err := ieg.Write(io.Discard, &ieg.Interaction{}); err == nil {
		t.Error("an empty window was written")
	}
}

func TestPublishedWindows(t *testing.T) {
	for split, want := range map[string]int{"train": 1746, "val": 290, "test": 149} {
		f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "crd3", "windows_"+split+".jsonl"))
		if err != nil {
			t.Skipf("the shared data are not here: %v", err)
		}
		defer f.Close()
		xs, err := readAll(f)
		if err != nil || len(xs) != want {
			t.Errorf("%s: %d windows, want %d; %v", split, len(xs), want, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(oneWindow + "\n"))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var once, twice bytes.Buffer
		xs, _ := readAll(bytes.NewReader(data))
		for i := range xs {
			if err := ieg.Write(&once, &xs[i]); err != nil {
				t.Fatal(err)
			}
		}
		again, err := readAll(bytes.NewReader(once.Bytes()))
		if err != nil || len(again) != len(xs) {
			t.Fatalf("%d of %d windows came back: %v", len(again), len(xs), err)
		}
		for i := range again {
			ieg.Write(&twice, &again[i])
		}
		if !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%q became %q", once.Bytes(), twice.Bytes())
		}
	})
}

func TestSplits(t *testing.T) {
	counts := map[string]int{}
	for i := range 10000 {
		counts[ieg.SplitOf(strings.Repeat("s", i%7)+string(rune('a'+i%26))+strings.Repeat("x", i/182))]++
	}
	for split, want := range map[string]int{ieg.Train: 8000, ieg.Val: 1000, ieg.Test: 1000} {
		if got := counts[split]; got < want-want/3 || got > want+want/3 {
			t.Errorf("%s: %d of 10000 groups, want about %d", split, got, want)
		}
	}
	// A corpus that grows later must not move a group: these are fixed for ever.
	for group, want := range map[string]string{"C1E001": "train", "C2E012": "train", "C2E013": "val", "C2E024": "val", "C2E006": "test", "C2E019": "test", "S36": "train", "S3": "val", "S59": "val", "S10": "test"} {
		if got := ieg.SplitOf(group); got != want {
			t.Errorf("SplitOf(%s) = %s, want %s", group, got, want)
		}
	}
	s := ieg.Splits{}
	assign := func(group, split string) (string, error) {
		x := ieg.Interaction{ID: "w", Group: group, Split: split}
		err := s.Assign(&x)
		return x.Split, err
	}
	if got, err := assign("g", "test"); got != "test" || err != nil {
		t.Errorf("a source's own split: %s, %v", got, err)
	}
	if got, err := assign("g", ""); got != "test" || err != nil {
		t.Errorf("the rest of its group follows: %s, %v", got, err)
	}
	if _, err := assign("g", "train"); err == nil {
		t.Error("a group was put on two sides")
	}
}

func TestNames(t *testing.T) {
	cast := []string{"Vex'ahlia", "Vax'ildan", "Scanlan", "Élan O'Mire", "Orla Venn", "Orla Stone", "Beauregard", "Jon of Far Ends", "Al Bo"}
	names := ieg.NewNames(cast, map[string]string{"Burt Reynolds": "Scanlan", "the bear": "Trinket", "Mire": "Élan O'Mire"})
	for _, test := range []struct{ text, want, reason string }{
		{"Vex'ahlia", "Vex'ahlia", ""},
		{"vexahlia", "Vex'ahlia", "no apostrophe"},
		{"Vex’ahlia", "Vex'ahlia", "a printer's apostrophe"},
		{"VEX", "Vex'ahlia", "a beginning that only one has"},
		{"Ve", "", "too short to be sure"},
		{"Va", "", ""},
		{"Vax's", "Vax'ildan", "a possessive"},
		{"**Scanlan**:", "Scanlan", "as models write it"},
		{"burt reynolds", "Scanlan", "an alias"},
		{"the bear", "", "an alias of somebody who is not in the cast"},
		{"elan omire", "Élan O'Mire", "no accents"},
		{"Elan", "Élan O'Mire", "a first name"},
		{"mire", "Élan O'Mire", "an alias"},
		{"Orla", "", "two have that first name"},
		{"Orla S", "Orla Stone", "a beginning of the whole"},
		{"Venn", "Orla Venn", "a last name"},
		{"Lady Stone", "Orla Stone", "a title"},
		{"Beau (monk)", "Beauregard", "what stands in brackets is no name"},
		{"Grog", "", ""},
		{"", "", ""},
		{"DM", "", ""},
		{strings.Repeat("Vex", 1000), "", ""},
		{"Vex (" + strings.Repeat("x", 194) + ")", "Vex'ahlia", "as long as may be"},
		{"Vex (" + strings.Repeat("x", 195) + ")", "", "too long for a name"},
		{"(Vex)", "Vex'ahlia", "brackets around it"},
		{"[Vex] Scanlan", "", ""},
		{"Vax-Vex", "", "two names"},
		{"O'Mire", "Élan O'Mire", "a last name"},
		{"Jon", "Jon of Far Ends", "a first name"},
		{"Ends", "Jon of Far Ends", "a last name"},
		{"Far", "", "a name in the middle"},
		{"the captain Scanlan", "Scanlan", "two titles"},
		{"Al", "", "too short to be a name of its own"},
	} {
		got, ok := names.Find(test.text)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Find(%.30q) = %q, %t, want %q %s", test.text, got, ok, test.want, test.reason)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("Vex'ahlia", "Vax", "vex")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		names := ieg.NewNames([]string{a, b}, map[string]string{text: b})
		if got, ok := names.Find(text); ok && got != a && got != b {
			t.Errorf("Find(%q) = %q of %q and %q", text, got, a, b)
		}
	})
}
