package script

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"strings"
	"text/template"

	"parley/characters"
	"parley/eval/judge"
)

//go:embed prompts/*.tmpl
var prompts embed.FS

func prompt(name string) *template.Template {
	text, err := prompts.ReadFile("prompts/" + name + ".tmpl")
	if err != nil {
		panic(err)
	}
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"quote": func(string) string { return "" },
		"add":   func(a, b int) int { return a + b },
	}).Parse(string(text))
	if err != nil {
		panic(err)
	}
	return t
}

var (
	writePrompt       = prompt("write")
	personaPrompt     = prompt("persona")
	synthesizePrompt  = prompt("synthesize")
	criticPrompt      = prompt("critic")
	executePrompt     = prompt("execute")
	commonsensePrompt = prompt("commonsense")
	singlePrompt      = prompt("single")
	perturbPrompt     = prompt("perturb")
	constructPrompt   = prompt("construct")
)

// render fills in a prompt that is no judge's question. Foreign texts in it are quoted, so that none
// of them can pass for the prompt, and none is looked at for what could be filled in.
func render(t *template.Template, seed uint64, data any) string {
	own := template.Must(t.Clone()).Funcs(template.FuncMap{"quote": func(text string) string { return judge.Quote(text, seed) }})
	var out strings.Builder
	if err := own.Execute(&out, data); err != nil {
		panic(err) // the data are ours
	}
	return strings.TrimSpace(out.String())
}

// PromptHashes returns the SHA-256 of every prompt, by its file, for a run's record.
func PromptHashes() map[string]string {
	hashes := map[string]string{}
	entries, err := prompts.ReadDir("prompts")
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		text, err := prompts.ReadFile("prompts/" + e.Name())
		if err != nil {
			panic(err)
		}
		hashes[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return hashes
}

// Persona is the instruction under which a model answers as a character.
func Persona(s *characters.Sheet) string { return render(personaPrompt, 0, s) }
