package judge

import (
	"regexp"
	"strings"

	"parley/sim/llm"
)

var dated = regexp.MustCompile(`-\d{4}-?\d{2}-?\d{2}$`)

// Same reports whether two models are, by their names, one: wherever they are served, whatever their
// options, as a dated snapshot or not. A judge that is the model under test favours itself, so that a
// caller refuses it unless it was asked for. Models that are no language model (reference, script,
// replay) are the same only if they are written the same.
func Same(a, b llm.Spec) bool {
	if a.String() == b.String() {
		return true
	}
	for _, s := range []llm.Spec{a, b} {
		switch s.Scheme {
		case "reference", "script", "replay":
			return false
		}
	}
	return base(a.Name) == base(b.Name)
}

// base folds a model's name: without the maker before it, the date and ":latest" behind it.
func base(name string) string {
	name = strings.TrimSuffix(strings.ToLower(name), ":latest")
	name = name[strings.LastIndexByte(name, '/')+1:]
	return dated.ReplaceAllString(name, "")
}
