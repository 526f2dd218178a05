package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/gguf"
	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// serving is one model on its way to a server.
type serving struct {
	c        *cli.Context
	server   *ollama.Server
	source   string    // what to serve: a directory, or a GGUF where ready is set
	ready    bool      // it is a GGUF already
	kind     gguf.Type // of the matrices to be written
	template string    // empty: the base's
	stops    []string  // empty: the base's

	shown    *ollama.Shown // the base on the server; nil: it is a file
	baseFile string        // the base's GGUF on this machine, where there is one
	base     *gguf.Base    // nil only where a GGUF is served without a base
	adapter  *gguf.Adapter
	merged   *gguf.Merged
	file     *gguf.File // what is ready
	closers  []io.Closer
	did      served
}

func (s *serving) close() {
	for _, c := range s.closers {
		c.Close()
	}
}

// make converts, uploads, makes the model, and tries it.
func (s *serving) make() error {
	ctx, did := s.c.Context, &s.did
	path := s.source
	if !s.ready && (!did.DryRun || s.c.String("keep") != "") {
		written, done, err := s.convert()
		if err != nil {
			return err
		}
		defer done()
		path = written
	}
	if did.DryRun {
		return nil
	}
	made := ollama.Creation{Name: did.Name, Template: s.template, System: s.c.String("system"), Parameters: s.parameters()}
	var err error
	if did.Digest, err = s.upload(path); err != nil {
		return err
	}
	switch {
	case did.Kind == "adapter" && s.shown != nil:
		made.From, made.Adapters = s.shown.Name, map[string]string{"adapter.gguf": did.Digest}
	case did.Kind == "adapter":
		digest, err := s.upload(s.baseFile)
		if err != nil {
			return err
		}
		made.Files, made.Adapters = map[string]string{"model.gguf": digest}, map[string]string{"adapter.gguf": did.Digest}
	default:
		made.Files = map[string]string{"model.gguf": did.Digest}
		if b := s.shown; b != nil {
			made.Template, made.System = cmp.Or(made.Template, b.Template), cmp.Or(made.System, b.System)
			made.License, made.Renderer, made.Parser = b.License, b.Renderer, b.Parser
		}
	}
	start := time.Now()
	if err := s.server.Create(ctx, made, func(status string) { fmt.Fprintln(s.c.App.ErrWriter, strings.Trim(strconv.Quote(status), `"`)) }); err != nil {
		return fmt.Errorf("make the model: %w", err)
	}
	did.Seconds["create"] = time.Since(start).Seconds()
	if err := s.verify(made); err != nil {
		return err
	}
	did.Created = true
	return s.try()
}

// parameters are those that the model is to have.
func (s *serving) parameters() map[string]any {
	p := map[string]any{}
	if s.shown != nil { // of a model From does the same; a file has none
		maps.Copy(p, s.shown.Parameters)
	}
	if len(s.stops) > 0 {
		p["stop"] = s.stops
	}
	if s.c.IsSet("temperature") || p["temperature"] == nil {
		p["temperature"] = s.c.Float64("temperature")
	}
	p["repeat_penalty"] = s.c.Float64("repeat-penalty")
	return p
}

// convert writes the GGUF under a temporary name, and then under the one to keep. Done deletes what
// is not kept.
func (s *serving) convert() (path string, done func(), err error) {
	keep := s.c.String("keep")
	dir := ""
	if keep != "" {
		dir = filepath.Dir(keep)
	}
	f, err := os.CreateTemp(dir, "parley-*.gguf.tmp")
	if err != nil {
		return "", nil, fmt.Errorf("convert: %w", err)
	}
	path = f.Name()
	done = func() { os.Remove(path) }
	start := time.Now()
	tell := s.moving("converting")
	if s.adapter != nil {
		err = s.adapter.Write(s.c.Context, f, s.base, s.kind, tell)
	} else {
		err = s.merged.Write(s.c.Context, f, s.base, s.kind, tell)
	}
	if info, at := f.Stat(); at == nil {
		s.did.Bytes = info.Size()
	}
	if err == nil && keep != "" {
		err = errors.Join(f.Chmod(0o644), f.Sync())
	}
	err = errors.Join(err, f.Close())
	if err == nil && keep != "" {
		if err = os.Rename(path, keep); err == nil {
			s.did.File = keep
			path, done = keep, func() {}
		}
	}
	if err != nil {
		os.Remove(path)
		return "", nil, err
	}
	s.did.Seconds["convert"] = time.Since(start).Seconds()
	return path, done, nil
}

// upload brings a file to the server.
func (s *serving) upload(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("upload: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("upload: %w", err)
	}
	start := time.Now()
	tell := s.moving("uploading")
	digest, err := s.server.Upload(s.c.Context, f, func(done int64) { tell(done, info.Size()) })
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", filepath.Base(path), err)
	}
	s.did.Seconds["upload"] += time.Since(start).Seconds()
	return digest, nil
}

// moving makes what tells now and then how far many bytes came, and how long the rest takes.
func (s *serving) moving(what string) func(done, total int64) {
	start := time.Now()
	next := start.Add(2 * time.Second)
	return func(done, total int64) {
		now := time.Now()
		if now.Before(next) || done == 0 {
			return
		}
		next = now.Add(5 * time.Second)
		spent := now.Sub(start)
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		fmt.Fprintf(s.c.App.ErrWriter, "%s: %d of %d MB (%.0f MB/s), about %s to go\n",
			what, done>>20, total>>20, float64(done)/(1<<20)/spent.Seconds(), left.Round(time.Second))
	}
}

// verify holds what the server has now against what it was told.
func (s *serving) verify(made ollama.Creation) error {
	got, err := s.server.Show(s.c.Context, made.Name)
	if err != nil {
		return fmt.Errorf("look at the model that was made: %w", err)
	}
	s.did.Parameters = got.Parameters
	switch {
	case len(made.Adapters) != len(got.Adapters):
		return fmt.Errorf("the server made %s with %d adapters, where %d were told; delete it with: ollama rm %s", made.Name, len(got.Adapters), len(made.Adapters), made.Name)
	case made.Template != "" && got.Template != made.Template:
		return fmt.Errorf("the server gave %s another template than it was told", made.Name)
	case got.Template == bareTemplate && got.Renderer == "":
		fmt.Fprintln(s.c.App.ErrWriter, "the model has no template: prompts reach it as bare text; --template chatml or FILE gives it one")
	}
	for key, want := range made.Parameters {
		if have := got.Parameters[key]; quoted(have) != quoted(want) {
			return fmt.Errorf("the server gave %s the parameter %s %v, and was told %v", made.Name, key, quoted(have), quoted(want))
		}
	}
	return nil
}

// try puts one prompt to the model.
func (s *serving) try() error {
	did := &s.did
	spec := "ollama:" + did.Name
	for _, line := range []string{"parley finetune eval --model tuned:%s --in WINDOWS.jsonl", "parley run --player %s"} {
		use := spec
		if s.c.String("host") != "" {
			use += "@" + did.Host
		}
		did.Use = append(did.Use, fmt.Sprintf(line, use))
	}
	m, err := openModel(s.c.Context, spec+"@"+did.Host)
	if err != nil {
		return err
	}
	sampling := llm.Sampling{Temperature: new(0.0), Seed: new(int64(1)), MaxTokens: 48, NumThread: s.c.Int("num-thread")}
	start := time.Now()
	fmt.Fprintln(s.c.App.ErrWriter, "trying it")
	resp, err := m.Generate(s.c.Context, llm.Request{
		Messages: []llm.Message{llm.NewMessage(llm.User, s.c.String("prompt"))}, Sampling: sampling, Tag: llm.Tag{Purpose: "smoke"},
	})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return err
		}
		return fmt.Errorf("%s is made, but does not answer (delete it with: ollama rm %s): %w", did.Name, did.Name, err)
	}
	did.Seconds["smoke"] = time.Since(start).Seconds()
	did.Smoke = &smoke{Prompt: s.c.String("prompt"), Reply: resp.Text, Finish: string(resp.Finish), Empty: strings.TrimSpace(resp.Text) == ""}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
