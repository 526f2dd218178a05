package main

import (
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"parley/finetune/gguf"
	"parley/sim/llm/ollama"
)

// open opens a GGUF until the end of the command.
func (s *serving) open(path string) (*gguf.File, error) {
	f, err := gguf.Open(path)
	if err == nil {
		s.closers = append(s.closers, f)
	}
	return f, err
}

// look opens what is served and finds its base.
func (s *serving) look() error {
	var err error
	switch {
	case s.ready:
		s.file, err = s.open(s.source)
	case s.did.Kind == "adapter":
		if s.adapter, err = gguf.OpenAdapter(s.source); err == nil {
			s.closers = append(s.closers, s.adapter)
		}
	default:
		if s.merged, err = gguf.OpenMerged(s.source); err == nil {
			s.closers = append(s.closers, s.merged)
		}
	}
	if err != nil {
		return err
	}
	ctx, given := s.c.Context, s.did.Base
	switch {
	case given == "":
		return nil
	case strings.HasSuffix(strings.ToLower(given), ".gguf") || strings.ContainsAny(given, `/\`) && isFile(given):
		if s.c.String("base-gguf") != "" {
			return usagef("--base is a file already, so --base-gguf says nothing new")
		}
		s.baseFile = given
	default:
		if s.shown, err = s.server.Show(ctx, given); err != nil {
			return fmt.Errorf("look at the base: %w", err)
		}
		s.baseFile = s.c.String("base-gguf")
		if s.baseFile == "" && isLocal(s.did.Host) && isFile(s.shown.Weights) {
			s.baseFile = s.shown.Weights
		}
	}
	if s.shown != nil {
		var tensors []gguf.Tensor
		for _, t := range s.shown.Tensors {
			tensors = append(tensors, gguf.Tensor{Name: t.Name, Shape: t.Shape})
		}
		if s.base, err = gguf.BaseOf(s.shown.Info, tensors); err != nil {
			return fmt.Errorf("the base %s %w; is it a model of the server's own, not of another server's?", given, err)
		}
	}
	if s.baseFile == "" {
		return nil
	}
	f, err := s.open(s.baseFile)
	if err != nil {
		if s.shown != nil && s.c.String("base-gguf") == "" {
			return nil // the server's own file is a help, and not needed
		}
		return fmt.Errorf("read the base: %w", err)
	}
	own, err := f.Base()
	if err != nil {
		return fmt.Errorf("the base %s %w", s.baseFile, err)
	}
	if s.base != nil {
		if err := own.Same(s.base); err != nil {
			return fmt.Errorf("%s is not the file of the model %s: %w", s.baseFile, given, err)
		}
	}
	s.base = own
	return nil
}

// check asks everything that can be known before an upload.
func (s *serving) check() error {
	ctx, did := s.c.Context, &s.did
	say := func(name string, v gguf.Verdict, format string, args ...any) {
		did.Checks = append(did.Checks, gguf.Check{Name: name, Verdict: v, Detail: fmt.Sprintf(format, args...)})
	}
	version, err := s.server.Version(ctx)
	switch {
	case err == nil:
		did.Version = version
		say("server", gguf.Pass, "Ollama %s on %s", version, did.Host)
		has, err := s.server.Has(ctx, did.Name)
		switch {
		case err != nil:
			return err
		case s.shown != nil && ollama.Same(did.Name, s.shown.Name):
			say("name", gguf.Fail, "%s is the base itself: give the new model another name", did.Name)
		case has && !s.c.Bool("force"):
			say("name", gguf.Fail, "there is a model %s already; --force replaces it", did.Name)
		case has:
			say("name", gguf.Pass, "the model %s is there and will be replaced", did.Name)
		default:
			say("name", gguf.Pass, "%s is free", did.Name)
		}
	case did.DryRun && ctx.Err() == nil:
		say("server", gguf.Unknown, "%v", err)
	default:
		return err
	}
	if s.shown != nil && s.shown.Remote {
		say("base", gguf.Fail, "%s runs on another server: nothing can be made of it here", s.shown.Name)
		return nil
	}
	if did.Kind == "adapter" {
		if !ollama.TakesAdapters(s.base.Arch) {
			say("engine", gguf.Fail, "Ollama runs %s by its own engine, which takes no adapters: merge the adapter into the model, convert that with llama.cpp's own convert_hf_to_gguf.py, and serve it with --gguf FILE", s.base.Arch)
		} else {
			say("engine", gguf.Pass, "Ollama runs %s with adapters", s.base.Arch)
		}
		if s.shown != nil && len(s.shown.Adapters) > 0 {
			say("one adapter", gguf.Fail, "the base %s has an adapter already, and a model can have one only: take the model below it", s.shown.Name)
		}
	}
	switch {
	case s.adapter != nil:
		did.Checks = append(did.Checks, s.adapter.Check(s.base)...)
	case s.merged != nil:
		did.Checks = append(did.Checks, s.merged.Check(s.base)...)
	case did.Kind == "adapter":
		did.Checks = append(did.Checks, s.file.CheckAdapter(s.base)...)
	default:
		did.Checks = append(did.Checks, s.file.CheckModel(s.base)...)
	}
	if dir := s.c.String("base-dir"); dir != "" && s.base != nil {
		check, err := s.base.Compare(ctx, dir)
		if err != nil {
			return err
		}
		did.Checks = append(did.Checks, check)
	}
	switch {
	case s.template != "":
		say("template", gguf.Pass, "as --template says")
	case s.shown == nil:
		say("template", gguf.Unknown, "Ollama looks for one that fits the file; --template chatml or FILE says which")
	case s.shown.Template == "" || s.shown.Template == bareTemplate:
		say("template", gguf.Unknown, "the base has none: prompts would reach the model as bare text; --template chatml or FILE gives one")
	default:
		say("template", gguf.Pass, "the base's")
	}
	return nil
}

// bareTemplate is what a model has that got none.
const bareTemplate = "{{ .Prompt }}"

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isLocal says whether an address is of this machine, whose disk the server shares.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
