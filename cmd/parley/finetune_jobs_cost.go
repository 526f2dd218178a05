package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/finetune"
	"parley/finetune/hosted"
	"parley/sim/llm"
)

// trainingFlags say what is trained, and at which price.
func trainingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "base `MODEL` to train, as the server names it (required)"},
		&cli.StringFlag{Name: "method", Usage: "`METHOD` of training: sft, or dpo for preferences", DefaultText: "what the directory holds, else sft"},
		&cli.StringFlag{Name: "epochs", Usage: "`N` times through the examples, 1 to 50, or auto", DefaultText: "the server's choice"},
		&cli.StringFlag{Name: "prices", Usage: "`FILE` with what a million tokens cost; training: is what counts"},
		&cli.IntFlag{Name: "max-tokens", Usage: "`N` tokens at which the server cuts an example; 0: it cuts none"},
		&cli.Int64Flag{Name: "max-bytes", Usage: "`N` bytes that a file may have at the server", Value: hosted.MaxBytes},
	}
}

func finetuneCostCommand() *cli.Command {
	return &cli.Command{
		Name: "cost", Usage: "estimate what a fine-tuning job will cost; nothing is sent", ArgsUsage: "DIR|FILE.jsonl",
		Description: "Cost is tokens x epochs x the training price of the user's price file. Where the server chooses the\n" +
			"epochs, they are taken by the rule in OpenAI's cookbook. Without a price the cost is unknown.",
		Flags: append(trainingFlags(),
			&cli.StringFlag{Name: "base-url", Usage: "`URL` of the server, for prices that are listed with it"},
			&cli.BoolFlag{Name: "azure", Usage: "look for Azure's files first"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"}),
		Action: func(c *cli.Context) error {
			d, err := datasetOf(c)
			if err != nil {
				return err
			}
			e, err := estimate(c, d)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				return printJSON(c.App.Writer, e)
			}
			return printEstimate(c.App.Writer, e)
		},
	}
}

// dataset is what is trained on.
type dataset struct {
	dir               string // that records are kept in
	method            hosted.Method
	format            string // of the files
	train, validation string // the second may be empty
}

// datasetOf finds the files that the one argument names: a directory of finetune build with files for
// hosted training, such a directory of files itself, or one file.
func datasetOf(c *cli.Context) (*dataset, error) {
	method := hosted.Method(c.String("method"))
	switch {
	case c.NArg() != 1:
		return nil, usagef("finetune %s takes the directory of a dataset or a file of examples", c.Command.Name)
	case c.String("model") == "":
		return nil, usagef("say with --model which model is to be trained")
	case method != "" && method != hosted.SFT && method != hosted.DPO:
		return nil, usagef("--method is sft or dpo, and not %q", string(method))
	}
	name := c.Args().First()
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	d := &dataset{dir: name, method: method}
	folders := map[hosted.Method][]string{hosted.SFT: {"openai-sft", "azure-sft"}, hosted.DPO: {"openai-dpo"}}
	if c.Bool("azure") {
		folders[hosted.SFT] = []string{"azure-sft", "openai-sft"}
	}
	if !info.IsDir() {
		d.dir, d.train = filepath.Dir(name), name
	}
	var looked []string
	for _, m := range []hosted.Method{hosted.SFT, hosted.DPO} {
		for _, folder := range folders[m] {
			at := filepath.Join(name, "formats", folder)
			if filepath.Base(name) == folder && exists(filepath.Join(name, "train.jsonl")) {
				at = name
			}
			if d.train != "" || method != "" && m != method {
				continue
			}
			if looked = append(looked, at); exists(filepath.Join(at, "train.jsonl")) {
				d.train, d.method = filepath.Join(at, "train.jsonl"), m
				if v, err := os.Stat(filepath.Join(at, "validation.jsonl")); err == nil && v.Size() > 0 {
					d.validation = filepath.Join(at, "validation.jsonl")
				}
			}
		}
	}
	if d.train == "" {
		return nil, fmt.Errorf("%s holds no file for hosted training (looked for train.jsonl in %s); write one with parley finetune build --format openai-sft, or openai-dpo for preferences", name, strings.Join(looked, ", "))
	}
	if d.method == "" {
		d.method = hosted.SFT
	}
	d.format = folders[d.method][0]
	return d, nil
}

// openAIs are names of models whose tokenizer is known.
var openAIs = regexp.MustCompile(`^(ft:)?(gpt-[345]|chatgpt-|o\d|babbage-002|davinci-002)`)

// counterOf counts tokens as the model does where that is known.
func counterOf(model string) finetune.Counter {
	if openAIs.MatchString(model) {
		return finetune.OpenAI(model)
	}
	return finetune.Estimate()
}

// metered tells how much of a file has been read.
type metered struct {
	io.Reader
	done, total int64
	at          func(done, total int64)
}

func (w *metered) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.done += int64(n)
	w.at(w.done, w.total)
	return n, err
}

// estimate reads the examples and works out what training on them costs.
func estimate(c *cli.Context, d *dataset) (*hosted.Estimate, error) {
	var prices *llm.Prices
	if name := c.String("prices"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if prices, err = llm.ReadPrices(f, name); err != nil {
			return nil, err
		}
	}
	order := hosted.Order{Model: c.String("model"), Method: d.method, Epochs: hosted.Setting(c.String("epochs"))}
	if err := order.Validate(); err != nil {
		return nil, usageError{err}
	}
	if c.Int("max-tokens") < 0 {
		return nil, usagef("--max-tokens is %d, it has to be 0 or more", c.Int("max-tokens"))
	}
	in, err := os.Open(d.train)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	counter := counterOf(order.Model)
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	watch := &validateProgress{w: c.App.ErrWriter}
	tokens, err := hosted.CountTokens(c.Context, &metered{in, 0, info.Size(), watch.at}, d.train, counter, c.Int("max-tokens"))
	watch.close()
	if err != nil {
		return nil, err
	}
	names := []string{"openai:" + order.Model, order.Model}
	if base := strings.TrimRight(c.String("base-url"), "/"); base != "" {
		names = append([]string{"openai:" + order.Model + "@" + base}, names...)
	}
	e := hosted.NewEstimate(tokens, counter, order.Epochs, prices, names...)
	return &e, nil
}

func printEstimate(w io.Writer, e *hosted.Estimate) error {
	about := ""
	if e.Inexact != "" {
		about = "about "
	}
	fmt.Fprintf(w, "%s, %s%d tokens (%s), the longest %d\n", counted(int64(e.Examples), "example"), about, e.Sum, e.Tokenizer, e.Longest)
	if e.Inexact != "" {
		fmt.Fprintf(w, "the tokens are approximate: %s\n", e.Inexact)
	}
	if e.Cut > 0 {
		fmt.Fprintf(w, "%d examples are longer than the limit and will be cut\n", e.Cut)
	}
	epochs := counted(int64(e.Epochs), "epoch")
	if e.Assumed {
		epochs += " (the server chooses; taken by OpenAI's rule)"
	}
	fmt.Fprintf(w, "%s: %s%d tokens to train\n", epochs, about, e.Billed)
	var err error
	if e.Cost == nil {
		_, err = fmt.Fprintf(w, "cost: unknown (%s)\n", e.Unknown)
	} else {
		_, err = fmt.Fprintf(w, "cost: %s%.2f %s (%v a million tokens)\n", about, *e.Cost, e.Currency, *e.Price)
	}
	return err
}
