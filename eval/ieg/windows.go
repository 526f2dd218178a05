package ieg

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// longest is the most that one line of a windows file may hold, in bytes. Real windows of 30 turns
// hold a few thousand.
const longest = 8 << 20

// Validate says what is wrong with an interaction. An empty set of intentions is fine.
func (x *Interaction) Validate() error {
	switch {
	case x.ID == "":
		return errors.New("the window has no id")
	case x.Group == "":
		return fmt.Errorf("window %s has no group", x.ID)
	case len(x.Cast) == 0:
		return fmt.Errorf("window %s has no cast", x.ID)
	case len(x.Lines) == 0:
		return fmt.Errorf("window %s has no context", x.ID)
	}
	if !slices.Contains([]string{"", Train, Val, Test}, x.Split) {
		return fmt.Errorf("window %s: the split %q is none of train, val and test", x.ID, x.Split)
	}
	for i, name := range x.Cast {
		if strings.TrimSpace(name) == "" || name == DM {
			return fmt.Errorf("window %s: the cast has a member called %q", x.ID, name)
		}
		if slices.Contains(x.Cast[:i], name) {
			return fmt.Errorf("window %s: %s stands twice in the cast", x.ID, name)
		}
	}
	for i, l := range x.Lines {
		if strings.TrimSpace(l.Speaker) == "" || strings.TrimSpace(l.Text) == "" {
			return fmt.Errorf("window %s: line %d of its context has no speaker or no text", x.ID, i+1)
		}
	}
	for i, t := range x.Intentions {
		// The DM rolls too, now and then: in a line spoken together with a player.
		if t.Character != DM && !slices.Contains(x.Cast, t.Character) {
			return fmt.Errorf("window %s: %q has an intention and is not in the cast", x.ID, t.Character)
		}
		if !t.Skill.Valid() {
			return fmt.Errorf("window %s: %q is none of the 18 skills", x.ID, t.Skill)
		}
		if slices.Contains(x.Intentions[:i], t) {
			return fmt.Errorf("window %s: %s stands twice with %s", x.ID, t.Character, t.Skill)
		}
	}
	return nil
}

// Unpack returns the content of a stream that may be compressed with gzip.
func Unpack(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if head, err := b.Peek(2); err != nil || head[0] != 0x1f || head[1] != 0x8b {
		return b, nil // too short to be compressed, or plain; reading shows what is wrong with it
	}
	return gzip.NewReader(b)
}

// Read reads windows, one JSON object a line, plain or compressed with gzip. It is strict: the first
// thing that is wrong ends it with an error that starts with name and line number, and an id that
// comes twice is wrong too.
func Read(r io.Reader, name string) iter.Seq2[Interaction, error] {
	return func(yield func(Interaction, error) bool) {
		plain, err := Unpack(r)
		if err != nil {
			yield(Interaction{}, fmt.Errorf("%s:1: read compressed windows: %w", name, err))
			return
		}
		seen := map[string]int{}
		lines := bufio.NewScanner(plain)
		lines.Buffer(make([]byte, 1<<16), longest)
		n := 0
		for lines.Scan() {
			n++
			x, err := decode(lines.Bytes())
			if err == nil && seen[x.ID] > 0 {
				err = fmt.Errorf("window %s stood in line %d already", x.ID, seen[x.ID])
			}
			if err != nil {
				yield(Interaction{}, fmt.Errorf("%s:%d: %w", name, n, err))
				return
			}
			seen[x.ID] = n
			if !yield(x, nil) {
				return
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Interaction{}, fmt.Errorf("%s:%d: the line is longer than %d MiB: this is no windows file", name, n+1, longest>>20))
		case err != nil:
			yield(Interaction{}, fmt.Errorf("%s:%d: read windows: %w", name, n+1, err))
		}
	}
}

// decode reads the line of one window.
func decode(line []byte) (Interaction, error) {
	var x Interaction
	if !utf8.Valid(line) {
		return x, errors.New("the line is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(&x); {
	case errors.Is(err, io.EOF):
		return x, errors.New("the line is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return x, errors.New("the window is cut off")
	case err != nil:
		return x, fmt.Errorf("parse window: %w", err)
	}
	if rest := bytes.TrimSpace(line[dec.InputOffset():]); len(rest) > 0 {
		return x, errors.New("something follows the window")
	}
	return x, x.Validate()
}

// Write writes a window as one line, after checking it. What it wrote, Read and Write give back byte
// for byte.
func Write(w io.Writer, x *Interaction) error {
	if err := x.Validate(); err != nil {
		return err
	}
	row := *x
	if row.Intentions == nil {
		row.Intentions = []Intention{} // a set, and not null
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(&row)
}
