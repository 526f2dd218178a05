package formats

// limits say how a trainer cuts rows to a length.
type limits struct {
	setting string // what it is called; empty: rows have no length
	usual   int    // tokens, unless set
	full    string // what becomes of a row whose prompt alone fills it
	cut     string // and of one whose answer is cut
	level   Level  // of the latter
}

// tally counts what a file's rows come to.
type tally struct {
	texts   [][]byte // of the row
	answer  int      // the first of them that belongs to the last answer
	longest int      // tokens of the longest row
	line    int64    // where it stands
}

func (v *validator) resetTexts() { v.texts, v.answer = v.texts[:0], 0 }

// says adds a text to the length of the row.
func (v *validator) says(b []byte) { v.texts = append(v.texts, b) }

// answers says that what follows is the last answer, as far as the row was read.
func (v *validator) answers() { v.answer = len(v.texts) }

// tokensOf counts texts with what a template adds to each.
func (v *validator) tokensOf(texts [][]byte) int {
	n := len(texts) * v.o.Counter.PerMessage
	for _, t := range texts {
		n += v.o.Counter.Count(string(t))
	}
	return n
}

// length holds the row against the limit.
func (v *validator) length() {
	l := &v.f.limits
	if l.setting == "" {
		return
	}
	size := 0
	for _, t := range v.texts {
		size += len(t)
	}
	most := v.o.MaxTokens
	if most <= 0 {
		if n := size/4 + 4*len(v.texts); n > v.tally.longest {
			v.tally.longest, v.tally.line = n, v.line
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
	switch {
	case prompt >= most && v.answer > 0:
		v.bad("prompt_too_long", "shorten the prompt or raise "+l.setting, "the prompt has %s%d tokens and the limit is %d: %s", about, prompt, most, l.full)
	case whole > most:
		v.find(l.level, "too_long", "shorten the row or raise "+l.setting, "the row has %s%d tokens and the limit is %d: %s", about, whole, most, l.cut)
	}
}

// longRows mentions the trainer's default length where no limit was given.
func (v *validator) longRows() {
	l := &v.f.limits
	if v.o.MaxTokens > 0 || l.usual == 0 || v.tally.longest <= l.usual {
		return
	}
	v.findAt(v.file.path, v.tally.line, Warning, "default_length", "set "+l.setting+", and check with --max-tokens",
		"the longest row has about %d tokens, and %s is %d unless it is set: %s", v.tally.longest, l.setting, l.usual, l.full)
}
