package planning_test

import (
	"fmt"

	"parley/eval/planning"
)

func ExampleReader_Read() {
	r, err := planning.Vocabulary{Objects: []byte(`["red", "blue"]`)}.Reader("blocksworld")
	if err != nil {
		fmt.Println(err)
		return
	}
	got := r.Read(planning.Plan, "Here is the plan:\n1. **Unstack the red block** from the blue block.\n2. Put it down (the hand is then empty).", false)
	fmt.Println(got.Status, got.Sequence())
	// Output: read [(unstack red blue) (put-down red)]
}
