package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"parley/eval/script"
)

func evalScriptPerturbCommand() *cli.Command {
	var kinds []string
	for _, f := range script.Faults() {
		kinds = append(kinds, string(f))
	}
	return &cli.Command{
		Name:      "perturb",
		Usage:     "plant known faults into reference scripts and see which of them the judges find",
		ArgsUsage: " ",
		Description: "Every kind of fault is planted once into the reference steps of every task, by rule or, with --by,\n" +
			"by a model (a duplicate and a wrong order always by rule), and the script without a fault is judged\n" +
			"beside them, for false alarms. The task's own steps are the gold answer. The run is a directory like\n" +
			"any other: parley resume DIR goes on with it after a stop.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "kind", Usage: "plant only faults of `KINDS` " + strings.Join(kinds, ", "), DefaultText: "all"},
			&cli.StringFlag{Name: "by", Usage: "`MODEL` that plants the faults (default: rules)"},
			&cli.BoolFlag{Name: "no-gold", Usage: "judge without a gold answer"},
		}, judgeFlags()...),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usagef("eval script perturb takes flags only, and got %s", c.Args().First())
			}
			g := &scriptConfig{Perturb: true, Gold: "reference"}
			if c.Bool("no-gold") {
				g.Gold = "none"
			}
			g.Authors = []scriptAuthor{{Name: string(script.Intact), Fault: script.Intact}}
			wanted := script.Faults()
			if c.IsSet("kind") {
				wanted = nil
				for _, kind := range strings.Split(strings.Join(c.StringSlice("kind"), ","), ",") {
					f := script.Fault(strings.TrimSpace(kind))
					if !slices.Contains(script.Faults(), f) {
						return usagef("there is no kind %q: they are %s", kind, strings.Join(kinds, ", "))
					}
					if !slices.Contains(wanted, f) {
						wanted = append(wanted, f)
					}
				}
			}
			for _, f := range wanted {
				a := scriptAuthor{Name: string(f), Fault: f}
				if f != script.HasDuplicate && f != script.BreaksOrder {
					a.Model = c.String("by")
				}
				if isReference(a.Model) {
					return usagef("%s plants nothing: leave --by out for rules", a.Model)
				}
				g.Authors = append(g.Authors, a)
			}
			if err := g.judgesOf(c); err != nil {
				return err
			}
			return beginScripts(c, g)
		},
	}
}
