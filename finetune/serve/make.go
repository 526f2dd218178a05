package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/ollama"
)

// make converts, uploads, makes the model, and tries it.
func (s *serving) make() error {
	ctx, did := s.ctx, &s.did
	path := s.Source
	if !s.ready && (!did.DryRun || s.Keep != "") {
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
	made := ollama.Creation{Name: did.Name, Template: s.Template, System: s.System, Parameters: s.parameters()}
	var err error
	if did.Digest, err = s.upload(path); err != nil {
		return err
	}
	switch {
	case s.Kind == Adapter && s.shown != nil:
		made.From, made.Adapters = s.shown.Name, map[string]string{"adapter.gguf": did.Digest}
	case s.Kind == Adapter:
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
	start := s.Now()
	if err := s.Server.Create(ctx, made, func(status string) { s.Tell(strings.Trim(strconv.Quote(status), `"`)) }); err != nil {
		return fmt.Errorf("make the model: %w", err)
	}
	did.Seconds["create"] = s.Now().Sub(start).Seconds()
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
	if len(s.Stops) > 0 {
		p["stop"] = s.Stops
	}
	if s.Temperature != nil {
		p["temperature"] = *s.Temperature
	} else if p["temperature"] == nil {
		p["temperature"] = 0.0
	}
	p["repeat_penalty"] = s.RepeatPenalty
	return p
}

// convert writes the GGUF under a temporary name, and then under the one to keep. Done deletes what
// is not kept.
func (s *serving) convert() (path string, done func(), err error) {
	keep := s.Keep
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
	start := s.Now()
	err = s.write(f, "converting")
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
	s.did.Seconds["convert"] = s.Now().Sub(start).Seconds()
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
	start := s.Now()
	tell := s.moving("uploading")
	digest, err := s.Server.Upload(s.ctx, f, func(done int64) { tell(done, info.Size()) })
	if err != nil {
		return "", fmt.Errorf("upload %s: %w", filepath.Base(path), err)
	}
	s.did.Seconds["upload"] += s.Now().Sub(start).Seconds()
	return digest, nil
}

// moving makes what tells now and then how far many bytes came, and how long the rest takes.
func (s *serving) moving(what string) func(done, total int64) {
	start := s.Now()
	next := start.Add(2 * time.Second)
	return func(done, total int64) {
		now := s.Now()
		if now.Before(next) || done == 0 {
			return
		}
		next = now.Add(5 * time.Second)
		spent := now.Sub(start)
		left := time.Duration(float64(spent) / float64(done) * float64(total-done))
		s.Tell(fmt.Sprintf("%s: %d of %d MB (%.0f MB/s), about %s to go",
			what, done>>20, total>>20, float64(done)/(1<<20)/spent.Seconds(), left.Round(time.Second)))
	}
}

// verify compares what the server has now with what it was told.
func (s *serving) verify(made ollama.Creation) error {
	got, err := s.Server.Show(s.ctx, made.Name)
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
		s.Tell("the model has no template: prompts reach it as bare text; --template chatml or FILE gives it one")
	}
	for key, want := range made.Parameters {
		if have := got.Parameters[key]; Shown(have) != Shown(want) {
			return fmt.Errorf("the server gave %s the parameter %s %v, and was told %v", made.Name, key, Shown(have), Shown(want))
		}
	}
	return nil
}

// try puts one prompt to the model.
func (s *serving) try() error {
	did := &s.did
	spec := ollama.Scheme + ":" + did.Name
	for _, line := range []string{"parley finetune eval --model tuned:%s --in WINDOWS.jsonl", "parley run --player %s"} {
		use := spec
		if s.HostGiven {
			use += "@" + did.Host
		}
		did.Use = append(did.Use, fmt.Sprintf(line, use))
	}
	m, err := s.Open(s.ctx, spec+"@"+did.Host)
	if err != nil {
		return err
	}
	sampling := llm.Sampling{Temperature: new(0.0), Seed: new(int64(1)), MaxTokens: 48, NumThread: s.Threads}
	start := s.Now()
	s.Tell("trying it")
	resp, err := m.Generate(s.ctx, llm.Request{
		Messages: []llm.Message{llm.NewMessage(llm.User, s.Prompt)}, Sampling: sampling, Tag: llm.Tag{Purpose: "smoke"},
	})
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return err
		}
		return fmt.Errorf("%s is made, but does not answer (delete it with: ollama rm %s): %w", did.Name, did.Name, err)
	}
	did.Seconds["smoke"] = s.Now().Sub(start).Seconds()
	did.Smoke = &Smoke{Prompt: s.Prompt, Reply: resp.Text, Finish: string(resp.Finish), Empty: strings.TrimSpace(resp.Text) == ""}
	return nil
}

// Shown writes a parameter as it is shown and compared.
func Shown(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case []string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}
