package scenarios

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// One of these is the source of everything that is imported, as the licence asks.
const (
	attribution51 = "System Reference Document 5.1 by Wizards of the Coast LLC (https://dnd.wizards.com/resources/systems-reference-document), " +
		"licensed under CC-BY-4.0 (https://creativecommons.org/licenses/by/4.0/legalcode); sentences cut and reworded"
	attribution52 = "System Reference Document 5.2.1 by Wizards of the Coast LLC (https://www.dndbeyond.com/srd), " +
		"licensed under CC-BY-4.0 (https://creativecommons.org/licenses/by/4.0/legalcode); sentences cut and reworded"
)

const (
	maxSRD       = 16 << 20 // bytes; the real files have less than half a megabyte
	minItemFacts = 3        // to make knowledge of an item
)

// Skip is an item that no knowledge was made of, and why.
type Skip struct {
	Item   string `json:"item"`
	Reason string `json:"reason"`
}

// item is a magic item as 5e-database has it, in the layout of 2014 or 2024.
type item struct {
	Index     string     `json:"index"`
	Name      string     `json:"name"`
	URL       string     `json:"url"`
	Variant   bool       `json:"variant"`
	Attune    *bool      `json:"attunement"` // 2024 only; 2014 says it in the first line of the text
	Rarity    rarity     `json:"rarity"`
	Desc      paragraphs `json:"desc"`
	Equipment struct {
		Name string `json:"name"`
	} `json:"equipment_category"`
}

type rarity struct {
	Name string `json:"name"`
}

// paragraphs are a list in the layout of 2014, and one text with line breaks in that of 2024.
type paragraphs []string

func (p *paragraphs) UnmarshalJSON(data []byte) error {
	var list []string
	if bytes.HasPrefix(data, []byte("[")) {
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
	} else {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		list = strings.Split(text, "\n")
	}
	for _, text := range list {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			*p = append(*p, text)
		}
	}
	return nil
}

// ImportSRD makes knowledge of the magic items in a file of 5e-database (5e-SRD-Magic-Items.json, of
// 2014 or 2024): an item's facts are what kind it is, and what its text says sentence by sentence,
// each made to make sense alone. Variants of an item, and items of which fewer than three facts come out,
// are skipped and told. A file that is broken, cut short, foreign or larger than 16 MiB gives an error
// that says where, and nothing is imported.
func ImportSRD(r io.Reader, file string) ([]Knowledge, []Skip, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSRD+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(data) > maxSRD {
		return nil, nil, fmt.Errorf("%s: larger than %d MiB, which no list of magic items is", file, maxSRD>>20)
	}
	where := func(offset int64, format string, args ...any) error {
		line := 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
		return fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))
	}
	broken := func(err error) error {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return where(syntax.Offset-1, "%v; fetch 5e-SRD-Magic-Items.json again", err)
		}
		return where(int64(len(data)), "the file breaks off; fetch 5e-SRD-Magic-Items.json again")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	switch token, err := dec.Token(); {
	case err != nil && err != io.EOF:
		return nil, nil, broken(err)
	case token != json.Delim('['):
		return nil, nil, where(0, "not a JSON list of magic items; fetch 5e-SRD-Magic-Items.json again")
	}
	var out []Knowledge
	var skipped []Skip
	seen := map[string]bool{}
	for i := 1; dec.More(); i++ {
		var element json.RawMessage
		if err := dec.Decode(&element); err != nil {
			return nil, nil, broken(err)
		}
		start := dec.InputOffset() - int64(len(element))
		it, offset, err := readItem(element)
		if err != nil {
			return nil, nil, where(start+offset, "entry %d is no magic item: %v", i, err)
		}
		k, reason := it.knowledge()
		switch {
		case reason == "" && seen[k.ID]:
			return nil, nil, where(start, "entry %d: %s is in the file twice", i, it.Index)
		case reason == "":
			seen[k.ID] = true
			out = append(out, k)
		default:
			skipped = append(skipped, Skip{Item: it.Name, Reason: reason})
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, nil, broken(err)
	}
	switch {
	case dec.More():
		return nil, nil, where(dec.InputOffset(), "more behind the list; fetch 5e-SRD-Magic-Items.json again")
	case len(out)+len(skipped) == 0:
		return nil, nil, where(0, "an empty list")
	}
	return out, skipped, nil
}

// readItem reads one element of the list; with an error it returns the offset at which it is wrong.
func readItem(element []byte) (*item, int64, error) {
	it := new(item)
	err := json.Unmarshal(element, it)
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typed):
		return nil, typed.Offset, fmt.Errorf("%s holds a %s", typed.Field, typed.Value)
	case err != nil:
		return nil, 0, err
	case it.Index == "" || it.Name == "" || len(it.Desc) == 0 || it.Rarity.Name == "":
		return nil, 0, errors.New("it has no index, name, rarity or desc; the file to import is 5e-SRD-Magic-Items.json")
	}
	return it, 0, nil
}

// knowledge makes knowledge of an item, or says why not.
func (it *item) knowledge() (Knowledge, string) {
	if it.Variant {
		return Knowledge{}, "a variant of another item"
	}
	if strings.Contains(it.Name, "+") {
		return Knowledge{}, "covers several grades of one item"
	}
	if head, _, _ := strings.Cut(it.Name, " of "); strings.TrimSpace(head) == "" {
		return Knowledge{}, fmt.Sprintf("its name %q does not say what it is", it.Name)
	}
	id := slug(it.Index)
	if id == "" {
		return Knowledge{}, fmt.Sprintf("its index %q makes no id", it.Index)
	}
	k := Knowledge{ID: "srd-" + id, Title: "the " + it.Name, Topic: "item", Source: attribution51}
	if strings.Contains(it.URL, "/2024/") {
		k.Source = attribution52
	}
	s := newSubject(it)
	k.Facts = append(k.Facts, Fact{s.headline(it), Nature})
	account := []string{k.Facts[0].Text}
	if text := s.attunement(it); text != "" {
		k.Facts = append(k.Facts, Fact{text, Use})
		account = append(account, text)
	}
	for _, text := range s.statements(it.Desc[1:]) {
		if len(k.Facts) < maxFacts && !s.said(k.Facts, text) {
			k.Facts = append(k.Facts, Fact{text, aspectOfItem(text)})
			account = append(account, text)
		}
	}
	if len(k.Facts) < minItemFacts {
		return Knowledge{}, fmt.Sprintf("too short a text: %d of the %d facts that are needed", len(k.Facts), minItemFacts)
	}
	k.Text = strings.Join(account, " ")
	k.Hook = hookFor(&k)
	return k, ""
}

// aspectOfItem is AspectOf, where rules of play that bear no mark say what an item can do.
func aspectOfItem(text string) Aspect {
	if a := AspectOf(text); a != "" {
		return a
	}
	return Power
}
