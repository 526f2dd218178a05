package finetune

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold appends a text as exact duplicates are compared by: in the form NFKC, in lower case, with one
// space for any white space between words and none around them.
func fold(dst []byte, text string) []byte {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	space, start := false, len(dst)
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == ' ' || '\t' <= c && c <= '\r':
				space = true
				continue
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			}
			if space && len(dst) > start {
				dst = append(dst, ' ')
			}
			dst, space = append(dst, c), false
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if unicode.IsSpace(r) {
			space = true
			continue
		}
		if space && len(dst) > start {
			dst = append(dst, ' ')
		}
		dst, space = utf8.AppendRune(dst, unicode.ToLower(r)), false
	}
	return dst
}

// scanner reads the words of a text: runs of letters and digits in the form NFKC and in lower case,
// without apostrophes. Of scripts that put no space between words each letter is one.
type scanner struct {
	text  string
	at    int
	start int // of the last word, in text
}

func newScanner(text string) scanner {
	if !norm.NFKC.IsNormalString(text) {
		text = norm.NFKC.String(text)
	}
	return scanner{text: text}
}

// wordHash are the parameters of FNV-1a.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// next returns the hash of the next word; false at the end.
func (s *scanner) next() (hash uint64, ok bool) {
	hash = hashStart
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c < utf8.RuneSelf {
			switch {
			case 'A' <= c && c <= 'Z':
				c += 'a' - 'A'
			case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			case ok && c == '\'':
				s.at++
				continue
			default:
				if ok {
					return mix(hash), true
				}
				s.at++
				continue
			}
			if !ok {
				s.start, ok = s.at, true
			}
			hash = (hash ^ uint64(c)) * hashPrime
			s.at++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if ok && r == '’' {
			s.at += size
			continue
		}
		alone := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
		if ok && (alone || !inWord(r)) {
			return mix(hash), true
		}
		s.at += size
		if !inWord(r) {
			continue
		}
		if !ok {
			s.start, ok = s.at-size, true
		}
		var buf [utf8.UTFMax]byte
		for _, c := range buf[:utf8.EncodeRune(buf[:], unicode.ToLower(r))] {
			hash = (hash ^ uint64(c)) * hashPrime
		}
		if alone {
			return mix(hash), true
		}
	}
	return mix(hash), ok
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// mix spreads the bits of a hash.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// grams appends the hashes of a text's runs of n words, and returns how many words it has.
func grams(dst []uint64, text string, n int) (hashes []uint64, words int) {
	s := newScanner(text)
	window := make([]uint64, n) // the last n words, word i in i%n
	top := uint64(1)            // weight of the oldest
	for range n {
		top *= hashPrime
	}
	var sum uint64
	for {
		h, ok := s.next()
		if !ok {
			return dst, words
		}
		slot := &window[words%n]
		sum = sum*hashPrime + h - *slot*top
		*slot = h
		if words++; words >= n {
			dst = append(dst, mix(sum))
		}
	}
}

// passage returns the run of n words of a text that has a hash, as it is written there.
func passage(text string, n int, hash uint64) string {
	s := newScanner(text)
	window, starts := make([]uint64, n), make([]int, n)
	for words := 0; ; {
		h, ok := s.next()
		if !ok {
			return ""
		}
		window[words%n], starts[words%n] = h, s.start
		if words++; words < n {
			continue
		}
		var sum uint64
		for i := range n {
			sum = sum*hashPrime + window[(words+i)%n]
		}
		if mix(sum) == hash {
			return s.text[starts[words%n]:s.at]
		}
	}
}

// hashOf is the hash of a name: of a group, say.
func hashOf(name string) uint64 {
	h := uint64(hashStart)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * hashPrime
	}
	return mix(h)
}

// draw is a number in [0, 1) that a seed and a hash alone decide.
func draw(seed, hash uint64) float64 {
	return float64(mix(hash^bits.RotateLeft64(mix(seed+0x9e3779b97f4a7c15), 17))>>11) / (1 << 53)
}
