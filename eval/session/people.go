package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/eval"
	"parley/eval/report/view"
)

// AnnotationsName is the file of a run that holds how well people and the judge agree, as results.
const AnnotationsName = "annotations.json"

// peopleBlocks shows the agreement of people with each other and with the judge; nil for a run without annotations.
func peopleBlocks(dir string) ([]view.Block, error) {
	data, err := os.ReadFile(filepath.Join(dir, AnnotationsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var results []eval.Result
	if err == nil {
		err = eval.Strict(data, &results)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, AnnotationsName), err)
	}
	table := &view.Table{
		Caption: "People judged debriefs without knowing arm or control. alpha is Krippendorff's, same the percent of pairs of people who say the same; " +
			"difference (judge less people) and distance are in percent of the key facts of a debrief.",
		Head: view.Columns("Measure", "Of", "#Value", "#Low", "#High", "#N"),
	}
	for i := range results {
		r := &results[i]
		table.Add(r.Metric, r.Arm, view.Number(r.Value), view.Number(r.Low), view.Number(r.High), fmt.Sprintf("%d of %d %s", r.N, r.Of, r.Unit))
	}
	return []view.Block{table}, nil
}
