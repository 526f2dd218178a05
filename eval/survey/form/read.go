package form

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// MaxSize is the size in bytes above which a text is no document.
const MaxSize = 16 << 20

// Read reads a document from a file's text: JSON as models write it, as the Google Forms API, Microsoft
// Forms and SurveyMonkey do, Markdown, a list, a table (Markdown, CSV, TSV), or a conversation. What it
// is follows from the text; the name decides only between what could be several (.csv, .tsv). Reading
// is forgiving, and Notes say what was forgiven; an error means that there is nothing to judge.
func Read(data []byte, name string) (*Document, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("%s: %d bytes are more than a document may have (%d)", name, len(data), MaxSize)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("%s: it is no text", name)
	}
	var notes []string
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
		notes = append(notes, "the text is not UTF-8")
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	prompt, text := front(text)
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s: %w", name, errors.New("there is no text in it"))
	}
	d := read(text, strings.ToLower(filepath.Ext(name)))
	if d.Prompt == "" {
		d.Prompt = prompt
	}
	d.Notes = append(d.Notes, notes...)
	return d, nil
}

// front takes the prompt off the front of a text, where it is written as "prompt: ..." between two lines
// of three hyphens.
func front(text string) (prompt, rest string) {
	body, ok := strings.CutPrefix(strings.TrimLeft(text, " \n\t"), "---\n")
	if !ok {
		return "", text
	}
	head, rest, ok := strings.Cut(body, "\n---\n")
	if !ok {
		return "", text
	}
	for l := range strings.Lines(head) {
		if p, ok := strings.CutPrefix(strings.TrimSpace(l), "prompt:"); ok {
			return strings.Trim(strings.TrimSpace(p), `"`), rest
		}
	}
	return "", text
}

func read(text, ext string) *Document {
	if ext == ".csv" || ext == ".tsv" {
		if d := readCSV(text, ext); d != nil {
			return d
		}
	}
	if d := readEvents(text); d != nil {
		return d
	}
	if at := jsonStart(text); at >= 0 {
		if d := readJSON(text[at:]); d != nil {
			if before := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text[:at]), "```json")); before != "" && before != "```" {
				d.Notes = append(d.Notes, "there is text before the JSON")
			}
			return d
		}
	}
	return readText(text)
}

// jsonStart returns where JSON begins, or -1: at the beginning, behind a code fence, or on a line of
// its own after a few words.
func jsonStart(text string) int {
	at := 0
	for l := range strings.Lines(text) {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "{") || trimmed == "[" || strings.HasPrefix(trimmed, "[{") || strings.HasPrefix(trimmed, `["`) {
			return at + strings.IndexAny(l, "{[")
		}
		if strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "|") || strings.HasPrefix(trimmed, "- ") {
			return -1
		}
		if at += len(l); at > 2000 {
			return -1
		}
	}
	return -1
}

// readEvents reads the events of a session, one JSON object a line; nil where the text holds none.
func readEvents(text string) *Document {
	var d *Document
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		var e struct {
			Kind, Actor, Speech, Deed, Text string
			Seq                             *int
		}
		if !strings.HasPrefix(l, "{") || json.Unmarshal([]byte(l), &e) != nil || e.Seq == nil || e.Kind == "" {
			if d != nil {
				d.Notes = append(d.Notes, "the text is cut off")
			}
			return d
		}
		if d == nil {
			d = &Document{Kind: Conversation, Format: "transcript"}
		}
		said := e.Text
		for _, part := range []string{e.Speech, e.Deed} {
			if part != "" {
				said = strings.TrimSpace(said + " " + part)
			}
		}
		if said != "" {
			d.Items = append(d.Items, Item{Who: e.Actor, Text: said})
		}
	}
	return d
}

func readCSV(text, ext string) *Document {
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	if ext == ".tsv" {
		r.Comma = '\t'
	}
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	d := &Document{Kind: Table, Format: "csv", Head: rows[0], Rows: rows[1:]}
	d.width()
	return d
}

// width notes rows that are longer or shorter than the head.
func (d *Document) width() {
	for i, r := range d.Rows {
		if len(r) != len(d.Head) {
			d.Notes = append(d.Notes, fmt.Sprintf("row %d has %d cells under %d heads", i+1, len(r), len(d.Head)))
			if len(d.Notes) == 20 {
				return
			}
		}
	}
}
