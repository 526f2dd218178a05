package utility_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/eval"
	"parley/eval/utility"
)

const data = "../../../shared/data/evals/agenteval"

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(data, name))
	if os.IsNotExist(err) {
		t.Skip("the AutoGen data are not beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestPublishedCriteria(t *testing.T) {
	tests := []struct {
		file string
		n    int
		want map[string][]string // from worst to best; nil: order unknown
	}{
		{"samples/sample_math_criteria.json", 6, map[string][]string{"Explanation Clarity": {"not at all clear", "slightly clear", "moderately clear", "very clear", "completely clear"}}},
		{"samples/sample_math_criteria_dictform_2023.json", 6, map[string][]string{"Problem Interpretation": {"completely off", "slightly relevant", "relevant", "mostly accurate", "completely accurate"}}},
		{"gaia_criteria/orchestrator-eval-criteria.json", 0, map[string][]string{
			"completeness": {"incomplete", "complete"},
			"efficiency":   {"inefficient", "efficient", "very_efficient"},
			"accuracy":     {"incorrect", "partially_correct", "correct"},
			"originality":  {"copied", "some originality", "original"},
			"robustness":   {"non-robust", "moderately robust", "highly robust"},
		}},
		{"gaia_criteria/sample-gaia_criteria.json", 6, map[string][]string{
			"correct_execution_of_steps":    {"all steps incorrect", "some steps incorrect", "all steps correct"},
			"response_time":                 nil,
			"adherence_to_task_constraints": {"non-adherent", "partially adherent", "fully adherent"},
			"ability_to_handle_complexity":  {"unable to handle complexity", "handles moderate complexity", "handles complex tasks"},
		}},
	}
	for _, test := range tests {
		list, err := utility.ReadCriteria(readFile(t, test.file), test.file)
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		if test.n > 0 && len(list) != test.n {
			t.Errorf("%s: %d criteria, want %d", test.file, len(list), test.n)
		}
		for _, c := range list {
			t.Logf("%s: %s (%s, %s) %q", test.file, c.Name, c.Kind, c.Order, c.Values)
			want, asked := test.want[c.Name]
			if asked && (want == nil) != (c.Order == utility.Unknown) || want != nil && !slices.Equal(c.Values, want) {
				t.Errorf("%s: %s is %s, order %s; want %q", test.file, c.Name, c.Values, c.Order, want)
			}
		}
	}
}

func TestRecordedReplies(t *testing.T) {
	criteria, err := utility.ReadCriteria(readFile(t, "samples/sample_math_criteria.json"), "criteria.json")
	if err != nil {
		t.Fatal(err)
	}
	labels, off, replies := 0, []string{}, 0
	lines := bufio.NewScanner(strings.NewReader(string(readFile(t, "notebook_agent_outputs.jsonl"))))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Cell           int
			Agent, Content string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		switch {
		case line.Agent == "critic":
			list, rejected := utility.ReadCritic(line.Content)
			if len(rejected) > 0 || len(list) != 10 {
				t.Fatalf("critic: %d criteria, %q", len(list), rejected)
			}
			for _, c := range list {
				if c.Order != utility.ByWords || !strings.Contains(line.Content, `"`+c.Values[0]+`"]`) {
					t.Errorf("%s: %q, order %s; the critic lists the best first", c.Name, c.Values, c.Order)
				}
			}
		case line.Cell == 17:
			replies++
			for i, l := range utility.ReadLabels(line.Content, criteria) {
				if l.Status == eval.Scored {
					labels++
					if criteria[i].Level(l.Value) < 0 || !strings.Contains(line.Content, `"`+criteria[i].Name+`": "`+l.Value+`"`) {
						t.Errorf("%s: %q is not what the reply says", criteria[i].Name, l.Value)
					}
				} else {
					off = append(off, l.Reason)
				}
			}
		}
	}
	if replies != 20 || labels != 111 || len(off) != 9 {
		t.Errorf("%d replies: %d labels, and without: %q", replies, labels, off)
	}
}

func TestReadCritic(t *testing.T) {
	tests := []struct {
		reason, reply string
		values        []string // of the first criterion
		order         string
		rejected      int
	}{
		{"comments, Python and a range", "Here you are:\n{'steps': {'description': 'how many', 'accepted_values': range(0, 4)}, # done\n}", []string{"0", "1", "2", "3"}, utility.ByNumbers, 0},
		{"booleans", `{"passed": {"description": "d", "accepted_values": [True, False]}}`, []string{"false", "true"}, utility.ByWords, 0},
		{"numbers", `[{"name": "n", "accepted_values": [5, 4, 3, 2, 1]}]`, []string{"1", "2", "3", "4", "5"}, utility.ByNumbers, 0},
		{"percentages", `[{"name": "n", "accepted_values": ["100%", "50%", "0%"]}]`, []string{"0%", "50%", "100%"}, utility.ByNumbers, 0},
		{"a text", `{"tone": {"description": "d", "accepted_values": "poor/fair/good"}}`, []string{"poor", "fair", "good"}, utility.ByWords, 0},
		{"values as objects", `{"criteria": [{"criterion": "tone", "accepted_values": [{"value": "good", "meaning": "m"}, {"value": "poor"}]}]}`, []string{"poor", "good"}, utility.ByWords, 0},
		{"no order in the words", `[{"name": "problem type", "accepted_values": ["algebra", "geometry", "sets"]}]`, []string{"algebra", "geometry", "sets"}, utility.Unknown, 0},
		{"times may be better short or long", `[{"name": "time", "accepted_values": ["<1 min", "1-5 min", ">5 min"]}]`, []string{"<1 min", "1-5 min", ">5 min"}, utility.Unknown, 0},
		{"cut off", `{"a": {"description": "d", "accepted_values": ["poor", "good"]}, "b": {"description": "d", "accepted_values": ["poor", "go`, []string{"poor", "good"}, utility.ByWords, 1},
		{"keys in other spellings", `[{"Name": "**Tone**", "Description": "d", "acceptedValues": "Poor; Fair; Good"}]`, []string{"Poor", "Fair", "Good"}, utility.ByWords, 0},
		{"numbered values with meanings", `{"tone": {"definition": "d", "scale": [{"1": "poor"}, {"2": "fair"}, {"3": "good"}]}}`, []string{"1", "2", "3"}, utility.ByNumbers, 0},
		{"best first, with numbers before", `{"tone": {"description": "d", "accepted_values": ["3 - good", "2 - fair", "1 - poor"]}}`, []string{"1 - poor", "2 - fair", "3 - good"}, utility.ByWords, 0},
		{"prose around a fence, with comments", "Criteria:\n```json\n[\n {\"name\": \"tone\", // manners\n  \"description\": \"d\", \"accepted_values\": [\"Excellent\", \"Good\", \"Adequate\", \"Poor\"]},\n]\n```\nThat is all.", []string{"Poor", "Adequate", "Good", "Excellent"}, utility.ByWords, 0},
		{"more of a risk is worse", `[{"name": "r", "accepted_values": ["high risk", "medium risk", "low risk"]}]`, []string{"high risk", "medium risk", "low risk"}, utility.ByWords, 0},
		{"simple may be better or worse", `[{"name": "c", "accepted_values": ["simple", "moderate", "complex"]}]`, []string{"simple", "moderate", "complex"}, utility.Unknown, 0},
		{"agreement", `[{"name": "a", "accepted_values": ["strongly agree", "agree", "neutral", "disagree", "strongly disagree"]}]`, []string{"strongly disagree", "disagree", "neutral", "agree", "strongly agree"}, utility.ByWords, 0},
		{"ends of a scale", `[{"name": "n", "accepted_values": {"type": "integer", "minimum": 1, "maximum": 4}}]`, []string{"1", "2", "3", "4"}, utility.ByNumbers, 0},
		{"a scale that is explained", `[{"name": "n", "accepted_values": "a score from 1 to 3 (1 = poor, 3 = good)"}]`, []string{"1", "2", "3"}, utility.ByNumbers, 0},
		{"the last one behind or", `[{"name": "n", "accepted_values": "poor, fair, or good"}]`, []string{"poor", "fair", "good"}, utility.ByWords, 0},
		{"two with or", `[{"criteria": "n", "accepted_values": "true or false", "sub_criteria": []}]`, []string{"false", "true"}, utility.ByWords, 0},
		{"what does not apply is no level", `[{"name": "n", "accepted_values": ["poor", "good", "N/A"]}]`, []string{"poor", "good"}, utility.ByWords, 0},
		{"a number of any size", `{"a": {"accepted_values": ["poor", "good"]}, "b": {"accepted_values": "any positive number"}}`, []string{"poor", "good"}, utility.ByWords, 1},
		{"one value", `{"a": {"accepted_values": ["poor", "good"]}, "b": {"accepted_values": ["only"]}}`, []string{"poor", "good"}, utility.ByWords, 1},
	}
	for _, test := range tests {
		list, rejected := utility.ReadCritic(test.reply)
		if len(list) == 0 {
			t.Errorf("%s: %q", test.reason, rejected)
			continue
		}
		if c := list[0]; len(list) != 1 || !slices.Equal(c.Values, test.values) || c.Order != test.order || len(rejected) != test.rejected {
			t.Errorf("%s: %d criteria, %q, order %s, rejected %q", test.reason, len(list), c.Values, c.Order, rejected)
		}
	}
	for _, reply := range []string{"", "I cannot.", `{"a": 1}`, `["poor", "good"]`} {
		if list, rejected := utility.ReadCritic(reply); len(list) > 0 || len(rejected) == 0 {
			t.Errorf("%q gives %v", reply, list)
		}
	}
}

func TestReadLabels(t *testing.T) {
	criteria := []utility.Criterion{
		{Name: "Clarity", Values: []string{"poor", "fair", "good"}},
		{Name: "Problem Type", Values: []string{"algebra", "sets"}},
	}
	tests := []struct{ reason, reply, clarity, kind string }{
		{"plain", `{"Clarity": "fair", "Problem Type": "sets"}`, "fair", "sets"},
		{"Python, in prose", "Sure:\n{'clarity': 'Good', 'problem_type': 'Sets',}\nDone.", "good", "sets"},
		{"wrapped", `{"actual_success": "true", "estimated_performance": {"Clarity": "poor", "Problem Type": "algebra"}}`, "poor", "algebra"},
		{"wrapped as a text", `{"estimated_performance": "{\"Clarity\": \"poor\", \"Problem Type\": \"algebra\"}"}`, "poor", "algebra"},
		{"objects", `{"Clarity": {"description": "d", "accepted_values": "fair"}, "Problem Type": {"accepted_values": ["sets"]}}`, "fair", "sets"},
		{"a list", `[{"criterion": "Clarity", "rating": "fair"}, {"name": "Problem Type", "label": "sets"}]`, "fair", "sets"},
		{"quoted twice", `{"Clarity": "'fair'", "Problem Type": "\"sets\""}`, "fair", "sets"},
		{"explained", `{"Clarity": "fair - it could be clearer", "Problem Type": "sets (unions)"}`, "fair", "sets"},
		{"all values", `{"Clarity": {"accepted_values": ["poor", "fair", "good"]}, "Problem Type": "algebra, sets"}`, "", ""},
		{"off the vocabulary", `{"Clarity": "mostly clear", "Problem Type": "N/A"}`, "", ""},
		{"no prefix", `{"Clarity": "goodish", "Problem Type": "set"}`, "", ""},
		{"cut off", `{"Clarity": "fair", "Problem Type": "se`, "fair", ""},
		{"contradiction", `{"Clarity": "fair", "Problem Type": "sets"} or {"Clarity": "good"}`, "", "sets"},
		{"a score with a reason", `{"estimated_performance": {"Clarity": {"score": "Fair", "reason": "good enough"}, "Problem Type": {"rating": "sets"}}}`, "fair", "sets"},
		{"the values and the chosen one", `{"criteria": [{"name": "Clarity", "accepted_values": ["poor", "fair", "good"], "selected": "fair"}, {"name": "problem type", "assessment": ["sets"]}]}`, "fair", "sets"},
		{"a list in words", "Here is my assessment:\n- **Clarity**: fair (it could be better)\n- **Problem Type:** sets", "", ""},
		{"numbered, with dashes", "1. Clarity - fair\n2. Problem Type – sets\n", "", ""},
		{"a table", "| Criterion | Label |\n|---|---|\n| Clarity | good |\n| Problem Type | algebra |", "", ""},
		{"another one in prose", "Clarity: fair or good\nProblem Type: I cannot tell", "", ""},
		{"not applicable", `{"Clarity": "N/A", "Problem Type": "Not applicable."}`, "", ""},
		{"numbers and truths", `{"Clarity": 2, "Problem Type": true}`, "", ""},
		{"two at once", `{"Clarity": "fair/good", "Problem Type": "sets, algebra"}`, "", ""},
		{"keys in other spellings", `{"clarity": "FAIR", "problemType": "sets", "problem-type": "sets"}`, "fair", "sets"},
		{"behind reasoning", "<think>{\"Clarity\": \"poor\"}?</think>{\"Clarity\": \"fair\", \"Problem Type\": \"sets\"}", "fair", "sets"},
		{"names under criteria", `{"evaluation": [{"criteria": "Clarity", "accepted_value": "good"}, {"criteria": "Problem Type", "accepted_value": "sets"}]}`, "good", "sets"},
		{"the values and the answer", `{"Clarity": {"accepted_values": ["poor", "fair", "good"], "answer": "fair"}, "Problem Type": "Not applicable: no problem is stated"}`, "fair", ""},
		{"nothing", "", "", ""},
	}
	for _, test := range tests {
		got := utility.ReadLabels(test.reply, criteria)
		for i, want := range []string{test.clarity, test.kind} {
			if got[i].Value != want || (want != "") != (got[i].Status == eval.Scored) || (want == "") != (got[i].Reason != "") {
				t.Errorf("%s: %+v, want %q", test.reason, got[i], want)
			}
		}
	}
}

func TestReadLabel(t *testing.T) {
	c := utility.Criterion{Name: "Clarity", Values: []string{"not clear", "clear", "very clear"}}
	tests := []struct{ reply, want string }{
		{"very clear", "very clear"}, {"'Clear'.", "clear"}, {"**Not clear**", "not clear"},
		{"very clear\n\nEach step is given.", "very clear"}, {"<think>not clear?</think>\nvery clear", "very clear"}, {"<think>very clear", ""},
		{"The answer explains each step.\nLabel: very clear", "very clear"},
		{"I would call this 'clear', since it has steps.", ""},
		{`{"Clarity": "clear"}`, "clear"}, {`{"label": "clear"}`, "clear"}, {`"'clear'"`, "clear"},
		{"It is not very clear whether 'clear' or 'very clear' fits.", ""}, {"quite good", ""}, {"", ""}, {"unclear", ""},
	}
	for _, test := range tests {
		if got := utility.ReadLabels(test.reply, []utility.Criterion{c})[0]; got.Value != test.want || (got.Status == eval.Scored) != (test.want != "") {
			t.Errorf("%q: %+v, want %q", test.reply, got, test.want)
		}
	}
}

// A number between two levels is neither of them.
func TestReadNumbers(t *testing.T) {
	c := utility.Criterion{Name: "Clarity", Values: []string{"0", "1", "2", "3", "4", "5"}}
	tests := []struct{ said, want string }{
		{"3", "3"}, {"3.0", "3"}, {"5.00", "5"}, {"3.", "3"}, {"3, since it is short", "3"}, {"3 (of 5)", "3"},
		{"3.7", ""}, {"0.5", ""}, {"3,5", ""}, {"3,000", ""}, {"4/5", ""}, {"3-4", ""}, {"6", ""}, {"-1", ""},
	}
	for _, test := range tests {
		for _, reply := range []string{fmt.Sprintf(`{"Clarity": %q}`, test.said), test.said} {
			if got := utility.ReadLabels(reply, []utility.Criterion{c})[0]; got.Value != test.want || (got.Status == eval.Scored) != (test.want != "") {
				t.Errorf("%s: %+v, want %q", reply, got, test.want)
			}
		}
	}
}
