package hosted

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/finetune"
	"parley/finetune/formats"
	"parley/sim/llm"
	"parley/sim/llm/openai"
)

// Dataset names the files to train on.
type Dataset struct {
	Dir               string // that records are kept in
	Method            Method
	Format            string // of the files
	Train, Validation string // the second may be empty
}

// FindDataset finds the files that a name means: a directory of finetune build with files for hosted
// training, such a directory of files itself, or one file. An empty method is that of the files.
func FindDataset(name string, method Method, azure bool) (*Dataset, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Dir: name, Method: method}
	folders := map[Method][]string{SFT: {"openai-sft", "azure-sft"}, DPO: {"openai-dpo"}}
	if azure {
		folders[SFT] = []string{"azure-sft", "openai-sft"}
	}
	if !info.IsDir() {
		d.Dir, d.Train = filepath.Dir(name), name
	}
	var looked []string
	for _, m := range []Method{SFT, DPO} {
		for _, folder := range folders[m] {
			if d.Train != "" || method != "" && m != method {
				continue
			}
			at := filepath.Join(name, "formats", folder)
			if filepath.Base(name) == folder && size(filepath.Join(name, "train.jsonl")) >= 0 {
				at = name
			}
			if looked = append(looked, at); size(filepath.Join(at, "train.jsonl")) >= 0 {
				d.Train, d.Method = filepath.Join(at, "train.jsonl"), m
				if v := filepath.Join(at, "validation.jsonl"); size(v) > 0 {
					d.Validation = v
				}
			}
		}
	}
	if d.Train == "" {
		return nil, fmt.Errorf("%s holds no file for hosted training (looked for train.jsonl in %s); write one with parley finetune build --format openai-sft, or openai-dpo for preferences", name, strings.Join(looked, ", "))
	}
	if d.Method == "" {
		d.Method = SFT
	}
	d.Format = folders[d.Method][0]
	return d, nil
}

// size returns the bytes of a file, -1 where there is none.
func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return -1
	}
	return info.Size()
}

// Files lists the files that are sent.
func (d *Dataset) Files() []string {
	return slices.DeleteFunc([]string{d.Train, d.Validation}, func(path string) bool { return path == "" })
}

// enough are the rules about how many examples a file has, which hold for the file that is trained on.
var enough = map[string]bool{"few_examples": true, "min_examples": true}

// Validate checks one of the files as the server will, and returns an error where it would refuse it. Tell gets the
// first ten findings of each level.
func (d *Dataset) Validate(ctx context.Context, path string, o formats.ValidateOptions, tell func(string)) error {
	format, err := formats.Lookup(d.Format)
	if err != nil {
		return err
	}
	found := map[formats.Level]int{}
	sum, err := format.Validate(ctx, []string{path}, o, func(f formats.Finding) error {
		if path == d.Validation && enough[f.Rule] {
			return nil
		}
		if found[f.Level]++; found[f.Level] <= 10 {
			tell(f.String())
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	if n := found[formats.Error]; n > 0 {
		return fmt.Errorf("%s: %d errors in %d rows, nothing was sent; see parley finetune validate --for %s, or send it as it is with --no-validate", path, n, sum.Rows, d.Format)
	}
	return nil
}

// openAIs matches names of models whose tokenizer is known.
var openAIs = regexp.MustCompile(`^(ft:)?(gpt-[345]|chatgpt-|o\d|babbage-002|davinci-002)`)

// CounterOf counts tokens as the model does where that is known.
func CounterOf(model string) finetune.Counter {
	if openAIs.MatchString(model) {
		return finetune.OpenAI(model)
	}
	return finetune.Estimate()
}

// Estimate reads the examples and works out what an order on them costs. An example beyond the limit of
// tokens is cut there; 0: there is no limit. Progress, which may be nil, is told how many bytes are read.
func (d *Dataset) Estimate(ctx context.Context, o Order, base string, prices *llm.Prices, limit int, progress func(done, total int64)) (*Estimate, error) {
	in, err := os.Open(d.Train)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	total := size(d.Train)
	counter := CounterOf(o.Model)
	tokens, err := CountTokens(ctx, &metered{in, 0, total, progress}, d.Train, counter, limit)
	if err != nil {
		return nil, err
	}
	names := []string{openai.Scheme + ":" + o.Model, o.Model}
	if base = strings.TrimRight(base, "/"); base != "" {
		names = append([]string{openai.Scheme + ":" + o.Model + "@" + base}, names...)
	}
	e := NewEstimate(tokens, counter, o.Epochs, prices, names...)
	return &e, nil
}

// metered tells how much of a file has been read.
type metered struct {
	io.Reader
	done, total int64
	at          func(done, total int64)
}

func (w *metered) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if w.done += int64(n); w.at != nil {
		w.at(w.done, w.total)
	}
	return n, err
}
