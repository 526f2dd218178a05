package finetune_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"parley/finetune"
)

const (
	jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n-----END RSA PRIVATE KEY-----"
)

func TestScrub(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Write to orla.venn+game@mail.example.com.", "Write to [email]."},
		{"<a_b@x.io>, c@d-e.co.uk; jörg@müller.de", "<[email]>, [email]; [email]"},
		{"mailto:x@y.org?subject=hi", "mailto:[email]?subject=hi"},

		{"Call +49 30 1234567 now", "Call [phone] now"},
		{"+1 (415) 555-2671, or +14155552671", "[phone], or [phone]"},
		{"(415) 555-2671 or 415-555-2671 or 415.555.2671", "[phone] or [phone] or [phone]"},
		{"1-800-555-0199 is free", "[phone] is free"},
		{"030 12345678, 0171/1234567, 020 7946 0958", "[phone], [phone], [phone]"},
		{"06 12 34 56 78", "[phone]"},
		{"(555) 123-4567 or 555-123-4567", "[phone] or [phone]"},
		{"0049 30 1234567 and +442079460958", "[phone] and [phone]"},
		{"my number is 4155552671", "my number is [phone]"},
		{"my number is 555 1234", "my number is [phone]"},
		{"Phone: 5551234567", "Phone: [phone]"},
		{"415-555-2671 20 gold", "[phone] 20 gold"},

		{"The server is 8.8.8.8, or 203.0.113.7:8080.", "The server is [ip], or [ip]:8080."},
		{"http://93.184.216.34/x", "http://[ip]/x"},
		{"2001:4860:4860::8888 and [2606:4700::1111]:443", "[ip] and [[ip]]:443"},

		{"sk-proj-abcdEFGH1234ijklMNOP5678", "[key]"},
		{"sk-abc123def456ghi789", "[key]"},
		{"key sk-abcdefghij0123456789ABCD.", "key [key]."},
		{"AKIAIOSFODNN7EXAMPLE", "[key]"},
		{"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[key]"},
		{"github_pat_11ABCDEFG0abcdefghij_KLMNOP", "[key]"},
		{"xoxb-123456789012-abcdefABCDEF", "[key]"},
		{"AIzaSyA1234567890abcdefghijklmnopqrstuv", "[key]"},
		{"hf_abcdefghijklmnopqrstuvwxyz0123456789", "[key]"},
		{"token " + jwt + "!", "token [key]!"},
		{"Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [key]"},
		{"x " + pem + " y", "x [key] y"},
		{"api_key = \"0123456789abcdef0123\"", "api_key = \"[key]\""},
		{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=[key]"},
	}
	for _, test := range tests {
		var n finetune.Scrubs
		if got := finetune.Scrub(test.text, &n); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
		if n.Total() != strings.Count(test.want, "[email]")+strings.Count(test.want, "[phone]")+strings.Count(test.want, "[ip]")+strings.Count(test.want, "[key]") {
			t.Errorf("%q: counted %+v", test.text, n)
		}
	}
}

func TestScrubLeavesPlay(t *testing.T) {
	for _, text := range []string{
		"Dexterity 15 (+2), Passive Perception 14, HP 27/27, AC 16.",
		"I roll 2d6+3, then 10d10+120 and 1d20 + 7: 4 5 6 7 8 9 10 11 12.",
		"On 2024-01-02, 01.02.2024 and 3/4/1999 at 12:30:45 or 2024-01-02 10:30:00.",
		"Our server stands at 10.0.0.1, 192.168.0.17, 172.16.4.4, 127.0.0.1 and 169.254.1.1.",
		"version 1.2.3.4 of v2.0.0.1, chapter 1.4.2.3, and 999.1.1.1",
		"It costs 1,000,000 gold, or 1 000 000, or 300 400 5000.",
		"Initiative: 20 18 17 15 12 9 4. Speed 30/60/120/240.",
		"@Orla, meet me @dusk; user@host is no address, and a@b neither.",
		"The year 1372 DR, page 123-456, 100-200-300 steps.",
		"The password is swordfish. Key: brass. Token: a coin of silver.",
		"sk-sk-sk, the snake said; Bearer of bad news; ghp_ is a word; AKIA is not.",
		"::1 fe80::1 add::bee std::cout 12:34:56", "-----BEGIN----- ----- --", "STR 18 DEX 14 CON 16 INT 8 WIS 12 CHA 10",
		"Room 0815 has 007 written on it", "1 2 3 4 5 6 7 8 9 10", "10 000 000 orcs", "the d20s: 20, 1, 1, 20", "555-1234567890123456", "ISBN 978-3-16-148410-0",
	} {
		var n finetune.Scrubs
		if got := finetune.Scrub(text, &n); got != text || n.Total() != 0 {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func FuzzScrub(f *testing.F) {
	for _, text := range []string{"a@b.co", "+49 30 1234567", "(415) 555-2671", "8.8.8.8", "2001:4860::1", "sk-abcdefghij0123456789", jwt, pem, "key=abcdefgh12345678", "Bearer abcdef0123456789", "x\xff@y.zz", "1-2-3 (4"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var n, again finetune.Scrubs
		got := finetune.Scrub(text, &n)
		if (n.Total() == 0) != (got == text) {
			t.Fatalf("%q becomes %q, and %d pieces are counted", text, got, n.Total())
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, which is not UTF-8", text, got)
		}
		if twice := finetune.Scrub(got, &again); twice != got {
			t.Errorf("%q becomes %q, and that becomes %q", text, got, twice)
		}
	})
}

func BenchmarkScrub(b *testing.B) {
	text := strings.Repeat("Orla: I roll 2d6+3 and sneak past the guard, who has 15 hit points. ", 40)
	b.SetBytes(int64(len(text)))
	var n finetune.Scrubs
	for b.Loop() {
		finetune.Scrub(text, &n)
	}
}
