package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/sim/agent"
	"parley/sim/llm"
)

// What prompts are made of is rendered without text/template. A variable makes text/template do it;
// both have to say the same.
func TestProgramsRenderAsTemplatesDo(t *testing.T) {
	constructs := map[string]string{
		"persona.tmpl": `{{.Label}}|{{.Self.Name}}|{{.Self.Level}}|{{with .Self}}{{.Name}}{{else}}nobody{{end}}|` +
			`{{if .Player}}player{{else if .Knowledge}}{{.Knowledge.Title}}{{else}}npc{{end}}|` +
			`{{with .Knowledge}}{{.Title}}: {{range .Facts}}<{{.Text}}>{{end}}{{else}}knows nothing{{end}}|` +
			`{{range .Self.Secrets}}{{.}};{{else}}no secrets{{end}}|{{range .Questions}}{{.}}{{else}}no questions{{end}}|` +
			`{{range .Others}}{{if eq .Label "Bren"}}!{{end}}{{if ne .Label .Name}}{{.Label}}={{.Name}}{{end}}{{if .NPC}}(npc){{end}},{{end}}|` +
			`{{- with .Aims}} {{.}} {{- end}}|{{if .Turns}}{{.Turns}}{{end}}{{/* a comment */}}{{if .Kind}}{{else}}intentions{{end}}`,
		"scene.tmpl": `{{range .Cast}}{{.Race}} {{.Class}}{{with .Appearance}}, {{.}}{{end}}; {{end}}{{.Title}}{{if .Checks}} dice{{end}}`,
		// What programs leave to text/template.
		"rules.tmpl":      `{{len .Cast}} {{printf "%d turns" .Turns}} {{if and .Kind .Checks}}both{{end}}{{.Title | printf "%q"}}`,
		"turn-json.tmpl":  `{{range $i, $p := .Others}}{{number $i}} {{$p.Label}} {{end}}`,
		"turn-lines.tmpl": `{{index .Others 0 | printf "%v"}}{{.Label}}`,
	}
	const byTemplate = "{{$variable := 0}}"
	for name, files := range map[string]map[string]string{"built in": nil, "constructs": constructs} {
		t.Run(name, func(t *testing.T) {
			fast, slow := filepath.Join(t.TempDir(), "fast"), filepath.Join(t.TempDir(), "slow")
			for _, dir := range []string{fast, slow} {
				if err := agent.BuiltinPrompts().Export(dir); err != nil {
					t.Fatal(err)
				}
				for file, text := range files {
					write(t, dir, file, text)
				}
			}
			all, err := filepath.Glob(filepath.Join(slow, "*.tmpl"))
			if err != nil || len(all) == 0 {
				t.Fatal(all, err)
			}
			for _, path := range all {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				write(t, slow, filepath.Base(path), byTemplate+string(text))
			}
			var asked [2][]string
			for k, dir := range []string{fast, slow} {
				prompts, err := agent.LoadPrompts(dir)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 16 {
					g := newSecretGame(t, i)
					maker, err := agent.New(agent.Config{
						Model: llm.Func(g.reply), Name: "script:loose", Prompts: prompts, Layout: g.layout,
						Form: []agent.Form{agent.JSON, agent.Lines}[i/4%2], Checks: i%3 > 0, Now: now,
					})
					if err != nil {
						t.Fatal(err)
					}
					table := new(agent.Table)
					for _, c := range g.scenario.Cast {
						g.game.Actors[c.ID] = maker.Agent(table)
					}
					for _, err := range g.game.Play(t.Context()) {
						if err != nil {
							t.Fatal(err)
						}
					}
					for _, req := range g.asked {
						asked[k] = append(asked[k], fmt.Sprintf("%v", req.Messages))
					}
				}
			}
			if len(asked[0]) < 16*30 {
				t.Errorf("only %d prompts", len(asked[0]))
			}
			if diff := cmp.Diff(asked[1], asked[0]); diff != "" {
				t.Error(diff)
			}
		})
	}
}
