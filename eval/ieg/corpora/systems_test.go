package corpora_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/eval/ieg/corpora"
)

// tries lists the intentions of all windows in order, and spoken all their lines.
func tries(t *testing.T, format string, people corpora.People, files ...string) (intentions, spoken string, tally *corpora.Tally) {
	t.Helper()
	tally = &corpora.Tally{}
	var in []corpora.File
	for i, content := range files {
		in = append(in, corpora.File{Name: "log" + string(rune('a'+i)), Group: "G" + string(rune('a'+i)), Content: strings.NewReader(content), People: people, Tally: tally})
	}
	var who, said []string
	for x, err := range corpora.Readers[format](in) {
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, i := range x.Intentions {
			who = append(who, i.Character+" "+string(i.Skill))
		}
		for _, l := range x.Lines {
			said = append(said, l.Speaker+": "+l.Text)
		}
	}
	return strings.Join(who, ", "), strings.Join(said, "\n"), tally
}

func caseFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "shared", "data", "cases", name))
	if err != nil {
		t.Skipf("the shared data are not here: %v", err)
	}
	return string(data)
}

func TestFoundryCase(t *testing.T) {
	got, said, tally := tries(t, "foundry", corpora.People{}, caseFile(t, "foundry_messages.jsonl"))
	if want := "Ilse Thorn Perception, Pell Athletics, Ilse Thorn Persuasion, Pell Sleight of Hand"; got != want {
		t.Errorf("intentions %s, want %s", got, want)
	}
	if strings.Contains(said, "flooded") || strings.Contains(said, "pizza") || tally.Used["a line of speech"] != 3 {
		t.Errorf("said %q, used %v", said, tally.Used)
	}
	for reason, want := range map[string]int{
		"a private or blind roll": 2, "a whisper": 1, "a roll that names no skill": 4, "said out of character": 1,
		"a message that was deleted": 1, "an earlier state of a message that was edited": 1,
	} {
		if tally.Unused[reason] != want {
			t.Errorf("%s: %d, want %d", reason, tally.Unused[reason], want)
		}
	}
}

func TestRoll20Case(t *testing.T) {
	got, said, tally := tries(t, "roll20", corpora.People{}, caseFile(t, "roll20_archive.html"))
	if want := "Orla Finch Perception, Bramble Sleight of Hand, Quill Arcana"; got != want {
		t.Errorf("intentions %s, want %s", got, want)
	}
	if strings.Contains(said, "chanting") || tally.Used["a line of speech"] != 9 {
		t.Errorf("said %q, used %v, left %v", said, tally.Used, tally.Unused)
	}
	if strings.Contains(said, "Arcana") || !strings.Contains(said, "DM: What do you do?") {
		t.Errorf("said %q", said)
	}
}

func TestAvraeRecordings(t *testing.T) {
	const state = `{"combat_id":"c","event_type":"combat_state_update","data":{"dm":"70000000000000001","combatants":[{"name":"Orla","type":"player","controller":90071992547409931},{"name":"Pim","type":"player","controller":90071992547409933},{"name":"GO1","type":"monster","controller":"70000000000000001"}]}}` + "\n"
	const intro = `{"combat_id":"c","event_type":"message","message_id":1,"author_id":90071992547409931,"author_name":"pat","content":"I look about."}` + "\n"
	command := func(id, author, typed, more string) string {
		line := `{"combat_id":"c","event_type":"message","message_id":` + id + `,"author_id":` + author + `,"author_name":"pat","content":"` + typed + `"}` + "\n"
		return line + `{"combat_id":"c","event_type":"command","message_id":` + id + `,"author_id":` + author + `,"author_name":"pat","content":"` + typed + `","command_name":"check"` + more + "}\n"
	}
	bot := func(title string) string {
		return `{"combat_id":"c","event_type":"message","message_id":99,"author_id":261302296103747584,"author_name":"Avrae","author_bot":true,"content":"","embeds":[{"title":"` + title + `"}]}` + "\n"
	}
	const orla = "90071992547409931"
	later := `{"combat_id":"c","event_type":"message","message_id":50,"author_id":90071992547409933,"content":"I follow."}` + "\n"
	for _, test := range []struct {
		reason, want string
		files        []string
	}{
		{"a prefix of a question mark", "Orla Stealth", []string{intro + state + command("2", orla, "?c stealth", `,"prefix":"?","caster":{"name":"Orla"}`)}},
		{"a prefix of letters", "Orla Stealth", []string{intro + state + command("2", orla, "av!c stealth", `,"prefix":"av!","caster":{"name":"Orla"}`)}},
		{"the bot completes what was typed", "Orla Perception", []string{intro + state + command("2", orla, "!c per", `,"prefix":"!","caster":{"name":"Orla"}`) + bot("Orla makes a Perception check!")}},
		{"the bot shows an ability", "", []string{intro + state + command("2", orla, "!c ath", `,"prefix":"!","caster":{"name":"Orla"}`) + bot("Orla makes a Strength check!")}},
		{"a beginning that several have", "", []string{intro + state + command("2", orla, "!c per", `,"prefix":"!","caster":{"name":"Orla"}`)}},
		{"no caster: the account's character", "Pim Insight", []string{intro + state + command("2", "90071992547409933", "!c insight", `,"prefix":"!","caster":null`)}},
		{"an alias", "Orla Deception", []string{intro + state + `{"combat_id":"c","event_type":"alias_resolution","message_id":2,"alias_name":"lie","content_before":"!lie","content_after":"!check deception","prefix":"!"}` + "\n" + command("2", orla, "!lie", `,"prefix":"!","called_by_alias":true,"caster":{"name":"Orla"}`)}},
		{"an alias, without the command that it calls", "Orla Deception", []string{intro + state + `{"combat_id":"c","event_type":"alias_resolution","message_id":2,"author_id":` + orla + `,"content_before":"!lie","content_after":"!check deception","prefix":"!"}` + "\n"}},
		{"no caster and an unknown account: the bot names the character", "Vane Nature", []string{intro + state + command("2", "7", "!c nature", `,"prefix":"!","caster":null`) + bot("Vane makes a Nature check!")}},
		{"answers to two commands that cross", "Orla Perception, Pim Arcana", []string{intro + state + command("2", orla, "!c per", `,"prefix":"!","caster":null`) + command("3", "90071992547409933", "!c arcana", `,"prefix":"!","caster":null`) +
			bot("Pim makes an Arcana check!") + strings.ReplaceAll(bot("Orla makes a Perception check!"), ":99,", ":98,")}},
		{"a monster", "", []string{intro + state + command("2", "70000000000000001", "!i c stealth", `,"prefix":"!","caster":{"name":"GO1"}`)}},
		{"the DM rolls for a player's character", "Orla Stealth", []string{intro + state + command("2", "70000000000000001", "!i oc Orla stealth", `,"prefix":"!","caster":{"name":"Orla"}`) + bot("Orla makes a Stealth check!")}},
		{"one list of JSON", "Orla Stealth", []string{"[" + strings.ReplaceAll(strings.TrimSpace(intro+state+command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`)), "\n", ",") + "]"}},
		{"an edited message", "Orla Stealth", []string{strings.Replace(intro, "I look about.", "Wait, stealth!", 1) + intro + state + command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`)}},
		{"a mark of byte order", "Orla Stealth", []string{"\ufeff" + intro + state + command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`)}},
		{"one fight in two files", "Orla Stealth, Pim Insight", []string{intro + state + command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`), later + command("3", "90071992547409933", "!c insight", `,"prefix":"!","caster":{"name":"Pim"}`)}},
		{"a fight whose id is a number", "Orla Stealth", []string{strings.ReplaceAll(intro+state+command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`), `"combat_id":"c"`, `"combat_id":9007199254740993`)}},
		{"out of character", "Orla Stealth", []string{intro + strings.NewReplacer(`:1,`, `:5,`, `I look about.`, `((stealth or not?))`).Replace(intro) + state + command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`)}},
		{"a command at the end of a line", "Orla Stealth", []string{intro + state +
			strings.NewReplacer(`:1,`, `:5,`, `about."`, `back. !i c stealth"`).Replace(intro) + command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`)}},
		{"one message in two fights", "Orla Stealth", []string{intro + state + command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`) +
			strings.ReplaceAll(intro+state+command("2", orla, "!c stealth", `,"prefix":"!","caster":{"name":"Orla"}`), `"combat_id":"c"`, `"combat_id":"d"`)}},
	} {
		got, said, tally := tries(t, "avrae", corpora.People{}, test.files...)
		if got != test.want {
			t.Errorf("%s: intentions %q, want %q; left %v", test.reason, got, test.want, tally.Unused)
		}
		if strings.Contains(said, "stealth") || strings.Contains(said, "c per") {
			t.Errorf("%s: a command is a line: %q", test.reason, said)
		}
		if said != "" && !strings.HasPrefix(said, "Orla: I look about.") {
			t.Errorf("%s: said %q", test.reason, said)
		}
	}
}

func TestFoundryForms(t *testing.T) {
	const first = `{"_id":"a","user":"u1","timestamp":1,"type":2,"speaker":{"alias":"Orla","actor":"A1"},"content":"I look about."}` + "\n"
	roll := func(more string) string {
		return first + `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"Orla","actor":"A1"},"rolls":["{}"],` + more + "}\n"
	}
	for _, test := range []struct{ reason, log, want string }{
		{"dnd5e 2", roll(`"flags":{"dnd5e":{"roll":{"type":"skill","skillId":"slt"}}}`), "Orla Sleight of Hand"},
		{"dnd5e 5", roll(`"type":"base","style":0,"flags":{"dnd5e":{"messageType":"roll","roll":{"type":"skill","skill":"ani"}}}`), "Orla Animal Handling"},
		{"a tool", roll(`"flags":{"dnd5e":{"roll":{"type":"tool","toolId":"thief"}}},"flavor":"Stealth"`), ""},
		{"PF2e", roll(`"flags":{"pf2e":{"context":{"type":"skill-check","domains":["skill-check","dex-based","thievery"]}}}`), "Orla Sleight of Hand"},
		{"PF2e perception", roll(`"flags":{"pf2e":{"context":{"type":"perception-check","domains":["perception","wis-based"]}}}`), "Orla Perception"},
		{"PF2e initiative by stealth", roll(`"flags":{"pf2e":{"context":{"type":"initiative","domains":["stealth"]}}},"flavor":"Stealth"`), ""},
		{"PF2e, a check of no kind", roll(`"flags":{"pf2e":{"context":{"type":"check","domains":["all","stealth-check"]}}}`), "Orla Stealth"},
		{"PF2e, a statistic among the options", roll(`"flags":{"pf2e":{"context":{"type":"check","domains":{},"options":["check:type:check","check:statistic:base:athletics"]}}}`), "Orla Athletics"},
		{"PF2e perception of early versions", roll(`"flags":{"pf2e":{"context":{"type":"perception-check"}}}`), "Orla Perception"},
		{"PF2e, the name of the modifier", roll(`"flags":{"pf2e":{"modifierName":"thievery","context":{"type":"skill-check"}}}`), "Orla Sleight of Hand"},
		{"PF2e, a heading over tags and notes", roll(`"flavor":"<h4><strong>Stealth Check</strong></h4><div class=\"tags\"><span>Secret</span></div><p>` + strings.Repeat("Deception. ", 20) + `</p>"`), "Orla Stealth"},
		{"PF2e flat check", roll(`"flags":{"pf2e":{"context":{"type":"flat-check","options":["check:statistic:stealth"]}}}`), ""},
		{"a card of a module", roll(`"content":"<div class=\"chat-card\"><h3>Stealth</h3><div>17</div></div>"`), "Orla Stealth"},
		{"one word for the skill and its check", roll(`"flavor":"Wahrnehmungswurf (Weisheit)"`), "Orla Perception"},
		{"an inline result and what it is for", first + `{"_id":"b","user":"u1","timestamp":5,"type":2,"speaker":{"alias":"Orla","actor":"A1"},"content":"Hm, <a class=\"inline-roll inline-result\" title=\"1d20\"><i></i> 14</a> for deception?"}` + "\n", "Orla Deception"},
		{"PF2e attack", roll(`"flags":{"pf2e":{"context":{"type":"attack-roll","domains":["attack"]}}}`), ""},
		{"initiative", roll(`"flags":{"core":{"initiativeRoll":true}},"flavor":"Stealth"`), ""},
		{"dnd5e, a skill without a type", roll(`"flags":{"dnd5e":{"roll":{"skillId":"ste"}}}`), "Orla Stealth"},
		{"dnd5e, a check of a skill", roll(`"flags":{"dnd5e":{"roll":{"type":"check","skill":"ste"}}}`), "Orla Stealth"},
		{"dnd5e, an attack", roll(`"flags":{"dnd5e":{"roll":{"type":"attack","skill":"ste"}}},"flavor":"Stealth"`), ""},
		{"dnd5e, a skill by its caption", roll(`"flags":{"dnd5e":{"roll":{"type":"skill"}}},"flavor":"Stealth Check"`), "Orla Stealth"},
		{"dnd5e, an ability's check", roll(`"flags":{"dnd5e":{"roll":{"type":"check"}}},"flavor":"Stealth Check"`), ""},
		{"a roll by its mark alone", first + `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"Orla"},"flags":{"dnd5e":{"roll":{"skill":"ste"}}}}`, "Orla Stealth"},
		{"a roll of early versions", first + `{"_id":"b","user":"u1","timestamp":5,"type":5,"speaker":{"alias":"Orla"},"flavor":"Stealth Check"}`, "Orla Stealth"},
		{"one roll", first + `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"Orla"},"roll":"{}","flavor":"Stealth Check"}`, "Orla Stealth"},
		{"no roll", first + `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"Orla"},"roll":"","flavor":"Stealth Check"}`, ""},
		{"no roll either", first + `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"Orla"},"roll":null,"flavor":"Stealth Check"}`, ""},
		{"a whispered roll of early versions", first + `{"_id":"b","user":"u1","timestamp":5,"type":5,"whisper":["u0"],"speaker":{"alias":"Orla"},"flavor":"Stealth Check"}`, ""},
		{"an account as an object", first + `{"_id":"b","user":{"_id":"u1","name":"pat"},"timestamp":5,"speaker":{"alias":"Orla","actor":"A1"},"rolls":["{}"],"flavor":"Stealth Check"}`, "Orla Stealth"},
		{"the Gamemaster as an object", first + `{"_id":"b","author":{"_id":"u0","role":3},"timestamp":5,"speaker":{"alias":"Rat"},"rolls":["{}"],"flavor":"Stealth Check"}`, ""},
		{"an account that leads", first + `{"_id":"b","author":{"name":"dana","isGM":true},"timestamp":5,"speaker":{"alias":"Rat"},"rolls":["{}"],"flavor":"Stealth Check"}`, ""},
		{"an account that plays", first + `{"_id":"b","author":{"_id":"u2","role":2},"timestamp":5,"speaker":{"alias":"Rat"},"rolls":["{}"],"flavor":"Stealth Check"}`, "Rat Stealth"},
		{"a roll without an actor", first + `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"pat"},"rolls":["{}"],"flavor":"Stealth Check"}`, "Orla Stealth"},
		{"a flavour in German", roll(`"flavor":"Überzeugen – Fertigkeitswurf (Charisma) (Vorteil)"`), "Orla Persuasion"},
		{"a flavour in French", roll(`"flavor":"Jet de Discrétion"`), "Orla Stealth"},
		{"a flavour in Spanish", roll(`"flavor":"Prueba de Sabiduría (Percepción)"`), "Orla Perception"},
		{"a flavour in Russian", roll(`"flavor":"Проверка: Ловкость (Скрытность)"`), "Orla Stealth"},
		{"a flavour in Japanese, without spaces", roll(`"flavor":"【敏捷力】〈隠密〉判定"`), "Orla Stealth"},
		{"a flavour in Chinese, where an ability and a skill are alike", roll(`"flavor":"感知（察觉）检定"`), "Orla Perception"},
		{"a flavour in Polish", roll(`"flavor":"Test umiejętności: Percepcja"`), "Orla Perception"},
		{"a label among other words", roll(`"flavor":"stealth check for the guard"`), "Orla Stealth"},
		{"a caption as long as may be", roll(`"flavor":"Stealth: ` + strings.Repeat("x", 111) + `"`), "Orla Stealth"},
		{"a caption too long", roll(`"flavor":"Stealth: ` + strings.Repeat("x", 112) + `"`), ""},
		{"an account as an object without an id", first + `{"_id":"b","user":{"role":2},"author":"u1","timestamp":5,"speaker":{"alias":"pat"},"rolls":["{}"],"flavor":"Stealth Check"}`, "Orla Stealth"},
		{"a feature that has a skill's name in it", roll(`"flavor":"Nature's Wrath"`), ""},
		{"out of order", `{"_id":"b","user":"u1","timestamp":5,"speaker":{"alias":"A stranger","actor":"A1"},"rolls":["{}"],"flavor":"Stealth Check"}` + "\n" + first, "Orla Stealth"},
		{"the Gamemaster by role", `{"messages":[` + strings.ReplaceAll(strings.TrimSpace(roll(`"flavor":"Stealth Check"`)), "\n", ",") + `],"users":[{"_id":"u1","name":"Dana","role":4}]}`, ""},
	} {
		if got, _, tally := tries(t, "foundry", corpora.People{}, test.log); got != test.want {
			t.Errorf("%s: intentions %q, want %q; left %v", test.reason, got, test.want, tally.Unused)
		}
	}
}

// Dates of any locale tell sessions apart.
func TestFoundryDates(t *testing.T) {
	for _, days := range [][2]string{
		{"1/31/2025, 8:15:02 PM", "2/1/2025, 8:15:02 PM"}, {"31.1.2025, 20:15:02", "1.2.2025, 20:15:02"},
		{"31/01/2025 20:15:02", "01/02/2025 20:15:02"}, {"2025/1/31 20:15:02", "2025/2/1 20:15:02"}, {"2025-01-31, 8:15:02 p.m.", "2025-02-01, 8:15:02 p.m."},
	} {
		log := ""
		for _, day := range days {
			log += "[" + day + "] Orla\nI look about.\n-----------------\n[" + day + "] Orla\nStealth Check\n1d20 + 3 = 14 + 3 = 17\n-----------------\n"
		}
		xs := collect(t, corpora.Readers["foundry"], corpora.File{Name: "log", Group: "G", Content: strings.NewReader(log)})
		if len(xs) != 2 || xs[0].Group != "G" || xs[1].Group != "G#2" {
			t.Errorf("%s: %v", days[0], xs)
		}
	}
}

// Six hours without an entry part two sessions, less do not, and what is no date parts none.
func TestPauses(t *testing.T) {
	for _, test := range []struct {
		first, second string
		want          int
	}{
		{"1/31/2025, 11:00:00 PM", "2/1/2025, 5:00:00 AM", 2}, {"1/31/2025, 11:00:00 PM", "2/1/2025, 4:59:59 AM", 1},
		{"1/31/2025, 12:00:00 AM", "1/31/2025, 6:00:00 AM", 2}, {"1/31/2025, 12:00:00 AM", "1/31/2025, 5:59:00 AM", 1},
		{"1/31/2025, 12:30 PM", "1/31/2025, 6:30 PM", 2}, {"1/31/2025, 12:30 PM", "1/31/2025, 6:29 PM", 1},
		{"31.1.25, 23:00", "1.2.25, 05:00", 2}, {"31.1.25, 23:00", "1.2.25, 04:59", 1},
		{"2025-01-31 23:00:01", "2025-02-01 05:00:00", 1}, {"2025-01-31 23:00:00", "2025-02-01 05:00:00", 2},
		{"31.1.2025, 24:00", "2.2.2025, 05:00", 1}, {"31.1.2025, 05:00", "32.1.2025, 23:00", 1}, {"31.1.2025, 05:00", "1.13.2025, 23:00", 1},
		{"31.12.1969, 05:00", "2.1.1970, 05:00", 1}, {"1.1.2200, 05:00", "2.1.2200, 05:00", 2}, {"31.12.2200, 05:00", "1.1.2201, 05:00", 1}, {"1.1.1970, 05:00", "2.1.1970, 05:00", 2},
		{"31.1.2025", "5.2.2025", 1},
	} {
		log := ""
		for _, day := range []string{test.first, test.second} {
			log += "[" + day + "] Orla\nI look about.\n-----------------\n[" + day + "] Orla\nStealth Check\n1d20 + 3 = 14 + 3 = 17\n-----------------\n"
		}
		groups := map[string]bool{}
		for _, x := range collect(t, corpora.Readers["foundry"], corpora.File{Name: "log", Group: "G", Content: strings.NewReader(log)}) {
			groups[x.Group] = true
		}
		if len(groups) != test.want {
			t.Errorf("%s, %s: %d sessions, want %d", test.first, test.second, len(groups), test.want)
		}
	}
	for times, want := range map[[2]string]int{
		{`1600000000000`, `1600021600000`}: 2, {`1600000000000`, `1600021599999`}: 1, {`"1600000000000"`, `"1600021600000"`}: 2,
		{`"2025-01-31T20:00:00Z"`, `"2025-02-01T02:00:00Z"`}: 2, {`"2025-01-31T20:00:00Z"`, `"2025-02-01T01:59:59Z"`}: 1, {`-5`, `1600021600000`}: 1, {`1600000000000`, `1e13`}: 1,
		{`"31.1.2025, 20:15:02"`, `"1.2.2025, 20:15:02"`}: 2,
	} {
		log := ""
		for i, at := range times {
			for k, more := range []string{`"content":"I look about."`, `"rolls":["{}"],"flavor":"Stealth Check"`} {
				log += fmt.Sprintf(`{"_id":"m%d%d","user":"u1","timestamp":%s,"speaker":{"alias":"Orla"},%s}`+"\n", i, k, at, more)
			}
		}
		groups := map[string]bool{}
		for _, x := range collect(t, corpora.Readers["foundry"], corpora.File{Name: "log", Group: "G", Content: strings.NewReader(log)}) {
			groups[x.Group] = true
		}
		if len(groups) != want {
			t.Errorf("%v: %d sessions, want %d", times, len(groups), want)
		}
	}
}

func TestRoll20Forms(t *testing.T) {
	page := func(message string) string {
		return `<html><body><div class="message general" data-playerid="p1"><span class="by">Orla:</span>I look about.</div>` + message + `</body></html>`
	}
	const result = `<span class="inlinerollresult" title="Rolling 1d20+3 = (&lt;span&gt;9&lt;/span&gt;)+3">12</span>`
	for _, test := range []struct{ reason, log, want string }{
		{"a monster's template", page(`<div class="message general" data-playerid="p1"><div class="sheet-rolltemplate-npc"><div class="sheet-header"><span>Stealth</span></div>` + result + `</div></div>`), "Orla Stealth"},
		{"the default template's caption", page(`<div class="message general"><div class="sheet-rolltemplate-default"><table><caption>Perception Check</caption><tr><td>Roll</td><td>` + result + `</td></tr></table></div></div>`), "Orla Perception"},
		{"the default template's row", page(`<div class="message general"><div class="sheet-rolltemplate-default"><table><caption>Orla</caption><tr><td>Heimlichkeit</td><td>` + result + `</td></tr></table></div></div>`), "Orla Stealth"},
		{"a translated sheet", page(`<div class="message general"><div class="sheet-rolltemplate-simple">` + result + `<div class="sheet-label"><span>TÄUSCHEN <span>(+3)</span></span></div></div></div>`), "Orla Deception"},
		{"a Ukrainian sheet", page(`<div class="message general"><div class="sheet-rolltemplate-simple">` + result + `<div class="sheet-label"><span>НЕПОМІТНІСТЬ <span>(+3)</span></span></div></div></div>`), "Orla Stealth"},
		{"a sheet whose classes name blocks and elements", page(`<div class="message general"><div class="sheet-rolltemplate-check"><div class="header__title">Stealth Check</div>` + result + `</div></div>`), "Orla Stealth"},
		{"an emote that rolls", page(`<div class="message emote" data-playerid="p1">Orla rolls Stealth: ` + result + `</div>`), "Orla Stealth"},
		{"a label among the parts of the archive's roll", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"rollresult","origRoll":"1d20+5","content":"{\"rolls\":[{\"type\":\"R\"},{\"type\":\"C\",\"text\":\" Stealth\"}]}"}}]`, "Orla Stealth"},
		{"a sheet of 2024", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"advancedroll","content":"<rolltemplate><div class=\"header__title\">Stealth</div><span class=\"die__total\">17</span></rolltemplate>"}}]`, "Orla Stealth"},
		{"totals of several dice, one of them of twenty sides", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","rolltemplate":"simple","content":"{{rname=Stealth}} {{r1=$[[1]]}}","inlinerolls":[{"expression":"1d6","results":{"total":2}},{"expression":"1d20","results":{"total":12}}]}}]`, "Orla Stealth"},
		{"totals of other dice", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","rolltemplate":"simple","content":"{{rname=Stealth}} {{r1=$[[0]]}}","inlinerolls":[{"expression":"1d6","results":{"total":2}}]}}]`, ""},
		{"a template without totals", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","rolltemplate":"simple","content":"{{rname=Stealth}} {{r1=17}}"}}]`, "Orla Stealth"},
		{"a total in a line of speech", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","content":"Stealth: $[[0]]","inlinerolls":[{"expression":"1d20","results":{"total":12}}]}}]`, "Orla Stealth"},
		{"no total in a line of speech", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","content":"Stealth: $[[1]]","inlinerolls":[{"expression":"1d20","results":{"total":12}}]}}]`, ""},
		{"an emote whose author two names begin", page(`<div class="message general"><span class="by">Orla Venn:</span>Hm.</div><div class="message emote">Orla Venn rolls Stealth: ` + result + `</div>`), "Orla Venn Stealth"},
		{"a page's roll from somebody", page(`<div class="message rollresult" data-playerid="p1"><span class="by">(From Orla):</span><div class="formula">rolling d20 [Stealth]</div></div>`), ""},
		{"a style of a page", page(`<div class="message general"><div class="sheet-rolltemplate-simple"><div class="sheet-label"><style>Stealth</style><!-- Stealth --><script>Stealth</script>Arcana</div>` + result + `</div></div>`), "Orla Arcana"},
		{"a stamp after lines without one", page(`<div class="message rollresult" data-playerid="p1"><span class="tstamp">April 19, 2020 6:39PM</span><span class="by">Orla:</span><div class="formula">rolling d20 [Stealth]</div></div>`), "Orla Stealth"},
		{"a damage template", page(`<div class="message general"><div class="sheet-rolltemplate-dmg"><span class="inlinerollresult" title="Rolling 1d6">3</span><div class="sheet-label">Stealth</div></div></div>`), ""},
		{"a label behind the dice", page(`<div class="message rollresult" data-playerid="p1"><span class="by">Orla:</span><div class="formula">rolling 1d20+5 [Insight]</div><div class="formula formattedformula">(12)+5</div><div class="rolled">17</div></div>`), "Orla Insight"},
		{"a label in the dice", page(`<div class="message rollresult" data-playerid="p1"><span class="by">Orla:</span><div class="formula">rolling 2d20kh1 + 5 survival check</div><div class="rolled">17</div></div>`), "Orla Survival"},
		{"an inline result with its name", page(`<div class="message general" data-playerid="p1">Athletics: ` + result + `</div>`), "Orla Athletics"},
		{"an inline result and what it is for", page(`<div class="message general" data-playerid="p1">Right, ` + result + ` for Athletics.</div>`), "Orla Athletics"},
		{"an inline result in Portuguese", page(`<div class="message general" data-playerid="p1">Consegui ` + result + ` em Sobrevivência!</div>`), "Orla Survival"},
		{"an inline result in a story", page(`<div class="message general" data-playerid="p1">I lost ` + result + ` coins to the athletics club of the town.</div>`), ""},
		{"an inline result as it was typed", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","content":"[[1d20+2]] Religion","inlinerolls":[{"expression":"1d20+2","results":{"total":9}}]}}]`, "Orla Religion"},
		{"a whispered roll", page(`<div class="message private whisper" data-playerid="p1"><span class="by">(To GM):</span><div class="sheet-rolltemplate-simple">` + result + `<div class="sheet-label">STEALTH</div></div></div>`), ""},
		{"the archive's default template", `[{"a":{"who":"Orla","playerid":"p1","type":"general","content":"I look about."},"b":{"who":"Orla","playerid":"p1","type":"general","rolltemplate":"default","content":"{{name=Orla}} {{Stealth=$[[0]]}}","inlinerolls":[{"expression":"1d20+3","results":{"total":12}}]}}]`, "Orla Stealth"},
		{"a message of the GM's, by name", page(`<div class="message rollresult" data-playerid="p0"><span class="by">Dana (GM):</span><div class="formula">rolling d20 Stealth</div></div>`), ""},
	} {
		if got, _, tally := tries(t, "roll20", corpora.People{}, test.log); got != test.want {
			t.Errorf("%s: intentions %q, want %q; left %v", test.reason, got, test.want, tally.Unused)
		}
	}
}

func TestTemplate(t *testing.T) {
	_, _, tally := tries(t, "roll20", corpora.People{}, roll20Page)
	want := "{\n  \"dm\": [\n    \"Dana (GM)\"\n  ],\n  \"players\": {\n    \"Orla\": \"Orla\",\n    \"Pim\": \"Pim\"\n  }\n}\n"
	if got := string(tally.Template()); got != want {
		t.Errorf("got %s", got)
	}
	if tally.Unknown["Pim"] == 0 || tally.Unknown["Orla"] != 0 {
		t.Errorf("unknown %v", tally.Unknown)
	}
}

// An export without marks of rolls holds no window; the error says what to export instead.
func TestTextAlone(t *testing.T) {
	in := []corpora.File{{Name: "chat.txt", Group: "G", Content: strings.NewReader("[31.1.2025, 20:15:02] Orla\n17\n1d20 + 3 = 14 + 3 = 17\n")}}
	_, err := corpora.Import(context.Background(), io.Discard, "foundry", in, &corpora.Tally{})
	if err == nil || !strings.Contains(err.Error(), "1 x a roll that names no skill") || !strings.Contains(err.Error(), "export the chat as JSON") {
		t.Errorf("error %v", err)
	}
}

// What an import counts, writes and says.
func TestImport(t *testing.T) {
	file := func(name, group, content string) corpora.File {
		return corpora.File{Name: name, Group: group, Content: strings.NewReader(content)}
	}
	var out bytes.Buffer
	did, err := corpora.Import(context.Background(), &out, "foundry", []corpora.File{file("a", "A", foundryLog), file("b", "B", foundryLog)}, &corpora.Tally{})
	if err != nil {
		t.Fatal(err)
	}
	if did.Files != 2 || did.Windows != 4 || did.Groups != 4 || did.Several != 0 || did.None != 0 || did.ByTier["rolled"] != 4 || did.BySkill["Perception"] != 2 || did.BySkill["Persuasion"] != 2 || did.Unused["a whisper"] != 2 {
		t.Errorf("%+v", did)
	}
	windows, groups := 0, 0
	for _, n := range did.BySplit {
		windows += n
	}
	for _, n := range did.GroupsBy {
		groups += n
	}
	if windows != 4 || groups != 4 || bytes.Count(out.Bytes(), []byte("\n")) != 4 {
		t.Errorf("by split %v, groups %v, %d lines", did.BySplit, did.GroupsBy, bytes.Count(out.Bytes(), []byte("\n")))
	}
	did.Out, did.Notes, did.Unknown = "o.jsonl", []string{"a note"}, map[string]int{"Pim": 2, "Ann": 2, "Zed": 3}
	var b strings.Builder
	if err := did.Print(&b); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"o.jsonl: 4 windows of 4 groups from 2 files; 0 with several intentions, 0 with none", "skill Perception 2 skill Persuasion 2", "not used a whisper 2", "unknown speaker Zed 3 unknown speaker Ann 2 unknown speaker Pim 2 a note unknown speakers count as characters"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s, want %s", text, want)
		}
	}
	did.Unknown = nil
	b.Reset()
	if did.Print(&b); strings.Contains(b.String(), "unknown") {
		t.Error(b.String())
	}
	// Windows are read again, whatever their files are called, and once each.
	const two = `{"id":"w1","group":"g","cast":["Orla","Pim"],"context":[{"speaker":"DM","text":"Well?"}],"intentions":[{"character":"Orla","skill":"Stealth"},{"character":"Pim","skill":"Arcana"}]}` + "\n"
	none := strings.Replace(strings.Replace(two, "w1", "w2", 1), `[{"character":"Orla","skill":"Stealth"},{"character":"Pim","skill":"Arcana"}]`, "[]", 1)
	did, err = corpora.Import(context.Background(), io.Discard, "windows", []corpora.File{file("a", "A", two), file("b", "A", none)}, &corpora.Tally{})
	if err != nil || did.Windows != 2 || did.Groups != 1 || did.Several != 1 || did.None != 1 || did.ByTier["none"] != 2 || did.BySkill["Arcana"] != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx    context.Context
		format string
		files  []corpora.File
		want   string
	}{
		{context.Background(), "windows", []corpora.File{file("a", "A", two), file("b", "B", two)}, "window w1 is there twice"},
		{context.Background(), "foundry", []corpora.File{file("a", "A", foundryLog), file("b", "A", foundryLog)}, "import b: a has the same name"},
		{context.Background(), "foundry", []corpora.File{file("a", "A", `{"_id":"a","speaker":{"alias":"Orla"},"content":"Hm."}`)}, "no check was found"},
		{context.Background(), "windows", nil, "there is not one window"},
		{cancelled, "windows", []corpora.File{file("a", "A", two)}, "context canceled"},
	} {
		if _, err := corpora.Import(test.ctx, io.Discard, test.format, test.files, &corpora.Tally{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// Files are opened with the people of the names file, or of the one beside them, and an import leaves nothing behind that failed.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.log.gz": "", "b.jsonl": foundryLog, "b_names.json": `{"dm": "u0", "players": {"u1": "Orla Venn"}}`, "n.json": `{"dm": "u0", "players": {"u1": "Mara"}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, b := filepath.Join(dir, "a.log.gz"), filepath.Join(dir, "b.jsonl")
	files, err := corpora.Open([]string{a, b}, "", true)
	if err != nil || len(files) != 2 || files[0].Group != "a" || files[1].Group != "b" || !files[1].Stretch || len(files[0].People.Players) != 0 || files[1].People.Players["u1"] != "Orla Venn" {
		t.Fatalf("%+v, %v", files, err)
	}
	for _, test := range []struct{ names, out, cast string }{{"", "", "Orla Venn"}, {filepath.Join(dir, "n.json"), "o.jsonl", "Mara"}} {
		files, err := corpora.Open([]string{b}, test.names, false)
		if err != nil || files[0].People.Players["u1"] != test.cast {
			t.Fatalf("%+v, %v", files, err)
		}
		out := test.out
		if out != "" {
			out = filepath.Join(dir, out)
		}
		did, err := corpora.ImportTo(context.Background(), out, "foundry", files, &corpora.Tally{})
		if err != nil || did.Windows != 1 || did.Out != out {
			t.Errorf("%+v, %v", did, err)
		}
		if text, err := os.ReadFile(out); out != "" && (err != nil || !strings.Contains(string(text), test.cast)) {
			t.Errorf("%s, %v", text, err)
		}
	}
	if _, err := corpora.Open([]string{b}, filepath.Join(dir, "none.json"), false); err == nil || !strings.Contains(err.Error(), "read names") {
		t.Error(err)
	}
	for _, path := range []string{a, filepath.Join(dir, "none.jsonl")} {
		files, err := corpora.Open([]string{path}, "", false)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, "failed.jsonl")
		if _, err := corpora.ImportTo(context.Background(), out, "foundry", files, &corpora.Tally{}); err == nil {
			t.Errorf("%s is imported", path)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s left something behind", path)
		}
	}
}
