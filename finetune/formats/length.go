package formats

import (
	"bytes"

	"parley/finetune"
)

// limit is how a trainer cuts rows to a length.
type limit struct {
	Setting string `yaml:"setting"` // the name of the limit
	Usual   int    `yaml:"usual"`   // tokens, unless it is set
	Full    string `yaml:"full"`    // what becomes of a row whose prompt alone fills it
	Cut     string `yaml:"cut"`     // and of one whose answer is cut
}

// tally counts the lengths of a file's rows.
type tally struct {
	texts   [][]byte // of the row
	answer  int      // the first of them that belongs to the last answer
	longest int      // tokens of the longest row that is over the usual limit
	line    int64    // of that row
	over    int64    // rows over the usual limit
}

// says adds a text to the length of the row.
func (v *validator) says(b []byte) { v.texts = append(v.texts, b) }

// answers marks the texts from here on as the last answer, as far as the row was read.
func (v *validator) answers() { v.answer = len(v.texts) }

// both judges two answers, of which the longer counts for the length.
func (v *validator) both(judge func(i int)) {
	base := len(v.texts)
	var longer [][]byte
	answer := base
	for i := range 2 {
		v.texts, v.answer = v.texts[:base:base], base
		judge(i)
		if rest := v.texts[base:]; bytesOf(rest) > bytesOf(longer) {
			longer, answer = rest, v.answer
		}
	}
	v.texts, v.answer = append(v.texts[:base], longer...), answer
}

// pair judges the two answers of a preference, each by a function that returns its text.
func (v *validator) pair(row *value, names [2]string, judge func(answer *value, name string) *value) {
	var said [2]*value
	v.both(func(i int) {
		if row.has(names[i]) {
			said[i] = judge(row.get(names[i]), names[i])
		} else {
			v.report([]string{"missing_chosen", "missing_rejected"}[i], "column", names[i])
		}
	})
	v.compare(said[0], said[1])
}

// compare reports two answers that are the same.
func (v *validator) compare(a, b *value) {
	if a.kind() == text && b.kind() == text && bytes.Equal(bytes.TrimSpace(a.text), bytes.TrimSpace(b.text)) {
		v.report("identical")
	}
}

func bytesOf(texts [][]byte) (n int) {
	for _, t := range texts {
		n += len(t)
	}
	return n
}

// tokensOf counts texts with what a template adds to each.
func (v *validator) tokensOf(texts [][]byte) int {
	n := len(texts) * v.o.Counter.PerMessage
	for _, t := range texts {
		n += v.o.Counter.Count(string(t))
	}
	return n
}

// usual is the limit of the file where none is asked for: what its settings say, or the trainer's.
func (v *validator) usual() int {
	if v.file.usual > 0 {
		return v.file.usual
	}
	return v.f.Limit.Usual
}

// length compares the row with the limit.
func (v *validator) length() {
	l, size := &v.f.Limit, bytesOf(v.texts)
	most := v.o.MaxTokens
	if most <= 0 {
		if n := size/4 + 4*len(v.texts); n > v.usual() && l.Usual > 0 {
			if v.over++; n > v.longest {
				v.longest, v.tally.line = n, v.line
			}
		}
		return
	}
	if size+len(v.texts)*v.o.Counter.PerMessage+v.o.Counter.PerReply <= most {
		return // a token has one byte at least
	}
	about := "about "
	if v.o.Counter.Exact {
		about = ""
	}
	prompt := v.tokensOf(v.texts[:v.answer])
	whole := prompt + v.tokensOf(v.texts[v.answer:]) + v.o.Counter.PerReply
	if prompt >= most && v.answer > 0 {
		v.report("prompt_too_long", "about", about, "tokens", prompt, "max", most, "full", l.Full, "setting", l.Setting)
	} else if whole > most {
		v.report("too_long", "about", about, "tokens", whole, "max", most, "cut", l.Cut, "setting", l.Setting)
	}
}

// longRows mentions rows over the trainer's usual length where no limit was asked for.
func (v *validator) longRows() {
	if v.over > 0 {
		v.reportAt(v.file.path, v.tally.line, "default_length", "rows", finetune.Plural(v.over, "row"), "max", v.usual(),
			"tokens", v.longest, "full", v.f.Limit.Full, "setting", v.f.Limit.Setting)
	}
}
