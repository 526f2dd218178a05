package survey

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"parley/eval/judge"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// prompts are the agents' prompts, each with the document before it, so that a server that keeps the
// beginning of prompts reads a document once.
var (
	evaluatorPrompt = prompt("evaluator")
	sagePrompt      = prompt("sage")
	criteriaPrompt  = prompt("criteria")
	checklistPrompt = prompt("checklist")
	generatePrompt  = template.Must(template.New("generate").Parse(text("generate")))
)

func text(name string) string {
	data, err := promptFiles.ReadFile("prompts/" + name + ".tmpl")
	if err != nil {
		panic(err)
	}
	return string(data)
}

// prompt joins the document's part and an agent's.
func prompt(name string) *template.Template {
	return judge.MustPrompt(name, text("document")+text(name))
}

// PromptHashes returns the SHA-256 of every prompt by file name, for a run's manifest.
func PromptHashes() map[string]string { return judge.Hashes(promptFiles, "survey/") }

// numbered writes a list with its numbers, one a line, with a text before each number.
func numbered(before string, items []string) string {
	var b strings.Builder
	for i, s := range items {
		fmt.Fprintf(&b, "%s%d. %s\n", before, i+1, s)
	}
	return b.String()
}

// makers are names of models and their makers, in the ways in which replies speak of themselves.
var makers = regexp.MustCompile(`(?i)\b(chat)?gpt(-?[0-9][\w.-]*)?\b|\b(open ?ai|anthropic|deepmind|mistral( ai)?|claude|gemini|gemma|llama|qwen|phi|smollm|deepseek|mixtral|grok|copilot|command-r)[\w.:-]*`)

// mask takes names of models out of what one agent is told of another: the ones that take part, and
// the known families.
func mask(text string, names []string) string {
	for _, name := range names {
		if _, bare, ok := strings.Cut(name, ":"); ok {
			name = bare
		}
		bare, _, _ := strings.Cut(name, "?")
		bare, _, _ = strings.Cut(bare, "@")
		if len(bare) > 2 {
			text = regexp.MustCompile(`(?i)`+regexp.QuoteMeta(bare)).ReplaceAllString(text, "[a model]")
		}
	}
	return makers.ReplaceAllString(text, "[a model]")
}
