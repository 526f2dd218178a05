package formats

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"parley/finetune"
)

// axolotlConfig is the part of axolotl's configuration about data.
type axolotlConfig struct {
	Datasets      []axolotlDataset `yaml:"datasets"`
	TestDatasets  []axolotlDataset `yaml:"test_datasets"`
	RL            string           `yaml:"rl"`
	TrainOnInputs bool             `yaml:"train_on_inputs"`
	ValSetSize    float64          `yaml:"val_set_size"`
	SequenceLen   int              `yaml:"sequence_len"`
}

type axolotlDataset struct {
	Path          string              `yaml:"path"`
	Type          any                 `yaml:"type"`
	DataFiles     any                 `yaml:"data_files"`
	FieldMessages string              `yaml:"field_messages"`
	FieldChosen   string              `yaml:"field_chosen"`
	FieldRejected string              `yaml:"field_rejected"`
	Properties    map[string]string   `yaml:"message_property_mappings"`
	FieldRole     string              `yaml:"message_field_role"`    // of older configurations
	FieldContent  string              `yaml:"message_field_content"` // of older configurations
	FieldTraining string              `yaml:"message_field_training"`
	Roles         map[string][]string `yaml:"roles"`
	RolesToTrain  *[]string           `yaml:"roles_to_train"`
	TrainOnEOS    string              `yaml:"train_on_eos"`
}

// openAxolotl takes data, a configuration, or a directory with both.
func openAxolotl(v *validator, path string, dir bool) ([]source, error) {
	if ext := filepath.Ext(path); !dir && (ext == ".yaml" || ext == ".yml") {
		return v.axolotlConfig(path, true)
	}
	if !dir {
		return []source{{path: path}}, nil
	}
	configs, err := filepath.Glob(filepath.Join(path, "*.y*ml"))
	if err != nil {
		return nil, err
	}
	var out []source
	for _, c := range configs {
		some, err := v.axolotlConfig(c, false)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	rest, err := v.folder(path)
	if len(out) == 0 {
		return rest, err
	}
	for _, s := range rest { // a file that no configuration names is read like one that is named
		if !slices.ContainsFunc(out, func(o source) bool { return filepath.Clean(o.path) == filepath.Clean(s.path) }) {
			s.check, s.usual = out[0].check, out[0].usual
			out = append(out, s)
		}
	}
	return out, nil
}

// axolotlConfig reads a configuration and returns the files it names. Only one that a user names has to
// name some.
func (v *validator) axolotlConfig(path string, asked bool) ([]source, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v.file = source{path: path}
	var c axolotlConfig
	if err := yaml.Unmarshal(raw, &c); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		v.report("yaml_invalid", "error", quote(first))
		return nil, nil
	}
	if len(c.Datasets) == 0 && !asked {
		return nil, nil
	}
	v.sum.Files = append(v.sum.Files, path)
	if len(c.Datasets) == 0 {
		v.report("no_datasets")
	}
	if c.ValSetSize != 0 && len(c.TestDatasets) > 0 {
		v.report("val_set_size")
	}
	var out []source
	for i, d := range append(c.Datasets, c.TestDatasets...) {
		s := source{split: finetune.Train, usual: c.SequenceLen}
		if i >= len(c.Datasets) {
			s.split = finetune.Validation
		}
		files, err := v.axolotlFiles(path, d)
		if err != nil {
			return nil, err
		}
		set, ok := v.axolotlSet(&c, &d)
		s.check = func(v *validator, row *value) {
			if ok {
				set.row(v, row)
			}
		}
		for _, s.path = range files {
			out = append(out, s)
		}
	}
	return out, nil
}

// axolotlFiles finds the files of a dataset beside the configuration.
func (v *validator) axolotlFiles(config string, d axolotlDataset) ([]string, error) {
	paths := []string{d.Path}
	switch files := d.DataFiles.(type) {
	case string:
		paths = []string{files}
	case []any:
		paths = nil
		for _, f := range files {
			paths = append(paths, fmt.Sprint(f))
		}
	}
	var out []string
	for _, p := range paths {
		near := p
		if !filepath.IsAbs(p) {
			near = filepath.Join(filepath.Dir(config), p)
		}
		info, err := os.Stat(near)
		switch {
		case err != nil && filepath.Ext(p) == "":
			v.notes[fmt.Sprintf("%s names %q, which is not on this machine: it was not read", config, p)] = true
		case err != nil:
			v.report("missing_file:config", "file", quote(p))
		case info.IsDir():
			some, err := v.folder(near)
			if err != nil {
				return nil, err
			}
			for _, s := range some {
				out = append(out, s.path)
			}
		case info.Mode()&fs.ModeType == 0:
			out = append(out, near)
		}
	}
	return out, nil
}

// axolotlSet makes of a dataset's settings how its rows are read. Not ok: rows cannot be judged.
func (v *validator) axolotlSet(c *axolotlConfig, d *axolotlDataset) (set axolotlSet, ok bool) {
	set = axolotlUnset(v.f)
	set.known = true
	kind, _ := d.Type.(string)
	switch {
	case strings.HasPrefix(kind, "sharegpt"):
		v.report("sharegpt_removed", "type", quote(kind))
		return set, false
	case kind == "chat_template":
	case kind == "chat_template.default":
		set.preference = true
	default:
		v.report("type_unchecked", "type", quote(fmt.Sprint(d.Type)))
		return set, false
	}
	if (c.RL != "") != set.preference {
		v.report("rl", "type", kind, "rl", quote(c.RL))
	}
	set.messages = cmp.Or(d.FieldMessages, set.messages)
	set.chosen = cmp.Or(d.FieldChosen, set.chosen)
	set.rejected = cmp.Or(d.FieldRejected, set.rejected)
	set.training = d.FieldTraining
	set.chat.Role = cmp.Or(d.Properties["role"], d.FieldRole, set.chat.Role)
	set.chat.Content = cmp.Or(d.Properties["content"], d.FieldContent, set.chat.Content)
	if len(d.Roles) > 0 {
		set.mapRoles(d.Roles)
	}
	set.inputs = c.TrainOnInputs
	if set.inputs && !set.preference {
		v.report("trains_everything:config")
	}
	if d.TrainOnEOS == "none" {
		v.report("train_on_eos")
	}
	if d.RolesToTrain != nil {
		set.learned = map[part]bool{}
		for _, r := range *d.RolesToTrain {
			set.learned[set.chat.Roles[r]] = true
		}
		delete(set.learned, "")
	}
	return set, true
}

// mapRoles takes over the roles of a configuration. In conversations, a role that is not mapped goes to
// the template as it is.
func (a *axolotlSet) mapRoles(roles map[string][]string) {
	names := map[string]part{}
	if !a.preference {
		maps.Copy(names, map[string]part{"system": system, "user": user, "assistant": assistant, "tool": tool})
	}
	for target, from := range roles {
		for _, name := range from {
			if p := a.chat.Roles[target]; p == part(target) {
				names[name] = p
			}
		}
	}
	a.chat.Roles, a.mapped = names, true
}
