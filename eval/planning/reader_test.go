package planning_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/eval/planning"
	"parley/eval/planning/pddl"
	"parley/eval/run/runtest"
)

// quoted finds the action of a progression row, which is told in words.
var quoted = regexp.MustCompile(`performing the action "([^"]*)"`)

func TestProgressionRows(t *testing.T) {
	src, err := os.ReadFile(data(t, "acpbench_hard", "prog.bw_depots.json"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Domain   string `json:"PDDL_domain"`
		Problem  string `json:"PDDL_problem"`
		Question string
		Answer   struct{ Pos, Neg []string }
	}
	if err := json.Unmarshal(src, &rows); err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		w, err := planning.Problem{ID: fmt.Sprint(i), Rules: r.Domain, PDDL: r.Problem}.Open()
		if err != nil {
			t.Fatal(err)
		}
		told := quoted.FindStringSubmatch(r.Question)[1]
		a, err := w.ReadAction(told)
		if err != nil {
			t.Errorf("row %d: %v", i, err)
			continue
		}
		pos, neg, err := w.Effects(a)
		if err != nil {
			t.Errorf("row %d: %s: %v", i, a, err)
			continue
		}
		slices.Sort(r.Answer.Pos)
		slices.Sort(r.Answer.Neg)
		if !slices.Equal(pos, r.Answer.Pos) || !slices.Equal(neg, r.Answer.Neg) {
			t.Errorf("row %d: %q (%s): +%v -%v, want +%v -%v", i, told, a, pos, neg, r.Answer.Pos, r.Answer.Neg)
		}
	}
}

// blocks returns a reader for some blocks.
func blocks(t testing.TB, names ...string) *planning.Reader {
	t.Helper()
	src := "(define (domain blocksworld) (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))" +
		"(:action pick-up :parameters (?ob) :effect (holding ?ob)) (:action put-down :parameters (?ob) :effect (ontable ?ob))" +
		"(:action stack :parameters (?ob ?underob) :effect (on ?ob ?underob)) (:action unstack :parameters (?ob ?underob) :effect (holding ?ob)))"
	d, err := pddl.ParseDomain("blocksworld", src)
	if err != nil {
		t.Fatal(err)
	}
	var objects []pddl.Object
	for _, n := range names {
		objects = append(objects, pddl.Object{Name: n, Types: []string{"object"}})
	}
	return planning.NewReader(d, objects)
}

func summary(r planning.Reading) string {
	var out []string
	for _, i := range r.Items {
		s := i.Item
		if i.Class != planning.Valid {
			s += " " + string(i.Class)
		}
		out = append(out, s)
	}
	return string(r.Status) + ": " + strings.Join(out, ", ")
}

func TestReadAnswers(t *testing.T) {
	abc := blocks(t, "a", "b", "c", "d")
	colours := blocks(t, "red", "blue", "orange", "yellow")
	numbered := blocks(t, "b1", "b2", "b3", "b10")
	depots := generate(t, planning.DefaultGenerator("depots"), 1, 3)[0].Reader()
	for _, c := range []struct {
		reason string
		r      *planning.Reader
		task   planning.Task
		raw    string
		want   string
	}{
		// Marks around items.
		{"numbers and bold", abc, planning.Plan, "1. **Unstack block a from block b.**\n2) Put down block a", "read: (unstack a b), (put-down a)"},
		{"bullets", abc, planning.Applicable, "- pick up block c\n* pick up d\n• unstack a from b", "read: (pick-up c), (pick-up d), (unstack a b)"},
		{"steps", abc, planning.Plan, "**Step 1:** Pick up c\nStep 2 - Stack c on a", "read: (pick-up c), (stack c a)"},
		{"fence", abc, planning.Plan, "```pddl\n(pick-up c)\n(stack c a)\n```", "read: (pick-up c), (stack c a)"},
		{"times", abc, planning.Plan, "0.001: (pick-up c) [1]\n0.002: (stack c a) [1]", "read: (pick-up c), (stack c a)"},
		{"one list on a line", abc, planning.Applicable, "[(pick-up c), (unstack a b)]", "read: (pick-up c), (unstack a b)"},
		{"last parenthesis missing", abc, planning.Applicable, "[(pick-up c), (unstack a b", "read: (pick-up c), (unstack a b)"},
		{"function form", abc, planning.Applicable, "pick-up(c), unstack(A, B)", "read: (pick-up c), (unstack a b)"},
		{"words before the parenthesis", abc, planning.Plan, "Pick up(c)\nPutDown(c)", "read: (pick-up c), (put-down c)"},
		{"other spellings", abc, planning.Plan, "(pick_up c)\n(PICKUP d)\n(put down d)", "read: (pick-up c), (pick-up d), (put-down d)"},
		{"no parentheses", abc, planning.Plan, "pick-up c\nstack c a", "read: (pick-up c), (stack c a)"},
		{"plan marks of others", abc, planning.Plan, "[PLAN]\npick up c\n[PLAN END]\n[STATEMENT]\npick up d", "read: (pick-up c)"},
		{"cost mark", abc, planning.Plan, "pick up c\n[COST]\npick up d", "read: (pick-up c)"},
		{"table", abc, planning.Plan, "| Step | Action |\n|---|---|\n| 1 | pick up block c |\n| 2 | stack c on a |", "read: (pick-up c), (stack c a)"},
		{"table of parts", abc, planning.Plan, "| # | action | block | on |\n|--|--|--|--|\n| 1 | stack | c | a |", "read: (stack c a)"},
		{"reasoning", abc, planning.Plan, "<think>pick up d? No.</think>\npick up c", "read: (pick-up c)"},

		// JSON.
		{"array of strings", abc, planning.Applicable, `["pick up c", "(unstack a b)"]`, "read: (pick-up c), (unstack a b)"},
		{"array of arrays", abc, planning.Applicable, `{"actions": [["pick-up", "c"], ["unstack", "a", "b"]]}`, "read: (pick-up c), (unstack a b)"},
		{"arguments", abc, planning.Plan, `[{"action": "unstack", "args": ["a", "b"]}, {"name": "put-down", "parameters": {"ob": "a"}}]`, "read: (unstack a b), (put-down a)"},
		{"keyed objects", abc, planning.Plan, `[{"step": 1, "action": "unstack", "from": "b", "block": "a"}, {"step": 2, "action": "stack", "underob": "c", "ob": "a"}]`, "read: (unstack a b), (stack a c)"},
		{"sentences under a key", abc, planning.Plan, `{"plan": [{"step": 1, "action": "pick up block c"}]}`, "read: (pick-up c)"},
		{"state by predicate", abc, planning.State, `{"clear": ["a", "c"], "on": [["a", "b"]], "handempty": true, "holding": []}`, "read: (clear a), (clear c), (on a b), (handempty)"},
		{"two effects", abc, planning.Negative, `{"positive_effects": ["holding(a)"], "negative_effects": ["clear(a)", "handempty"]}`, "read: (clear a), (handempty)"},
		{"empty list", abc, planning.Applicable, `{"actions": []}`, "none: "},

		// Words.
		{"colours", colours, planning.Plan, "Unstack the red block from on top of the blue block\nput the red block down on the table", "read: (unstack red blue), (put-down red)"},
		{"PlanBench colours for letters", abc, planning.Plan, "unstack the yellow block from the red block", "read: (unstack d a)"},
		{"order of the words", colours, planning.Plan, "from on top of the orange block, unstack the blue block", "read: (unstack blue orange)"},
		{"without nouns", colours, planning.Plan, "Unstack blue from orange", "read: (unstack blue orange)"},
		{"an object is missing", colours, planning.Plan, "1. Unstack Yellow", "read: (unstack yellow) wrong arity"},
		{"aside that completes", colours, planning.Plan, "1. **Unstack Yellow Block:** (Unstack Yellow from Red)", "read: (unstack yellow red)"},
		{"aside that explains", colours, planning.Plan, "1. Put down the red block. (Now you are holding the blue block, and the orange block is clear.)", "read: (put-down red)"},
		{"aside in PDDL of another kind", abc, planning.Plan, "1. Put down a (holding a)", "read: (put-down a)"},
		{"PDDL beside words", abc, planning.Plan, "(unstack a b) unstack block a from block b\nPut down block a: (put-down a)", "read: (unstack a b), (put-down a)"},
		{"said twice", colours, planning.Plan, "1. **Unstack yellow from red**: Unstack the yellow block from the red block. You can do this because it is clear.", "read: (unstack yellow red)"},
		{"two actions on a line", abc, planning.Plan, "1. Unstack a from b and put it down on the table, then pick up c", "read: (unstack a b), (put-down a), (pick-up c)"},
		{"verbs of others", abc, planning.Plan, "grasp c\nplace c on top of a\nremove c from a\nset c down", "read: (pick-up c), (stack c a), (unstack c a), (put-down c)"},
		{"not taken", abc, planning.Plan, "1. Pick up c\n2. Stack c on a is not possible\n3. Put down c", "read: (pick-up c), (put-down c)"},
		{"prose beside a list is no item", abc, planning.Plan, "I will first pick up block d because it is clear.\n1. Pick up c", "read: (pick-up c)"},
		{"prose alone", abc, planning.Plan, "First, I pick up block c. Then I stack it on block a.", "read: (pick-up c), (stack c a)"},
		{"names that are articles", abc, planning.Plan, "unstack a b\nstack a on c", "read: (unstack a b), (stack a c)"},
		{"block numbers", numbered, planning.Plan, "pick up block 10\nstack b10 on block_3\nunstack B10 from b 3", "read: (pick-up b10), (stack b10 b3), (unstack b10 b3)"},

		// States.
		{"PlanBench state", colours, planning.State, "the orange block is clear, the yellow block is not clear, the hand is holding the yellow block, the blue block is on top of the red block and the red block is on the table.",
			"read: (clear orange), (clear yellow) negated, (holding yellow), (on blue red), (ontable red)"},
		{"block by block", abc, planning.State, "- **Block A**: on top of block B, clear\n- **Block B**: on the table\n- **Hand**: empty", "read: (on a b), (clear a), (ontable b), (handempty)"},
		{"what follows a property", colours, planning.State, "the yellow block is on the table with no blocks on top of it, and both the red block and the blue block are clear", "read: (ontable yellow), (clear red), (clear blue)"},
		{"shared subject", colours, planning.State, "the yellow block is clear and on the table", "read: (clear yellow), (ontable yellow)"},
		{"shared predicate", colours, planning.State, "the blue and yellow blocks are on the table", "read: (ontable blue), (ontable yellow)"},
		{"reason of a negation", colours, planning.State, "the blue block is not clear (since it is being held)", "read: (clear blue) negated"},
		{"lists under headings", abc, planning.State, "**Clear blocks:** a, c\n**On the table:**\n- b\n- c\nOn:\n- a on b", "read: (clear a), (clear c), (ontable b), (ontable c), (on a b)"},
		{"not in PDDL", abc, planning.State, "(not (clear b))\nnot clear(c)\n(clear a)", "read: (clear b) negated, (clear c) negated, (clear a)"},
		{"final state", abc, planning.After, "Initial state:\n- b is clear\nAfter the first action:\n- the hand holds b\nFinal state:\n- b is on the table\n- the hand is empty", "read: (ontable b), (handempty)"},
		{"negative effects that are negated", abc, planning.Negative, "- block a is no longer clear\n- the hand is not empty\n- not (on a b)", "read: (clear a), (handempty), (on a b)"},
		{"both effects", abc, planning.Positive, "Positive effects:\n- the hand holds a\n- b is clear\nNegative effects:\n- the hand is empty", "read: (holding a), (clear b)"},
		{"on the table is not on a block", abc, planning.State, "a is on the table", "read: (ontable a)"},

		// Public failures: which list is meant, keyed objects, both forms, tables, plans that start again.
		{"three lists", abc, planning.Applicable, "Objects:\n1. Block a\n2. Block b\n\nActions that are not possible:\n1. unstack b from c\n\nApplicable actions:\n1. pick up block a\n2. unstack c from d", "read: (pick-up a), (unstack c d)"},
		{"three plans", abc, planning.Plan, "Option 1:\n1. pick up a\n\nOption 2:\n1. pick up b\n\nFinal plan:\n1. unstack c from d\n2. put down c", "read: (unstack c d), (put-down c)"},
		{"three kinds of effects", abc, planning.Positive, "Before: b is clear.\n**Added:**\n- holding a\n**Removed:**\n- a is clear\n**Unchanged:**\n- b is clear", "read: (holding a)"},
		{"both effects in one line", abc, planning.Negative, "The action deletes: (clear a), (handempty). It adds: (holding a).", "read: (clear a), (handempty)"},
		{"both kinds of actions in one line", abc, planning.Applicable, "These can be done: (pick-up a), (unstack b c). These cannot: (pick-up c).", "read: (pick-up a), (unstack b c)"},
		{"what cannot be done, in prose", abc, planning.Applicable, "You can pick up a. You can't pick up b because it is under c. You could also unstack c from b.", "read: (pick-up a), (unstack c b)"},
		{"an object a line", abc, planning.Plan, "Step 1: {\"action\":\"pick-up\",\"args\":[\"a\"]}\nStep 2: {\"action\":\"stack\",\"args\":[\"a\",\"b\"]}", "read: (pick-up a), (stack a b)"},
		{"keys of its own", abc, planning.Plan, `[{"type":"pick-up","object":"a"},{"action":"stack","top":"a","bottom":"b"}]`, "read: (pick-up a), (stack a b)"},
		{"both forms", abc, planning.Plan, "1. (unstack a b) — unstack block a from block b\n2. unstack block c from block d (unstack c d)", "read: (unstack a b), (unstack c d)"},
		{"table with an answer column", abc, planning.Applicable, "| Action | Applicable? |\n|---|---|\n| pick up a | Yes |\n| pick up b | No |", "read: (pick-up a)"},
		{"table of truths", abc, planning.State, "| Property | Holds |\n|---|---|\n| on(a, b) | true |\n| clear(b) | false |", "read: (on a b), (clear b) negated"},
		{"table by object", abc, planning.State, "| Block | On | Clear |\n|:--|:-:|--:|\n| a | b | yes |\n| b | table | no |", "read: (on a b), (clear a), (ontable b), (clear b) negated"},
		{"table with reasons", abc, planning.Plan, "| Step | Action | Reason |\n|---|---|---|\n| 1 | Unstack a from b | a is clear and on b |\n| 2 | Put down a | the hand holds a |", "read: (unstack a b), (put-down a)"},
		{"restart", abc, planning.Plan, "1. pick up a\n2. stack a on b\nWait, that is wrong because b must move first. Let me start over.\n1. unstack b from c\n2. put down b", "read: (unstack b c), (put-down b)"},
		{"restart half way", abc, planning.Plan, "1. unstack a from b\n2. stack a on c\nHmm, actually a should go to the table.\n2. put down a\n3. pick up b", "read: (unstack a b), (put-down a), (pick-up b)"},
		{"restart in one line", abc, planning.Plan, "First attempt: pick up a, stack a on b. This fails. Second attempt: unstack b from c, put down b.", "read: (unstack b c), (put-down b)"},
		{"what becomes possible later", abc, planning.Applicable, "Impossible right now:\n- put down c\n\nPossible right now:\n- pick up a\n\nNote: after that, more becomes possible:\n- stack a on b", "read: (pick-up a)"},
		{"states step by step", abc, planning.After, "Start:\n- a on b\n\nStep 1 (unstack a from b):\n- holding a\n\n**Step 2: stack a on c**\n- a on c\n- hand empty", "read: (on a c), (handempty)"},
		{"attempts under plain titles", abc, planning.Plan, "Attempt 1\n- unstack a from b\n- stack a on c\nCheck: this fails.\n\nAttempt 2\n- unstack a from b\n- put down a", "read: (unstack a b), (put-down a)"},
		{"properties by object", abc, planning.State, `{"blocks": {"a": {"on": "b", "clear": true}, "b": {"on": "table"}}, "hand": "empty"}`, "read: (on a b), (clear a), (ontable b), (handempty)"},
		{"table with marks and words", abc, planning.Applicable, "| Candidate | Met? |\n|:--|:--:|\n| `(pick-up a)` | ✅ yes |\n| `(pick-up b)` | ❌ no |", "read: (pick-up a)"},
		{"table with a column for each kind of effect", abc, planning.Negative, "| Becomes true | Becomes false |\n|---|---|\n| holding a | a is clear |\n|  | the hand is empty |", "read: (clear a), (handempty)"},
		{"adjectives in parentheses", abc, planning.State, "- a (clear)\n- b is on c", "read: (clear a), (on b c)"},
		{"letters as names", abc, planning.State, "a on b, b on the table, a clear, hand empty", "read: (on a b), (ontable b), (clear a), (handempty)"},
		{"a clear block", abc, planning.State, "There is a clear block: block c is clear.", "read: (clear c)"},
		{"a tower in one clause", abc, planning.State, "a on top of b on top of c on the table", "read: (on a b), (on b c), (ontable c)"},

		{"thoughts between actions", abc, planning.Plan, "Thought: b must be free first.\nAction: (unstack a b)\nThought: put it away.\nAction: (put-down a)", "read: (unstack a b), (put-down a)"},
		{"table with a column of results", abc, planning.Plan, "|Step|Operator|Arg1|Arg2|Result|\n|-|-|-|-|-|\n|1|unstack|a|b|holding a|\n|2|stack|a|c|a on c|", "read: (unstack a b), (stack a c)"},
		{"numbered keys", abc, planning.Plan, `{"plan": {"1": {"action":"unstack","block":"a","from":"b"}, "2": "put down a"}}`, "read: (unstack a b), (put-down a)"},
		{"pairs by object", abc, planning.State, `{"on": {"a": "b", "c": "d"}, "handempty": true}`, "read: (on a b), (on c d), (handempty)"},
		{"yes and no behind actions", abc, planning.Applicable, "1. pick up c - Yes\n2. pick up b - No, because a is on it\n3. pick up d: ❌\n4. unstack a from b: ✅", "read: (pick-up c), (unstack a b)"},
		{"becomes true and false", abc, planning.Negative, "- (clear a) becomes false\n- (holding a) becomes true", "read: (clear a)"},
		{"what holds beside what no longer does", abc, planning.Negative, "The hand holds a and block a is no longer clear.", "read: (clear a)"},
		{"a correction in an aside", abc, planning.Plan, "1. pick up a\n2. pick up d (wait, c is on d, so: unstack c from d)\n3. put down c", "read: (pick-up a), (unstack c d), (put-down c)"},
		{"which is on the table", abc, planning.State, "a is on b, which is on the table\nBlock c: held", "read: (on a b), (ontable b), (holding c)"},
		{"nothing to do", abc, planning.Plan, "The goal is already satisfied, so no actions are needed.", "none: "},

		{"objects that share a verb", abc, planning.Applicable, "The robot can pick up block c or block d, and it can unstack block a from block b.", "read: (pick-up c), (pick-up d), (unstack a b)"},
		{"a sentence that goes on with actions", abc, planning.Plan, "To reach the goal I need to free b. So I unstack a from b, put a down on the table, then pick up b and stack it on c.", "read: (unstack a b), (put-down a), (pick-up b), (stack b c)"},
		{"lists of which one is named", abc, planning.Plan, "Plan A:\n1. pick up c\n2. stack c on d\n\nPlan B (shorter):\n1. pick up d\n\nI choose Plan A.", "read: (pick-up c), (stack c d)"},
		{"a list that was considered", abc, planning.Applicable, "Actions considered:\n- pick up a\n- pick up b\n\nNot applicable:\n- pick up b\n\nApplicable:\n- pick up c", "read: (pick-up c)"},
		{"two lists without headings", abc, planning.Negative, "[(holding a), (clear b)]\n[(on a b), (clear a), (handempty)]", "read: (on a b), (clear a), (handempty)"},
		{"a name without arguments among functions", abc, planning.State, "on(a, b), handempty, clear(a)", "read: (on a b), (clear a), (handempty)"},
		{"headings in one line", abc, planning.State, "clear: a; c is clear; ontable: b", "read: (clear a), (clear c), (ontable b)"},

		{"effects listed by predicate", abc, planning.Negative, "Clear:\n- a\nOn the table:\n- a", "read: (clear a), (ontable a)"},
		{"the property that holds", abc, planning.State, "The property that holds in the current state is the hand is empty.", "read: (handempty)"},
		{"the first action", depots, planning.Plan, "1. \nThe first action is to drive truck0 from depot0 to depot1.\n2. \nThe second action is to lift crate0 from pallet0 at depot0 with hoist0.", "read: (drive truck0 depot0 depot1), (lift hoist0 crate0 pallet0 depot0)"},
		{"tags", abc, planning.Plan, "<plan>\n <step n=\"1\">unstack a from b</step>\n <step n=\"2\">put down a</step>\n</plan>", "read: (unstack a b), (put-down a)"},
		{"pairs in a list", abc, planning.State, "clear: [a, c]\non: [(a, b), (c, d)]\nholding: none", "read: (clear a), (clear c), (on a b), (on c d)"},
		{"both effects in one sentence", abc, planning.Negative, "on(a, b) and handempty become false, while holding(a) and clear(b) become true.", "read: (on a b), (handempty)"},
		{"a place behind a tower", abc, planning.State, "The tower consists of a on b on c, with c on the table. d is alone on the table.", "read: (on a b), (on b c), (ontable c), (ontable d)"},
		{"objects with their properties", abc, planning.State, `[{"block":"a","on":"b","clear":true},{"block":"b","on":"table","clear":false}]`, "read: (on a b), (clear a), (ontable b), (clear b) negated"},
		{"actions with verdicts", abc, planning.Applicable, `[{"action":"pick-up","block":"c","applicable":true},{"action":"pick up b","applicable":false}]`, "read: (pick-up c)"},
		{"table with heads of its own", abc, planning.Applicable, "| What can be done | Why |\n|---|---|\n| pick up c | it is clear |", "read: (pick-up c)"},
		{"comments in code", abc, planning.Plan, "```python\nplan = [\n  \"unstack(a, b)\",  # free b\n  # pick up c? no\n  \"put_down(a)\",\n]\n```", "read: (unstack a b), (put-down a)"},
		{"boxes to tick", abc, planning.Plan, "- [x] unstack a from b\n- [ ] put down a", "read: (unstack a b), (put-down a)"},
		{"struck out", abc, planning.Applicable, "pick-up(c)\n~~pick-up(b)~~", "read: (pick-up c)"},
		{"TeX", abc, planning.Plan, "\\boxed{\\text{unstack a from b, put down a}}", "read: (unstack a b), (put-down a)"},
		{"nothing to do, in two sentences", abc, planning.Plan, "The goal is already satisfied in the initial state. No actions are required.", "none: "},
		{"actions under headings", abc, planning.Applicable, "**Pick up:** c, d\n**Unstack:** a from b\n**Stack:** none", "read: (pick-up c), (pick-up d), (unstack a b)"},
		{"numbered headings", abc, planning.Applicable, "1. Actions that pick up a block:\n   a. pick up c\n2. Actions that are not applicable:\n   a. put down a", "read: (pick-up c)"},
		{"object by object", abc, planning.State, "1. Block a:\n   - is clear\n   - is on block b\n2. Robot hand:\n   - is empty", "read: (clear a), (on a b), (handempty)"},
		{"effects under two short headings", abc, planning.Negative, "Positive: [(holding a)]\nNegative: [(clear a), (handempty)]", "read: (clear a), (handempty)"},
		{"aside that completes beside words", depots, planning.Plan, "hoist0 loads crate1 onto truck0 (at depot0)", "read: (load hoist0 crate1 truck0 depot0)"},
		{"arguments by their types", depots, planning.Applicable, `{"action": "drop", "what": "crate1", "where": "depot0", "by": "hoist0", "on top of": "pallet0"}`, "read: (drop hoist0 crate1 pallet0 depot0)"},
		{"who can act", depots, planning.Applicable, "- hoist0 can lift crate1 from pallet0 at depot0", "read: (lift hoist0 crate1 pallet0 depot0)"},
		{"places under a heading", depots, planning.State, "Locations:\n- truck0: depot0\n- hoist0: depot0", "read: (at truck0 depot0), (at hoist0 depot0)"},

		// Depots.
		{"place before the verb", depots, planning.Plan, "Use hoist0 at depot0 to lift crate0 from pallet0", "read: (lift hoist0 crate0 pallet0 depot0)"},
		{"place behind a property", depots, planning.State, "Crate 0 is on pallet 0 at depot 0.", "read: (on crate0 pallet0), (at crate0 depot0)"},
		{"in a truck is not at it", depots, planning.State, "crate2 is in truck2\ncrate1 is at depot0", "read: (in crate2 truck2), (at crate1 depot0)"},
		{"table of places", depots, planning.State, "| Object | Location | On | Clear |\n|---|---|---|---|\n| crate0 | depot0 | pallet0 | yes |\n| truck0 | distributor0 | | |", "read: (at crate0 depot0), (on crate0 pallet0), (clear crate0), (at truck0 distributor0)"},
		{"any order", depots, planning.Plan, "Lift crate2 from crate0 using hoist1 at depot1\nUse hoist 1 to load crate 2 into truck 0 at depot 1\nhoist1 unloads crate2 from truck0 at depot1", "read: (lift hoist1 crate2 crate0 depot1), (load hoist1 crate2 truck0 depot1), (unload hoist1 crate2 truck0 depot1)"},
		{"punctuation", depots, planning.Plan, "(lift hoist1 crate2 crate0 depot1)).\n1. drive truck0 from depot0 to depot1,", "read: (lift hoist1 crate2 crate0 depot1), (drive truck0 depot0 depot1)"},
		{"drop and load", depots, planning.Plan, "Place crate1 on pallet2 at depot2 with hoist2\nPlace crate1 in truck1 at depot2 with hoist2", "read: (drop hoist2 crate1 pallet2 depot2), (load hoist2 crate1 truck1 depot2)"},
		{"states", depots, planning.State, "crate1 is at depot0 and on pallet0; truck1 contains crate2. Hoists 0 and 1 are free.", "read: (at crate1 depot0), (on crate1 pallet0), (in crate2 truck1), (available hoist0), (available hoist1)"},
		{"lifting", depots, planning.State, "hoist0 is holding crate1\ncrate2 is being lifted by hoist1", "read: (lifting hoist0 crate1), (lifting hoist1 crate2)"},
		{"drop-off in prose", depots, planning.Plan, "Drop-off happens at depot2.\n(drive truck0 depot0 depot1)", "read: (drive truck0 depot0 depot1)"},

		// Classes.
		{"unknown object", abc, planning.Applicable, "(pick-up z)\npick up block e\npick up the purple block", "read: (pick-up z) unknown object, (pick-up e) unknown object, (pick-up purple) unknown object"},
		{"unknown crate", depots, planning.Applicable, "(drive truck9 depot0 depot1)", "read: (drive truck9 depot0 depot1) unknown object"},
		{"unknown symbol", abc, planning.Applicable, "(fly a b)\n(pick-up c)", "read: (fly a b) unknown symbol, (pick-up c)"},
		{"a property among actions", abc, planning.Applicable, "(clear a)\n(pick-up c)", "read: (clear a) unknown symbol, (pick-up c)"},
		{"arity", abc, planning.Applicable, "(pick-up a b)", "read: (pick-up a b) wrong arity"},
		{"type", depots, planning.Applicable, "(drive crate0 depot0 depot1)", "read: (drive crate0 depot0 depot1) wrong type"},
		{"duplicate", abc, planning.Applicable, "(pick-up c)\npick up c", "read: (pick-up c), (pick-up c) duplicate"},
		{"repeated in a plan", abc, planning.Plan, "pick up c\nput down c\npick up c", "read: (pick-up c), (put-down c), (pick-up c)"},

		// Several lists.
		{"restated plan", colours, planning.Plan, "1. **Unstack the yellow block from the red block.**\n2. Stack the yellow block on the blue block.\n\n---\n**Action Plan:**\n1. Unstack yellow from red\n2. Stack yellow on blue", "read: (unstack yellow red), (stack yellow blue)"},
		{"a plan that starts over", abc, planning.Plan, "1. Pick up c\n2. Stack c on b\nWait, b is not clear. Let me start over.\n1. Unstack a from b\n2. Put down a", "read: (unstack a b), (put-down a)"},
		{"a plan that repeats its start", abc, planning.Plan, "1. Pick up c\n2. Stack c on b\n1. Pick up c\n2. Stack c on a", "read: (pick-up c), (stack c a)"},
		{"a plan in parts", abc, planning.Plan, "First part:\n1. Pick up c\n2. Stack c on a\nSecond part:\n3. Pick up d\n4. Stack d on c", "read: (pick-up c), (stack c a), (pick-up d), (stack d c)"},
		{"three lists", abc, planning.Applicable, "Considered:\n- stack a on c\nNot applicable:\n- pick up b\nFinal answer:\n- pick up c\n- unstack a from b", "read: (pick-up c), (unstack a b)"},
		{"impossible ones in lines", abc, planning.Applicable, "- pick up a: a is not clear, so it is not applicable\n- pick up c: clear\n(pick-up b) is not possible because a is on b", "read: (pick-up c)"},
		{"impossible ones", abc, planning.Applicable, "Applicable actions:\n- pick up c\nActions that are not applicable:\n- pick up b", "read: (pick-up c)"},
		{"lists by kind", abc, planning.Applicable, "Pick-ups:\n- pick up c\n- pick up d\nUnstacking:\n- unstack a from b", "read: (pick-up c), (pick-up d), (unstack a b)"},

		// States of answers.
		{"empty", abc, planning.Plan, "", "empty: "},
		{"blank", abc, planning.Plan, " \n\t", "empty: "},
		{"only reasoning", abc, planning.Plan, "<think>hm</think>", "empty: "},
		{"unfinished reasoning", abc, planning.Plan, "<think>pick up c", "truncated: "},
		{"none", abc, planning.Positive, "None.", "none: "},
		{"none in words", abc, planning.Negative, "There are no negative effects.", "none: "},
		{"none after a heading", abc, planning.Negative, "Negative effects: none", "none: "},
		{"empty brackets", abc, planning.Applicable, "[]", "none: "},
		{"no plan needed", abc, planning.Plan, "No plan is needed; the goal already holds.", "none: "},
		{"none of them", abc, planning.Applicable, "None of the actions are applicable.", "none: "},
		{"refusal", abc, planning.Plan, "I'm sorry, but I cannot help with that.", "refusal: "},
		{"nothing", abc, planning.Plan, "Blocks are fun to think about.", "nothing read: "},
		{"open fence", abc, planning.Plan, "```\npick up c\nstack c on", "truncated: (pick-up c)"},
	} {
		if got := summary(c.r.Read(c.task, c.raw, false)); got != c.want {
			t.Errorf("%s:\n%s\n got %s\nwant %s", c.reason, c.raw, got, c.want)
		}
	}
	if got := summary(abc.Read(planning.Plan, "pick up c\nstack c on a", true)); got != "truncated: (pick-up c)" {
		t.Errorf("cut off: %s", got)
	}
	if got := summary(abc.Read(planning.State, "The hand is empty. The hand holds a. The hand hol", true)); got != "truncated: (handempty)" {
		t.Errorf("cut off in a line: %s", got)
	}
}

// styles are ways to write a list of items that every reader should read back whole.
var styles = []func(items []string, words []string) string{
	func(p, w []string) string { return strings.Join(p, "\n") },
	func(p, w []string) string { return strings.Join(w, "\n") },
	func(p, w []string) string { return "[" + strings.Join(p, ", ") + "]" },
	func(p, w []string) string { return number("%d. %s", w) },
	func(p, w []string) string { return number("%d) **%s**", p) },
	func(p, w []string) string { return "Here is the list:\n\n" + number("- %[2]s", w) + "\n\nThat is all." },
	func(p, w []string) string { return "```\n" + strings.Join(p, "\n") + "\n```" },
	func(p, w []string) string { b, _ := json.Marshal(w); return string(b) },
	func(p, w []string) string {
		b, _ := json.Marshal(map[string]any{"answer": p})
		return "```json\n" + string(b) + "\n```"
	},
	func(p, w []string) string { return "| # | item |\n|---|---|\n" + number("| %d | %s |", w) },
	func(p, w []string) string {
		return number("%[2]s", functions(p))
	},
	func(p, w []string) string {
		return "<think>Let me see.</think>\nFinal answer:\n" + number("* %[2]s.", w)
	},
	func(p, w []string) string { return strings.ToUpper(strings.Join(p, " ")) },
}

func number(format string, list []string) string {
	var out []string
	for i, s := range list {
		out = append(out, strings.TrimSuffix(fmt.Sprintf(format, i+1, s), fmt.Sprintf("%%!(EXTRA int=%d)", i+1)))
	}
	return strings.Join(out, "\n")
}

func functions(list []string) []string {
	var out []string
	for _, s := range list {
		words := strings.Fields(strings.Trim(s, "()"))
		out = append(out, words[0]+"("+strings.Join(words[1:], ", ")+")")
	}
	return out
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"1. pick up a\n2. stack a on b", `[{"action":"unstack","args":["a","b"]}]`, "clear: a, b", "(not (on a b))", "| a | b |", "use a to @0 put it", "((((", "a and b and"} {
		f.Add(s)
	}
	abc := blocks(f, "a", "b", "c", "d")
	f.Fuzz(func(t *testing.T, raw string) {
		for _, task := range planning.Tasks {
			r := abc.Read(task, raw, false)
			if r.Status == planning.Read && len(r.Items) == 0 || r.Status == planning.None && len(r.Items) > 0 {
				t.Errorf("status %s with %d items", r.Status, len(r.Items))
			}
			for _, i := range r.Items {
				if !strings.HasPrefix(i.Item, "(") || i.Class == "" {
					t.Errorf("item %+v", i)
				}
			}
		}
	})
}

// labels are the actions that a person reads in real answers: by file of llm_responses, then by
// identifier. They were written by the reader once and then checked by eye, the more so where they
// differ from what PlanBench extracts; wrong ones were corrected.
type labels map[string]map[string]string

func TestRealAnswers(t *testing.T) {
	const golden = "testdata/llm_answers.json"
	files, err := filepath.Glob(filepath.Join(data(t, "llm_responses"), "*task_1_plan*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want labels
	if src, err := os.ReadFile(golden); err == nil {
		if err := json.Unmarshal(src, &want); err != nil {
			t.Fatal(err)
		}
	}
	r := blocks(t, strings.Split("abcdefghijkl", "")...)
	labelled, missed, invented := 0, 0, 0
	have := labels{}
	for _, file := range files {
		var f struct {
			Instances []struct {
				ID  int `json:"instance_id"`
				Raw string
			}
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(src, &f); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		have[name] = map[string]string{}
		for _, in := range f.Instances {
			if strings.TrimSpace(in.Raw) == "" || len(have[name]) == 12 {
				continue
			}
			id := fmt.Sprint(in.ID)
			reading := r.Read(planning.Plan, in.Raw, false)
			got := reading.Sequence()
			have[name][id] = strings.Join(got, " ")
			label, _ := pddl.ParsePlan(name, want[name][id])
			labelled += len(label)
			common := common(got, label)
			missed += len(label) - common
			invented += len(got) - common
			if common < len(label) || common < len(got) {
				t.Logf("%s %s: read %v, a person reads %v", name, id, got, label)
			}
		}
	}
	if *runtest.Update {
		src, _ := json.MarshalIndent(have, "", " ")
		if err := os.WriteFile(golden, append(src, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Logf("%d labelled actions, %d missed, %d invented", labelled, missed, invented)
	if labelled < 1000 || missed*50 > labelled || invented > 0 {
		t.Errorf("of %d actions %d were missed and %d invented; want at most 2 %% missed and none invented", labelled, missed, invented)
	}
}

// common returns the length of the longest common subsequence.
func common(got []string, want []pddl.Atom) int {
	row := make([]int, len(want)+1)
	for _, g := range got {
		diagonal := 0
		for j, w := range want {
			above := row[j+1]
			if g == w.String() {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(want)]
}
