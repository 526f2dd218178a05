package script

import (
	"embed"

	"parley/characters"
	"parley/eval/judge"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var prompts = judge.Prompts(promptFiles)

// render fills in a prompt that is no judge's question.
func render(name string, seed uint64, data any) string {
	text, err := judge.Render(prompts[name], seed, data)
	if err != nil {
		panic(err) // the data are this package's own
	}
	return text
}

// PromptHashes returns the SHA-256 of every prompt, by its file, for a run's record.
func PromptHashes() map[string]string { return judge.Hashes(promptFiles, "") }

// Persona is the instruction under which a model answers as a character.
func Persona(s *characters.Sheet) string { return render("persona", 0, s) }
