package ieg

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Keep writes the windows of a study into a directory, and returns the configuration that names the files.
func (s *Study) Keep(dir string) (c *Config, err error) {
	c = &Config{Seeds: s.Seeds, Stretches: s.Stretches}
	write := func(name string, xs []Interaction) (path string) {
		if len(xs) == 0 {
			return ""
		}
		var b bytes.Buffer
		for i := range xs {
			err = errors.Join(err, Write(&b, &xs[i]))
		}
		path = filepath.Join(dir, name+".jsonl")
		err = errors.Join(err, os.WriteFile(path, b.Bytes(), 0o600))
		return path
	}
	c.RealTrain, c.RealVal, c.RealTest = write("real-train", s.RealTrain), write("real-val", s.RealVal), write("real-test", s.RealTest)
	for i, g := range s.Generated {
		c.Generated = append(c.Generated, SourceConfig{Name: g.Name, File: write(fmt.Sprintf("generated-%d", i+1), g.Interactions)})
	}
	return c, err
}
