package llm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/characters/yamlfile"
)

// decodeYAML reads the one document of a user's file into v. A key that v does not know is an error,
// and every error says where.
func decodeYAML(data []byte, file string, v any) (err error) {
	defer func() {
		// A user's broken file must not end the program, even where the decoder panics over it.
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: the YAML cannot be read: %v", file, p)
		}
	}()
	if line := yamlfile.TooDeep(data); line > 0 {
		return fmt.Errorf("%s:%d: nested too deeply", file, line)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	switch err := dec.Decode(v); {
	case err == io.EOF:
		return fmt.Errorf("%s: the file is empty", file)
	case err != nil:
		return atLine(file, err)
	}
	var more any
	if err := dec.Decode(&more); err != io.EOF {
		return fmt.Errorf("%s: more than one YAML document; keep one, without --- between", file)
	}
	return nil
}

// atLine puts file:line before the message of a YAML error.
func atLine(file string, err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", file, err)
	}
	message := strings.ReplaceAll(e.GetMessage(), " of type llm.", " of type ")
	if t := e.GetToken(); t != nil && t.Position != nil {
		return fmt.Errorf("%s:%d: %s", file, t.Position.Line, message)
	}
	return fmt.Errorf("%s: %s", file, message)
}
