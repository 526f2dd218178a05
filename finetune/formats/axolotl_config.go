package formats

import (
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

// axolotlConfig is what axolotl's configuration says of data.
type axolotlConfig struct {
	Datasets      []axolotlDataset `yaml:"datasets"`
	TestDatasets  []axolotlDataset `yaml:"test_datasets"`
	RL            string           `yaml:"rl"`
	TrainOnInputs bool             `yaml:"train_on_inputs"`
	ValSetSize    float64          `yaml:"val_set_size"`
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
	for _, s := range rest { // what no configuration names is read like what one does
		if !slices.ContainsFunc(out, func(o source) bool { return filepath.Clean(o.path) == filepath.Clean(s.path) }) {
			s.check = out[0].check
			out = append(out, s)
		}
	}
	return out, nil
}

// axolotlConfig reads a configuration and returns the files it names. Only one that a user points at
// has to name some.
func (v *validator) axolotlConfig(path string, pointed bool) ([]source, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v.file = source{path: path}
	var c axolotlConfig
	if err := yaml.Unmarshal(raw, &c); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		v.bad("yaml_invalid", "repair the YAML", "the configuration cannot be read: %q", first)
		return nil, nil
	}
	if len(c.Datasets) == 0 && !pointed {
		return nil, nil
	}
	v.sum.Files = append(v.sum.Files, path)
	if len(c.Datasets) == 0 {
		v.bad("no_datasets", "name the data under datasets", "the configuration names no datasets: axolotl refuses it")
	}
	if c.ValSetSize != 0 && len(c.TestDatasets) > 0 {
		v.bad("val_set_size", "delete val_set_size", "the configuration has val_set_size and test_datasets: axolotl refuses both together")
	}
	var out []source
	for i, d := range append(c.Datasets, c.TestDatasets...) {
		split := finetune.Train
		if i >= len(c.Datasets) {
			split = finetune.Validation
		}
		files, err := v.axolotlFiles(path, d)
		if err != nil {
			return nil, err
		}
		set, ok := v.axolotlSet(&c, &d)
		for _, f := range files {
			check := func(v *validator, row value) { set.row(v, row) }
			if !ok {
				check = func(*validator, value) {}
			}
			out = append(out, source{path: f, split: split, check: check})
		}
	}
	return out, nil
}

// axolotlFiles finds the files of a dataset beside the configuration.
func (v *validator) axolotlFiles(config string, d axolotlDataset) ([]string, error) {
	near := func(name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(filepath.Dir(config), name)
	}
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
		info, err := os.Stat(near(p))
		switch {
		case err != nil && filepath.Ext(p) == "":
			v.notes[fmt.Sprintf("%s names %q, which is not on this machine: it was not read", config, p)] = true
		case err != nil:
			v.bad("missing_file", "write the path from where axolotl is started", "the configuration names %q, which is not there", p)
		case info.IsDir():
			some, err := v.folder(near(p))
			if err != nil {
				return nil, err
			}
			for _, s := range some {
				out = append(out, s.path)
			}
		case info.Mode()&fs.ModeType == 0:
			out = append(out, near(p))
		}
	}
	return out, nil
}

// axolotlSet makes of a dataset's settings how its rows are read. Not ok: rows cannot be judged.
func (v *validator) axolotlSet(c *axolotlConfig, d *axolotlDataset) (set axolotlSet, ok bool) {
	set = axolotlUnset
	set.known = true
	set.kind, _ = d.Type.(string)
	switch {
	case strings.HasPrefix(set.kind, "sharegpt"):
		v.bad("sharegpt_removed", "set type: chat_template, field_messages: conversations and message_property_mappings: {role: from, content: value}",
			"the type is %q: axolotl has removed it and refuses the configuration", set.kind)
		return set, false
	case set.kind == "chat_template":
	case set.kind == "chat_template.default":
		set.preference = true
		if c.RL == "" {
			v.bad("rl", "set rl: dpo", "the type is chat_template.default and rl is not set: rows are read as conversations to learn")
		}
	default:
		v.warn("type_unchecked", "use type: chat_template", "rows of the type %q are not judged here, only the file as such", fmt.Sprint(d.Type))
		return set, false
	}
	if c.RL != "" && set.kind == "chat_template" {
		v.bad("rl", "set type: chat_template.default", "rl is %q and the type is chat_template: preferences need chat_template.default", c.RL)
	}
	for _, s := range []struct {
		to   *string
		from string
	}{
		{&set.messages, d.FieldMessages}, {&set.chosen, d.FieldChosen}, {&set.rejected, d.FieldRejected}, {&set.training, d.FieldTraining},
		{&set.chat.role, d.FieldRole}, {&set.chat.content, d.FieldContent},
		{&set.chat.role, d.Properties["role"]}, {&set.chat.content, d.Properties["content"]},
	} {
		if s.from != "" {
			*s.to = s.from
		}
	}
	if len(d.Roles) > 0 {
		set.chat.names = map[string]who{}
		for target, names := range d.Roles {
			for _, name := range names {
				if w, known := openNames[target]; known {
					set.chat.names[name] = w
				}
			}
		}
		for name, w := range maps.All(openNames) { // a role that is not mapped goes to the template as it is
			if _, mapped := set.chat.names[name]; !mapped && !set.preference {
				set.chat.names[name] = w
			}
		}
	}
	set.inputs = c.TrainOnInputs
	if set.inputs && !set.preference {
		v.warn("trains_everything", "set train_on_inputs: false", "train_on_inputs is set: prompts are learned like answers")
	}
	if d.TrainOnEOS == "none" {
		v.warn("train_on_eos", "set train_on_eos: turn", "train_on_eos is none: the model does not learn to stop")
	}
	if d.RolesToTrain != nil {
		set.learned = map[who]bool{}
		for _, r := range *d.RolesToTrain {
			set.learned[set.chat.names[r]] = true
		}
		delete(set.learned, nobody)
	}
	return set, true
}
