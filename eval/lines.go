package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// EachLine calls read for each line of a file that is not empty, however long it is. Its errors name the file and
// the line.
func EachLine(r io.Reader, name string, read func(line []byte) error) error {
	in := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		last := err == io.EOF
		if last {
			err = nil
		}
		if line = bytes.TrimSpace(line); err == nil && len(line) > 0 {
			err = read(line)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
		if last {
			return nil
		}
	}
}

// Strict reads one JSON value. A field that the value does not have is an error, and so is more text after it.
func Strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is more text after the JSON value")
	}
	return nil
}

var goType = regexp.MustCompile(`(?:json: )?cannot unmarshal (\w+|\[\]interface \{\}|map\[string\]interface \{\}) (?:\S+ )?into Go (?:struct field \w+\.([\w.]+)|value) of type (\S+)`)

// PlainError says in plain words what Go's decoder of JSON says of a value of the wrong type.
func PlainError(text string) string {
	return goType.ReplaceAllStringFunc(text, func(s string) string {
		m := goType.FindStringSubmatch(s)
		want, found := "something else", map[string]string{"string": "a text", "array": "a list", "[]interface {}": "a list", "object": "an object", "map[string]interface {}": "an object", "bool": "true or false"}[m[1]]
		for _, kind := range []struct{ pattern, name string }{
			{`^\[\]`, "a list"}, {`^\*?u?int`, "a whole number"}, {`float`, "a number"}, {`bool`, "true or false"}, {`^map`, "an object"}, {`string`, "a text"},
		} {
			if regexp.MustCompile(kind.pattern).MatchString(m[3]) {
				want = kind.name
				break
			}
		}
		if found == "" {
			found = "a number"
		}
		if m[2] != "" {
			found = m[2] + ": " + found
		}
		return found + " where there should be " + want
	})
}

// Percent turns a share into percent; nil stays nil.
func Percent(share *float64) *float64 {
	if share == nil {
		return nil
	}
	p := 100 * *share
	return &p
}
