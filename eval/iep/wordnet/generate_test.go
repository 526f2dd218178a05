package wordnet_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kljensen/snowball/english"
)

var (
	from   = flag.String("wordnet", "/usr/share/wordnet", "where Debian's wordnet-base keeps the WordNet 3.0 database")
	update = flag.Bool("update", false, "write wordnet.gz anew")
)

// The extract is what is made here of Debian's wordnet-base: single words and verbs with a particle, in
// their more frequent senses, reduced to stems. See package wordnet for the form.
//
//	apt-get download wordnet-base && dpkg-deb -x wordnet-base_*.deb /tmp/wn
//	go test ./eval/iep/wordnet -run Extract -wordnet /tmp/wn/usr/share/wordnet [-update]
func TestExtract(t *testing.T) {
	if _, err := os.Stat(filepath.Join(*from, "data.noun")); err != nil {
		t.Skip("there is no WordNet database: ", err)
	}
	text := extract()
	if *update {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		check(err)
		_, err = z.Write(text)
		check(err)
		check(z.Close())
		check(os.WriteFile("wordnet.gz", b.Bytes(), 0o644))
	}
	f, err := os.Open("wordnet.gz")
	check(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	check(err)
	var b bytes.Buffer
	_, err = b.ReadFrom(z)
	check(err)
	if !bytes.Equal(b.Bytes(), text) {
		t.Error("wordnet.gz is not what the database makes")
	}
}

// maxSense is the last sense of a word that is kept: with the rarer ones, too much means the same.
const maxSense = 6

// maxChildren is the most hyponyms by which a synset tells that they exclude each other.
const maxChildren = 60

var files = map[string]string{"n": "noun", "v": "verb", "a": "adj", "r": "adv"}

type pointer struct {
	symbol, to string
	from, at   int // words, from 1; 0: the synsets
}

type synset struct {
	lemmas   []string // as in the database
	pointers []pointer
	kept     []string // stem:sense
	number   int
}

// extract reads the database and writes the extract.
func extract() []byte {
	senses := map[string]int{} // synset and lemma -> number of the sense
	sets, order := map[string]*synset{}, []string{}
	for pos, name := range files {
		for _, f := range lines(filepath.Join(*from, "index."+name)) {
			n, _ := strconv.Atoi(f[2])
			for i, offset := range f[len(f)-n:] {
				senses[pos+offset+" "+f[0]] = i + 1
			}
		}
	}
	for _, pos := range slices.Sorted(maps.Keys(files)) {
		for _, f := range lines(filepath.Join(*from, "data."+files[pos])) {
			s := read(f)
			for _, l := range s.lemmas {
				if n := senses[pos+f[0]+" "+strings.ToLower(l)]; n > 0 && n <= maxSense {
					if w := stem(l, pos); w != "" && !slices.ContainsFunc(s.kept, func(k string) bool { return strings.HasPrefix(k, w+":") }) {
						s.kept = append(s.kept, w+":"+strconv.Itoa(n))
					}
				}
			}
			sets[pos+f[0]] = s
			order = append(order, pos+f[0])
		}
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	write(w, sets, order)
	check(w.Flush())
	return b.Bytes()
}

// lines returns the fields of the lines of a file that are no part of its licence.
func lines(path string) [][]string {
	f, err := os.Open(path)
	check(err)
	defer f.Close()
	var out [][]string
	for in := bufio.NewScanner(f); in.Scan(); {
		if !strings.HasPrefix(in.Text(), "  ") {
			text, _, _ := strings.Cut(in.Text(), " | ")
			out = append(out, strings.Fields(text))
		}
	}
	return out
}

// read reads a line of a data file (wndb(5WN)).
func read(f []string) *synset {
	s := &synset{}
	n, _ := strconv.ParseInt(f[3], 16, 32)
	for i := range int(n) {
		lemma, _, _ := strings.Cut(f[4+2*i], "(")
		s.lemmas = append(s.lemmas, lemma)
	}
	at := 4 + 2*int(n)
	many, _ := strconv.Atoi(f[at])
	for i := range many {
		p := f[at+1+4*i : at+5+4*i]
		from, _ := strconv.ParseInt(p[3][:2], 16, 32)
		to, _ := strconv.ParseInt(p[3][2:], 16, 32)
		s.pointers = append(s.pointers, pointer{p[0], strings.Replace(p[2], "s", "a", 1) + p[1], int(from), int(to)})
	}
	return s
}

// stem returns a word's stem; a verb with a particle keeps the particle. It is empty for names and for
// other terms of several words.
func stem(lemma, pos string) string {
	if lemma != strings.ToLower(lemma) || strings.ContainsAny(lemma, "'./0123456789") || len(lemma) < 2 {
		return ""
	}
	head, particle, two := strings.Cut(lemma, "_")
	if two && (pos != "v" || strings.Contains(particle, "_") || len(particle) > 5) {
		return ""
	}
	if head = english.Stem(head, false); two {
		head += "_" + particle
	}
	return head
}

func write(w *bufio.Writer, sets map[string]*synset, order []string) {
	for _, name := range []string{"noun", "verb", "adj"} {
		for _, f := range lines(filepath.Join(*from, name+".exc")) {
			if a, b := stem(f[0], "n"), stem(f[1], "n"); a != "" && b != "" && a != b {
				fmt.Fprintln(w, a, b)
			}
		}
	}
	fmt.Fprintln(w)
	used, children := map[string]bool{}, map[string]int{}
	for _, key := range order {
		if s := sets[key]; len(s.kept) > 0 {
			used[key] = true
			for _, p := range s.pointers {
				if p.symbol == "@" {
					used[p.to] = true
					children[p.to]++
				}
			}
		}
	}
	n := 0
	for _, key := range order {
		if used[key] {
			sets[key].number = n
			n++
		}
	}
	opposites := map[string]bool{}
	for _, key := range order {
		s := sets[key]
		if !used[key] {
			continue
		}
		fmt.Fprint(w, key[:1], strings.Join(s.kept, " "))
		for _, p := range s.pointers {
			switch {
			case !used[p.to]:
			case p.symbol == "@" && children[p.to] <= maxChildren:
				fmt.Fprintf(w, " @%d", sets[p.to].number-s.number)
			case p.symbol == "@":
				fmt.Fprintf(w, " ^%d", sets[p.to].number-s.number)
			case (p.symbol == "&" || p.symbol == ">" || p.symbol == "*" || p.symbol == "$") && p.from == 0:
				fmt.Fprintf(w, " &%d", sets[p.to].number-s.number)
			case p.symbol == "!":
				a, b := stem(s.lemmas[p.from-1], "n"), stem(sets[p.to].lemmas[p.at-1], "n")
				if a != "" && b != "" && a != b {
					opposites[min(a, b)+" "+max(a, b)] = true
				}
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	for _, pair := range slices.Sorted(maps.Keys(opposites)) {
		fmt.Fprintln(w, pair)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
