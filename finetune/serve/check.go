package serve

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"parley/finetune/gguf"
	"parley/sim/llm/ollama"
	"parley/sim/llm/wire"
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
	if err := s.openSource(); err != nil || s.Base == "" {
		return err
	}
	if isGGUF(s.Base) {
		s.baseFile = s.Base
	} else if err := s.showBase(); err != nil {
		return err
	}
	return s.openBase()
}

// openSource opens what is served.
func (s *serving) openSource() (err error) {
	switch {
	case s.ready:
		s.file, err = s.open(s.Source)
	case s.Kind == Adapter:
		if s.adapter, err = gguf.OpenAdapter(s.Source); err == nil {
			s.closers = append(s.closers, s.adapter)
		}
	default:
		if s.merged, err = gguf.OpenMerged(s.Source); err == nil {
			s.closers = append(s.closers, s.merged)
		}
	}
	return err
}

// showBase asks the server about the base, and finds its file on this machine where there is one.
func (s *serving) showBase() (err error) {
	if s.shown, err = s.Server.Show(s.ctx, s.Base); err != nil {
		return fmt.Errorf("look at the base: %w", err)
	}
	s.baseFile = s.BaseGGUF
	if s.baseFile == "" && isLocal(s.did.Host) && isFile(s.shown.Weights) {
		s.baseFile = s.shown.Weights
	}
	var tensors []gguf.Tensor
	for _, t := range s.shown.Tensors {
		tensors = append(tensors, gguf.Tensor{Name: t.Name, Shape: t.Shape})
	}
	if s.base, err = gguf.BaseOf(s.shown.Info, tensors); err != nil {
		return fmt.Errorf("the base %s %w; is it a model of the server's own, not of another server's?", s.Base, err)
	}
	return nil
}

// openBase reads the file of the base, where there is one.
func (s *serving) openBase() error {
	if s.baseFile == "" {
		return nil
	}
	f, err := s.open(s.baseFile)
	if err != nil {
		if s.shown != nil && s.BaseGGUF == "" {
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
			return fmt.Errorf("%s is not the file of the model %s: %w", s.baseFile, s.Base, err)
		}
	}
	s.base = own
	return nil
}

// say takes down a check.
func (s *serving) say(name string, v gguf.Verdict, format string, args ...any) {
	s.did.Checks = append(s.did.Checks, gguf.Check{Name: name, Verdict: v, Detail: fmt.Sprintf(format, args...)})
}

// check asks everything that can be known before an upload.
func (s *serving) check() error {
	if err := s.checkServer(); err != nil {
		return err
	}
	if s.shown != nil && s.shown.Remote {
		s.say("base", gguf.Fail, "%s runs on another server: nothing can be made of it here", s.shown.Name)
		return nil
	}
	if s.Kind == Adapter {
		s.checkEngine()
	}
	switch {
	case s.adapter != nil:
		s.did.Checks = append(s.did.Checks, s.adapter.Check(s.base)...)
	case s.merged != nil:
		s.did.Checks = append(s.did.Checks, s.merged.Check(s.base)...)
	case s.Kind == Adapter:
		s.did.Checks = append(s.did.Checks, s.file.CheckAdapter(s.base)...)
	default:
		s.did.Checks = append(s.did.Checks, s.file.CheckModel(s.base)...)
	}
	if s.BaseDir != "" && s.base != nil {
		check, err := s.base.Compare(s.ctx, s.BaseDir)
		if err != nil {
			return err
		}
		s.did.Checks = append(s.did.Checks, check)
	}
	switch {
	case s.Template != "":
		s.say("template", gguf.Pass, "as --template says")
	case s.shown == nil:
		s.say("template", gguf.Unknown, "Ollama looks for one that fits the file; --template chatml or FILE says which")
	case s.shown.Template == "" || s.shown.Template == bareTemplate:
		s.say("template", gguf.Unknown, "the base has none: prompts would reach the model as bare text; --template chatml or FILE gives one")
	default:
		s.say("template", gguf.Pass, "the base's")
	}
	return s.checkWeights()
}

// checkServer asks whether the server answers, and whether the name is free.
func (s *serving) checkServer() error {
	version, err := s.Server.Version(s.ctx)
	if err != nil {
		if s.DryRun && s.ctx.Err() == nil {
			s.say("server", gguf.Unknown, "%v", err)
			return nil
		}
		return err
	}
	s.did.Version = version
	s.say("server", gguf.Pass, "Ollama %s on %s", version, s.did.Host)
	has, err := s.Server.Has(s.ctx, s.Name)
	switch {
	case err != nil:
		return err
	case s.shown != nil && ollama.Same(s.Name, s.shown.Name):
		s.say("name", gguf.Fail, "%s is the base itself: give the new model another name", s.Name)
	case has && !s.Force:
		s.say("name", gguf.Fail, "there is a model %s already; --force replaces it", s.Name)
	case has:
		s.say("name", gguf.Pass, "the model %s is there and will be replaced", s.Name)
	default:
		s.say("name", gguf.Pass, "%s is free", s.Name)
	}
	return nil
}

// checkEngine asks whether Ollama can run the base with an adapter.
func (s *serving) checkEngine() {
	if !ollama.TakesAdapters(s.base.Arch) {
		s.say("engine", gguf.Fail, "Ollama runs %s by its own engine, which takes no adapters: merge the adapter into the model, convert that with llama.cpp's own convert_hf_to_gguf.py, and serve it with --gguf FILE", s.base.Arch)
	} else {
		s.say("engine", gguf.Pass, "Ollama runs %s with adapters", s.base.Arch)
	}
	if s.shown != nil && len(s.shown.Adapters) > 0 {
		s.say("one adapter", gguf.Fail, "the base %s has an adapter already, and a model can have one only: take the model below it", s.shown.Name)
	}
}

// checkWeights reads all weights in a dry run that does not convert them to a file, so that it refuses
// those that a conversion would refuse.
func (s *serving) checkWeights() error {
	if !s.DryRun || s.Keep != "" || gguf.Failed(s.did.Checks) != nil {
		return nil
	}
	var err error
	if s.ready {
		err = s.file.CheckWeights(s.ctx)
	} else {
		err = s.write(io.Discard, "reading the weights")
	}
	switch {
	case s.ctx.Err() != nil:
		return err
	case err != nil:
		s.say("weights", gguf.Fail, "%v", err)
	case s.ready:
		s.say("weights", gguf.Pass, "those of the types F32, F16, BF16 and Q8_0 are finite")
	default:
		s.say("weights", gguf.Pass, "all are numbers that %s can hold", s.Type)
	}
	return nil
}

// write writes the GGUF.
func (s *serving) write(w io.Writer, doing string) error {
	if s.adapter != nil {
		return s.adapter.Write(s.ctx, w, s.base, s.kind, s.moving(doing))
	}
	return s.merged.Write(s.ctx, w, s.base, s.kind, s.moving(doing))
}

// bareTemplate is the template of a model that was given none.
const bareTemplate = "{{ .Prompt }}"

// isGGUF says whether a base is named by its file.
func isGGUF(base string) bool {
	return strings.HasSuffix(strings.ToLower(base), ".gguf") || strings.ContainsAny(base, `/\`) && isFile(base)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// isLocal says whether an address is of this machine, whose disk the server shares.
func isLocal(address string) bool {
	u, err := url.Parse(address)
	return err == nil && wire.ThisMachine(u.Hostname())
}
