package finetune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// divide gives every example its split. The unit of the split, a group or all groups of a scenario,
// goes where the hash of its name and the seed say: it stays there when data is added. Groups that
// have a scenario in common, and scenarios that have a group in common, stay together.
func (b *builder) divide(context.Context) error {
	parent := map[string]string{}
	root := func(key string) string {
		for p, ok := parent[key]; ok; p, ok = parent[key] {
			key = p
		}
		return key
	}
	keyOf := func(x *Example) string {
		if b.o.By == "scenario" && x.Scenario != "" {
			return "scenario\x00" + x.Scenario
		}
		return x.Group
	}
	first := map[string]string{} // key of each group's first example
	for i := range b.entries {
		x := &b.entries[i].x
		key := root(keyOf(x))
		if was, ok := first[x.Group]; !ok {
			first[x.Group] = key
		} else if was = root(was); was != key {
			parent[max(was, key)] = min(was, key)
		}
	}
	given := map[string]*Example{} // by root: the first example whose source says a split
	for i := range b.entries {
		e := &b.entries[i]
		if !e.given {
			continue
		}
		b.report.Given++
		key := root(keyOf(&e.x))
		if was := given[key]; was == nil {
			given[key] = &e.x
		} else if was.Split != e.x.Split {
			return conflict(was, &e.x)
		}
	}
	for i := range b.entries {
		e := &b.entries[i]
		if e.given {
			continue
		}
		key := root(keyOf(&e.x))
		if was := given[key]; was != nil {
			e.x.Split = was.Split
		} else {
			e.x.Split = b.draw(key)
		}
	}
	return nil
}

// draw returns the split of a key by the shares.
func (b *builder) draw(key string) (split Split) {
	total := b.o.Shares[0] + b.o.Shares[1] + b.o.Shares[2]
	split = Train
	x, sum := draw(b.o.Seed, key)*total, 0.0
	for s, share := range b.o.Shares {
		if share > 0 {
			if split, sum = Splits()[s], sum+share; x < sum {
				break
			}
		}
	}
	return split
}

// conflict is the error of two examples that belong together and are put into different splits.
func conflict(x, y *Example) error {
	what := fmt.Sprintf("are of the group %q", x.Group)
	if x.Group != y.Group {
		what = fmt.Sprintf("belong together by their scenarios %q and %q", x.Scenario, y.Scenario)
	}
	return fmt.Errorf("the examples %s and %s %s, but their sources put them into %s and %s; correct the sources, or take their splits out", x.ID, y.ID, what, x.Split, y.Split)
}

// check returns an error for options that cannot be followed.
func (o *Options) check() error {
	if !slices.Contains([]string{"", "group", "scenario"}, o.By) {
		return fmt.Errorf("a dataset is split by group or by scenario, not by %q", o.By)
	}
	for _, s := range o.Shares {
		if !(s >= 0) || s > 1e9 {
			return fmt.Errorf("a split's share is a number from 0 on, not %v", s)
		}
	}
	if o.Shares != [3]float64{} && o.Shares[0] == 0 {
		return errors.New("train gets no share of the split, and there would be nothing to learn from; give for example 90/5/5")
	}
	if o.MaxTokens < 0 {
		return fmt.Errorf("the most tokens of an example are a number from 0 on, not %d", o.MaxTokens)
	}
	return nil
}

// ParseShares reads the shares of train, validation and test, such as 90/5/5.
func ParseShares(text string) (shares [3]float64, err error) {
	parts := strings.Split(text, "/")
	for i, p := range parts {
		x, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(p), "%"), 64)
		if err != nil || len(parts) != 3 || !(x >= 0 && x <= 1e6) {
			return shares, fmt.Errorf("--split %q: write the shares of train, validation and test, such as 90/5/5", text)
		}
		shares[i] = x
	}
	if shares[0] == 0 {
		return shares, fmt.Errorf("--split %q leaves nothing for train", text)
	}
	return shares, nil
}
