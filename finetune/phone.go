package finetune

import (
	"regexp"
	"strings"
)

// callers are words after which a row of digits is a phone number; after hints it is one if it is
// written in groups or long.
var (
	callers = strings.Fields("phone telephone tel mobile cell cellphone whatsapp fax handy telefon mobil sms hotline dial")
	hints   = strings.Fields("call text ring number contact reach nummer")
)

// The spellings of phone numbers, which have to fit as a whole, and the most and the fewest digits of each.
var spellings = []struct {
	written     *regexp.Regexp
	least, most int
}{
	{regexp.MustCompile(`^\+[1-9]\d{0,4}(?:[ ./-]?(?:\(\d+\)|\d+))*[ ./-]?\d{2,}$`), 8, 15},                         // +49 30 1234567, +1 (415) 555-2671
	{regexp.MustCompile(`^(?:1[-.])?\d{3}([-.])\d{3}[-.]\d{4}$|^(?:1[-. ])?\(\d{3}\)[ -]?\d{3}[-.]\d{4}$`), 10, 11}, // 415-555-2671, (415) 555-2671
	{regexp.MustCompile(`^00[1-9]\d{0,2}(?:[ ./-]\d+)*[ ./-]\d{3,}(?:[ ./-]\d+)*$`), 10, 15},                        // 0049 30 1234567
	{regexp.MustCompile(`^0[1-9](?:( \d\d){4}|(\.\d\d){4}|(-\d\d){4})$`), 10, 10},                                   // 06 12 34 56 78
	{regexp.MustCompile(`^(?:0[1-9]\d{1,4}|\(0[1-9]\d{1,4}\))[ /-]?\d{2,}(?:[ /-]\d{2,}){0,3}$`), 9, 12},            // 030 12345678, 0171/1234567
}

var (
	row        = regexp.MustCompile(`^\+?(?:\(\d+\)|\d+)(?:[ ./-]?(?:\(\d+\)|\d+)){0,7}`)
	digitsOnly = regexp.MustCompile(`\D`)
	date       = regexp.MustCompile(`^(?:\d{4}[ ./-]\d{1,2}[ ./-]\d{1,2}|\d{1,2}[ ./-]\d{1,2}[ ./-]\d{4})(?:\D|$)`)
)

// enough reports at a glance whether there are the digits of a phone number. Most numbers have fewer.
func (s *scrubber) enough() bool {
	digits := 0
	for i := s.at; i < len(s.text) && digits < 7; i++ {
		if c := s.text[i]; digit(c) {
			digits++
		} else if strings.IndexByte(" -./()+", c) < 0 {
			return false
		}
	}
	return digits == 7
}

// phone finds a phone number in one of the spellings, or, after a word such as "phone", any row of 7 to
// 15 digits. A number may be followed by one that has nothing to do with it: groups are left out from
// the end while a space is before them.
func (s *scrubber) phone() bool {
	if s.at > s.done && strings.IndexByte("./-$#,", s.text[s.at-1]) >= 0 && !s.after(callers) {
		return false
	}
	text := row.FindString(s.text[s.at:])
	for ; text != ""; text = text[:max(0, strings.LastIndexByte(text, ' '))] {
		digits := len(digitsOnly.ReplaceAllString(text, ""))
		if digits < 7 {
			return false
		}
		if digits > 15 || s.goesOn(s.at+len(text), "-.,:/") || date.MatchString(text) {
			continue
		}
		grouped := strings.ContainsAny(text, " ./-()")
		if s.after(callers) || (grouped || digits >= 10) && s.after(hints) {
			return s.piece(noPhone, s.at, s.at+len(text))
		}
		for _, k := range spellings {
			if k.least <= digits && digits <= k.most && (grouped || text[0] == '+') && k.written.MatchString(text) {
				return s.piece(noPhone, s.at, s.at+len(text))
			}
		}
	}
	return false
}
