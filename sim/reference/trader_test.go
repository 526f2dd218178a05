package reference_test

import (
	"fmt"
	"regexp"
	"testing"

	"parley/characters"
	"parley/scenarios"
	"parley/sim"
	"parley/sim/simtest"
)

// A trader opens at twice its limit or half of it, goes towards the limit by its share at each offer, rounds to its own
// advantage, and takes what is as good as what it would name next.
func TestTrader(t *testing.T) {
	type said struct {
		by    characters.ID
		price int
	}
	const seller, buyer = "You are the seller. The least that you may agree to is 101 gold.", "You are the buyer. The most that you may agree to is 101 gold."
	price := regexp.MustCompile(`DEAL: (\d+)$`)
	for _, test := range []struct {
		brief, yield string
		before       []said // a is the trader
		want         string // empty: it passes
		reason       string
	}{
		{seller, "0.5", nil, "202", "the opening of one who sells"},
		{seller, "0.5", []said{{"a", 202}}, "152", "101 + 101/2 = 151.5, rounded up"},
		{seller, "0.5", []said{{"a", 202}, {"b", 30}, {"a", 152}, {"b", 40}}, "127", "101 + 101/4 = 126.25"},
		{seller, "0.5", []said{{"a", 202}, {"b", 152}}, "152", "an offer that is as good as the next is taken"},
		{seller, "0.5", []said{{"a", 202}, {"b", 151}}, "152", "one below is not"},
		{seller, "0.5", []said{{"b", 300}}, "300", "a better offer than the opening"},
		{seller, "0.5", []said{{"a", 202}, {"b", 160}, {"a", 160}}, "", "a bargain is made"},
		{seller, "0.5", []said{{"a", 202}, {"b", 202}}, "", "the other takes the offer"},
		{seller, "0", []said{{"a", 202}, {"b", 150}}, "202", "it never yields"},
		{seller, "1", []said{{"a", 202}, {"b", 50}}, "101", "all of the way at once, and no further"},
		{seller, "", []said{{"a", 202}}, "182", "the usual fifth: 101 + 101 x 0.8 = 181.8"},
		{buyer, "0.5", nil, "50", "the opening of one who buys is half, rounded down"},
		{buyer, "0.5", []said{{"a", 50}, {"b", 300}}, "75", "101 - 50.5/2 = 75.75"},
		{buyer, "0.5", []said{{"a", 50}, {"b", 75}}, "75", "as good as the next"},
		{buyer, "0.5", []said{{"a", 50}, {"b", 76}}, "75", "one above is not"},
		{buyer, "0.5", []said{{"a", 50}, {"b", 60}, {"a", 60}}, "", "a bargain is made"},
		{buyer, "0.5", []said{{"b", 0}}, "0", "for nothing"},
		{buyer, "0.5", []said{{"b", 0}, {"a", 0}}, "", "a bargain for nothing is made"},
	} {
		if _, _, ok := scenarios.ReadLimit(test.brief); !ok {
			t.Fatalf("%q has no limit", test.brief)
		}
		options := []string{"yield", test.yield}
		if test.yield == "" {
			options = nil
		}
		v := sim.NewEpisode("s", 1, simtest.Exchange(2), 9).View("a", 1)
		v.Brief = test.brief
		for _, s := range test.before {
			v.Events = append(v.Events, &sim.Event{Kind: sim.KindAct, Actor: "b", Speech: "Hm."}, &sim.Event{Kind: sim.KindAct, Actor: s.by, Speech: fmt.Sprintf("DEAL: %d", s.price)})
		}
		d, err := open(t, "trader", options...).Act(t.Context(), v)
		got := ""
		if m := price.FindStringSubmatch(d.Speech); m != nil {
			got = m[1]
		}
		if err != nil || got != test.want || test.want == "" && d.Speech != "" {
			t.Errorf("%s after %v: %q, want %q: %s (%v)", test.brief, test.before, d.Speech, test.want, test.reason, err)
		}
	}
}
