package utility

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"parley/eval/run"
)

// Load reads the samples of files, of the files of directories, and of runs of sessions. Success says which were done:
// METRIC>=NUMBER of a run's scores, or a JSON file of {id: true|false}; empty: iep>=50, or what logs say.
func (r *Reader) Load(paths []string, success string) ([]Sample, error) {
	metric, least := "iep", 50.0
	if name, number, ok := strings.Cut(success, ">="); ok {
		x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil {
			return nil, run.Usagef("success %s: write METRIC>=NUMBER, or a file", success)
		}
		metric, least = strings.TrimSpace(name), x
	} else if success != "" {
		data, err := os.ReadFile(success)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &r.Outcomes); err != nil {
			return nil, fmt.Errorf("%s: a JSON object of {id: true|false} is needed: %w", success, err)
		}
	}
	var list []Sample
	for _, path := range paths {
		var more []Sample
		_, err := os.Stat(filepath.Join(path, run.ManifestName))
		if err == nil {
			more, err = r.Sessions(path, metric, least)
		} else {
			more, err = r.files(path)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// files reads a file, or those of a directory in the order of their names.
func (r *Reader) files(path string) ([]Sample, error) {
	files := []string{path}
	if entries, err := os.ReadDir(path); err == nil {
		files = nil
		for _, e := range entries {
			if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
				files = append(files, filepath.Join(path, e.Name()))
			}
		}
	}
	var list []Sample
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		more, err := r.Read(data, file)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}
