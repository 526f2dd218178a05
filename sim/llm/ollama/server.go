package ollama

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ollama/ollama/api"

	"parley/sim/llm"
)

// Server is an Ollama server as the keeper of models: it says what it has, and makes and deletes
// models. Its failures are of the type *llm.Error, as a model's are.
type Server struct{ m Model }

// Connect makes a server of an address, in any form that OLLAMA_HOST takes, without calling it; an
// empty one is the options' host. The options' time limit is for what is quick; uploads and the making
// of a model end with their context only.
func Connect(address string, o Options) (*Server, error) {
	spec := llm.Spec{Scheme: Scheme, Name: "server", BaseURL: address}
	m, err := Open(context.Background(), spec, o)
	if err != nil {
		return nil, fmt.Errorf("the Ollama server: %w", err)
	}
	opened := m.(*Model)
	return &Server{Model{base: opened.base, o: opened.o, gpu: -1}}, nil
}

// Address is the server's, without credentials.
func (s *Server) Address() string { return s.m.address() }

// of is a model of the server, for calls about it.
func (s *Server) of(name string) *Model {
	text := Scheme + ":" + name
	if name == "" {
		text = "the Ollama server " + s.Address()
	}
	return &Model{name: name, text: text, base: s.m.base, o: s.m.o, gpu: -1}
}

// call makes a quick call about a model.
func (s *Server) call(ctx context.Context, name string, do func(context.Context, *api.Client) error) error {
	m := s.of(name)
	limited, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	client, x := m.client(256 << 20)
	err := do(limited, client)
	switch {
	case err == nil:
		return nil
	case limited.Err() != nil:
		return m.lost(limited, limited.Err())
	}
	return m.refused(x.cause(err), x.header, false)
}

// Version is the server's.
func (s *Server) Version(ctx context.Context) (version string, err error) {
	err = s.call(ctx, "", func(ctx context.Context, c *api.Client) error {
		version, err = c.Version(ctx)
		return err
	})
	if err == nil && version == "" {
		err = s.of("").fail(llm.BadResponse, errors.New("it gives no version"), "is it an Ollama server?")
	}
	return version, err
}

// Tensor is a tensor of a model, its shape from the fastest dimension to the slowest.
type Tensor struct {
	Name, Type string
	Shape      []uint64
}

// Shown is what a server tells of a model.
type Shown struct {
	Name       string
	Arch       string         // of the weights, such as llama
	Info       map[string]any // metadata of the weights, without long lists
	Tensors    []Tensor
	Template   string
	System     string
	License    string
	Parameters map[string]any // as the model sets them: a number, a text, a bool; stop is a list of texts
	Renderer   string         // built into the server, in place of the template
	Parser     string
	Weights    string   // the file of the weights on the server's disk
	Adapters   []string // files of adapters on the server's disk
	Remote     bool     // the weights are on another server
	Quantised  string   // how the weights are kept, such as Q4_1
}

// Show says what the server has under a name.
func (s *Server) Show(ctx context.Context, name string) (*Shown, error) {
	var got *api.ShowResponse
	err := s.call(ctx, name, func(ctx context.Context, c *api.Client) (err error) {
		got, err = c.Show(ctx, &api.ShowRequest{Model: name})
		return err
	})
	if err != nil {
		return nil, err
	}
	show := &Shown{
		Name: name, Info: got.ModelInfo, Template: got.Template, System: got.System, License: got.License,
		Renderer: got.Renderer, Parser: got.Parser, Remote: got.RemoteModel != "", Quantised: got.Details.QuantizationLevel,
	}
	show.Arch, _ = got.ModelInfo["general.architecture"].(string)
	for _, t := range got.Tensors {
		show.Tensors = append(show.Tensors, Tensor{t.Name, t.Type, t.Shape})
	}
	show.readModelfile(got.Modelfile)
	if show.Parameters, err = parameters(got.Parameters); err != nil {
		return nil, s.of(name).fail(llm.BadResponse, err, "")
	}
	return show, nil
}

// readModelfile finds the files that a model consists of. They stand before all texts, in which
// anything may stand.
func (s *Shown) readModelfile(text string) {
	for line := range strings.Lines(text) {
		word, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if unquoted, err := strconv.Unquote(value); err == nil {
			value = unquoted
		}
		switch word {
		case "FROM":
			if s.Weights == "" {
				s.Weights = value
			}
		case "ADAPTER":
			s.Adapters = append(s.Adapters, value)
		case "RENDERER":
			s.Renderer = value
		case "PARSER":
			s.Parser = value
		case "TEMPLATE", "SYSTEM", "LICENSE", "MESSAGE", "PARAMETER":
			return
		}
	}
}

// parameters reads what a server prints of a model's parameters: a name and a Go literal a line, and a
// list as several lines.
func parameters(text string) (map[string]any, error) {
	p := map[string]any{}
	for line := range strings.Lines(text) {
		name, literal, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" {
			continue
		}
		literal = strings.TrimSpace(literal)
		var value any
		if f, err := strconv.ParseFloat(literal, 64); err == nil {
			value = f
		} else if b, err := strconv.ParseBool(literal); err == nil {
			value = b
		} else if t, err := strconv.Unquote(literal); err == nil {
			value = t
		} else {
			return nil, fmt.Errorf("the parameter %s has the value %q, which is none", name, literal)
		}
		if name == "stop" {
			list, _ := p[name].([]string)
			p[name] = append(list, fmt.Sprint(value))
			continue
		}
		p[name] = value
	}
	return p, nil
}

// Has says whether the server has a model of the name.
func (s *Server) Has(ctx context.Context, name string) (bool, error) {
	var list *api.ListResponse
	err := s.call(ctx, name, func(ctx context.Context, c *api.Client) (err error) {
		list, err = c.List(ctx)
		return err
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Models, func(m api.ListModelResponse) bool { return same(m.Name, name) }), nil
}

// Delete deletes a model. What no other model shares of it is gone from the server's disk.
func (s *Server) Delete(ctx context.Context, name string) error {
	return s.call(ctx, name, func(ctx context.Context, c *api.Client) error {
		return c.Delete(ctx, &api.DeleteRequest{Model: name})
	})
}

// Same says whether two names mean the same model: case does not count, and no tag means latest.
func Same(a, b string) bool {
	if !strings.Contains(a[strings.LastIndex(a, "/")+1:], ":") {
		a += ":latest"
	}
	return same(a, b)
}

// newEngine are the architectures that Ollama runs by its own engine, which takes no adapters, as of
// version 0.17.4.
var newEngine = []string{
	"bert", "deepseek2", "deepseekocr", "gemma3", "gemma3n", "gptoss", "gpt-oss", "llama4", "mistral3", "mllama",
	"nemotron_h", "nemotron_h_moe", "nomic-bert", "olmo3", "qwen25vl", "qwen3", "qwen3moe", "qwen35", "qwen35moe",
	"qwen3next", "qwen3vl", "qwen3vlmoe", "glm4moelite", "glmocr", "lfm2", "lfm2moe",
}

// TakesAdapters says whether Ollama can run a model of the architecture with an adapter.
func TakesAdapters(arch string) bool { return !slices.Contains(newEngine, arch) }

// head asks for a path without its body, and returns the status.
func (s *Server) head(ctx context.Context, path ...string) (int, error) {
	m := s.of("")
	ctx, cancel := context.WithTimeout(ctx, m.o.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, m.base.JoinPath(path...).String(), nil)
	if err != nil {
		return 0, err
	}
	resp, err := m.o.HTTP.Do(req)
	if err != nil {
		return 0, m.lost(ctx, err)
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}
