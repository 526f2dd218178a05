package main

import (
	"os"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
	"parley/sim/llm"
)

// trainingFlags say what is trained, and at which price.
func trainingFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "model", Usage: "base `MODEL` to train, as the server names it (required)"},
		&cli.StringFlag{Name: "method", Usage: "`METHOD` of training: sft, or dpo for preferences", DefaultText: "what the directory holds, else sft"},
		&cli.StringFlag{Name: "epochs", Usage: "`N` times through the examples, 1 to 50, or auto", DefaultText: "the server's choice"},
		&cli.StringFlag{Name: "prices", Usage: "`FILE` with what a million tokens cost, under training:"},
		&cli.IntFlag{Name: "max-tokens", Usage: "`N` tokens at which the server cuts an example; 0: it cuts none"},
		&cli.Int64Flag{Name: "max-bytes", Usage: "`N` bytes that a file may have at the server", Value: hosted.MaxBytes},
	}
}

func finetuneCostCommand() *cli.Command {
	return &cli.Command{
		Name: "cost", Usage: "estimate what a fine-tuning job will cost; nothing is sent", ArgsUsage: "DIR|FILE.jsonl",
		Flags: append(trainingFlags(),
			&cli.StringFlag{Name: "base-url", Usage: "`URL` of the server, for prices that are listed with it"},
			&cli.BoolFlag{Name: "azure", Usage: "look for Azure's files first"},
			jsonFlag()),
		Action: func(c *cli.Context) error {
			d, err := datasetOf(c)
			if err != nil {
				return err
			}
			e, err := estimate(c, d)
			if err != nil {
				return err
			}
			return output(c, e, text(e))
		},
	}
}

// datasetOf finds the files that the one argument names.
func datasetOf(c *cli.Context) (*hosted.Dataset, error) {
	method := hosted.Method(c.String("method"))
	if method != "" && method != hosted.SFT && method != hosted.DPO {
		return nil, usagef("--method is sft or dpo, and not %q", string(method))
	}
	return hosted.FindDataset(c.Args().First(), method, c.Bool("azure"))
}

// estimate reads the examples and works out what training on them costs.
func estimate(c *cli.Context, d *hosted.Dataset) (*hosted.Estimate, error) {
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
	order := hosted.Order{Model: c.String("model"), Method: d.Method, Epochs: hosted.Setting(c.String("epochs"))}
	if err := order.Validate(); err != nil {
		return nil, usageError{err}
	}
	if c.Int("max-tokens") < 0 {
		return nil, usagef("--max-tokens is %d, it has to be 0 or more", c.Int("max-tokens"))
	}
	watch := &validateProgress{w: c.App.ErrWriter}
	defer watch.close()
	return d.Estimate(c.Context, order, c.String("base-url"), prices, c.Int("max-tokens"), watch.at)
}
