package corpora_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/characters"
	"parley/eval/ieg"
	"parley/eval/ieg/corpora"
)

var table = corpora.People{
	DMs:     []string{"MATT"},
	Players: map[string]string{"LAURA": "Jester", "SAM": "Nott", "Liam O": "Caleb"},
}

// show writes windows as short lines: id, cast, last line, intentions.
func show(xs []ieg.Interaction) string {
	var b strings.Builder
	for _, x := range xs {
		var tries []string
		for _, i := range x.Intentions {
			tries = append(tries, i.Character+" "+string(i.Skill))
		}
		last := x.Lines[len(x.Lines)-1]
		fmt.Fprintf(&b, "%s %s %s | %s: %s | %s\n", x.ID, x.Tier, strings.Join(x.Cast, ","), last.Speaker, last.Text, strings.Join(tries, ", "))
	}
	return b.String()
}

func all(t *testing.T, reader corpora.Reader, content string, people corpora.People) (string, map[string]int) {
	t.Helper()
	tally := &corpora.Tally{}
	xs := collect(t, reader, corpora.File{Name: "log", Group: "G", Content: strings.NewReader(content), People: people, Tally: tally})
	return show(xs), tally.Unused
}

func check(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimLeft(want, "\n"); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// episode writes a transcript of lines "NAME: text" as CRD3 has it.
func episode(lines ...string) string {
	var b strings.Builder
	b.WriteString(`{"METADATA": {"deep": [1, {"x": null}]}, "TURNS": [`)
	for i, l := range lines {
		names, text, _ := strings.Cut(l, ": ")
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"NAMES": ["%s"], "UTTERANCES": [%q], "NUMBER": %d}`, strings.ReplaceAll(names, "+", `", "`), text, i+10)
	}
	return b.String() + "]}"
}

func TestCRD3(t *testing.T) {
	got, unused := all(t, corpora.Readers["crd3"], episode(
		"MATT: Welcome, Laura, and Sam's dog. LAURA waves.",
		"LAURA: I push the door.",
		"MATT: Make an athletics check.",
		"SAM: You can do it.",
		"LAURA: 17.",
		"MATT: 17. It gives.",
		"SAM: I hide.", "SAM: Quickly.", "SAM: And quietly.",
		"MATT: Give me a stealth check.",
		"SAM+LAURA: Twelve!",
		"MATT: Okay.", "LAURA: a", "LAURA: b", "LAURA: c", "LAURA: d",
		"MATT: You can make a perception check, if you'd like.",
		"SAM: 20.",
		"MATT: Make an insight check.",
		"MATT: Never mind, you know him.",
		"SAM: 3.",
		"MATT: Roll history.",
		"ALL: 20!",
		"MATT: Ha.",
		"WENDY: Hello.", "WENDY: I listen.",
		"MATT: Make a perception check.",
		"WENDY: 9.",
		"MATT: You hear nothing.",
	), table)
	check(t, got, `
crd3:G:12 dm_echo Guest2,Jester,Nott | Jester: I push the door. | Jester Athletics
crd3:G:19 numeric_reply Guest2,Jester,Nott | Nott: And quietly. | Nott Stealth, Jester Stealth
crd3:G:36 numeric_reply Guest2,Jester,Nott | Guest2: I listen. | Guest2 Perception
`)
	want := map[string]int{"a request that the DM took back": 1, "a request that is not answered with a number": 1}
	if !maps.Equal(unused, want) {
		t.Errorf("unused %v, want %v", unused, want)
	}
	first := collect(t, corpora.Readers["crd3"], corpora.File{Name: "e", Group: "G", People: table, Content: strings.NewReader(episode(
		"MATT: Welcome, Laura, and Sam's dog. LAURA waves. Samwise, too.", "MATT: Roll insight.", "SAM: 5."))})
	if got := first[0].Lines[0].Text; got != "Welcome, Jester, and Nott's dog. Jester waves. Samwise, too." {
		t.Errorf("players inside of what is said: %q", got)
	}
}

func TestCRD3Chunks(t *testing.T) {
	chunk := func(from int, lines ...string) string {
		var turns []string
		for i, l := range lines {
			name, text, _ := strings.Cut(l, ": ")
			turns = append(turns, fmt.Sprintf(`{"NAMES":["%s"],"UTTERANCES":["%s"],"NUMBER":%d}`, name, text, from+i))
		}
		return `{"CHUNK":"x","ALIGNMENT":{"S":1},"TURNS":[` + strings.Join(turns, ",") + `]}`
	}
	got, _ := all(t, corpora.Readers["crd3"], "["+chunk(0, "LAURA: I push.", "MATT: Make an athletics check.")+","+chunk(1, "MATT: Make an athletics check.", "LAURA: 12.")+"]", table)
	check(t, got, "crd3:G:1 numeric_reply Jester | Jester: I push. | Jester Athletics\n")
	got, _ = all(t, corpora.Readers["crd3"], "["+chunk(1, "MATT: Make an athletics check.", "LAURA: 12.")+","+chunk(0, "LAURA: I push.", "MATT: Make an athletics check.")+"]", table)
	check(t, got, "crd3:G:1 numeric_reply Jester | Jester: I push. | Jester Athletics\n")
}

// A context never holds more than 30 turns, and ends before the request.
func TestCRD3Context(t *testing.T) {
	var lines []string
	for i := range 50 {
		lines = append(lines, fmt.Sprintf("LAURA: line%d", i))
	}
	xs := collect(t, corpora.Readers["crd3"], corpora.File{Name: "e", Group: "G", People: table, Content: strings.NewReader(episode(append(lines, "MATT: Roll a stealth check.", "LAURA: 5.")...))})
	if len(xs) != 1 || len(xs[0].Lines) != 30 || xs[0].Lines[0].Text != "line20" || xs[0].Lines[29].Text != "line49" {
		t.Errorf("%v", xs)
	}
}

func TestCRD3NeedsNames(t *testing.T) {
	for _, people := range []corpora.People{{}, {DMs: []string{"MATT"}}, {Players: table.Players}, {DMs: []string{"BRENNAN"}, Players: table.Players}} {
		f := corpora.File{Name: "e.json", Content: strings.NewReader(episode("MATT: a", "SAM: b")), People: people}
		for _, err := range corpora.CRD3(f) {
			if err == nil || !strings.Contains(err.Error(), "names file") {
				t.Errorf("%v: error %v, want one about the names file", people, err)
			}
		}
	}
}

const avraeLog = `
{"combat_id":"c1","event_type":"message","timestamp":1650000000.5,"message_id":1,"author_id":"7","author_name":"dave","content":"The bridge sways."}
{"combat_id":"c1","event_type":"combat_state_update","timestamp":1650000001,"probable_interaction_id":1,"data":{"dm":7,"combatants":[{"name":"Orla","type":"player","controller":8},{"type":"group","name":"g","combatants":[{"name":"Brannoc","type":"player","controller_id":"9"}]},{"name":"GO1","type":"monster","controller":7}]},"human_readable":"x"}
{"combat_id":"c1","event_type":"message","timestamp":1650000002,"message_id":2,"author_id":8,"author_name":"pat","content":"Orla <b>creeps</b> &amp; listens."}
{"combat_id":"c1","event_type":"message","timestamp":1650000003,"message_id":3,"author_id":8,"author_name":"pat","content":"!c stealth adv"}
{"combat_id":"c1","event_type":"command","timestamp":1650000003,"message_id":3,"author_id":8,"author_name":"pat","content":"!c stealth adv","prefix":"!","command_name":"check","called_by_alias":false,"caster":{"name":"Orla"},"targets":null}
{"combat_id":"c1","event_type":"message","timestamp":1650000004,"message_id":4,"author_id":"261302296103747584","author_name":"Avrae","content":"","embeds":[{"title":"Orla makes a Stealth check!"}]}
{"combat_id":"c1","event_type":"command","timestamp":1650000005,"message_id":5,"author_id":9,"author_name":"kim","content":"!i cast \"shield of faith\" -t Orla","prefix":"!","command_name":"init cast","caster":{"name":"Brannoc"}}
{"combat_id":"c1","event_type":"command","timestamp":1650000006,"message_id":6,"author_id":9,"author_name":"kim","content":"!sneaky","prefix":"!","command_name":"check","called_by_alias":true,"caster":{"name":"Brannoc"}}
{"combat_id":"c2","event_type":"message","timestamp":1650000007,"message_id":7,"author_id":9,"author_name":"kim","content":"I look at the tracks."}
{"combat_id":"c2","event_type":"command","timestamp":1650000008,"message_id":8,"author_id":9,"author_name":"kim","content":"!check \"animal handling\" -b 2","prefix":"!","command_name":"check","caster":{"name":"Brannoc"}}
{"combat_id":"c2","event_type":"command","timestamp":1650000009,"message_id":9,"author_id":9,"author_name":"kim","content":"!check percep","prefix":"!","command_name":"check","caster":{"name":"Brannoc"}}
{"combat_id":"c2","event_type":"command","timestamp":1650000009,"message_id":10,"author_id":9,"author_name":"kim","content":"!check dex","prefix":"!","command_name":"check","caster":{"name":"Brannoc"}}
{"combat_id":"c2","event_type":"button_press","timestamp":1650000010,"author_id":"9"}
`

func TestAvrae(t *testing.T) {
	got, unused := all(t, corpora.Avrae, avraeLog, corpora.People{})
	check(t, got, `
avrae:c1:6 rolled Brannoc,Orla | Orla: Orla creeps & listens. | Orla Stealth
avrae:c2:11 rolled Brannoc | Brannoc: I look at the tracks. | Brannoc Animal Handling, Brannoc Perception
`)
	if unused["a check that names no skill"] != 2 || unused["a spell: no skill check"] != 1 {
		t.Errorf("unused %v", unused)
	}
}

func TestFireballTurns(t *testing.T) {
	got, unused := all(t, corpora.Avrae, `{"speaker_id":"1","before_utterances":["Orla creeps on."],"combat_state_before":[{"name":"Orla","class":"Rogue 3"},{"name":"Pim","class":"Bard 2"},{"name":"GO1","class":null}],"current_actor":{"name":"Orla"},"commands_norm":["!check stealth","!check stealth"],"caster_after":{"name":"Orla"},"after_utterances":["Gone."],"utterance_history":["Player 0: The hall is dark.","Player 1: Orla creeps on."]}
{"before_utterances":["x"],"commands_norm":["!i cast \"fire bolt\" -t GO1"],"caster_after":{"name":"Pim"}}
`, corpora.People{})
	check(t, got, "avrae:G:1 rolled Orla,Pim | Orla: Orla creeps on. | Orla Stealth\n")
	if unused["a spell: no skill check"] != 1 {
		t.Errorf("unused %v", unused)
	}
}

// What is meant for a bot is no speech; what only looks like it is.
func TestCommandsAreNoSpeech(t *testing.T) {
	xs := collect(t, corpora.Avrae, corpora.File{Name: "log", Group: "G", Content: strings.NewReader(`{"before_utterances":["I creep.","!roll d20"],"combat_state_before":[{"name":" Pim ","class":"Bard 2"},{"name":"DM","class":"x"},{"name":"Orla","class":"Rogue"},{"name":"","class":"x"},{"name":"Rat"}],"commands_norm":["!check stealth","!i check \"animal handling\" adv","!check slei","!check pe","!check xyz"],"current_actor":{"name":"Orla"},"utterance_history":["Player 0: Hall.","Player 1: a!cast x","%roll x","Player 0: $5 then.","Player 1: ! so","/Zed","^a","&Z","]z","Note: no player.","I creep."]}`)})
	if len(xs) != 1 {
		t.Fatalf("%d windows", len(xs))
	}
	var said, tries []string
	for _, l := range xs[0].Lines {
		said = append(said, l.Speaker+": "+l.Text)
	}
	for _, i := range xs[0].Intentions {
		tries = append(tries, string(i.Skill))
	}
	if got := strings.Join(said, "|"); got != "Player 0: Hall.|Player 0: $5 then.|Player 1: ! so|Player: Note: no player.|Orla: I creep." {
		t.Errorf("said %s", got)
	}
	if got := strings.Join(xs[0].Cast, ",") + " " + strings.Join(tries, ","); got != "Orla,Pim Stealth,Animal Handling,Sleight of Hand" {
		t.Errorf("cast and intentions %s", got)
	}
}

const foundryLog = `{"_id":"a","user":"u0","timestamp":1600000000000,"speaker":{"alias":"Gamemaster"},"content":"<p>A vault, and <em>rats</em>.</p>","rolls":[]}
{"_id":"b","user":"u1","timestamp":1600000001000,"speaker":{"alias":"Orla"},"content":"I press my ear to it.","whisper":[]}
{"_id":"c","user":"u0","timestamp":1600000002000,"speaker":{"alias":"Old Man"},"content":"Give me a perception check."}
{"_id":"d","user":"u1","timestamp":1600000003000,"speaker":{"alias":"Orla"},"content":"17","flavor":"Perception Skill Check","roll":"{\"formula\":\"1d20 + 4\"}","flags":{"dnd5e":{"roll":{"type":"skill","skillId":"prc"}}}}
{"_id":"e","user":"u2","timestamp":1600000004000,"speaker":{"alias":"Pim"},"content":"secret","whisper":["u0"]}
{"_id":"f","user":"u2","timestamp":1600000005000,"speaker":{"alias":"Pim"},"flavor":"<span>Dexterity (Sleight of Hand) Check</span>","rolls":["{}"],"whisper":["u0"],"blind":true}
{"_id":"g","user":"u2","timestamp":1600000006000,"speaker":{"alias":"Pim"},"flavor":"Dexterity Saving Throw","rolls":["{}"]}
{"_id":"h","author":"u0","timestamp":1600000007000,"speaker":{"alias":"Rat"},"flavor":"Stealth Check: Rat","rolls":["{}"]}
{"$$deleted":true,"_id":"z"}
{"_id":"i","user":"u2","timestamp":1600090000000,"speaker":{"alias":"Pim"},"content":"A new day."}
{"_id":"j","author":"u2","timestamp":1600090001000,"speaker":{"alias":"Pim"},"flavor":"Charisma (Persuasion) Check (Advantage)","rolls":["{}"],"flags":{"dnd5e":{"messageType":"roll","roll":{"type":"skill","skill":"per"}}}}
`

func TestFoundry(t *testing.T) {
	want := `
foundry:G:4 rolled Orla | Orla: I press my ear to it. | Orla Perception
foundry:G#2:11 rolled Pim | Pim: A new day. | Pim Persuasion
`
	got, unused := all(t, corpora.Readers["foundry"], foundryLog, corpora.People{})
	check(t, got, want)
	if unused["a roll of the DM"] != 1 || unused["a roll that names no skill"] != 1 || unused["a whisper"] != 1 {
		t.Errorf("unused %v", unused)
	}
	lines := strings.Split(strings.TrimSpace(foundryLog), "\n")
	got, _ = all(t, corpora.Readers["foundry"], " [\n"+strings.Join(lines, ",\n")+"]", corpora.People{})
	check(t, got, want)
	got, _ = all(t, corpora.Readers["foundry"], `{"messages":[`+strings.Join(lines, ",\n")+`]}`, corpora.People{})
	check(t, got, want)
	got, unused = all(t, corpora.Readers["foundry"], foundryLog, corpora.People{DMs: []string{"u0"}, Players: map[string]string{"u1": "Orla Venn"}})
	check(t, got, "foundry:G:4 rolled Orla Venn | Orla Venn: I press my ear to it. | Orla Venn Perception\n")
	if unused["a roll of a speaker that is no character of the names file"] != 1 {
		t.Errorf("unused %v", unused)
	}
}

func TestFoundryText(t *testing.T) {
	got, unused := all(t, corpora.Readers["foundry"], `[1/31/2025, 8:15:02 PM] Gamemaster
A vault.
It smells.
---------------------------
[1/31/2025, 8:15:30 PM] Orla
I kick it in!
---------------------------
[1/31/2025, 8:16:00 PM] Orla
Strength (Athletics) Check
1d20 + 3 = 14 + 3 = 17
---------------------------
[1/31/2025, 8:17:00 PM] Orla
1d8 + 3 = 2 + 3 = 5
`, corpora.People{})
	check(t, got, "foundry:G:8 rolled Orla | Orla: I kick it in! | Orla Athletics\n")
	if unused["a roll that names no skill"] != 1 {
		t.Errorf("unused %v", unused)
	}
}

const roll20Archive = `[{"-M1":{"who":"Dana (GM)","playerid":"p0","type":"general","content":"The fog thickens.",".priority":1600000000000},
"-M2":{"who":"Orla","playerid":"p1","type":"emote","content":"Orla pads on without a sound.",".priority":1600000001000},
"-M3":{"who":"pat","playerid":"p1","type":"general","rolltemplate":"simple","content":" {{rname=^{sleight_of_hand-u}}} {{mod=+7}} {{r1=$[[0]]}} {{always=1}} {{charname=Orla}}","inlinerolls":[{"expression":"1d20+7","results":{"total":12}}],".priority":1600000002000}},
{"-M4":{"who":"Dana (GM)","playerid":"p0","type":"whisper","target":"x","content":"psst",".priority":1600000003000},
"-M5":{"who":"Pim","playerid":"p2","type":"rollresult","content":"{\"total\":9}","origRoll":"1d20+5 [Stealth]",".priority":1600000004000},
"-M6":{"who":"Pim","playerid":"p2","type":"rollresult","content":"{}","origRoll":"1d6",".priority":1600000005000}}]`

const roll20Page = `<html><body><div id="textchat"><div class="content">
<div class="message general" data-messageid="1"><div class="spacer"></div><span class="tstamp">April 19, 2020 6:39PM</span><span class="by">Dana (GM):</span>The fog thickens.</div>
<div class="message emote you" data-messageid="2"><div class="avatar"><img src="x"></div>Orla pads on <b>without</b> a sound.</div>
<div class='message general' data-messageid='3'><span class='by'>Orla:</span><div class='sheet-rolltemplate-simple'><div class='sheet-container'><div class='sheet-result'><span class='inlinerollresult' title='Rolling 1d20 &gt; "x"'>20</span></div><div class='sheet-label'><span>PERCEPTION <span>(+8)</span></span></div><div class='sheet-charname'><span>Orla</span></div></div></div></div>
<div class="message rollresult"><span class="by">Pim:</span><div class="formula">rolling 1d20+5 [Stealth]</div><strong>=</strong><div class="rolled">9</div></div>
<div class="message private whisper"><span class="by">(From Pim):</span>psst</div>
</div></div></body></html>`

func TestRoll20(t *testing.T) {
	want := "roll20:G:3 rolled Orla,Pim | Orla: Orla pads on without a sound. | Orla Sleight of Hand, Pim Stealth\n"
	got, unused := all(t, corpora.Readers["roll20"], roll20Archive, corpora.People{})
	check(t, got, want)
	if unused["a whisper or a roll that was whispered"] != 1 || unused["a roll that names no skill"] != 1 {
		t.Errorf("unused %v", unused)
	}
	got, _ = all(t, corpora.Readers["roll20"], `<script>var msgdata = "`+base64.StdEncoding.EncodeToString([]byte(roll20Archive))+`";</script>`, corpora.People{})
	check(t, got, want)
	got, _ = all(t, corpora.Readers["roll20"], roll20Page, corpora.People{})
	check(t, got, "roll20:G:3 rolled Orla,Pim | Orla: Orla pads on without a sound. | Orla Perception, Pim Stealth\n")
}

func packed(content string) io.Reader {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, content)
	w.Close()
	return &b
}

// What is broken, cut off or somebody else's is an error that says where.
func TestForeignFiles(t *testing.T) {
	good := episode("MATT: a", "LAURA: b", "MATT: Roll insight.", "LAURA: 12.")
	var cut bytes.Buffer
	io.Copy(&cut, packed(strings.Repeat(avraeLog, 50)))
	for _, test := range []struct {
		format, content, want string
	}{
		{"crd3", "", "byte 0"},
		{"crd3", good[:len(good)/2], "unexpected EOF"},
		{"crd3", good[:len(good)-1], "unexpected EOF"},
		{"crd3", good + "x", "byte"},
		{"crd3", `{"TURNS": 3}`, "TURNS is no list"},
		{"crd3", `{"TURNS": [3]}`, "turn 0"},
		{"crd3", `{"TURNS": [{"NAMES": [], "UTTERANCES": ["a"]}]}`, "NAMES is missing or empty"},
		{"crd3", `{"TURNS": [{"NAMES": ["MATT"]}]}`, "UTTERANCES is missing"},
		{"crd3", `{"a": 1}`, "there are no TURNS"},
		{"crd3", `[[]]`, "no episode"},
		{"crd3", `12`, "no episode"},
		{"crd3", avraeLog, "this is no episode"},
		{"crd3", "\x1f\x8bnonsense", "unpack"},
		{"crd3", "PK\x03\x04", "byte"},
		{"avrae", "hello", "log:1:"},
		{"avrae", strings.TrimSpace(avraeLog)[:900], "log:5: read log: the line is cut off"},
		{"avrae", good, "log:1: read log: this is no recording of Avrae"},
		{"avrae", `{"event_type":"message"} 7`, "something follows"},
		{"avrae", `{"commands_norm": null}`, "log:1:"},
		{"avrae", cut.String()[:cut.Len()/2], "log:"},
		{"avrae", strings.Repeat("{", 33<<20), "longer than 32 MiB"},
		{"foundry", "", "the file is empty"},
		{"foundry", "[" + foundryLog, "message 2"},
		{"foundry", foundryLog[:640], "message 5: byte 606: the file is cut off"},
		{"foundry", `{"a": 1}`, "no chat message of Foundry"},
		{"foundry", `[1]`, "message 1"},
		{"roll20", "", "the file is empty"},
		{"roll20", roll20Archive[:300], "cut off"},
		{"roll20", roll20Archive + "x", "something follows"},
		{"roll20", roll20Page[:700], "cut off"},
		{"roll20", "<html><p>Hello</p>", "no messages"},
		{"roll20", `[1]`, "has to be an object"},
		{"roll20", `{"a":{"b":1}}`, "no chat message of Roll20"},
	} {
		f := corpora.File{Name: "log", Group: "G", Content: strings.NewReader(test.content), People: table}
		var got error
		for _, err := range corpora.Readers[test.format]([]corpora.File{f}) {
			if got = err; err != nil {
				break
			}
		}
		if got == nil || !strings.HasPrefix(got.Error(), "log:") || !strings.Contains(got.Error(), test.want) {
			t.Errorf("%s %.30q: error %v, want one with %q", test.format, test.content, got, test.want)
		}
	}
}

func TestCompressed(t *testing.T) {
	plain, _ := all(t, corpora.Avrae, avraeLog, corpora.People{})
	xs := collect(t, corpora.Avrae, corpora.File{Name: "log", Group: "G", Content: packed(avraeLog)})
	check(t, show(xs), plain)
}

// A reader stops where its consumer stops.
func TestEarlyStop(t *testing.T) {
	for name, content := range map[string]string{"avrae": avraeLog, "foundry": foundryLog, "roll20": roll20Archive, "crd3": episode("LAURA: b", "MATT: Roll insight.", "LAURA: 12.")} {
		for x, err := range corpora.Readers[name]([]corpora.File{{Name: "log", Group: "G", Content: strings.NewReader(content), People: corpora.People{DMs: []string{"MATT", "u0"}, Players: map[string]string{"LAURA": "Orla", "Orla": "Orla"}}}}) {
			if err != nil || x.ID == "" {
				t.Errorf("%s: %v %v", name, x, err)
			}
			break
		}
	}
}

func TestReadPeople(t *testing.T) {
	p, err := corpora.ReadPeople(strings.NewReader(`{"dm": ["MATT", "Matthew"], "players": {"LAURA": "Jester"}}`), "names")
	if err != nil || !slices.Equal(p.DMs, []string{"MATT", "Matthew"}) || p.Players["LAURA"] != "Jester" {
		t.Errorf("%v %v", p, err)
	}
	for _, wrong := range []string{``, `{"dm": 3}`, `{"players": {"a": ""}}`, `{"players": {"a": "DM"}}`, `{"gm": "x"}`, `[`} {
		if _, err := corpora.ReadPeople(strings.NewReader(wrong), "names"); err == nil || !strings.HasPrefix(err.Error(), "names:") {
			t.Errorf("%q: error %v", wrong, err)
		}
	}
}

// fuzz feeds anything to a reader: it has to end, and what it yields has to be sound.
func fuzz(f *testing.F, reader corpora.Reader, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		seen := map[string]bool{}
		for x, err := range reader([]corpora.File{{Name: "log", Group: "G", Content: bytes.NewReader(data), People: table, Tally: &corpora.Tally{}}}) {
			if err != nil {
				if !strings.HasPrefix(err.Error(), "log:") {
					t.Errorf("an error without position: %v", err)
				}
				return
			}
			if err := x.Validate(); err != nil {
				t.Errorf("%q: %v", data, err)
			}
			if len(x.Lines) > 30 || len(x.Intentions) == 0 || seen[x.ID] {
				t.Errorf("window %s: %d lines, %d intentions, seen %t", x.ID, len(x.Lines), len(x.Intentions), seen[x.ID])
			}
			seen[x.ID] = true
		}
	})
}

func FuzzCRD3(f *testing.F) {
	fuzz(f, corpora.Readers["crd3"], episode("MATT: a", "LAURA: b", "MATT: Roll insight.", "LAURA: 12."), `[{"TURNS":[{"NAMES":["MATT"],"UTTERANCES":[]}]}]`)
}
func FuzzAvrae(f *testing.F) { fuzz(f, corpora.Avrae, avraeLog, `{"commands_norm":["!c per"]}`) }
func FuzzFoundry(f *testing.F) {
	fuzz(f, corpora.Readers["foundry"], foundryLog, "[1/2/2025, 1:00 PM] X\nhi")
}
func FuzzRoll20(f *testing.F) { fuzz(f, corpora.Readers["roll20"], roll20Archive, roll20Page) }

func FuzzAsks(f *testing.F) {
	f.Add("Make a stealth check.")
	f.Add("Roll your (sleight-of-hand) -- \xff survival")
	f.Fuzz(func(t *testing.T, text string) {
		if skill, ok := corpora.Asks(text); ok != skill.Valid() {
			t.Errorf("Asks(%q) = %q, %t", text, skill, ok)
		}
	})
}

func TestAsks(t *testing.T) {
	for _, test := range []struct {
		text   string
		want   characters.Skill
		reason string
	}{
		{"Make a perception check.", characters.Perception, ""},
		{"Go ahead and roll Stealth for me.", characters.Stealth, ""},
		{"Give me a sleight-of-hand check, please", characters.SleightOfHand, ""},
		{"I need you to roll a deception check with advantage.", characters.Deception, ""},
		{"I'm going to have you guys all make stealth checks.", characters.Stealth, "the speaker has others make it"},
		{"The back door is locked. Make an investigation check, if you'd like.", characters.Investigation, "a request with a polite end"},
		{"Make an athletics check. Sorry, acrobatics, for you.", characters.Athletics, "one request a turn: the first"},
		{"Roll your stealth with advantage, Nott, as you come up.", characters.Stealth, ""},
		{"I need another animal handling check.", characters.AnimalHandling, ""},
		{"That's a different matter. Do me a history check.", characters.History, ""},

		{"Perception, please.", characters.Perception, "politeness makes a request of a name"},
		{"Let's see a medicine check.", characters.Medicine, ""},
		{"Why don't you make a nature check.", characters.Nature, "no denial"},

		{"Perception?", "", "a name alone asks nobody"},
		{"It's a perception thing.", "", "mentioned"},
		{"You can make a medicine check to identify it.", "", "an offer"},
		{"You may. Make an investigation check.", "", "an offer in two sentences"},
		{"If you want to roll a perception check.", "", "a condition"},
		{"What did you roll for stealth?", "", "about a roll in the past"},
		{"You made a perception check earlier.", "", "reported"},
		{"He's going to make an investigation check.", "", "somebody else's"},
		{"I'll make a perception check for him.", "", "the DM rolls"},
		{"You don't need to make a stealth check.", "", "denied"},
		{"No need to roll insight.", "", "denied"},
		{"Make a perception check. Actually, never mind.", "", "taken back at once"},
		{"Make a strength saving throw.", "", "a saving throw is no skill"},
		{"Make a dexterity save, then. Your stealth is moot.", "", "the skill is in another sentence"},
		{"Make a save against his intimidation.", "", "a save stands between"},
		{"Do you want to add performance dice?", "", "dice that happen to be called so"},
		{"Do you wish to combine your perception checks?", "", "a question"},
		{"There's cutting through open fields and nature.", "", "an ordinary word"},
		{"", "", ""},
	} {
		got, ok := corpora.Asks(test.text)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Asks(%q) = %q, %t, want %q %s", test.text, got, ok, test.want, test.reason)
		}
	}
}

// Who rolls shows in the answers: what counts as a number, and whose.
func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		answer string
		want   bool
		reason string
	}{
		{"17.", true, ""},
		{"Ten!", true, "a number in words opens the turn"},
		{"That's a nine! Nice.", true, ""},
		{"Natural 20! (cheering)", true, ""},
		{"Okay, seven.", true, ""},
		{"(laughs) 15 from me.", true, ""},
		{"Magnets, how do they work? 21.", true, "digits may close the turn"},
		{"That's not great. 14. (groans)", true, ""},
		{"Hmm, nine.", true, ""},
		{"Ugh. Six.", true, ""},
		{"Plus ten.", false, "a modifier"},
		{"I have 30", true, "no telling what else it is"},
		{"40 feet?", false, "a measure"},
		{"I pay 20 gold", false, "a measure"},
		{"12d6 of it", false, "dice"},
		{"Come on, 15 for him, surely not more", false, "in the middle of talk it is mostly something else"},
		{"Oh god. Nine? They got me.", false, "words in the middle, too"},
		{"It is at least 60.", false, "nobody rolls so high"},
		{"All right.", false, ""},
		{"d20", false, "a die"},
		{"-3", false, "a modifier"},
		{"One of us should go.", true, "a price of reading words: one opens many a sentence"},
	} {
		xs := collect(t, corpora.Readers["crd3"], corpora.File{Name: "e", Group: "G", People: table, Content: strings.NewReader(episode("LAURA: I listen.", "MATT: Make a perception check.", "LAURA: "+test.answer, "MATT: All right."))})
		if got := len(xs) == 1; got != test.want {
			t.Errorf("%q rolls: %t, want %t %s", test.answer, got, test.want, test.reason)
		}
	}
}
