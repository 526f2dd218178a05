// Package serve makes a model of an Ollama server of what training wrote: a LoRA adapter, a merged model,
// or a GGUF. Before anything is uploaded it checks whether the model can work.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/finetune/gguf"
	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// The kinds of what is served.
const (
	Adapter = "adapter" // a directory of PEFT, or a GGUF of an adapter
	Merged  = "merged"  // a directory of a whole model as Hugging Face saves it
	GGUF    = "gguf"    // a whole model that is a GGUF already
)

// Options say what is served, and how.
type Options struct {
	Name, Kind, Source string
	Base               string // on the server, or a file; needed but for GGUF
	BaseGGUF, BaseDir  string
	Type               string // of the matrices written; empty: f32 for an adapter, f16 for a merged model
	Template           string // a Go template; empty: the base's
	Stops              []string
	System             string
	Temperature        *float64 // nil: the base's, else 0
	RepeatPenalty      float64
	DryRun, Force      bool
	Keep               string // new file for the GGUF that is written; empty: it is not kept
	Prompt             string // that tries the model
	Threads            int    // for that prompt; 0: the server's choice
	Server             *ollama.Server
	HostGiven          bool // the server's address belongs into Result.Use
	Open               func(ctx context.Context, spec string) (llm.Model, error)
	Now                func() time.Time
	Tell               func(line string)         // is told what is being done
	Checked            func(checks []gguf.Check) // is told the checks before anything is made
	kind               gguf.Type
	ready              bool // the source is a GGUF already
}

// Result describes the model that was made.
type Result struct {
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
	Smoke      *Smoke             `json:"smoke,omitempty"`
	Use        []string           `json:"use,omitempty"`
}

// Smoke is one prompt at temperature 0 and its reply.
type Smoke struct {
	Prompt string `json:"prompt"`
	Reply  string `json:"reply"`
	Finish string `json:"finish"`
	Empty  bool   `json:"empty"`
}

// Print says what was made, and how to use it.
func (did *Result) Print(w io.Writer) error {
	if did.File != "" {
		fmt.Fprintf(w, "%s: %s, %d bytes\n", did.File, did.Type, did.Bytes)
	}
	if did.DryRun {
		_, err := fmt.Fprintf(w, "nothing was uploaded (--dry-run); without it %s would be made on %s\n", did.Name, did.Host)
		return err
	}
	fmt.Fprintf(w, "%s is made on %s", did.Name, did.Host)
	for _, key := range slices.Sorted(maps.Keys(did.Parameters)) {
		fmt.Fprintf(w, ", %s %v", key, Shown(did.Parameters[key]))
	}
	fmt.Fprintf(w, "\nasked %q at temperature 0, it says: ", did.Smoke.Prompt)
	if did.Smoke.Empty {
		fmt.Fprintln(w, "nothing (an empty reply: do template and stops fit how it was trained?)")
	} else {
		fmt.Fprintf(w, "%s (%s)\n", strconv.Quote(did.Smoke.Reply), did.Smoke.Finish)
	}
	_, err := fmt.Fprintf(w, "use it with:\n  %s\n", strings.Join(did.Use, "\n  "))
	return err
}

var modelName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`)

// Validate says what is wrong with options, in the words of the command's flags, before any file or
// server is asked. It settles the defaults.
func (o *Options) Validate() error {
	switch {
	case o.Name == "":
		return errors.New("say with --name what the model is to be called")
	case !modelName.MatchString(o.Name) || len(o.Name) > 200:
		return fmt.Errorf("%q is no name of a model: write name or name:tag, of letters, digits, and _ . -", o.Name)
	case o.Base == "" && o.Kind != GGUF:
		return errors.New("say with --base which model it was trained from: one on the server, or FILE.gguf")
	case o.Temperature != nil && *o.Temperature < 0 || !(o.RepeatPenalty > 0):
		return errors.New("--temperature is not negative, and --repeat-penalty more than 0")
	case o.Threads < 0:
		return errors.New("--num-thread is not negative")
	case o.BaseGGUF != "" && isGGUF(o.Base):
		return errors.New("--base is a file already, so --base-gguf says nothing new")
	}
	o.ready = o.Kind == GGUF || o.Kind == Adapter && isFile(o.Source)
	if o.ready {
		if o.Type != "" || o.Keep != "" {
			return fmt.Errorf("%s is a GGUF already: --type and --keep are for what is converted", o.Source)
		}
		return nil
	}
	return o.settleType()
}

// settleType settles what type the matrices are written in, and checks the file that is to be kept.
func (o *Options) settleType() error {
	if o.Type == "" {
		o.Type = map[string]string{Adapter: "f32", Merged: "f16"}[o.Kind]
	}
	var err error
	if o.kind, err = gguf.ParseType(o.Type); err != nil {
		return err
	}
	if o.Type = strings.ToLower(o.kind.String()); o.Kind == Adapter && o.kind == gguf.Q8_0 {
		return errors.New("the matrices of an adapter can be f32 or f16, and not q8_0")
	}
	if _, err := os.Stat(o.Keep); o.Keep != "" && err == nil && !o.Force {
		return fmt.Errorf("%s is there already; --force replaces it", o.Keep)
	}
	return nil
}

// serving is one model on its way to a server.
type serving struct {
	Options
	ctx context.Context

	shown    *ollama.Shown // the base on the server; nil: it is a file
	baseFile string        // the base's GGUF on this machine, where there is one
	base     *gguf.Base    // nil only where a GGUF is served without a base
	adapter  *gguf.Adapter
	merged   *gguf.Merged
	file     *gguf.File // what is ready
	closers  []io.Closer
	did      Result
}

// Run checks, converts, uploads, makes the model and tries it, as far as the options want it. Options
// have to be valid. The result is there also with an error, as far as it came.
func Run(ctx context.Context, o Options) (*Result, error) {
	s := &serving{Options: o, ctx: ctx, did: Result{
		Name: o.Name, Host: o.Server.Address(), Kind: o.Kind, Type: o.Type, Base: o.Base, DryRun: o.DryRun,
		Checks: []gguf.Check{}, Seconds: map[string]float64{},
	}}
	defer func() {
		for _, c := range s.closers {
			c.Close()
		}
	}()
	if err := s.look(); err != nil {
		return &s.did, err
	}
	if err := s.check(); err != nil {
		return &s.did, err
	}
	failed := gguf.Failed(s.did.Checks)
	s.did.OK = failed == nil
	o.Checked(s.did.Checks)
	if failed != nil {
		return &s.did, fmt.Errorf("nothing was uploaded: %w", failed)
	}
	return &s.did, s.make()
}

// ChatML is the template of many small models, SmolLM2 among them, and ChatMLStops ends its turns.
const ChatML = "{{- range .Messages }}<|im_start|>{{ .Role }}\n{{ .Content }}<|im_end|>\n{{ end }}<|im_start|>assistant\n"

var ChatMLStops = []string{"<|im_start|>", "<|im_end|>"}

// ReadTemplate reads a template by its name, chatml, or of a file, and the stops that belong to it.
func ReadTemplate(name string) (template string, stops []string, err error) {
	switch name {
	case "":
		return "", nil, nil
	case "chatml":
		return ChatML, ChatMLStops, nil
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return "", nil, fmt.Errorf("read the template (chatml is built in): %w", err)
	}
	if !strings.Contains(string(raw), "{{") {
		return "", nil, fmt.Errorf("%s is no Go template: it has no {{ }}; a tokenizer's Jinja template has to be rewritten for Ollama", name)
	}
	return string(raw), nil, nil
}
