package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/gguf"
	"parley/sim/llm/ollama"
)

func finetuneServeCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "make an Ollama model of a LoRA adapter or of a merged model",
		Description: "parley writes the GGUF itself, with the rows of queries and keys in llama.cpp's order and, for a\n" +
			"merged model, with all metadata and the tokenizer of the base; Ollama's own converter is silently\n" +
			"wrong there. Before anything is uploaded it checks whether the model can work, and says why not.\n" +
			"Architectures: " + strings.Join(gguf.Architectures(), ", ") + "; others as a GGUF made by llama.cpp's own script (--gguf).\n" +
			"Exit status: 1 where a check fails, or the server does.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "name", Usage: "`NAME` of the model to make (required)"},
			&cli.GenericFlag{Name: "adapter", Value: &texts{}, Usage: "`DIR` of a LoRA as PEFT saves it, or a FILE.gguf of one"},
			&cli.StringFlag{Name: "merged", Usage: "`DIR` of a whole model as Hugging Face saves it"},
			&cli.StringFlag{Name: "gguf", Usage: "`FILE` of a whole model that is a GGUF already"},
			&cli.StringFlag{Name: "base", Usage: "`MODEL` on the server, or FILE.gguf, that was trained from (required but for --gguf)"},
			&cli.StringFlag{Name: "base-gguf", Usage: "`FILE` of the base's GGUF, where the server's own cannot be read from here"},
			&cli.StringFlag{Name: "base-dir", Usage: "`DIR` of the base that was trained from, as Hugging Face saves it, to compare its weights with the base's"},
			&cli.StringFlag{Name: "type", Usage: "`TYPE` of the matrices written: f32, f16 or q8_0", DefaultText: "f32 for an adapter, f16 for a merged model"},
			&cli.StringFlag{Name: "template", Usage: "`TEMPLATE` of prompts: chatml, or a file with a Go template", DefaultText: "the base's"},
			&cli.GenericFlag{Name: "stop", Value: &texts{}, Usage: "`TEXT` that ends a reply; repeat for several", DefaultText: "the template's"},
			&cli.StringFlag{Name: "system", Usage: "`TEXT` of a system message where a request has none; the template in training may have added one of its own, as SmolLM2's does: then it belongs here too", DefaultText: "the base's"},
			&cli.Float64Flag{Name: "temperature", Usage: "`TEMPERATURE` where a request gives none", DefaultText: "the base's, else 0"},
			&cli.Float64Flag{Name: "repeat-penalty", Usage: "`PENALTY` where a request gives none; Ollama's own default of 1.1 changes even greedy text", Value: 1},
			&cli.BoolFlag{Name: "dry-run", Usage: "check, and with --keep convert, but upload nothing"},
			&cli.StringFlag{Name: "keep", Usage: "new `FILE` to keep the GGUF in that is written"},
			&cli.StringFlag{Name: "host", Usage: "`ADDRESS` of the server", DefaultText: "OLLAMA_HOST, else " + ollama.DefaultHost},
			&cli.StringFlag{Name: "prompt", Usage: "`TEXT` of the prompt that tries the model", Value: "Say in one short sentence where you are."},
			&cli.IntFlag{Name: "num-thread", Usage: "`NUMBER` of threads for that prompt", DefaultText: "the server's"},
			&cli.BoolFlag{Name: "force", Aliases: []string{"yes"}, Usage: "replace a model of the name, or a file of --keep, that is there"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: finetuneServe,
	}
}

// texts is a flag that is given several times and takes commas as they are.
type texts []string

func (t *texts) Set(s string) error { *t = append(*t, s); return nil }
func (t *texts) String() string     { return strings.Join(*t, " ") }

// served is what was made: the answer of the command.
type served struct {
	Name       string             `json:"name"`
	Host       string             `json:"host"`
	Version    string             `json:"server_version,omitempty"`
	Kind       string             `json:"kind"` // adapter, merged or gguf
	Type       string             `json:"type,omitempty"`
	Base       string             `json:"base,omitempty"`
	Checks     []gguf.Check       `json:"checks"`
	OK         bool               `json:"ok"` // no check failed
	DryRun     bool               `json:"dry_run"`
	Created    bool               `json:"created"`
	File       string             `json:"file,omitempty"` // that was kept
	Bytes      int64              `json:"bytes,omitempty"`
	Digest     string             `json:"digest,omitempty"`
	Parameters map[string]any     `json:"parameters,omitempty"` // as the model has them
	Seconds    map[string]float64 `json:"seconds,omitempty"`
	Smoke      *smoke             `json:"smoke,omitempty"`
	Use        []string           `json:"use,omitempty"`
}

// smoke is one prompt at temperature 0 and its reply.
type smoke struct {
	Prompt string `json:"prompt"`
	Reply  string `json:"reply"`
	Finish string `json:"finish"`
	Empty  bool   `json:"empty"`
}

var modelName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`)

func finetuneServe(c *cli.Context) error {
	s, err := newServing(c)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.look(); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	failed := gguf.Failed(s.did.Checks)
	s.did.OK = failed == nil
	if !c.Bool("json") {
		for _, check := range s.did.Checks {
			fmt.Fprintf(c.App.Writer, "%-8s%s: %s\n", check.Verdict, check.Name, check.Detail)
		}
	}
	if failed == nil {
		err = s.make()
	}
	if c.Bool("json") {
		if printed := printJSON(c.App.Writer, s.did); err == nil {
			err = printed
		}
	} else if failed == nil && err == nil {
		s.print()
	}
	if failed != nil {
		return fmt.Errorf("nothing was uploaded: %w", failed)
	}
	return err
}

// newServing reads the command line.
func newServing(c *cli.Context) (*serving, error) {
	s := &serving{c: c, did: served{
		Name: strings.TrimPrefix(c.String("name"), "ollama:"), Base: strings.TrimPrefix(c.String("base"), "ollama:"), DryRun: c.Bool("dry-run"), Checks: []gguf.Check{}, Seconds: map[string]float64{},
	}}
	adapters := *c.Generic("adapter").(*texts)
	given := 0
	for kind, value := range map[string]string{"adapter": adapters.String(), "merged": c.String("merged"), "gguf": c.String("gguf")} {
		if value != "" {
			s.did.Kind, s.source = kind, value
			given++
		}
	}
	switch {
	case c.NArg() > 0:
		return nil, usagef("finetune serve takes flags only, and got %s", c.Args().First())
	case c.String("name") == "":
		return nil, usagef("say with --name what the model is to be called")
	case !modelName.MatchString(s.did.Name) || len(s.did.Name) > 200:
		return nil, usagef("%q is no name of a model: write name or name:tag, of letters, digits, and _ . -", s.did.Name)
	case len(adapters) > 1:
		return nil, usagef("a model can have one adapter only, and %d are given: merge them in training, or serve a model for each", len(adapters))
	case given != 1:
		return nil, usagef("say what to serve with one of --adapter, --merged and --gguf")
	case s.did.Base == "" && s.did.Kind != "gguf":
		return nil, usagef("say with --base which model it was trained from: one on the server, or FILE.gguf")
	case c.Float64("temperature") < 0 || !(c.Float64("repeat-penalty") > 0):
		return nil, usagef("--temperature is not negative, and --repeat-penalty more than 0")
	case c.Int("num-thread") < 0:
		return nil, usagef("--num-thread is not negative")
	}
	s.ready = s.did.Kind == "gguf"
	if info, err := os.Stat(s.source); err == nil && s.did.Kind == "adapter" {
		s.ready = info.Mode().IsRegular()
	}
	if s.ready && (c.IsSet("type") || c.IsSet("keep")) {
		return nil, usagef("%s is a GGUF already: --type and --keep are for what is converted", s.source)
	}
	name := c.String("type")
	if name == "" {
		name = map[string]string{"adapter": "f32", "merged": "f16"}[s.did.Kind]
	}
	if !s.ready {
		var err error
		if s.kind, err = gguf.ParseType(name); err != nil {
			return nil, usageError{err}
		}
		if s.did.Kind == "adapter" && s.kind == gguf.Q8_0 {
			return nil, usagef("the matrices of an adapter can be f32 or f16, and not q8_0")
		}
		s.did.Type = strings.ToLower(s.kind.String())
	}
	if keep := c.String("keep"); keep != "" && exists(keep) && !c.Bool("force") {
		return nil, usagef("%s is there already; --force replaces it", keep)
	}
	host := c.String("host")
	if host == "" {
		host = os.Getenv("OLLAMA_HOST")
	}
	var err error
	if s.server, err = ollama.Connect(host, ollama.Options{HTTP: httpClient, Now: time.Now}); err != nil {
		return nil, usageError{err}
	}
	s.did.Host = s.server.Address()
	return s, s.readTemplate()
}

// chatML is the template of many small models, SmolLM2 among them.
const chatML = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"

var chatMLStops = []string{"<|im_start|>", "<|im_end|>"}

// readTemplate reads what --template and --stop say.
func (s *serving) readTemplate() error {
	s.stops = *s.c.Generic("stop").(*texts)
	switch name := s.c.String("template"); name {
	case "":
	case "chatml":
		s.template = chatML
		if len(s.stops) == 0 {
			s.stops = chatMLStops
		}
	default:
		raw, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read the template (chatml is built in): %w", err)
		}
		if !strings.Contains(string(raw), "{{") {
			return fmt.Errorf("%s is no Go template: it has no {{ }}; a tokenizer's Jinja template has to be rewritten for Ollama", name)
		}
		s.template = string(raw)
	}
	return nil
}

// print says what was made, and how to use it.
func (s *serving) print() {
	w, did := s.c.App.Writer, &s.did
	if did.File != "" {
		fmt.Fprintf(w, "%s: %s, %d bytes\n", did.File, did.Type, did.Bytes)
	}
	if did.DryRun {
		fmt.Fprintf(w, "nothing was uploaded (--dry-run); without it %s would be made on %s\n", did.Name, did.Host)
		return
	}
	fmt.Fprintf(w, "%s is made on %s", did.Name, did.Host)
	for _, key := range sortedKeys(did.Parameters) {
		fmt.Fprintf(w, ", %s %v", key, quoted(did.Parameters[key]))
	}
	fmt.Fprintf(w, "\nasked %q at temperature 0, it says: ", did.Smoke.Prompt)
	if did.Smoke.Empty {
		fmt.Fprintln(w, "nothing (an empty reply: do template and stops fit how it was trained?)")
	} else {
		fmt.Fprintf(w, "%s (%s)\n", strconv.Quote(did.Smoke.Reply), did.Smoke.Finish)
	}
	fmt.Fprintln(w, "use it with:")
	for _, line := range did.Use {
		fmt.Fprintln(w, " ", line)
	}
}

// quoted shows a parameter.
func quoted(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
