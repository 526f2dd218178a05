package finetune

import (
	"fmt"
	"slices"
	"strings"
)

// Trainer is a trainer with its limit on the length of an example.
type Trainer struct {
	Name   string
	Limit  int    // tokens, if the user asks for no other
	Key    string // the setting of the trainer that has to be at least as long as the longest example
	Hosted bool   // by OpenAI's rules: its models' tokenizer is known
	Cut    string // what the trainer does with a longer example, in a sentence
}

var trainers = []Trainer{
	{Name: "openai", Limit: 65536, Hosted: true, Cut: "OpenAI cuts a longer example at its end"},
	{Name: "azure", Limit: 65536, Hosted: true, Cut: "Azure cuts a longer example at its end"},
	{Name: "trl", Limit: 1024, Key: "max_length", Cut: "TRL keeps the start of a longer example, and drops it if nothing to learn is left"},
	{Name: "axolotl", Limit: 512, Key: "sequence_len", Cut: "Axolotl drops a longer example"},
	{Name: "llama-factory", Limit: 2048, Key: "cutoff_len", Cut: "LLaMA-Factory cuts a longer example"},
	{Name: "mlx", Limit: 2048, Key: "max_seq_length", Cut: "MLX-LM cuts the end of a longer example, where the answer is"},
	{Name: "unsloth", Limit: 2048, Key: "max_seq_length", Cut: "Unsloth cuts a longer example"},
}

// Trainers are the names of the trainers whose limits are known.
func Trainers() []string {
	names := make([]string, len(trainers))
	for i := range trainers {
		names[i] = trainers[i].Name
	}
	return names
}

// LookupTrainer finds a trainer by its name.
func LookupTrainer(name string) (Trainer, error) {
	if i := slices.IndexFunc(trainers, func(t Trainer) bool { return t.Name == name }); i >= 0 {
		return trainers[i], nil
	}
	return Trainer{}, fmt.Errorf("there is no trainer %q; known are %s", name, strings.Join(Trainers(), ", "))
}

// Counter is how the trainer's tokens are counted: as OpenAI's for its models, else estimated. A
// model's name may be empty.
func (t Trainer) Counter(model string) Counter {
	if t.Hosted {
		return OpenAI(model)
	}
	return Estimate()
}

// Length is the length of sequences to train with where the longest example has so many tokens: a fifth
// of room where lengths are estimated, in steps of 64. It is 0 where nothing is known.
func Length(longest int, exact bool) int {
	if !exact {
		longest += longest / 5
	}
	return (longest + 63) / 64 * 64
}

// Setting is the line for the trainer's configuration that lets examples of a length pass whole, such
// as "max_length: 1088". It is empty where there is nothing to set.
func (t Trainer) Setting(longest int, exact bool) string {
	if t.Key == "" || longest == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d", t.Key, Length(longest, exact))
}
