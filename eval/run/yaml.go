package run

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/token"

	"parley/characters/yamlfile"
)

// ReadConfig reads an experiment file over the values that a configuration has, as yamlfile.Value does. Paths in it,
// which are the fields that are tagged path:"file", are relative to the file's directory.
func ReadConfig(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := yamlfile.Value(data, path, into); err != nil {
		return UsageError{err}
	}
	beside(filepath.Dir(path), reflect.ValueOf(into).Elem())
	return nil
}

// beside makes paths that are relative to a directory relative to the present one. The word library is no path.
func beside(dir string, v reflect.Value) {
	place := func(path reflect.Value) {
		if text := path.String(); text != "" && text != "library" && !filepath.IsAbs(text) {
			path.SetString(filepath.Join(dir, text))
		}
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch f := v.Field(i); {
		case field.Anonymous && f.Kind() == reflect.Struct:
			beside(dir, f)
		case field.Tag.Get("path") == "":
		case f.Kind() == reflect.String:
			place(f)
		default:
			for k := range f.Len() {
				if item := f.Index(k); item.Kind() == reflect.Struct {
					beside(dir, item)
				} else {
					place(item)
				}
			}
		}
	}
}

// EncodeConfig writes a configuration as a file that reads back as the same. Empty makes an empty
// configuration to read it into.
func EncodeConfig(config any, empty func() any) ([]byte, error) {
	text, err := yaml.MarshalWithOptions(config, yaml.CustomMarshaler(yamlText))
	if err != nil {
		return nil, err
	}
	again := empty()
	if err := yamlfile.Value(text, "the printed configuration", again); err != nil {
		return nil, err
	}
	if twice, err := yaml.MarshalWithOptions(again, yaml.CustomMarshaler(yamlText)); err != nil || !bytes.Equal(text, twice) {
		return nil, errors.Join(errors.New("the configuration cannot be written as YAML that reads back as the same"), err)
	}
	return text, nil
}

var unquoted = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./:?=&@+-]*$`)

// yamlText writes a text in quotes unless it is plainly one word: the YAML package reads some blocks and some
// plain texts back as others.
func yamlText(text string) ([]byte, error) {
	if unquoted.MatchString(text) && !token.IsNeedQuoted(text) {
		return []byte(text), nil
	}
	return []byte(strconv.QuoteToASCII(text)), nil
}
