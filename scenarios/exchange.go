package scenarios

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"parley/characters"
)

// Exchange is information exchange: the players draw out what the NPC alone knows.
var Exchange = &Kind{
	Name: "exchange", Title: "information exchange", Piece: "knowledge", Pieces: "knowledge",
	New:     func() Piece { return new(Knowledge) },
	Words:   map[string][]string{"facts.aspect": texts(Aspects())},
	Scorers: []string{"iep"}, Controls: []string{ControlNoConversation, ControlTold},
	Players: 3, Player: "reference:diligent", NPC: "reference:npc",
	Generate: func(ctx context.Context, w characters.Writer, r *rand.Rand, topic string, taken []string) (Piece, error) {
		return WriteKnowledge(ctx, w, r, topic, taken)
	},
}

// Head returns the knowledge's title and how many facts it has.
func (k *Knowledge) Head() Head {
	return Head{ID: k.ID, Title: k.Title, Topic: k.Topic, Count: len(k.Facts), Parts: "facts"}
}

// Print writes the hook, the account and the facts with their aspects.
func (k *Knowledge) Print(w io.Writer) {
	fmt.Fprintf(w, "%s (%s)\n\n%s\n\n%s\n\n", k.Title, k.Topic, k.Hook, k.Text)
	for _, f := range k.Facts {
		fmt.Fprintf(w, "%-9s %s\n", f.Aspect, f.Text)
	}
}

// Scenario makes an information exchange. Nothing in it is drawn.
func (k *Knowledge) Scenario(cast []*characters.Sheet, _ *rand.Rand) *Scenario {
	return NewExchange(k, cast)
}

const nowhere = "Some people sit together."

// debrief is put to each player after the last turn, each question in two halves with the NPC's name
// between them. It names nothing that could be found out.
var debrief = [2][2]string{
	{"The conversation is over. What do you know now that you did not know before, because ", " told you or let you see it? " +
		"Give each separate point as a sentence of its own that makes sense to somebody who was absent. " +
		"Mention only what came up; if there was nothing, say that there was nothing."},
	{"And what did you learn from your companions that you had not heard from ", "? " +
		"Again, a separate sentence for each point, and if there was nothing, say that there was nothing."},
}

// NewExchange makes an information exchange of a piece of knowledge. The last of the cast is the NPC,
// who alone holds it. The same knowledge always meets at the same place, and the premise and the
// questions share no content word with the facts, apart from the title and the names of the cast.
func NewExchange(k *Knowledge, cast []*characters.Sheet) *Scenario {
	s := &Scenario{
		Kind: Exchange, ID: k.ID, Title: k.Title, Cast: cast, Knowledge: k,
		Briefs: make(map[characters.ID]string, len(cast)),
	}
	if len(cast) == 0 {
		return s
	}
	npc := cast[len(cast)-1]
	s.NPC = npc.ID
	s.Premise = meeting(k, cast)
	told := "You have heard of " + k.Title + ", though hardly anything about it. " + npc.Name + " is better informed. " +
		"Learn as much as you can, in detail: put precise questions, about one point each, listen, and inquire further. " +
		"Tell your companions whatever you learn, as everybody will be questioned separately when the conversation is over."
	for _, c := range cast[:len(cast)-1] {
		s.Briefs[c.ID] = told
	}
	s.Briefs[npc.ID] = "You alone know the truth about " + k.Title + ". This is what you know:\n" + k.account() +
		"\nYou are willing to share it with people who ask well. Answer what you are asked, truthfully and to the point, with the names and numbers; " +
		"give one or two pieces at a time instead of reciting the whole; leave small talk as small talk; and make nothing up beyond what stands here."
	s.Questions = make([]string, len(debrief))
	for i, q := range debrief {
		s.Questions[i] = q[0] + npc.Name + q[1]
	}
	return s
}

// account returns the NPC's account, or the facts where a user wrote none.
func (k *Knowledge) account() string {
	if k.Text != "" {
		return k.Text
	}
	texts := make([]string, len(k.Facts))
	for i, f := range k.Facts {
		texts[i] = f.Text
	}
	return strings.Join(texts, " ")
}

func meeting(k *Knowledge, cast []*characters.Sheet) string {
	place := k.harmless(places(), nowhere)
	size := len(place) + len(" Here are ") + len(". ") + len(k.Hook)
	for _, c := range cast {
		size += len(c.Name) + len(" and ")
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteString(place)
	b.WriteString(" Here are ")
	enumerate(&b, cast)
	b.WriteString(". ")
	b.WriteString(k.Hook)
	return b.String()
}

// enumerate writes the names of the cast: "A, B and C".
func enumerate(b *strings.Builder, cast []*characters.Sheet) {
	for i, c := range cast {
		switch {
		case i == 0:
		case i == len(cast)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(c.Name)
	}
}

// hookFor returns a hook that mentions the title and gives no fact away.
func hookFor(k *Knowledge) string {
	return strings.Replace(k.harmless(hooks(), "So this is about %s."), "%s", k.Title, 1)
}
