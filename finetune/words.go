package finetune

import (
	"hash/fnv"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns a text in the form that exact duplicates are compared in: NFKC, lower case, one space
// for any white space between words and none around them.
func fold(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(text)), " "))
}

// word is a word of a text: its hash (FNV-1a of the lower-case letters, mixed), and where it is.
type word struct {
	hash     uint64
	from, to int
}

// FNV-1a's parameters.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// words yields the words of a text in the form NFKC: runs of letters, marks and digits, in which
// apostrophes do not count. In scripts without spaces between words each letter is a word.
func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		w := word{hash: hashStart, from: -1}
		end := func(at int) bool { // of a word, if one has begun
			found := w
			w = word{hash: hashStart, from: -1}
			return found.from < 0 || yield(word{mix(found.hash), found.from, at})
		}
		for i, r := range text {
			inside := w.from >= 0
			switch {
			case inside && (r == '\'' || r == '’'):
				continue
			case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
				if !end(i) {
					return
				}
				continue
			}
			alone := r >= utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
			if alone && !end(i) {
				return
			}
			if w.from < 0 {
				w.from = i
			}
			var buf [utf8.UTFMax]byte
			for _, c := range buf[:utf8.EncodeRune(buf[:], unicode.ToLower(r))] {
				w.hash = (w.hash ^ uint64(c)) * hashPrime
			}
			if alone && !end(i+utf8.RuneLen(r)) {
				return
			}
		}
		end(len(text))
	}
}

// mix spreads the bits of a hash (the finalizer of MurmurHash3).
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// grams returns the hashes of a text's runs of n words, and how many words it has.
func grams(text string, n int) (hashes []uint64, count int) {
	list := slices.Collect(words(norm.NFKC.String(text)))
	top := uint64(1) // weight of the word that leaves the run
	for range n {
		top *= hashPrime
	}
	var sum uint64
	for i, w := range list {
		sum = sum*hashPrime + w.hash
		if i >= n {
			sum -= list[i-n].hash * top
		}
		if i >= n-1 {
			hashes = append(hashes, mix(sum))
		}
	}
	return hashes, len(list)
}

// passage returns the run of n words of a text that has a hash, as it is written there.
func passage(text string, n int, hash uint64) string {
	text = norm.NFKC.String(text)
	list := slices.Collect(words(text))
	hashes, _ := grams(text, n)
	if i := slices.Index(hashes, hash); i >= 0 {
		return text[list[i].from:list[i+n-1].to]
	}
	return ""
}

// draw returns a number in [0, 1) that a seed and a name alone decide.
func draw(seed uint64, name string) float64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return float64(mix(mix(h.Sum64())^bits.RotateLeft64(mix(seed+0x9e3779b97f4a7c15), 17))>>11) / (1 << 53)
}
