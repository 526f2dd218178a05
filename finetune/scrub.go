package finetune

import (
	"net/netip"
	"regexp"
	"slices"
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

// What replaces a piece that was taken out. None of them is a piece itself.
const (
	noEmail = "[email]"
	noPhone = "[phone]"
	noIP    = "[ip]"
	noKey   = "[key]"
)

// Scrub takes personal data out of a text, and counts it: e-mail addresses; phone numbers in their
// international and national spellings; public IP addresses (those of private networks stay); keys,
// tokens and PEM blocks in the known spellings. What only may be one is left: a row of numbers is a
// phone number only if it is written like one or a word before it says so, as play is full of numbers.
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

// next finds the next piece. A pattern is tried only at a byte that it can begin with.
func (s *scrubber) next() bool {
	for ; s.at < len(s.text); s.at++ {
		c := s.text[s.at]
		found := false
		switch {
		case c == '@':
			found = s.email()
		case c == '=' || c == ':':
			found = s.assigned()
		case c == '-':
			if match := pem.FindString(s.text[s.at:]); match != "" {
				found = s.piece(noKey, s.at, s.at+len(match))
			}
		case c == '(' || c == '+' || digit(c):
			if found = !s.glued() && (s.address() || s.enough() && s.phone()); !found {
				for s.at+1 < len(s.text) && digit(s.text[s.at+1]) { // no number starts within another
					s.at++
				}
			}
		case begins[c] != nil && !s.glued():
			rest := s.text[s.at:]
			found = slices.ContainsFunc(begins[c], func(k string) bool { return strings.HasPrefix(rest, k) }) && s.key()
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

// glued reports whether a letter or a digit is right before the place.
func (s *scrubber) glued() bool { return s.at > s.done && alnum(s.text[s.at-1]) }

func digit(c byte) bool { return '0' <= c && c <= '9' }
func alnum(c byte) bool {
	return digit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

var domain = regexp.MustCompile(`^@(?:[\p{L}\p{N}]|[\p{L}\p{N}][\p{L}\p{N}-]*[\p{L}\p{N}])(?:\.(?:[\p{L}\p{N}]|[\p{L}\p{N}][\p{L}\p{N}-]*[\p{L}\p{N}]))*\.(?:xn--[\p{L}\p{N}-]*[\p{L}\p{N}]|\p{L}{2,})`)

// email finds an address around an @.
func (s *scrubber) email() bool {
	before := s.text[max(s.done, s.at-64):s.at]
	local := before[1+strings.LastIndexFunc(before, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._%+-", r)
	}):]
	local = strings.TrimLeft(local, "._%+-")
	name := domain.FindString(s.text[s.at:])
	if local == "" || strings.HasSuffix(local, ".") || !utf8.ValidString(local) || name == "" {
		return false
	}
	return s.piece(noEmail, s.at-len(local), s.at+len(name))
}

// Secrets in their known spellings. Each has a digit in it.
var (
	pem     = regexp.MustCompile(`(?s)^-----BEGIN [^\r\n]{0,60}?-----(?:.*?-----END .*?-----|.*)`)
	spelled = regexp.MustCompile(`^(?:(?:sk-|sk_(?:live|test)_|[rp]k_live_|gh[pousr]_|github_pat_|glpat-|ya29\.|hf_|npm_|pypi-|nvapi-|gsk_|dckr_pat_)[\w+/=~.-]{16,}|` +
		`(?:xox[bpars]-|xapp-)[\w+/=~.-]{10,}|(?:AIza|SG\.)[\w+/=~.-]{30,}|eyJ[\w-]+\.[\w-]+\.[\w-]{4,}|A[KS]IA[0-9A-Z]{16}\b|[Bb]earer ([\w+/=~.-]{16,}))`)
	given = regexp.MustCompile(`^[:=][ "']{0,3}([\w+/=~.-]{16,})`)
	names = strings.Fields("key secret token password passwd pwd") // end the names of settings that hold one
)

// begins are the beginnings of the known spellings by their first byte: most words are none of them, at a
// glance.
var begins = func() (by [256][]string) {
	for _, k := range strings.Fields("sk- sk_ rk_ pk_ ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- ya29. hf_ npm_ pypi- nvapi- gsk_ dckr_pat_ xox xapp- AIza SG. eyJ AKIA ASIA Bearer bearer") {
		by[k[0]] = append(by[k[0]], k)
	}
	return by
}()

// key finds a secret in a known spelling.
func (s *scrubber) key() bool {
	at := spelled.FindStringSubmatchIndex(s.text[s.at:])
	if at == nil {
		return false
	}
	from := 0
	if at[2] >= 0 { // the word before it stays
		from = at[2]
	}
	return s.secret(s.at+from, s.at+at[1])
}

// secret is a piece if there is a digit in it, without the marks at its end.
func (s *scrubber) secret(from, to int) bool {
	text := strings.TrimRight(s.text[from:to], ".-")
	return strings.ContainsAny(text, "0123456789") && s.piece(noKey, from, from+len(text))
}

// assigned finds the secret that a setting is given, as in api_key="...": at least 16 characters with
// letters and digits among them.
func (s *scrubber) assigned() bool {
	before := strings.TrimRight(s.text[max(s.done, s.at-16):s.at], " \"'")
	if !slices.ContainsFunc(names, func(w string) bool {
		return len(before) >= len(w) && strings.EqualFold(before[len(before)-len(w):], w)
	}) {
		return false
	}
	at := given.FindStringSubmatchIndex(s.text[s.at:])
	if at == nil {
		return false
	}
	text := strings.TrimRight(s.text[s.at+at[2]:s.at+at[3]], ".-")
	if len(text) < 16 || strings.Trim(text, "0123456789._-+/=~") == "" {
		return false
	}
	return s.secret(s.at+at[2], s.at+at[3])
}

var (
	ip6 = regexp.MustCompile(`^[0-9a-fA-F]{1,4}:[0-9a-fA-F:.]{2,41}`)
	ip4 = regexp.MustCompile(`^\d{1,3}(?:\.\d{1,3}){3}`)
	// carrier is the space that providers share behind their own translation (RFC 6598).
	carrier  = netip.MustParsePrefix("100.64.0.0/10")
	versions = strings.Fields("version firmware build release revision update patch section chapter rule ver edition")
)

// address finds an IP address. Only the unicast space of version 6, 2000::/3, is public; so neither a
// word nor a time of day can be one.
func (s *scrubber) address() bool {
	rest := s.text[s.at:]
	short := rest[:min(len(rest), 46)]
	if strings.Count(short, ":") < 2 && strings.Count(short, ".") < 3 {
		return false
	}
	if name := ip6.FindString(rest); strings.Count(name, ":") >= 2 {
		return s.address6(name, rest[len(name):])
	}
	name := ip4.FindString(rest)
	ip, err := netip.ParseAddr(name)
	if err != nil || s.at > s.done && s.text[s.at-1] == '.' || s.goesOn(s.at+len(name), ".") {
		return false
	}
	first := ip.As4()[0]
	if ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || carrier.Contains(ip) || first == 0 || first >= 240 || s.after(versions) {
		return false
	}
	return s.piece(noIP, s.at, s.at+len(name))
}

// address6 finds an address of version 6 in a row of groups.
func (s *scrubber) address6(name, rest string) bool {
	if rest != "" && alnum(rest[0]) {
		return false
	}
	if name = strings.TrimRight(name, "."); !strings.HasSuffix(name, "::") {
		name = strings.TrimSuffix(name, ":")
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.As16()[0]>>5 == 1 && s.piece(noIP, s.at, s.at+len(name))
}

// goesOn reports whether a row of digits goes on at a place: with a letter or a digit, or with one of the
// marks and a digit.
func (s *scrubber) goesOn(at int, marks string) bool {
	rest := s.text[at:]
	return rest != "" && (alnum(rest[0]) || len(rest) > 1 && strings.IndexByte(marks, rest[0]) >= 0 && digit(rest[1]))
}

// after reports whether one of the words, all of lower-case letters, is the last one before the place,
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
			if strings.EqualFold(w, word) {
				return true
			}
		}
		if before = before[:i]; word == "" || len(word) > 6 {
			return false
		}
	}
	return false
}
