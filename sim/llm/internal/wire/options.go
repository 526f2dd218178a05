package wire

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/sim/llm"
)

// Options reads the options of a model spec strictly: each is asked for by name, and what nobody
// asked for is an error that names those that there are.
type Options struct {
	spec  llm.Spec
	known []string
	err   error
}

// NewOptions returns a reader of the spec's options.
func NewOptions(spec llm.Spec) *Options { return &Options{spec: spec} }

func (o *Options) read(name, want string, parse func(string) bool) {
	o.known = append(o.known, name)
	values := o.spec.Options[name]
	switch {
	case len(values) == 0 || o.err != nil:
	case len(values) > 1:
		o.err = fmt.Errorf("model %q: option %s is given %d times", o.spec, name, len(values))
	case !parse(values[0]):
		o.err = fmt.Errorf("model %q: option %s=%s: want %s", o.spec, name, values[0], want)
	}
}

// Bool reads true or false, also written 1 and 0.
func (o *Options) Bool(name string, into *bool) {
	o.read(name, "true or false", func(s string) bool {
		v, err := strconv.ParseBool(s)
		if err == nil {
			*into = v
		}
		return err == nil
	})
}

// Int reads a whole number of at least the minimum.
func (o *Options) Int(name string, minimum int, into *int) {
	o.read(name, fmt.Sprintf("a whole number from %d", minimum), func(s string) bool {
		v, err := strconv.Atoi(s)
		if err != nil || v < minimum {
			return false
		}
		*into = v
		return true
	})
}

// Duration reads a time such as 90s.
func (o *Options) Duration(name string, into *time.Duration) {
	o.read(name, "a time such as 90s or 10m", func(s string) bool {
		v, err := time.ParseDuration(s)
		if err != nil || v <= 0 {
			return false
		}
		*into = v
		return true
	})
}

// Text reads a text, one of the allowed ones where there are any.
func (o *Options) Text(name string, into *string, allowed ...string) {
	want := "a text"
	if len(allowed) > 0 {
		want = "one of " + strings.Join(allowed, ", ")
	}
	o.read(name, want, func(s string) bool {
		if s == "" || len(allowed) > 0 && !slices.Contains(allowed, s) {
			return false
		}
		*into = s
		return true
	})
}

// Func reads what a function reads; want says in the error what it takes.
func (o *Options) Func(name, want string, parse func(string) error) {
	o.read(name, want, func(s string) bool { return parse(s) == nil })
}

// Err returns the first thing that was wrong, unknown options included.
func (o *Options) Err() error {
	if o.err != nil {
		return o.err
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
	return fmt.Errorf("model %q: unknown option %s; %s: knows %s",
		o.spec, strings.Join(unknown, ", "), o.spec.Scheme, strings.Join(o.known, ", "))
}
