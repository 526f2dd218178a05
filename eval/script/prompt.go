package script

import (
	"embed"
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
	return judge.MustPrompt(name, string(text))
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

// render fills in a prompt that is no judge's question.
func render(t *template.Template, seed uint64, data any) string {
	text, err := judge.Render(t, seed, data)
	if err != nil {
		panic(err) // the data are this package's own
	}
	return text
}

// PromptHashes returns the SHA-256 of every prompt, by its file, for a run's record.
func PromptHashes() map[string]string { return judge.Hashes(prompts, "") }

// Persona is the instruction under which a model answers as a character.
func Persona(s *characters.Sheet) string { return render(personaPrompt, 0, s) }
