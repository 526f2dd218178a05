package ieg_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/eval/ieg"
)

// copied puts text of the test into the windows 7 and on, which are of three groups, different text into each.
func copied(s *ieg.Study, n int) {
	words := strings.Fields("we went on and then on for three miles down the old road to the sea and back over the hills again")
	s.RealTest[3].Lines[1].Text = strings.Join(words, " ")
	for i := range n {
		s.Generated[0].Interactions[7+i].Lines[1].Text = "Oh, " + strings.Join(words[i:i+12], " ")
	}
}

// Generated play that repeats text of the test is refused, with the windows.
func TestStudyRefusesCopies(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(*ieg.Study)
	}{
		{`clear repeats text of the real test or validation (12 words in a row): clear:7 repeats "we went on and on for three miles down the old road" of test:3`, func(s *ieg.Study) {
			s.RealTest[3].Lines[1].Text = "Then WE went on and on, for three miles; down the old road to 3 hills"
			s.Generated[0].Interactions[7].Lines[1].Text = "He says we went on and on for three miles down the old road."
		}},
		{"of test:3, clear:8 repeats", func(s *ieg.Study) { copied(s, 5) }}, // at most three are named
		{"and 2 more", func(s *ieg.Study) { copied(s, 5) }},
		{"and 1 more", func(s *ieg.Study) { copied(s, 4) }},
		{"clear:0 repeats", func(s *ieg.Study) { // copied into two groups, it is still a copy
			s.RealTest[3].Lines[1].Text = "we went on and on for three miles down the old road to the sea"
			for _, i := range []int{0, 5} {
				s.Generated[0].Interactions[i].Lines = append([]ieg.Line{s.RealTest[3].Lines[1]}, s.Generated[0].Interactions[i].Lines...)
			}
		}},
		{`clear:0 repeats "one on and on for three miles down the old road to"`, func(s *ieg.Study) { // half of it is a copy
			s.RealTest[3].Lines[1].Text = "one on and on for three miles down the old road to"
			for _, i := range []int{0, 5} {
				s.Generated[0].Interactions[i].Lines[1].Text = s.RealTest[3].Lines[1].Text + fmt.Sprint(" x", i)
			}
		}},
		{"clear:7 repeats", func(s *ieg.Study) {
			s.RealVal[3].Lines[1].Text = "and we went on and on for three miles down the old road"
			s.Generated[0].Interactions[7].Lines[1].Text = s.RealVal[3].Lines[1].Text
		}},
	} {
		s := study()
		test.change(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}

// What several groups of the test say, such as a greeting, is in common use; and so are scenes of the Dungeon Master.
func TestStudyAllowsCommonText(t *testing.T) {
	s := study()
	const greeting = "welcome all to another evening of our little game at the old table"
	for _, i := range []int{0, 20} {
		s.RealTest[i].Lines[1].Text = greeting
	}
	s.RealTest[40].Lines[0].Text = "a scene of at least a dozen words that is read out of a book"
	s.Generated[0].Interactions[3].Lines[1].Text = greeting
	s.Generated[0].Interactions[4].Lines[0].Text = s.RealTest[40].Lines[0].Text
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.RealTest[3].Lines[1].Text = "one on and on for three miles down the old road to"
	for _, i := range []int{0, 5} { // a third of it is copied, into several groups
		s.Generated[0].Interactions[i].Lines[1].Text = s.RealTest[3].Lines[1].Text + fmt.Sprint(" x y", i)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	copied(&s, 1)
	s.Generated[0].Interactions[7].Lines[1].Text = strings.ReplaceAll(s.Generated[0].Interactions[7].Lines[1].Text, "Oh, we", "Oh, they") // eleven words
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}
