package scenarios

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"parley/characters"
)

// Expression is intention expression: characters act out what they want.
var Expression = &Kind{
	Name: "intention", Title: "intention expression", Piece: "scene", Pieces: "scenes", Intentions: true,
	New:     func() Piece { return new(Scene) },
	Words:   map[string][]string{"aims.skill": texts(characters.Skills())},
	Players: 3, Player: "reference:vivid", NPC: "reference:small-talk",
	Generate: func(ctx context.Context, w characters.Writer, r *rand.Rand, topic string, taken []string) (Piece, error) {
		return WriteScene(ctx, w, r, topic, taken)
	},
}

// Head returns the scene's title and how many aims it has.
func (s *Scene) Head() Head { return Head{ID: s.ID, Title: s.Title, Count: len(s.Aims), Parts: "aims"} }

// Print writes the premise and the aims with their skills.
func (s *Scene) Print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\n", s.Title, s.Premise)
	for _, a := range s.Aims {
		fmt.Fprintf(w, "%-15s %s\n", a.Skill, a.Brief)
	}
}

// Scenario makes an intention expression, whose aims are dealt by r.
func (s *Scene) Scenario(cast []*characters.Sheet, r *rand.Rand) *Scenario {
	return NewExpression(s, cast, r)
}

// How often a character is dealt no aim or two; else it is one.
const (
	shareNone = 0.25
	shareTwo  = 0.10
)

const aimless = "You want nothing in particular here. Be present, answer those who turn to you, and react to what the others say and do, without a purpose of your own."

// NewExpression makes an intention expression of a scene: it deals the scene's aims to the cast. A
// character gets none (one time in four), one, or two (one time in ten); no aim is dealt twice, and no
// skill either while others are left. The last of the cast is the NPC, who is dealt aims like
// everybody.
func NewExpression(scene *Scene, cast []*characters.Sheet, r *rand.Rand) *Scenario {
	s := &Scenario{
		Kind: Expression, ID: scene.ID, Title: scene.Title, Cast: cast,
		Briefs: make(map[characters.ID]string, len(cast)),
	}
	if len(cast) == 0 {
		return s
	}
	s.NPC = cast[len(cast)-1].ID
	var b strings.Builder
	b.WriteString(scene.Premise)
	b.WriteString(" Here are ")
	enumerate(&b, cast)
	b.WriteString(".")
	s.Premise = b.String()
	left := deck{aims: scene.Aims, order: r.Perm(len(scene.Aims))}
	for _, c := range cast {
		n := 1
		switch draw := r.Float64(); {
		case draw < shareNone:
			n = 0
		case draw < shareNone+shareTwo:
			n = 2
		}
		var dealt []Aim
		for range n {
			if aim, ok := left.deal(); ok {
				dealt = append(dealt, aim)
				s.Intentions = append(s.Intentions, Intention{c.ID, aim.Skill})
			}
		}
		s.Briefs[c.ID] = brief(dealt)
	}
	return s
}

// deck is a scene's aims in the order in which they are dealt.
type deck struct {
	aims  []Aim
	order []int // indices of what is left
	used  []characters.Skill
}

// deal takes the next aim, one of a skill that was not dealt yet if there is any.
func (d *deck) deal() (Aim, bool) {
	if len(d.order) == 0 {
		return Aim{}, false
	}
	at := 0
	for i, n := range d.order {
		if !slices.Contains(d.used, d.aims[n].Skill) {
			at = i
			break
		}
	}
	aim := d.aims[d.order[at]]
	d.order = slices.Delete(d.order, at, at+1)
	d.used = append(d.used, aim.Skill)
	return aim, true
}

func brief(aims []Aim) string {
	switch len(aims) {
	case 0:
		return aimless
	case 1:
		return "This is what you are after in this scene. " + aims[0].Brief
	}
	return "You are after two things in this scene. First: " + aims[0].Brief + " And then: " + aims[1].Brief
}
