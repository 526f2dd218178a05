package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"parley/characters"
	"parley/characters/yamlfile"
)

// Negotiation is bargaining: a player and the NPC settle one number, the price of something, each with a private
// limit. Which of them sells is drawn.
var Negotiation = &Kind{
	Name: "negotiation", Title: "negotiation", Piece: "bargain", Pieces: "bargains",
	New:     func() Piece { return new(Bargain) },
	Scorers: []string{"bargain"},
	Players: 1, MaxPlayers: 1, Player: "reference:trader", NPC: "reference:trader",
}

// Bargain is a situation for a negotiation.
type Bargain struct {
	ID      string `yaml:"id" json:"id" doc:"required; lower-case letters, digits and single dashes"`
	Title   string `yaml:"title" json:"title" doc:"required"`
	Premise string `yaml:"premise" json:"premise" doc:"required; the situation, told to both; it names neither limit"`
	Unit    string `yaml:"unit" json:"unit" doc:"required; what the price is counted in, such as silver coins"`
	Seller  Side   `yaml:"seller" json:"seller" doc:"required; who takes no less than the limit"`
	Buyer   Side   `yaml:"buyer" json:"buyer" doc:"required; who pays no more than the limit"`
}

// Side is what one side of a bargain alone knows.
type Side struct {
	Brief string `yaml:"brief" json:"brief" doc:"required; told to this side, in the second person"`
	Limit int    `yaml:"limit" json:"limit" doc:"required; the worst price that this side may agree to, in whole units"`
}

// Terms are the data of the scenario of a negotiation: who is who, and both limits.
type Terms struct {
	Seller characters.ID `json:"seller"`
	Buyer  characters.ID `json:"buyer"`
	Least  int           `json:"least"` // the seller's limit
	Most   int           `json:"most"`  // the buyer's
	Unit   string        `json:"unit"`
}

// Head returns the bargain's title and how far its limits are apart.
func (b *Bargain) Head() Head {
	return Head{ID: b.ID, Title: b.Title, Count: b.Buyer.Limit - b.Seller.Limit, Parts: b.Unit + " between the limits"}
}

// Print writes the premise and both sides.
func (b *Bargain) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\nseller, at least %d %s: %s\nbuyer, at most %d %s: %s\n",
		b.Title, b.Premise, b.Seller.Limit, b.Unit, b.Seller.Brief, b.Buyer.Limit, b.Unit, b.Buyer.Brief)
}

// Problems returns everything that makes the bargain unfit to be played: something missing, or limits that leave
// nothing to be divided.
func (b *Bargain) Problems() []yamlfile.Problem {
	out := checkTexts(b.ID, [2]string{"title", b.Title}, [2]string{"premise", b.Premise}, [2]string{"unit", b.Unit},
		[2]string{"seller.brief", b.Seller.Brief}, [2]string{"buyer.brief", b.Buyer.Brief})
	switch {
	case b.Seller.Limit < 1:
		out = append(out, yamlfile.Problem{Path: "seller.limit", Text: "missing or below 1; write the least that the seller takes"})
	case b.Buyer.Limit <= b.Seller.Limit:
		out = append(out, yamlfile.Problem{Path: "buyer.limit", Text: fmt.Sprintf("missing, or not above the seller's limit of %d; write more", b.Seller.Limit)})
	}
	return out
}

// Review returns an error where the premise names a limit.
func (b *Bargain) Review() error {
	var out []yamlfile.Problem
	for _, number := range regexp.MustCompile(`\d+`).FindAllString(b.Premise, -1) {
		if n, err := strconv.Atoi(number); err == nil && (n == b.Seller.Limit || n == b.Buyer.Limit) {
			out = append(out, yamlfile.Problem{Path: "premise", Text: "names the limit " + number})
		}
	}
	return joined("bargain", b.ID, out)
}

// Scenario makes a negotiation between the first and the last of the cast. Which of them sells is drawn from r.
func (b *Bargain) Scenario(cast []*characters.Sheet, r *rand.Rand) *Scenario {
	s := &Scenario{Kind: Negotiation, ID: b.ID, Title: b.Title, Cast: cast, Briefs: map[characters.ID]string{}}
	if len(cast) < 2 {
		return s
	}
	seller, buyer := cast[0], cast[len(cast)-1]
	s.NPC = buyer.ID
	if r.IntN(2) == 0 {
		seller, buyer = buyer, seller
	}
	s.Premise = fmt.Sprintf("%s %s sells, %s buys; the price is counted in %s.", b.Premise, seller.Name, buyer.Name, b.Unit)
	s.Briefs[seller.ID] = b.Seller.told("seller", "least", "as much", b.Unit)
	s.Briefs[buyer.ID] = b.Buyer.told("buyer", "most", "as little", b.Unit)
	data, err := json.Marshal(Terms{Seller: seller.ID, Buyer: buyer.ID, Least: b.Seller.Limit, Most: b.Buyer.Limit, Unit: b.Unit})
	if err != nil {
		panic(err) // texts and numbers alone
	}
	s.Data = data
	return s
}

// told returns the private brief of a side. ReadLimit and ReadDeal read the forms that it states.
func (s Side) told(side, worst, aim, unit string) string {
	return fmt.Sprintf("%s You are the %s. The %s that you may agree to is %d %s; keep that number to yourself. "+
		"Get %s as you can. Whenever you name a price, put it into your words in exactly this form, with a whole number in digits in place of N: DEAL: N. "+
		"What you named last stays open. As soon as both of you have named the same number, the bargain is made; "+
		"from then on let your turns pass. Without a bargain both of you go home with nothing.", s.Brief, side, worst, s.Limit, unit, aim)
}

var (
	limitForm = regexp.MustCompile(`You are the (seller|buyer)\. The (?:least|most) that you may agree to is (\d+) `)
	dealForm  = regexp.MustCompile(`\bDEAL:[ \t]*(\S*)`)
)

// ReadLimit reads a side's private brief: whether it sells, and its limit. Ok is false for any other brief.
func ReadLimit(brief string) (sells bool, limit int, ok bool) {
	m := limitForm.FindStringSubmatch(brief)
	if m == nil {
		return false, 0, false
	}
	limit, err := strconv.Atoi(m[2])
	return m[1] == "seller", limit, err == nil
}

// ReadDeal reads the price that a speech names in the form DEAL: N, N a whole number from 0. Said is true where
// the form is begun at all; ok is false for no number, for one of another form and for several that differ.
func ReadDeal(speech string) (price int, said, ok bool) {
	for i, m := range dealForm.FindAllStringSubmatch(speech, -1) {
		n, err := strconv.ParseUint(strings.TrimRight(m[1], ".,;:!?*\"')"), 10, 31)
		if err != nil || i > 0 && int(n) != price {
			return 0, true, false
		}
		price, said, ok = int(n), true, true
	}
	return price, said, ok
}
