package finetune

import (
	"slices"
	"strings"
)

// key is a spelling of secrets: what they begin with and what follows at least.
type key struct {
	prefix string
	least  int
	upper  bool // only capitals and digits follow
}

var keys = []key{
	{prefix: "sk-", least: 16},
	{prefix: "sk_live_", least: 16}, {prefix: "sk_test_", least: 16}, {prefix: "rk_live_", least: 16}, {prefix: "pk_live_", least: 16},
	{prefix: "AKIA", least: 16, upper: true}, {prefix: "ASIA", least: 16, upper: true},
	{prefix: "ghp_", least: 16}, {prefix: "gho_", least: 16}, {prefix: "ghu_", least: 16}, {prefix: "ghs_", least: 16}, {prefix: "ghr_", least: 16},
	{prefix: "github_pat_", least: 16}, {prefix: "glpat-", least: 16},
	{prefix: "xoxb-", least: 10}, {prefix: "xoxp-", least: 10}, {prefix: "xoxa-", least: 10}, {prefix: "xoxr-", least: 10}, {prefix: "xoxs-", least: 10}, {prefix: "xapp-", least: 10},
	{prefix: "AIza", least: 30}, {prefix: "ya29.", least: 20},
	{prefix: "hf_", least: 16}, {prefix: "npm_", least: 20}, {prefix: "pypi-", least: 40}, {prefix: "nvapi-", least: 20}, {prefix: "gsk_", least: 16}, {prefix: "dckr_pat_", least: 20},
	{prefix: "SG.", least: 30}, {prefix: "eyJ", least: 20}, {prefix: "Bearer ", least: 16}, {prefix: "bearer ", least: 16},
}

// keysBy are the keys by their first byte.
var keysBy = func() (by [256][]*key) {
	for i := range keys {
		c := keys[i].prefix[0]
		by[c] = append(by[c], &keys[i])
	}
	return by
}()

// secret counts the bytes at the start of a text that a secret can consist of, without marks at its
// end, and says whether there are digits, and how many dots.
func secret(text string) (n int, digits bool, dots int) {
	for n < len(text) {
		c := text[n]
		if c == '.' {
			dots++
		} else if digit(c) {
			digits = true
		} else if c >= 0x80 || !alnum(c) && strings.IndexByte("_-+/=~", c) < 0 {
			break
		}
		n++
	}
	for n > 0 && (text[n-1] == '.' || text[n-1] == '-') {
		if n--; text[n] == '.' {
			dots--
		}
	}
	return n, digits, dots
}

// key finds a secret in a known spelling.
func (s *scrubber) key() bool {
	rest := s.text[s.at:]
	for _, k := range keysBy[rest[0]] {
		after, ok := strings.CutPrefix(rest, k.prefix)
		if !ok {
			continue
		}
		n, digits, dots := secret(after)
		switch {
		case k.upper:
			for n = 0; n < len(after) && (digit(after[n]) || 'A' <= after[n] && after[n] <= 'Z'); n++ {
			}
			digits = n == k.least && (n == len(after) || !alnum(after[n]))
		case k.prefix == "eyJ": // a JSON web token: header, claims, signature
			digits = dots >= 2
		case k.prefix == "Bearer " || k.prefix == "bearer ":
			if digits && n >= k.least {
				from := s.at + len(k.prefix)
				return s.piece(noKey, from, from+n)
			}
			continue
		}
		if digits && n >= k.least {
			return s.piece(noKey, s.at, s.at+len(k.prefix)+n)
		}
	}
	return false
}

// secrets end the names of settings that hold one, in lower case and without marks: so do api_key,
// client-secret and accessToken.
var secrets = []string{"key", "secret", "token", "password", "passwd", "pwd"}

// assigned finds the secret that a setting is given, as in api_key="...": at least 16 characters with
// letters and digits among them.
func (s *scrubber) assigned() bool {
	end := s.at
	for end > s.done && strings.IndexByte(" \"'", s.text[end-1]) >= 0 {
		end--
	}
	before := s.text[s.done:end]
	if !slices.ContainsFunc(secrets, func(w string) bool {
		return len(before) >= len(w) && strings.EqualFold(before[len(before)-len(w):], w)
	}) {
		return false
	}
	from := s.at + 1
	for from < len(s.text) && strings.IndexByte(" \"'", s.text[from]) >= 0 && from-s.at < 4 {
		from++
	}
	n, digits, _ := secret(s.text[from:])
	if !digits || n < 16 || strings.Trim(s.text[from:from+n], "0123456789._-+/=~") == "" {
		return false
	}
	return s.piece(noKey, from, from+n)
}

// pem finds a PEM block, to the end of the text if it has no end.
func (s *scrubber) pem() bool {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	rest := s.text[s.at:]
	after, ok := strings.CutPrefix(rest, begin)
	if !ok {
		return false
	}
	label := strings.Index(after, dashes)
	if label < 0 || label > 60 || strings.ContainsAny(after[:label], "\r\n") {
		return false
	}
	to := len(rest)
	if i := strings.Index(rest, end); i >= 0 {
		to = i + len(end)
		if j := strings.Index(rest[to:], dashes); j >= 0 {
			to += j + len(dashes)
		} else {
			to = len(rest)
		}
	}
	return s.piece(noKey, s.at, s.at+to)
}
