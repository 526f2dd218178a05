// Package pddl reads planning problems and solves them optimally.
//
// The language is the STRIPS part of PDDL (Fox and Long, "PDDL2.1", JAIR 20, 2003, and the PDDL 3.1
// grammar of Kovacs) with type hierarchies and either-types, constants, negative preconditions,
// equality and action costs. Names are read without regard to case. Anything beyond it (quantifiers,
// conditional effects, numeric conditions) is an error that gives file, line and column.
//
// Where the algorithms come from:
//
//   - Grounding is a fixpoint of the delete relaxation: actions are instantiated over typed objects and
//     over atoms that are reached already, until nothing is new (after Helmert, "Concise finite-domain
//     representations", AIJ 173, 2009). Negative
//     preconditions are compiled into complementary facts (Gazen and Knoblock, 1997).
//   - Search is A* (Hart, Nilsson and Raphael, 1968) with reopening, over bitset states.
//   - Max and LM-cut are the heuristics of Bonet and Geffner ("Planning as heuristic search", AIJ 129,
//     2001) and of Helmert and Domshlak ("Landmarks, critical paths and abstractions", ICAPS 2009).
//   - The Blocksworld heuristic counts the blocks that must move, and twice those that deadlock with
//     a block below them (after Slaney and Thiebaux, "Blocks World revisited", AIJ 125, 2001).
//   - The graph of all optimal plans is what remains of an exhaustive A* up to the optimal cost.
package pddl
