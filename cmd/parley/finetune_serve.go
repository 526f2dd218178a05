package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/gguf"
	"parley/finetune/serve"
	"parley/sim/llm/ollama"
)

func finetuneServeCommand() *cli.Command {
	return &cli.Command{
		Name:  "serve",
		Usage: "make an Ollama model of a LoRA adapter or of a merged model",
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
			jsonFlag(),
		},
		Action: finetuneServe,
	}
}

func finetuneServe(c *cli.Context) error {
	o, err := servingOptions(c)
	if err != nil {
		return err
	}
	w := c.App.Writer
	o.Checked = func(checks []gguf.Check) {
		for _, check := range checks {
			if !c.Bool("json") {
				fmt.Fprintf(w, "%-8s%s: %s\n", check.Verdict, check.Name, check.Detail)
			}
		}
	}
	did, err := serve.Run(c.Context, *o)
	switch {
	case c.Bool("json") && len(did.Checks) > 0:
		if printed := printJSON(w, did); err == nil {
			err = printed
		}
	case err == nil:
		err = did.Print(w)
	}
	return err
}

// servingOptions reads the command line.
func servingOptions(c *cli.Context) (*serve.Options, error) {
	o := &serve.Options{
		Name: strings.TrimPrefix(c.String("name"), ollama.Scheme+":"), Base: strings.TrimPrefix(c.String("base"), ollama.Scheme+":"),
		BaseGGUF: c.String("base-gguf"), BaseDir: c.String("base-dir"), Type: c.String("type"), System: c.String("system"),
		RepeatPenalty: c.Float64("repeat-penalty"), DryRun: c.Bool("dry-run"), Force: c.Bool("force"), Keep: c.String("keep"),
		Prompt: c.String("prompt"), Threads: c.Int("num-thread"), HostGiven: c.String("host") != "", Open: openModel, Now: time.Now,
		Tell: func(line string) { fmt.Fprintln(c.App.ErrWriter, line) },
	}
	if c.IsSet("temperature") {
		o.Temperature = new(c.Float64("temperature"))
	}
	adapters := *c.Generic("adapter").(*texts)
	given := 0
	for kind, value := range map[string]string{serve.Adapter: adapters.String(), serve.Merged: c.String("merged"), serve.GGUF: c.String("gguf")} {
		if value != "" {
			o.Kind, o.Source = kind, value
			given++
		}
	}
	switch {
	case len(adapters) > 1:
		return nil, usagef("a model can have one adapter only, and %d are given: merge them in training, or serve a model for each", len(adapters))
	case given != 1 && o.Name != "":
		return nil, usagef("say what to serve with one of --adapter, --merged and --gguf")
	}
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	var err error
	if o.Server, err = ollama.Connect(cmp.Or(c.String("host"), os.Getenv("OLLAMA_HOST")), ollama.Options{HTTP: httpClient, Now: time.Now}); err != nil {
		return nil, usageError{err}
	}
	o.Template, o.Stops, err = serve.ReadTemplate(c.String("template"))
	if stops := *c.Generic("stop").(*texts); len(stops) > 0 {
		o.Stops = stops
	}
	return o, err
}
