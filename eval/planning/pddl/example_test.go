package pddl_test

import (
	"context"
	"fmt"

	"parley/eval/planning/pddl"
)

func Example() {
	d, err := pddl.ParseDomain("ferry.pddl", `(define (domain ferry)
  (:predicates (at ?c ?p) (boat ?p) (aboard ?c) (place ?p) (car ?c))
  (:action board :parameters (?c ?p) :precondition (and (car ?c) (at ?c ?p) (boat ?p)) :effect (and (aboard ?c) (not (at ?c ?p))))
  (:action sail :parameters (?from ?to) :precondition (and (boat ?from) (place ?to)) :effect (and (boat ?to) (not (boat ?from))))
  (:action land :parameters (?c ?p) :precondition (and (aboard ?c) (boat ?p)) :effect (and (at ?c ?p) (not (aboard ?c)))))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := pddl.ParseProblem(d, "one.pddl", `(define (problem one) (:domain ferry) (:objects mini east west)
  (:init (car mini) (place east) (place west) (at mini east) (boat west)) (:goal (at mini west)))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	task, err := pddl.Ground(p)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := pddl.Solve(context.Background(), task, pddl.Options{})
	fmt.Println(s.Outcome, s.Cost, s.Plan, err)
	fmt.Println(p.Validate(s.Plan[1:]).Reason)
	// Output:
	// optimal 4 [(sail west east) (board mini east) (sail east west) (land mini west)] <nil>
	// step 1 (board mini east): precondition (boat east) does not hold
}
