package judge

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

//go:embed prompts
var files embed.FS

var prompts = template.Must(template.ParseFS(files, "prompts/guard.tmpl", "prompts/again.tmpl", "prompts/format.tmpl"))

// Prompt parses a prompt. The function quote has to stand around every judged text in it, as in
// {{quote .Script}}; see Quote.
func Prompt(name, text string) (*template.Template, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"quote": func(string) string { return "" }}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", name, err)
	}
	return t, nil
}

// MustPrompt is Prompt for a text that is part of the program; it panics where that is wrong.
func MustPrompt(name, text string) *template.Template {
	t, err := Prompt(name, text)
	if err != nil {
		panic(err)
	}
	return t
}

// Prompts parses every prompt of a package's folder of prompts, by the file's name without .tmpl. It panics where one
// is wrong.
func Prompts(files embed.FS) map[string]*template.Template {
	list := map[string]*template.Template{}
	for name, text := range texts(files) {
		list[strings.TrimSuffix(name, ".tmpl")] = MustPrompt(name, text)
	}
	return list
}

// Render fills in a prompt. Texts that it quotes are fenced by the seed; see Quote.
func Render(t *template.Template, seed uint64, with any) (string, error) {
	own, err := t.Clone()
	if err != nil {
		return "", fmt.Errorf("prompt %s: %w", t.Name(), err)
	}
	own.Funcs(template.FuncMap{"quote": func(text string) string { return Quote(text, seed) }})
	var out strings.Builder
	if err := own.Execute(&out, with); err != nil {
		return "", fmt.Errorf("prompt %s: %w", t.Name(), err)
	}
	return strings.TrimSpace(out.String()), nil
}

// own fills in one of this package's prompts, which cannot fail.
func own(name string, with any) string {
	var out strings.Builder
	if err := prompts.ExecuteTemplate(&out, name, with); err != nil {
		panic(err)
	}
	return strings.TrimSpace(out.String())
}

// describe says in words what a schema asks for. It writes no braces and quotes no key, so that a
// reply that repeats it states nothing. The whole schema's text gives the order of keys.
func describe(schema any, raw json.RawMessage) string {
	p := partOf(schema)
	text := kind(p, raw)
	if about, _ := p["description"].(string); about != "" {
		text += ": " + about
	}
	return text
}

func kind(p part, raw json.RawMessage) string {
	if choices, ok := p.choices(); ok {
		return "one of " + list(choices)
	}
	low, hasLow := p.bound("minimum")
	high, hasHigh := p.bound("maximum")
	limits := ""
	switch {
	case hasLow && hasHigh:
		limits = fmt.Sprintf(" from %v to %v", low, high)
	case hasLow:
		limits = fmt.Sprintf(" of at least %v", low)
	case hasHigh:
		limits = fmt.Sprintf(" of at most %v", high)
	}
	var texts []string
	for _, t := range p.types() {
		switch t {
		case "integer":
			texts = append(texts, "a whole number"+limits)
		case "number":
			texts = append(texts, "a number"+limits)
		case "boolean":
			texts = append(texts, "true or false")
		case "string":
			texts = append(texts, "text")
		case "null":
			texts = append(texts, "null")
		case "array":
			texts = append(texts, "a list, each item "+describe(p["items"], raw))
		case "object":
			var keys []string
			for _, key := range order(p, raw) {
				keys = append(keys, key+" ("+describe(p.properties()[key], raw)+")")
			}
			texts = append(texts, "an object with the keys "+strings.Join(keys, ", "))
		}
	}
	if len(texts) == 0 {
		return "anything"
	}
	return strings.Join(texts, " or ")
}

// order returns the properties of an object as far as possible in the order in which the schema's
// text names them.
func order(p part, raw json.RawMessage) []string {
	place := func(key string) int {
		quoted, _ := json.Marshal(key) // a string can be written
		if at := strings.Index(string(raw), string(quoted)+":"); at >= 0 {
			return at
		}
		return len(raw)
	}
	keys := slices.Collect(maps.Keys(p.properties()))
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) })
	return keys
}

// Hashes returns the SHA-256 of every file of a package's folder of prompts, by a prefix and the file's name, for a
// run's manifest.
func Hashes(files embed.FS, prefix string) map[string]string {
	hashes := map[string]string{}
	for name, text := range texts(files) {
		hashes[prefix+name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	}
	return hashes
}

// texts returns the files of a folder of prompts by name.
func texts(files embed.FS) map[string]string {
	entries, err := files.ReadDir("prompts")
	if err != nil {
		panic(err)
	}
	list := map[string]string{}
	for _, e := range entries {
		text, err := files.ReadFile("prompts/" + e.Name())
		if err != nil {
			panic(err)
		}
		list[e.Name()] = string(text)
	}
	return list
}
