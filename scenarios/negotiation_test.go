package scenarios_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"parley/scenarios"
)

const goodBargain = `
id: boat
title: The Boat
premise: A boat.
unit: coins
seller: {brief: Sell., limit: 80}
buyer: {brief: Buy., limit: 140}
`

func TestBargainIsChecked(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"", "", ""},
		{"unit: coins", "unit: ''", "unit: missing"},
		{"Sell.", "''", "seller.brief: missing"},
		{"limit: 80", "limit: 0", "seller.limit: missing or below 1"},
		{"limit: 140", "limit: 80", "buyer.limit: missing, or not above the seller's limit of 80"},
		{"limit: 140", "limit: many", "buyer.limit"},
		{"limit: 140", "limt: 140", "limt"},
	} {
		_, err := scenarios.Negotiation.Read(strings.NewReader(strings.Replace(goodBargain, test.old, test.new, 1)), "f.yaml")
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: %v", test.new, test.old, err)
		}
	}
	b := scenarios.Bargain{ID: "boat", Premise: "A boat for 80 coins.", Seller: scenarios.Side{Limit: 80}}
	if err := b.Review(); err == nil || !strings.Contains(err.Error(), "names the limit 80") {
		t.Errorf("a premise with a limit: %v", err)
	}
}

// Each side is told its own limit and not the other's, and each seat sells about every other time.
func TestSidesKeepTheirLimits(t *testing.T) {
	sells, all := 0, 0
	for _, piece := range scenarios.Negotiation.Library() {
		b := piece.(*scenarios.Bargain)
		if err := b.Review(); err != nil {
			t.Error(err)
		}
		for seed := range uint64(50) {
			s := b.Scenario(cast(2), rand.New(rand.NewPCG(seed, 0)))
			var terms scenarios.Terms
			if err := s.Decode(&terms); err != nil {
				t.Fatal(err)
			}
			if terms.Seller == s.Cast[0].ID {
				sells++
			}
			all++
			for id, brief := range s.Briefs {
				own, other, seller := terms.Most, terms.Least, false
				if id == terms.Seller {
					own, other, seller = terms.Least, terms.Most, true
				}
				if isSeller, limit, ok := scenarios.ReadLimit(brief); !ok || isSeller != seller || limit != own {
					t.Errorf("%s: %s reads as seller %t with limit %d", b.ID, brief, isSeller, limit)
				}
				if strings.Contains(brief+s.Premise, strconv.Itoa(other)) || strings.Contains(s.Premise, strconv.Itoa(own)) {
					t.Errorf("%s: a limit is given away: %s %s", b.ID, s.Premise, brief)
				}
			}
		}
	}
	if sells < all*2/5 || sells > all*3/5 {
		t.Errorf("the player sells in %d of %d", sells, all)
	}
}

func TestReadDeal(t *testing.T) {
	for _, test := range []struct {
		speech   string
		price    int
		said, ok bool
	}{
		{"What do you say? DEAL: 95.", 95, true, true},
		{"DEAL:95", 95, true, true},
		{"DEAL: 95! I said DEAL: 95", 95, true, true},
		{"**DEAL: 0**", 0, true, true},
		{"No deal: 95 is too much.", 0, false, false},
		{"IDEAL: 95", 0, false, false},
		{"DEAL: 95.5", 0, true, false},
		{"DEAL: 1,100", 0, true, false},
		{"DEAL: -5", 0, true, false},
		{"DEAL: ninety", 0, true, false},
		{"DEAL:", 0, true, false},
		{"DEAL: 99999999999999999999", 0, true, false},
		{"DEAL: 95 or DEAL: 96", 0, true, false},
	} {
		if price, said, ok := scenarios.ReadDeal(test.speech); price != test.price || said != test.said || ok != test.ok {
			t.Errorf("%q: %d, %t, %t", test.speech, price, said, ok)
		}
	}
}
