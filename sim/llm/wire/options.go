package wire

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/characters/yamlfile"
	"parley/sim/llm"
)

// Options reads the options of a model spec strictly: each is asked for by name, and one that was not
// asked for is an error that names those that there are.
type Options struct {
	spec  llm.Spec
	known []string
	err   error
}

// NewOptions returns a reader of the spec's options.
func NewOptions(spec llm.Spec) *Options { return &Options{spec: spec} }

var errValue = errors.New("not allowed")

// Func reads an option with a function; want says in the error what it takes.
func (o *Options) Func(name, want string, parse func(string) error) {
	o.known = append(o.known, name)
	values := o.spec.Options[name]
	switch {
	case len(values) == 0 || o.err != nil:
	case len(values) > 1:
		o.err = fmt.Errorf("model %q: option %s is given %d times", o.spec, name, len(values))
	case parse(values[0]) != nil:
		o.err = fmt.Errorf("model %q: option %s=%s: want %s", o.spec, name, values[0], want)
	}
}

// Bool reads true or false, also written 1 and 0.
func (o *Options) Bool(name string, into *bool) {
	o.Func(name, "true or false", func(s string) (err error) {
		*into, err = strconv.ParseBool(s)
		return err
	})
}

// Int reads a whole number of at least the minimum.
func (o *Options) Int(name string, minimum int, into *int) {
	o.Func(name, fmt.Sprintf("a whole number from %d", minimum), func(s string) (err error) {
		if *into, err = strconv.Atoi(s); *into < minimum {
			return errValue
		}
		return err
	})
}

// Duration reads a time such as 90s.
func (o *Options) Duration(name string, into *time.Duration) {
	o.Func(name, "a time such as 90s or 10m", func(s string) (err error) {
		if *into, err = time.ParseDuration(s); *into <= 0 {
			return errValue
		}
		return err
	})
}

// Text reads a text, one of the allowed ones where there are any.
func (o *Options) Text(name string, into *string, allowed ...string) {
	want := "a text"
	if len(allowed) > 0 {
		want = "one of " + strings.Join(allowed, ", ")
	}
	o.Func(name, want, func(s string) error {
		if *into = s; s == "" || len(allowed) > 0 && !slices.Contains(allowed, s) {
			return errValue
		}
		return nil
	})
}

// Err returns the first thing that was wrong, unknown options included.
func (o *Options) Err() error {
	if o.err != nil {
		return llm.SpecError{Err: o.err}
	}
	var unknown []string
	for name := range o.spec.Options {
		if !slices.Contains(o.known, name) {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	slices.Sort(unknown)
	slices.Sort(o.known)
	return llm.SpecError{Err: fmt.Errorf("model %q: unknown option %s; %s%s: knows %s", o.spec, strings.Join(unknown, ", "),
		yamlfile.DidYouMean(unknown[0], o.known), o.spec.Scheme, strings.Join(o.known, ", "))}
}
