package session

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"parley/characters"
	"parley/eval/run"
	"parley/logs"
	"parley/sim/agent"
)

// Replies are replies of models, and how they are read.
type Replies struct {
	Kinds   []ReplyKind `json:"kinds"`
	Replies []ReadReply `json:"replies"`
}

// ReadReply says how a reply was read. Kind is "played", "pass", or what was wrong with it.
type ReadReply struct {
	ID     string          `json:"id"`
	Model  string          `json:"model"`
	Form   agent.Form      `json:"form"` // as it was read; empty where it was not
	Kind   string          `json:"kind"`
	Speech string          `json:"speech"`
	Deed   string          `json:"deed"`
	To     []characters.ID `json:"to"`
}

// ReplyKind counts the replies of one form and model that are of one kind.
type ReplyKind struct {
	Form    agent.Form `json:"form"`
	Model   string     `json:"model"`
	Kind    string     `json:"kind"`
	Replies int        `json:"replies"`
	Of      int        `json:"of"` // replies of the model
}

// ReadReplies reads replies from files of them and from runs, as the reader of today reads them.
func ReadReplies(paths []string) (*Replies, error) {
	r := &Replies{}
	for _, path := range paths {
		read := r.file
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if info.IsDir() {
			read = r.run
		}
		if err := read(path); err != nil {
			return nil, fmt.Errorf("read replies: %w", err)
		}
	}
	r.count()
	return r, nil
}

// file reads a file of replies. Members of the cast are known by their names.
func (r *Replies) file(path string) error {
	type recorded struct {
		ID      string   `json:"id"`
		N       int      `json:"n"`
		Model   string   `json:"model"`
		Speaker string   `json:"speaker"`
		Actor   string   `json:"actor"`
		Others  []string `json:"others"`
		Cast    []string `json:"cast"`
		Raw     string   `json:"raw"`
		Reply   string   `json:"reply"`
	}
	line := 0
	for row, err := range logs.Read[recorded](path) {
		if line++; err != nil {
			return err
		}
		actor := cmp.Or(row.Speaker, row.Actor)
		if actor == "" {
			return fmt.Errorf("%s:%d: no speaker: name the character whose reply it is", path, line)
		}
		var cast []characters.Public
		for i, name := range slices.Concat([]string{actor}, row.Others, row.Cast) {
			if i == 0 || name != actor {
				cast = append(cast, characters.Public{ID: characters.ID(name), Name: name})
			}
		}
		r.add(cmp.Or(row.ID, strconv.Itoa(cmp.Or(row.N, line))), row.Model, cmp.Or(row.Raw, row.Reply), characters.ID(actor), cast)
	}
	return nil
}

// run reads the replies of the moves of a run.
func (r *Replies) run(dir string) error {
	if _, _, err := Read(dir); err != nil {
		return err
	}
	casts := map[string][]characters.Public{}
	for row, err := range Sessions.Read(dir) {
		if err != nil {
			return err
		}
		for _, seat := range row.Cast {
			casts[row.ID] = append(casts[row.ID], characters.Public{ID: characters.ID(seat.ID), Name: seat.Name})
		}
	}
	for call, err := range run.Calls.Read(dir) {
		if err != nil {
			return err
		}
		if cast := casts[call.Session]; call.Purpose == "act" && call.Error == "" && cast != nil {
			r.add(call.ID, call.Model, call.Reply, characters.ID(call.Actor), cast)
		}
	}
	return nil
}

func (r *Replies) add(id, model, raw string, self characters.ID, cast []characters.Public) {
	m := agent.Parse(raw, self, cast)
	kind := cmp.Or(m.Fault, "played")
	if m.Fault == "" && m.Speech == "" && m.Deed == "" {
		kind = "pass"
	}
	r.Replies = append(r.Replies, ReadReply{ID: id, Model: model, Form: m.Form, Kind: kind, Speech: m.Speech, Deed: m.Deed, To: append([]characters.ID{}, m.To...)})
}

// count counts the replies by model, form and kind, in this order.
func (r *Replies) count() {
	of, counts := map[string]int{}, map[ReplyKind]int{}
	for _, x := range r.Replies {
		of[x.Model]++
		counts[ReplyKind{Form: x.Form, Model: x.Model, Kind: x.Kind}]++
	}
	r.Kinds = make([]ReplyKind, 0, len(counts))
	for k, n := range counts {
		k.Replies, k.Of = n, of[k.Model]
		r.Kinds = append(r.Kinds, k)
	}
	slices.SortFunc(r.Kinds, func(a, b ReplyKind) int {
		return cmp.Or(strings.Compare(a.Model, b.Model), cmp.Compare(a.Form, b.Form), cmp.Compare(b.Replies, a.Replies), strings.Compare(a.Kind, b.Kind))
	})
}

// Print prints the counts; with each, a line for every reply before them. Texts are quoted, because they may hold anything.
func (r *Replies) Print(w io.Writer, each bool) error {
	for _, x := range r.Replies {
		if each {
			fmt.Fprintf(w, "%s %s %s to=%q say=%q do=%q\n", x.ID, cmp.Or(x.Form, "-"), x.Kind, x.To, x.Speech, x.Deed)
		}
	}
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tab, "model\tform\tkind\treplies\tshare")
	for _, k := range r.Kinds {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%d\t%.1f %%\n", strconv.Quote(k.Model), cmp.Or(k.Form, "-"), k.Kind, k.Replies, 100*float64(k.Replies)/float64(k.Of))
	}
	fmt.Fprintf(tab, "all\t\t\t%d\t\n", len(r.Replies))
	return tab.Flush()
}
