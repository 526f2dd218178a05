package finetune

import (
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Scrubs are how many pieces of personal data were taken out.
type Scrubs struct {
	Email int `json:"email"`
	Phone int `json:"phone"`
	IP    int `json:"ip"`
	Key   int `json:"key"`
}

func (s *Scrubs) add(o Scrubs) {
	s.Email, s.Phone, s.IP, s.Key = s.Email+o.Email, s.Phone+o.Phone, s.IP+o.IP, s.Key+o.Key
}

// Total is the number of all pieces.
func (s Scrubs) Total() int { return s.Email + s.Phone + s.IP + s.Key }

// What stands for a piece that was taken out. None of them is a piece itself.
const (
	noEmail = "[email]"
	noPhone = "[phone]"
	noIP    = "[ip]"
	noKey   = "[key]"
)

// Scrub takes out of a text what nobody should learn, and counts it: e-mail addresses; phone numbers
// in their international and national spellings; public IP addresses (those of private networks
// stay); keys, tokens and PEM blocks in the known spellings. What only may be one is left: a row of
// numbers is a phone number only if it is written like one or a word before it says so, as play is
// full of numbers.
func Scrub(text string, counts *Scrubs) string {
	s := scrubber{text: text}
	var out strings.Builder
	for s.next() {
		out.WriteString(text[s.done:s.from])
		switch s.kind {
		case noEmail:
			counts.Email++
		case noPhone:
			counts.Phone++
		case noIP:
			counts.IP++
		case noKey:
			counts.Key++
		}
		out.WriteString(s.kind)
		s.at, s.done = s.to, s.to
	}
	if s.done == 0 {
		return text
	}
	out.WriteString(text[s.done:])
	return out.String()
}

// scrubber looks for pieces in a text from its start to its end.
type scrubber struct {
	text     string
	at       int
	done     int // end of the last piece
	from, to int // of the piece that was found
	kind     string
}

// triggers are the bytes at which a look is worth it.
var triggers = func() (t [256]bool) {
	for _, c := range "@=:-(+0123456789" {
		t[c] = true
	}
	for c, list := range keysBy {
		t[c] = t[c] || len(list) > 0
	}
	return t
}()

// next finds the next piece.
func (s *scrubber) next() bool {
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		if !triggers[c] {
			continue
		}
		found := false
		switch {
		case c == '@':
			found = s.email()
		case c == '=' || c == ':':
			found = s.assigned()
		case c == '-':
			found = s.pem()
		case c == '(' || c == '+' || '0' <= c && c <= '9':
			if found = !s.glued() && (s.address() || s.phone()); !found {
				for s.at+1 < len(s.text) && digit(s.text[s.at+1]) { // no number starts within another
					s.at++
				}
			}
		default:
			found = !s.glued() && s.key()
		}
		if found {
			return true
		}
	}
	return false
}

func (s *scrubber) piece(kind string, from, to int) bool {
	s.kind, s.from, s.to = kind, from, to
	return true
}

// glued says whether a letter or a digit stands right before the place.
func (s *scrubber) glued() bool { return s.at > s.done && alnum(s.text[s.at-1]) }

func digit(c byte) bool { return '0' <= c && c <= '9' }
func alnum(c byte) bool {
	return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

// email finds an address around an @.
func (s *scrubber) email() bool {
	from := s.at
	for from > s.done && s.at-from < 64 {
		r, size := utf8.DecodeLastRuneInString(s.text[s.done:from])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._%+-", r) {
			break
		}
		from -= size
	}
	for from < s.at && strings.IndexByte("._%+-", s.text[from]) >= 0 {
		from++
	}
	if from == s.at || s.text[s.at-1] == '.' {
		return false
	}
	to, label, labels, last := s.at+1, s.at+1, 0, 0
	for i := s.at + 1; ; {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-') {
			i += size
			continue
		}
		name := strings.TrimRight(s.text[label:i], "-")
		if name == "" || name[0] == '-' {
			break
		}
		labels++
		if letters(name) {
			to, last = label+len(name), labels
		}
		if r != '.' || name != s.text[label:i] {
			break
		}
		i++
		label = i
	}
	return last >= 2 && s.piece(noEmail, from, to)
}

// letters says whether a name is fit for a top domain.
func letters(name string) bool {
	n := 0
	for _, r := range name {
		if !unicode.IsLetter(r) {
			return strings.HasPrefix(name, "xn--")
		}
		n++
	}
	return n >= 2
}

// address finds an IP address. Only the unicast space of version 6, 2000::/3, is public; so nothing
// that is a word or a time of day can be one.
func (s *scrubber) address() bool {
	rest := s.text[s.at:]
	end, dots, colons := 0, 0, 0
scan:
	for end < len(rest) && end < 46 {
		switch c := rest[end]; {
		case digit(c), 'a' <= c && c <= 'f', 'A' <= c && c <= 'F':
		case c == '.':
			dots++
		case c == ':':
			colons++
		default:
			break scan
		}
		end++
	}
	if dots < 3 && colons < 2 {
		return false
	}
	if colons >= 2 {
		if end < len(rest) && alnum(rest[end]) {
			return false
		}
		name := strings.TrimRight(rest[:end], ".")
		if strings.HasSuffix(name, ":") && !strings.HasSuffix(name, "::") {
			name = name[:len(name)-1]
		}
		ip, err := netip.ParseAddr(name)
		if err != nil || ip.As16()[0]>>5 != 1 {
			return false
		}
		return s.piece(noIP, s.at, s.at+len(name))
	}
	if s.at > s.done && s.text[s.at-1] == '.' {
		return false
	}
	stop, seen := 0, 0
	for stop < len(rest) && (digit(rest[stop]) || rest[stop] == '.' && seen < 3) {
		if rest[stop] == '.' {
			seen++
		}
		stop++
	}
	if stop < len(rest) && alnum(rest[stop]) || stop+1 < len(rest) && rest[stop] == '.' && digit(rest[stop+1]) {
		return false
	}
	ip, err := netip.ParseAddr(rest[:stop])
	if err != nil || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() ||
		carrier.Contains(ip) || ip.As4()[0] == 0 || ip.As4()[0] >= 240 || s.after(versions) {
		return false
	}
	return s.piece(noIP, s.at, s.at+stop)
}

// carrier is the space that providers share behind their own translation (RFC 6598).
var carrier = netip.MustParsePrefix("100.64.0.0/10")

var versions = []string{"version", "firmware", "build", "release", "revision", "update", "patch", "section", "chapter", "rule", "ver", "edition"}

// after says whether one of the words, all of lower-case letters, is the last one before the place,
// but for marks and one small word.
func (s *scrubber) after(words []string) bool {
	before := s.text[max(s.done, s.at-40):s.at]
	for range 3 {
		before = strings.TrimRight(before, " \t\n\"'.:#*=-([")
		i := len(before)
		for i > 0 && alnum(before[i-1]) {
			i--
		}
		word := before[i:]
		for _, w := range words {
			if len(w) == len(word) && strings.EqualFold(w, word) {
				return true
			}
		}
		if before = before[:i]; word == "" || len(word) > 6 {
			return false
		}
	}
	return false
}
