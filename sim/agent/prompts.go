package agent

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"parley/sim/llm"
)

//go:embed prompts/*.tmpl
var builtin embed.FS

// The prompts' names. Each is a file with the ending .tmpl.
const (
	promptRules   = "rules"      // alike for everybody at every table of one kind
	promptScene   = "scene"      // alike for everybody at one table
	promptPersona = "persona"    // one character's own
	promptJSON    = "turn-json"  // asks for a move in the JSON form
	promptLines   = "turn-lines" // asks for a move in the lines form
	promptDebrief = "debrief"    // asks the questions after the last turn
	promptTold    = "told"       // asks them with the knowledge in hand
	promptReferee = "referee"    // asks the game master for a verdict on a deed
)

var promptNames = []string{promptRules, promptScene, promptPersona, promptJSON, promptLines, promptDebrief, promptTold, promptReferee}

// Prompts are the texts that agents are asked with, as templates of text/template. A comment at the
// head of each file lists its fields.
type Prompts struct {
	texts     map[string]string
	templates map[string]*template.Template

	mu       sync.Mutex
	settings map[string]*setting // rendered last, by all that they are made of
}

var functions = template.FuncMap{"number": func(i int) int { return i + 1 }}

// BuiltinPrompts returns the prompts that parley comes with.
var BuiltinPrompts = sync.OnceValue(func() *Prompts {
	p, err := load(builtin, "prompts", "prompts")
	if err != nil {
		panic(err) // a test loads them
	}
	return p
})

// LoadPrompts reads a user's own prompts from a directory. A prompt whose file is not there is the
// built-in one. Every mistake is reported with file and line: a file that is no prompt, a template
// that does not parse, a field that does not exist, a prompt that says nothing.
func LoadPrompts(dir string) (*Prompts, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("read prompts: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("read prompts: %s is not a directory", dir)
	}
	return ReadPrompts(os.DirFS(dir), dir)
}

// ReadPrompts is LoadPrompts of files that were opened before, and are shown as those of the directory.
func ReadPrompts(files fs.FS, dir string) (*Prompts, error) { return load(files, ".", dir) }

func load(files fs.FS, root, shown string) (*Prompts, error) {
	p := &Prompts{texts: map[string]string{}, templates: map[string]*template.Template{}}
	found, err := fs.ReadDir(files, root)
	if err != nil {
		return nil, fmt.Errorf("read prompts: %w", err)
	}
	var bad []error
	made := samples()
	for _, f := range found {
		name, is := strings.CutSuffix(f.Name(), ".tmpl")
		if is && !slices.Contains(promptNames, name) {
			bad = append(bad, fmt.Errorf("%s: no prompt has this name; there are %s", filepath.Join(shown, f.Name()), strings.Join(promptNames, ".tmpl, ")+".tmpl"))
		}
	}
	for _, name := range promptNames {
		file := name + ".tmpl"
		text, err := fs.ReadFile(files, within(root, file))
		if errors.Is(err, fs.ErrNotExist) {
			text, err = builtin.ReadFile("prompts/" + file)
		}
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", filepath.Join(shown, file), err))
			continue
		}
		t, err := template.New(file).Funcs(functions).Parse(string(text))
		if err == nil {
			err = try(t, name, made)
		}
		if err != nil {
			bad = append(bad, located(err, shown))
			continue
		}
		p.texts[name], p.templates[name] = string(text), t
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("read prompts: %w", errors.Join(bad...))
	}
	return p, nil
}

// within is path.Join for fs.FS, where "." must not precede a name.
func within(root, file string) string {
	if root == "." {
		return file
	}
	return root + "/" + file
}

// try executes a template for a made-up player and NPC of both kinds, because text/template finds a
// field that does not exist only then.
func try(t *template.Template, name string, made []sample) error {
	for _, s := range made {
		var out bytes.Buffer
		if err := t.Execute(&out, s.data(name)); err != nil {
			return err
		}
		if strings.TrimSpace(out.String()) == "" {
			return fmt.Errorf("template: %s:1: renders to nothing", t.Name())
		}
	}
	return nil
}

var place = regexp.MustCompile(`^template: ([^:]+\.tmpl:\d+)(:\d+)?: (?:executing "[^"]*" )?`)

// located turns text/template's "template: NAME:LINE: ..." into "DIR/NAME:LINE: ...".
func located(err error, dir string) error {
	text := err.Error()
	m := place.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return fmt.Errorf("%s: %s", filepath.Join(dir, m[1]), text[len(m[0]):])
}

// Export writes the prompts as files into a directory, which it makes if need be. It overwrites
// nothing.
func (p *Prompts) Export(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("export prompts: %w", err)
	}
	for _, name := range promptNames {
		path := filepath.Join(dir, name+".tmpl")
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("export prompts: %s exists; name an empty directory", path)
		}
	}
	for _, name := range promptNames {
		if err := os.WriteFile(filepath.Join(dir, name+".tmpl"), []byte(p.texts[name]), 0o666); err != nil {
			return fmt.Errorf("export prompts: %w", err)
		}
	}
	return nil
}

// Hashes returns the SHA-256 of every prompt's file in hex, by its name, for a run's manifest.
func (p *Prompts) Hashes() map[string]string {
	hashes := make(map[string]string, len(p.texts))
	for name, text := range p.texts {
		sum := sha256.Sum256([]byte(text))
		hashes[name] = hex.EncodeToString(sum[:])
	}
	return hashes
}

// render executes a prompt. What is around the text is trimmed, so that a file may end in a newline.
func (p *Prompts) render(name string, data any) (string, error) {
	var out bytes.Buffer
	if err := p.templates[name].Execute(&out, data); err != nil {
		return "", fmt.Errorf("render the prompt %s: %w", name, err)
	}
	return string(bytes.TrimSpace(out.Bytes())), nil
}

// section is a prompt as a message that begins with an empty line.
func (p *Prompts) section(role llm.Role, name string, data any) (llm.Message, error) {
	text, err := p.render(name, data)
	return llm.NewMessage(role, "\n"+text), err
}
