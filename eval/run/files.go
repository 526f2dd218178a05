package run

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// Files lists files, and those within directories, in order. Hidden ones are passed over.
func Files(names []string) (files []string, err error) {
	if len(names) == 0 {
		return nil, Usagef("name a file or directory")
	}
	for _, name := range names {
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case path != name && d.Name()[0] == '.' && d.IsDir():
				return fs.SkipDir
			case d.Type().IsRegular() && (path == name || d.Name()[0] != '.'):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("find files: %w", err)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are no files in %s", names[0])
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}
