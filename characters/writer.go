package characters

import (
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

// Ask fills in a prompt, puts it to the writer and decodes the reply strictly: one JSON object of the fields that into
// has, perhaps in a fence, and nothing else. An error is the Writer's, or says how the reply is malformed.
func (w Writer) Ask(ctx context.Context, prompt *template.Template, data any, schema []byte, into any) error {
	var text strings.Builder
	if err := prompt.Execute(&text, data); err != nil {
		return fmt.Errorf("make the prompt: %w", err)
	}
	reply, err := w(ctx, text.String(), schema)
	if err != nil {
		return err
	}
	reply = strings.TrimSpace(reply)
	if rest, ok := strings.CutPrefix(reply, "```"); ok { // models write a fence even where they are told not to
		reply = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(rest, "json"), "```"))
	}
	err = json.Unmarshal([]byte(reply), into, json.RejectUnknownMembers(true))
	switch {
	case reply == "":
		err = errors.New("it is empty")
	case reply[0] != '{':
		err = errors.New("it is not the JSON object asked for")
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the JSON breaks off")
	case err != nil:
		err = fmt.Errorf("it is not the JSON object asked for: %w", err)
	}
	return Malformed(err)
}

// Malformed says that a model's reply was not what was asked for; nil stays nil.
func Malformed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the reply is malformed: %w", err)
}

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

// Write has a model name and describe the character, and puts both, and the ID that goes with the
// name, into the sheet. The model is told what the sheet holds except for name, description and
// secrets, and which names are taken. The name may not be Alike to one that is taken, and the description has 20 to
// 1200 letters. With an error the sheet is left as it was; nothing is repaired.
func Write(ctx context.Context, w Writer, s *Sheet, taken []string) error {
	var reply struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	err := w.Ask(ctx, writeTemplate, map[string]any{"Sheet": s, "Taken": taken}, []byte(writeSchema), &reply)
	if err == nil {
		err = Malformed(checkWritten(reply.Name, reply.Description, taken))
	}
	if err != nil {
		return fmt.Errorf("have %s written: %w", s.ID, err)
	}
	s.Name, s.ID, s.Description = reply.Name, Slug(reply.Name), reply.Description
	return nil
}

// checkWritten says what is wrong with what a model wrote.
func checkWritten(name, description string, taken []string) error {
	if text := checkName(name); text != "" {
		return fmt.Errorf("bad name: %s", text)
	}
	words := strings.Fields(name)
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case utf8.RuneCountInString(name) > 40 || len(words) > 4:
		return fmt.Errorf("bad name: %q is longer than 40 letters or four words", name)
	case !unicode.IsUpper(first) || strings.Contains(name, "\n"):
		return fmt.Errorf("bad name: %q does not begin with a capital letter", name)
	case Slug(name) == "" || len(Slug(name)) < 2:
		return fmt.Errorf("bad name: %q has no two Latin letters", name)
	}
	for _, word := range append(Races(), Classes()...) {
		if fold(words[0]) == fold(word) {
			return fmt.Errorf("bad name: %q begins with a race or a class", name)
		}
	}
	for _, other := range taken {
		if Alike(name, other) {
			return fmt.Errorf("bad name: %q is too like %q, which is taken", name, other)
		}
	}
	if n := utf8.RuneCountInString(description); n < minWritten || n > maxWritten {
		return fmt.Errorf("a description of %d letters, not %d to %d", n, minWritten, maxWritten)
	}
	if text := checkText(description, maxDescription); text != "" {
		return fmt.Errorf("bad description: %s", text)
	}
	return nil
}
