package corpora

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"parley/eval/ieg"
)

// Summary counts what an import wrote and left out.
type Summary struct {
	Out      string         `json:"out"`
	Format   string         `json:"format"`
	Files    int            `json:"files"`
	Windows  int            `json:"windows"`
	Groups   int            `json:"groups"`
	Several  int            `json:"several_intentions"` // windows with more than one
	None     int            `json:"no_intention"`       // windows in which no character tries anything
	BySkill  map[string]int `json:"by_skill"`           // intentions
	ByTier   map[string]int `json:"by_tier"`            // windows
	BySplit  map[string]int `json:"by_split"`           // windows
	GroupsBy map[string]int `json:"groups_by_split"`
	Used     map[string]int `json:"used"`             // what logs held that windows are made of
	Unused   map[string]int `json:"unused"`           // what could not be used, by reason
	Unknown  map[string]int `json:"unknown_speakers"` // messages of speakers that are not identified
	Notes    []string       `json:"notes,omitempty"`
}

// Import writes the windows of files in a format, windows or one of Readers, and gives each its split. It
// fails where there is not one window.
func Import(ctx context.Context, w io.Writer, format string, files []File, tally *Tally) (*Summary, error) {
	s := &Summary{
		Format: format, Files: len(files), BySkill: map[string]int{}, ByTier: map[string]int{}, BySplit: map[string]int{}, GroupsBy: map[string]int{},
	}
	named := map[string]string{}
	for i := range files {
		f := &files[i]
		if before, ok := named[f.Group]; ok && format != "windows" {
			return nil, fmt.Errorf("import %s: %s has the same name: their windows could not be told apart", f.Name, before)
		}
		named[f.Group], f.Tally = f.Name, tally
	}
	read := Readers[format]
	if format == "windows" {
		read = each(func(f File) iter.Seq2[ieg.Interaction, error] { return ieg.Read(f.Content, f.Name) })
	}
	splits, known := ieg.Splits{}, map[string]bool{}
	for x, err := range read(files) {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if known[x.ID] {
			return nil, fmt.Errorf("window %s is there twice", x.ID)
		}
		known[x.ID] = true
		if err := s.add(&x, splits); err != nil {
			return nil, err
		}
		if err := ieg.Write(w, &x); err != nil {
			return nil, err
		}
	}
	s.Used, s.Unused, s.Unknown, s.Notes = tally.Used, tally.Unused, tally.Unknown, tally.Notes
	if s.Windows == 0 {
		why := append([]string{cmp.Or(listed(s.Unused), "no check was found")}, s.Notes...)
		return nil, fmt.Errorf("there is not one window in what was read: %s", strings.Join(why, "; "))
	}
	return s, nil
}

// add counts a window, after it got its split.
func (s *Summary) add(x *ieg.Interaction, splits ieg.Splits) error {
	_, known := splits[x.Group]
	if err := splits.Assign(x); err != nil {
		return err
	}
	if !known {
		s.Groups++
		s.GroupsBy[x.Split]++
	}
	s.Windows++
	s.ByTier[cmp.Or(x.Tier, "none")]++
	s.BySplit[x.Split]++
	for _, t := range x.Intentions {
		s.BySkill[string(t.Skill)]++
	}
	switch len(x.Intentions) {
	case 0:
		s.None++
	case 1:
	default:
		s.Several++
	}
	return nil
}

// Print writes the summary as a table.
func (s *Summary) Print(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d windows of %d groups from %d files; %d with several intentions, %d with none\n", s.Out, s.Windows, s.Groups, s.Files, s.Several, s.None)
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, t := range []struct {
		title  string
		counts map[string]int
	}{
		{"split", s.BySplit}, {"groups", s.GroupsBy}, {"tier", s.ByTier}, {"skill", s.BySkill},
		{"used", s.Used}, {"not used", s.Unused}, {"unknown speaker", s.Unknown},
	} {
		for _, k := range byCount(t.counts) {
			fmt.Fprintf(tab, "%s\t%s\t%d\n", t.title, k, t.counts[k])
		}
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	for _, note := range s.Notes {
		fmt.Fprintln(w, note)
	}
	if len(s.Unknown) > 0 {
		fmt.Fprintln(w, "unknown speakers count as characters under the names that they have in the log; --names-template FILE writes a names file to fill in")
	}
	return nil
}

func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b))
	})
}

func listed(counts map[string]int) string {
	var parts []string
	for _, k := range byCount(counts) {
		parts = append(parts, fmt.Sprintf("%d x %s", counts[k], k))
	}
	return strings.Join(parts, ", ")
}
