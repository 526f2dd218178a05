package hosted

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Method is how a model is trained.
type Method string

const (
	SFT Method = "sft" // on examples of what it should say; the protocol calls it supervised
	DPO Method = "dpo" // on pairs of a better and a worse answer
)

// Setting is a hyperparameter: empty leaves it to the server without a word, "auto" asks the server to
// choose, anything else is a number.
type Setting string

// Auto asks the server to choose.
const Auto Setting = "auto"

// Order is the request for a job.
type Order struct {
	Model  string `json:"model"`
	Method Method `json:"method"`
	// The ids of files on the server. The second may be empty.
	TrainingFile   string `json:"training_file,omitempty"`
	ValidationFile string `json:"validation_file,omitempty"`

	Epochs       Setting `json:"n_epochs,omitempty"`                 // a whole number from 1 to 50
	BatchSize    Setting `json:"batch_size,omitempty"`               // a whole number from 1 to 256
	LearningRate Setting `json:"learning_rate_multiplier,omitempty"` // above 0; some servers take the rate itself
	Beta         Setting `json:"beta,omitempty"`                     // of DPO; above 0, at most 2
	// Extra are hyperparameters that only some servers know, such as lora, as JSON values. They are not
	// checked, so that they can also carry a named one beyond the bounds above.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`

	Suffix   string            `json:"suffix,omitempty"` // 1 to 64 characters of the new model's name
	Seed     *int64            `json:"seed,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"` // up to 15 pairs
	// Mark is sent as metadata, so that the job can be found again after an answer was lost.
	Mark string `json:"mark,omitempty"`
	// TopLevel sends the hyperparameters where servers look for them that do not know methods.
	TopLevel bool `json:"top_level,omitempty"`
}

// markKey is the metadata that carries an order's mark.
const markKey = "parley_order"

// setting is a hyperparameter that every server knows, with its upper bound. All are above 0.
type setting struct {
	name  string
	value Setting
	whole bool
	most  float64
}

func (o *Order) settings() []setting {
	return []setting{
		{"n_epochs", o.Epochs, true, 50}, {"batch_size", o.BatchSize, true, 256},
		{"learning_rate_multiplier", o.LearningRate, false, math.MaxFloat64}, {"beta", o.Beta, false, 2},
	}
}

// checkSettings checks the hyperparameters that every server knows.
func (o *Order) checkSettings() error {
	for _, s := range o.settings() {
		if s.value == "" || s.value == Auto {
			continue
		}
		f, err := strconv.ParseFloat(string(s.value), 64)
		if err == nil && f > 0 && f <= s.most && (!s.whole || f == math.Trunc(f)) {
			continue
		}
		bounds := "a number above 0"
		if s.whole {
			bounds = fmt.Sprintf("a whole number from 1 to %g", s.most)
		} else if s.most < math.MaxFloat64 {
			bounds += fmt.Sprintf(" and up to %g", s.most)
		}
		return fmt.Errorf("%s is %q, it has to be %s, or auto", s.name, string(s.value), bounds)
	}
	return nil
}

// Validate checks an order against the bounds of the protocol, except for its files' ids.
func (o *Order) Validate() error {
	if err := cmp.Or(o.checkSettings(), o.checkExtra(), o.checkMetadata()); err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(o.Suffix); {
	case o.Model == "":
		return errors.New("there is no model to train")
	case o.Method != SFT && o.Method != DPO:
		return fmt.Errorf("method is %q, it has to be sft or dpo", string(o.Method))
	case o.Beta != "" && o.Method != DPO:
		return errors.New("beta is for the method dpo only")
	case o.TopLevel && o.Method != SFT:
		return errors.New("hyperparameters at the top level are for the method sft only: the deprecated form has no other")
	case n > 64:
		return fmt.Errorf("the suffix has %d characters, it may have 64", n)
	case o.Seed != nil && (*o.Seed < 0 || *o.Seed > math.MaxInt32):
		return fmt.Errorf("seed is %d, it has to be from 0 to %d", *o.Seed, math.MaxInt32)
	}
	return nil
}

// checkExtra checks the names of the hyperparameters that only some servers know.
func (o *Order) checkExtra() error {
	for name, value := range o.Extra {
		switch {
		case name == "":
			return errors.New("a hyperparameter has no name")
		case slices.ContainsFunc(o.settings(), func(s setting) bool { return s.name == name && s.value != "" }):
			return fmt.Errorf("hyperparameter %s is given twice", name)
		case !json.Valid(value):
			return fmt.Errorf("hyperparameter %s is no JSON value", name)
		}
	}
	return nil
}

func (o *Order) checkMetadata() error {
	if n := len(o.Metadata); n > 15 {
		return fmt.Errorf("there are %d pairs of metadata, there may be 15 besides parley's own", n)
	}
	for key, value := range o.Metadata {
		switch {
		case key == markKey:
			return fmt.Errorf("the metadata %s is parley's own", markKey)
		case key == "" || utf8.RuneCountInString(key) > 64:
			return fmt.Errorf("metadata %q: a key has 1 to 64 characters", key)
		case utf8.RuneCountInString(value) > 512:
			return fmt.Errorf("metadata %s: a value has at most 512 characters", key)
		}
	}
	return nil
}

// body is the order in the words of the protocol.
func (o *Order) body() ([]byte, error) {
	hyper := map[string]any{}
	for _, s := range o.settings() {
		if s.value != "" {
			hyper[s.name] = s.value
		}
		if f, err := strconv.ParseFloat(string(s.value), 64); err == nil {
			hyper[s.name] = f
		}
	}
	for name, value := range o.Extra {
		hyper[name] = value
	}
	body := map[string]any{"model": o.Model, "training_file": o.TrainingFile}
	if o.ValidationFile != "" {
		body["validation_file"] = o.ValidationFile
	}
	if o.Suffix != "" {
		body["suffix"] = o.Suffix
	}
	if o.Seed != nil {
		body["seed"] = *o.Seed
	}
	metadata := map[string]string{}
	maps.Copy(metadata, o.Metadata)
	if o.Mark != "" {
		metadata[markKey] = o.Mark
	}
	if len(metadata) > 0 {
		body["metadata"] = metadata
	}
	kind := map[Method]string{SFT: "supervised", DPO: "dpo"}[o.Method]
	switch {
	case o.TopLevel:
		if len(hyper) > 0 {
			body["hyperparameters"] = hyper
		}
	case len(hyper) > 0:
		body["method"] = map[string]any{"type": kind, kind: map[string]any{"hyperparameters": hyper}}
	case o.Method != SFT: // without a word it is supervised, also where methods are not known
		body["method"] = map[string]any{"type": kind}
	}
	return json.Marshal(body)
}
