package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"parley/eval"
	"parley/eval/ieg"
	"parley/eval/ieg/corpora"
)

// corporaCommand turns real people's play into windows.
func corporaCommand() *cli.Command {
	return &cli.Command{
		Name:  "corpora",
		Usage: "turn logs of real people's play into windows with their true intentions",
		Subcommands: []*cli.Command{{
			Name:      "import",
			Usage:     "read logs (plain or gzip) and write windows, one JSON object a line",
			ArgsUsage: "FORMAT FILE...",
			Description: "FORMAT is crd3 (episodes of the Critical Role dataset, as its authors publish them), avrae\n" +
				"(event logs of the bot, FIREBALL), foundry (chat of Foundry VTT), roll20 (chat archive of Roll20)\n" +
				"or windows (parley's own, to check and join). The names file of --names is a JSON object: \"dm\" is\n" +
				"the DM's name in the log or a list of names, \"players\" maps names in the log to characters. For\n" +
				"crd3 it has to be there; without --names, E_names.json beside an episode E.json is taken.",
			Flags: []cli.Flag{
				&cli.StringFlag{Name: "out", Usage: "the new `FILE` of windows (required)"},
				&cli.StringFlag{Name: "names", Usage: "`FILE` that says who the DM is and who plays whom"},
				&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
			},
			Action: importCorpora,
		}},
	}
}

// imported is what an import did: the answer of the command.
type imported struct {
	Out       string         `json:"out"`
	Format    string         `json:"format"`
	Files     int            `json:"files"`
	Windows   int            `json:"windows"`
	Groups    int            `json:"groups"`
	Several   int            `json:"several_intentions"` // windows with more than one
	None      int            `json:"no_intention"`       // windows in which nobody tries anything
	BySkill   map[string]int `json:"by_skill"`           // intentions
	ByTier    map[string]int `json:"by_tier"`            // windows
	BySplit   map[string]int `json:"by_split"`           // windows
	GroupsBy  map[string]int `json:"groups_by_split"`
	Unused    map[string]int `json:"unused"` // what could not be used, by reason
	splits    ieg.Splits
	where     map[string]string // id to file
	groupFrom map[string]string // group to file, of logs
}

func importCorpora(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("which format? parley corpora import crd3|avrae|windows|foundry|roll20 --out FILE.jsonl FILE...")
	}
	format, files := c.Args().First(), c.Args().Tail()
	if format != "windows" && corpora.Readers[format] == nil {
		return usagef("there is no format %s: take crd3, avrae, windows, foundry or roll20", format)
	}
	out := c.String("out")
	switch {
	case out == "":
		return usagef("say with --out which file to write")
	case len(files) == 0:
		return usagef("say which files to import")
	case format == "windows" && c.IsSet("names"):
		return usagef("--names is for logs: windows have their characters' names")
	case exists(out):
		return fmt.Errorf("%s exists already: take another --out, or remove it", out)
	}
	did := &imported{
		Out: out, Format: format, Files: len(files),
		BySkill: map[string]int{}, ByTier: map[string]int{}, BySplit: map[string]int{}, GroupsBy: map[string]int{}, Unused: map[string]int{},
		splits: ieg.Splits{}, where: map[string]string{}, groupFrom: map[string]string{},
	}
	if err := did.write(c.Context, files, c.String("names")); err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, did)
	}
	return did.print(c.App.ErrWriter)
}

// write imports all files into a temporary one, which becomes the result only when all went well.
func (d *imported) write(ctx context.Context, files []string, names string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(d.Out), "."+filepath.Base(d.Out)+".*.tmp")
	if err != nil {
		return fmt.Errorf("write %s: %w", d.Out, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buffered := bufio.NewWriter(f)
	for _, file := range files {
		if err := d.one(ctx, buffered, file, names); err != nil {
			return err
		}
	}
	if d.Windows == 0 {
		return fmt.Errorf("there is not one window in what was read: %s", cmp.Or(eval.Tallied(d.Unused), "no check was found"))
	}
	if err := errors.Join(buffered.Flush(), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", d.Out, err)
	}
	if err := os.Rename(f.Name(), d.Out); err != nil {
		return fmt.Errorf("write %s: %w", d.Out, err)
	}
	return nil
}

// one imports one file.
func (d *imported) one(ctx context.Context, w io.Writer, file, names string) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("import %s: %w", file, err)
	}
	defer f.Close()
	var windows iter.Seq2[ieg.Interaction, error]
	group := groupOf(file)
	if d.Format == "windows" {
		windows = ieg.Read(f, file)
	} else {
		people, err := readPeople(file, names)
		if err != nil {
			return err
		}
		if before, ok := d.groupFrom[group]; ok {
			return fmt.Errorf("import %s: %s has the same name: their windows could not be told apart", file, before)
		}
		d.groupFrom[group] = file
		windows = corpora.Readers[d.Format](corpora.File{Name: file, Group: group, Content: f, People: people, Unused: d.Unused})
	}
	for x, err := range windows {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := d.add(&x, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := ieg.Write(w, &x); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// readPeople reads the names file that is asked for, or the one beside the log.
func readPeople(file, names string) (corpora.People, error) {
	if names == "" {
		beside := filepath.Join(filepath.Dir(file), groupOf(file)+"_names.json")
		if !exists(beside) {
			return corpora.People{}, nil
		}
		names = beside
	}
	f, err := os.Open(names)
	if err != nil {
		return corpora.People{}, fmt.Errorf("read names: %w", err)
	}
	defer f.Close()
	return corpora.ReadPeople(f, names)
}

// groupOf names a file's session or episode: the file's name without endings.
func groupOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// add counts a window, after it got its split.
func (d *imported) add(x *ieg.Interaction, file string) error {
	if before, ok := d.where[x.ID]; ok {
		return fmt.Errorf("window %s stands in %s already", x.ID, before)
	}
	d.where[x.ID] = file
	_, known := d.splits[x.Group]
	if err := d.splits.Assign(x); err != nil {
		return err
	}
	if !known {
		d.Groups++
		d.GroupsBy[x.Split]++
	}
	d.Windows++
	d.ByTier[cmp.Or(x.Tier, "none")]++
	d.BySplit[x.Split]++
	for _, t := range x.Intentions {
		d.BySkill[string(t.Skill)]++
	}
	switch len(x.Intentions) {
	case 0:
		d.None++
	case 1:
	default:
		d.Several++
	}
	return nil
}

// print says what an import did.
func (d *imported) print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d windows of %d groups from %d files; %d with several intentions, %d with none\n", d.Out, d.Windows, d.Groups, d.Files, d.Several, d.None)
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, t := range []struct {
		title  string
		counts map[string]int
	}{{"split", d.BySplit}, {"groups", d.GroupsBy}, {"tier", d.ByTier}, {"skill", d.BySkill}, {"not used", d.Unused}} {
		keys := slices.SortedFunc(maps.Keys(t.counts), func(a, b string) int {
			return cmp.Or(t.counts[b]-t.counts[a], cmp.Compare(a, b))
		})
		for _, k := range keys {
			fmt.Fprintf(tab, "%s\t%s\t%d\n", t.title, k, t.counts[k])
		}
	}
	return tab.Flush()
}
