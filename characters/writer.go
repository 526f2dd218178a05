package characters

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// Writer asks a model: it returns the reply to a prompt, which should satisfy a JSON schema where the
// model's server can see to that.
type Writer func(ctx context.Context, prompt string, schema []byte) (string, error)

//go:embed prompts/write.txt
var writePrompt string

var writeTemplate = template.Must(template.New("write").Parse(writePrompt))

// writeSchema has no lengths in it: servers that turn a schema into a grammar choke on large ones.
const writeSchema = `{"type":"object","properties":{"name":{"type":"string"},"description":{"type":"string"}},"required":["name","description"],"additionalProperties":false}`

// The length of a description that Write accepts, in letters.
const (
	minWritten = 20
	maxWritten = 1200
)

// MalformedError says that a model's reply was not what was asked for.
type MalformedError struct {
	Reply  string
	Reason string
}

func (e *MalformedError) Error() string { return "the reply " + e.Reason }

// Write has a model name and describe the character, and puts both, and the ID that goes with the
// name, into the sheet. The model is told what the sheet holds except for name, description and
// secrets, and which names are taken.
//
// The reply has to be one JSON object with name and description and nothing else; the name may not be
// Alike to one that is taken, and the description has 20 to 1200 letters. Otherwise the sheet is left
// as it was and the error is a *MalformedError; nothing is repaired. Any other error is the Writer's.
func Write(ctx context.Context, w Writer, s *Sheet, taken []string) error {
	var prompt bytes.Buffer
	if err := writeTemplate.Execute(&prompt, map[string]any{"Sheet": s, "Taken": taken}); err != nil {
		return fmt.Errorf("write a prompt for %s: %w", s.ID, err)
	}
	reply, err := w(ctx, prompt.String(), []byte(writeSchema))
	if err != nil {
		return fmt.Errorf("have %s written: %w", s.ID, err)
	}
	name, description, err := readWritten(reply)
	if err == nil {
		err = checkWritten(name, description, taken)
	}
	if err != nil {
		return fmt.Errorf("have %s written: %w", s.ID, &MalformedError{Reply: reply, Reason: err.Error()})
	}
	s.Name, s.ID, s.Description = name, Slug(name), description
	return nil
}

// readWritten takes a reply apart. A key that is not asked for, in another case or written twice is an error.
func readWritten(reply string) (name, description string, err error) {
	text := strings.TrimSpace(reply)
	var w struct {
		Name        *string `json:"name"`
		Description *string `json:"description"`
	}
	err = json.Unmarshal([]byte(text), &w, json.RejectUnknownMembers(true))
	switch {
	case text == "":
		err = errors.New("is empty")
	case text[0] != '{':
		err = errors.New("is not a JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("breaks off")
	case err != nil:
		err = fmt.Errorf("is not the JSON object that was asked for: %w", err)
	case w.Name == nil:
		err = errors.New(`has no field "name"`)
	case w.Description == nil:
		err = errors.New(`has no field "description"`)
	default:
		return *w.Name, *w.Description, nil
	}
	return "", "", err
}

// checkWritten says what is wrong with what a model wrote.
func checkWritten(name, description string, taken []string) error {
	if text := checkName(name); text != "" {
		return fmt.Errorf("has a bad name: %s", text)
	}
	words := strings.Fields(name)
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case utf8.RuneCountInString(name) > 40 || len(words) > 4:
		return fmt.Errorf("has a bad name: %q is longer than 40 letters or four words", name)
	case !unicode.IsUpper(first) || strings.Contains(name, "\n"):
		return fmt.Errorf("has a bad name: %q does not begin with a capital letter", name)
	case Slug(name) == "" || len(Slug(name)) < 2:
		return fmt.Errorf("has a bad name: %q has no two Latin letters", name)
	}
	for _, word := range append(Races(), Classes()...) {
		if fold(words[0]) == fold(word) {
			return fmt.Errorf("has a bad name: %q begins with a race or a class", name)
		}
	}
	for _, other := range taken {
		if Alike(name, other) {
			return fmt.Errorf("has a bad name: %q is too like %q, which is taken", name, other)
		}
	}
	if n := utf8.RuneCountInString(description); n < minWritten || n > maxWritten {
		return fmt.Errorf("has a description of %d letters, not %d to %d", n, minWritten, maxWritten)
	}
	if text := checkText(description, maxDescription); text != "" {
		return fmt.Errorf("has a bad description: %s", text)
	}
	return nil
}
