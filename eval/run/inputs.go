package run

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"parley/logs"
)

// inputsName is the folder of the copies of input files.
const inputsName = "inputs"

// read returns the content of an input file, which the run keeps a copy of.
func (r *execution) read(path string) ([]byte, error) {
	if in, known := r.manifest.Inputs[path]; known {
		return readInput(r.dir, path, in)
	}
	if r.copies() {
		return nil, fmt.Errorf("%s: the run has no copy of it (%s names none)", path, filepath.Join(r.dir, ManifestName))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if r.dir == "" {
		return data, nil // outside of a run
	}
	in := Input{SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	in.Copy = fmt.Sprintf("%s/%.12s-%s", inputsName, in.SHA256, filepath.Base(path))
	if err := os.MkdirAll(filepath.Join(r.dir, inputsName), 0o777); err != nil {
		return nil, err
	}
	r.wrote = true
	if err := logs.WriteFile(filepath.Join(r.dir, in.Copy), data); err != nil {
		return nil, err
	}
	r.manifest.Inputs[path] = in
	return data, nil
}

// copies reports whether a run reads its copies of input files only: it began before, or somebody else began it.
func (r *execution) copies() bool {
	return r.resumed && (r.manifest.Of > 0 || !r.options.mine(r.manifest))
}

// inputDir is a directory that the configuration names, for fs.ReadDir and fs.ReadFile.
type inputDir struct {
	run *execution
	dir string
}

// Open opens nothing.
func (d inputDir) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

// ReadDir lists the files; none where only the copies are read, which are asked for by name.
func (d inputDir) ReadDir(string) ([]fs.DirEntry, error) {
	if d.run.copies() {
		return nil, nil
	}
	return os.ReadDir(d.dir)
}

// ReadFile reads a file, or its copy. A file without a copy is none where only the copies are read.
func (d inputDir) ReadFile(name string) ([]byte, error) {
	path := filepath.Join(d.dir, name)
	if _, kept := d.run.manifest.Inputs[path]; !kept && d.run.copies() {
		return nil, fs.ErrNotExist
	}
	return d.run.read(path)
}

// readInput reads the copy of an input file.
func readInput(dir, path string, in Input) ([]byte, error) {
	if !filepath.IsLocal(in.Copy) || filepath.Dir(filepath.FromSlash(in.Copy)) != inputsName {
		return nil, fmt.Errorf("%s names %q as the copy of %s, which is not in its folder %s", filepath.Join(dir, ManifestName), in.Copy, path, inputsName)
	}
	data, err := os.ReadFile(filepath.Join(dir, in.Copy))
	if err != nil {
		return nil, err
	}
	if hash := fmt.Sprintf("%x", sha256.Sum256(data)); hash != in.SHA256 {
		return nil, fmt.Errorf("%s is not what the run began with (its SHA-256 begins with %.8s, and was %.8s): put it back, or begin a new run",
			filepath.Join(dir, in.Copy), hash, in.SHA256)
	}
	return data, nil
}

// ReadInput returns the content of a file that the configuration of a run names, from the run's copy.
func (m *Manifest) ReadInput(dir, path string) ([]byte, error) {
	in, known := m.Inputs[path]
	if !known {
		return nil, fmt.Errorf("%s: the run has no copy of it", path)
	}
	return readInput(dir, path, in)
}

// keepPrompts keeps the run to its prompts.
func (r *execution) keepPrompts(hashes map[string]string) error {
	if r.manifest.Prompts == nil {
		r.manifest.Prompts = hashes
	} else if !maps.Equal(r.manifest.Prompts, hashes) {
		return errors.New("the prompts are not those that the run began with: put them back, or begin a new run")
	}
	return nil
}
