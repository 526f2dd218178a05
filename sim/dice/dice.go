// Package dice rolls twenty-sided dice, with advantage and disadvantage, from a random source that
// is passed in.
package dice

import "math/rand/v2"

// Mode says how many dice are rolled and which one counts.
type Mode string

const (
	Straight     Mode = "straight"     // one die
	Advantage    Mode = "advantage"    // two dice, the higher counts
	Disadvantage Mode = "disadvantage" // two dice, the lower counts
)

// Roll is a check made with a twenty-sided die against a difficulty class.
type Roll struct {
	Skill    string `json:"skill" parquet:"skill,dict"`
	Mode     Mode   `json:"mode" parquet:"mode,dict"`
	First    int    `json:"first" parquet:"first"`       // 1 to 20
	Second   int    `json:"second" parquet:"second"`     // 1 to 20; 0 where one die was rolled
	Modifier int    `json:"modifier" parquet:"modifier"` // added to the die that counts
	Total    int    `json:"total" parquet:"total"`
	Class    int    `json:"class" parquet:"class"` // difficulty class; 0: a roll without one
	Success  bool   `json:"success" parquet:"success"`
}

// Natural returns the die that counts.
func (r Roll) Natural() int {
	switch r.Mode {
	case Advantage:
		return max(r.First, r.Second)
	case Disadvantage:
		return min(r.First, r.Second)
	}
	return r.First
}

// Check rolls for a skill against a difficulty class. A check succeeds when the total reaches the
// class; a natural 20 or 1 has no special meaning outside combat.
func Check(r *rand.Rand, skill string, modifier, class int, mode Mode) Roll {
	roll := Roll{Skill: skill, Mode: mode, First: D(r, 20), Modifier: modifier, Class: class}
	if mode == Advantage || mode == Disadvantage {
		roll.Second = D(r, 20)
	} else {
		roll.Mode = Straight
	}
	roll.Total = roll.Natural() + modifier
	roll.Success = class > 0 && roll.Total >= class
	return roll
}

// D rolls one die with the given number of sides.
func D(r *rand.Rand, sides int) int { return 1 + r.IntN(sides) }
