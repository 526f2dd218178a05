package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/unicode/norm"
)

var printer = message.NewPrinter(language.English)

// tidy takes off what stands around a label or number: white space, quotation marks, emphasis,
// brackets, and a full stop behind it.
func tidy(text string) string {
	text = norm.NFKC.String(strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, text))
	text = strings.Trim(text, " \t\r\n\"'`“”‘’«»*_~[]{}<>|")
	text = strings.TrimRight(text, ".!,;: \t\r\n\"'`”’*_")
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		text = text[1 : len(text)-1]
	}
	return text
}

// fold makes labels that differ in case, spaces, dashes and quotation marks the same.
func fold(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(tidy(text)), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("-_–—\"'`", r)
	})
	return strings.Join(fields, " ")
}

// pick finds the offered value that a scalar means: the same value; the same label but for case,
// spaces and quotation marks; a number or boolean said in other words; the only label that begins
// with what was said; the label that stands first, set off from an explanation.
func pick(n *node, choices []any) (any, error) {
	off := fmt.Errorf("%s is not one of the offered %s", show(n), offer(choices))
	var texts []string
	numbers, bools := false, false
	scale := part{}
	for _, choice := range choices {
		switch choice := choice.(type) {
		case string:
			if choice == n.text {
				return choice, nil
			}
			texts = append(texts, choice)
		case json.Number:
			numbers = true
			top, _ := scale.bound("maximum")
			if f, err := choice.Float64(); err == nil && (len(scale) == 0 || f > top) {
				scale["maximum"] = choice
			}
		case bool:
			bools = true
		}
	}
	if numbers {
		if v, err := readNumber(n, scale, false); err == nil {
			for _, choice := range choices {
				if same(choice, v) {
					return choice, nil
				}
			}
		}
	}
	if bools {
		if b, ok := readBool(n.text); ok && n.kind != '0' {
			for _, choice := range choices {
				if choice == b {
					return choice, nil
				}
			}
		}
	}
	label, found, err := pickLabel(n.text, texts)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, off
	}
	return label, nil
}

// negatives begin too many labels to stand for one of them.
var negatives = map[string]bool{"no": true, "not": true, "non": true, "none": true, "un": true, "in": true, "dis": true, "mis": true}

func pickLabel(text string, labels []string) (string, bool, error) {
	said := fold(text)
	if said == "" {
		return "", false, nil
	}
	twice := fmt.Errorf("%q fits more than one of the offered labels", short(text))
	match := func(fits func(label string) bool) (string, int) {
		only, n := "", 0
		for _, label := range labels {
			if fits(fold(label)) {
				only, n = label, n+1
			}
		}
		return only, n
	}
	if only, n := match(func(l string) bool { return l == said }); n == 1 {
		return only, true, nil
	} else if n > 1 {
		return "", false, twice
	}
	if !negatives[said] {
		only, n := match(func(l string) bool { return begins(l, said) })
		if n == 1 {
			return only, true, nil
		} else if n > 1 {
			return "", false, twice
		}
	}
	return leading(text, labels)
}

// begins reports whether a label begins with what was said, up to a word's end, or by three letters
// or more.
func begins(label, said string) bool {
	rest, ok := strings.CutPrefix(label, said)
	if !ok || rest == "" {
		return ok
	}
	next, _ := firstRune(rest)
	if !unicode.IsLetter(next) && !unicode.IsDigit(next) && next != '.' && next != '+' {
		return true
	}
	letters := 0
	for _, r := range said {
		if !unicode.IsLetter(r) && r != ' ' {
			return false
		}
		letters++
	}
	return letters >= 3
}

func firstRune(text string) (rune, int) {
	for _, r := range text {
		return r, len(string(r))
	}
	return 0, 0
}

// behind is what sets an explanation off from the label before it.
var behind = regexp.MustCompile(`^\s*(?:$|[:;(–—]|-\s|\.\s|[\r\n])`)

// leading finds a label that an explanation follows, provided that the explanation names no other
// one.
func leading(text string, labels []string) (string, bool, error) {
	low := strings.ToLower(strings.TrimLeft(text, " \t\r\n\"'`“‘*_[(<"))
	best, rest := "", ""
	for _, label := range labels {
		l := strings.ToLower(strings.TrimSpace(label))
		after, ok := strings.CutPrefix(low, l)
		after = strings.TrimLeft(after, "\"'`”’*_])>")
		if ok && l != "" && len(l) > len(best) && behind.MatchString(after) {
			best, rest = label, after
		}
	}
	if best == "" {
		return "", false, nil
	}
	words := " " + strings.Join(strings.FieldsFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%'
	}), " ") + " "
	for _, label := range labels {
		other := fold(label)
		if label == best || len(other) < 2 || strings.Contains(fold(best), other) {
			continue
		}
		if strings.Contains(words, " "+other+" ") {
			return "", false, fmt.Errorf("%q and %q are both named", best, label)
		}
	}
	return best, true, nil
}

// yesno are the words for a boolean. Words that praise or blame are none: whether "pass" is true
// depends on the question.
var yesno = map[string]bool{
	"true": true, "yes": true, "y": true, "t": true, "not false": true,
	"false": false, "no": false, "n": false, "f": false, "not true": false, "untrue": false,
}

var (
	yesnoFirst = regexp.MustCompile(`(?i)^["'*_\s]*(true|yes|false|no)["'*_]*\s*(?:[,:;(–—]|-\s|\.\s|[\r\n])(.*)$`)
	anyTrue    = regexp.MustCompile(`(?i)\b(true|yes)\b`)
	anyFalse   = regexp.MustCompile(`(?i)\b(false)\b`)
)

// readBool reads a boolean in words, alone or with an explanation behind it that does not take it
// back.
func readBool(text string) (value, ok bool) {
	if v, ok := yesno[fold(text)]; ok {
		return v, true
	}
	m := yesnoFirst.FindStringSubmatch(strings.ReplaceAll(text, "\n", " "))
	if m == nil {
		return false, false
	}
	v := yesno[strings.ToLower(m[1])]
	if v && anyFalse.MatchString(m[2]) || !v && anyTrue.MatchString(m[2]) {
		return false, false
	}
	return v, true
}

var numerals = map[string]string{
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13",
	"fourteen": "14", "fifteen": "15", "sixteen": "16", "seventeen": "17", "eighteen": "18",
	"nineteen": "19", "twenty": "20",
}

const numeral = `[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|zero|one|two|three|four|five|six|seven|eight|nine|ten|` +
	`eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty`

var (
	numberSaid = regexp.MustCompile(`(?is)^(` + numeral + `)(\s*%)?(?:\s*(?:/|out\s+of|of)\s*(` + numeral + `))?\b%?(?:$|\s*(?:[:;,(–—]|-\s|\.\s|[\r\n]|points?\b|stars?\b)(.*)$)`)
	numberWord = regexp.MustCompile(`(?i)\d|½|¼|¾|\b(?:` + numeral[strings.Index(numeral, "zero"):] + `|half)\b`)
	// behind a number, what makes it a range or takes it back
	another     = regexp.MustCompile(`(?i)^\W*\d|\b(?:or|maybe|perhaps|rather|but|no)\b\W*(?:an?\W*)?(?:` + numeral + `)\b`)
	numberAlone = regexp.MustCompile(`(?i)^(?:` + numeral + `)$`)
	outOf       = regexp.MustCompile(`(?i)^\s*(?:out\s+)?of\s+(` + numeral + `)\s*\)?\s*$`)
	decimal     = regexp.MustCompile(`^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?$`)
)

// readNumber reads a number: as such, in words, or as a share of the highest of the scale. A share
// of another scale is refused, since it would have to be converted.
func readNumber(n *node, p part, whole bool) (json.Number, error) {
	if n.kind == 't' || n.kind == 'f' {
		return "", fmt.Errorf("%s is no number", show(n))
	}
	text := tidy(n.text)
	m := numberSaid.FindStringSubmatch(text)
	if m == nil {
		if len(numberWord.FindAllString(text, 2)) > 1 {
			return "", fmt.Errorf("%s is more than one number", show(n))
		}
		return "", fmt.Errorf("%s is no number", show(n))
	}
	of, rest := m[3], m[4]
	if share := outOf.FindStringSubmatch(rest); share != nil && of == "" {
		of, rest = share[1], ""
	}
	if another.MatchString(rest) || numberAlone.MatchString(tidy(rest)) {
		return "", fmt.Errorf("%s is more than one number", show(n))
	}
	num, ok := number(spell(m[1]))
	if !ok {
		return "", fmt.Errorf("%s is no number that can be counted with", show(n))
	}
	value, _ := num.Float64()
	low, hasLow := p.bound("minimum")
	high, hasHigh := p.bound("maximum")
	if m[2] != "" && !(hasHigh && high == 100) {
		return "", fmt.Errorf("%s is a percentage, which was not asked for", show(n))
	}
	if of != "" {
		top, ok := number(spell(of))
		if !ok {
			return "", fmt.Errorf("%s is no number", show(n))
		}
		if t, _ := top.Float64(); hasHigh && t != high || t < value {
			return "", fmt.Errorf("%s is on another scale than the one that was offered", show(n))
		}
	}
	if hasLow && value < low || hasHigh && value > high {
		switch {
		case hasLow && hasHigh:
			return "", fmt.Errorf("%s is outside of %v to %v", show(n), low, high)
		case hasLow:
			return "", fmt.Errorf("%s is below %v", show(n), low)
		}
		return "", fmt.Errorf("%s is above %v", show(n), high)
	}
	if whole && value != math.Trunc(value) {
		return "", fmt.Errorf("%s is no whole number", show(n))
	}
	return num, nil
}

func spell(text string) string {
	if digits, ok := numerals[strings.ToLower(text)]; ok {
		return digits
	}
	return strings.ReplaceAll(text, "_", "")
}

// number makes a JSON number of a decimal; whole numbers are written without a fraction, so that they
// decode into integers. What is not finite is no number.
func number(text string) (json.Number, bool) {
	text = strings.ReplaceAll(text, "_", "")
	if len(text) > 64 || !decimal.MatchString(text) {
		return "", false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsInf(f, 0) {
		return "", false
	}
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return json.Number(strconv.FormatInt(int64(f), 10)), true
	}
	if json.Valid([]byte(text)) {
		return json.Number(text), true
	}
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64)), true
}
