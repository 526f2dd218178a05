// Package judge asks a model for a verdict and takes only one that is in the schema of the question: the
// backend holds the model to it where it can, and the reply is read by it everywhere.
//
// A reply that gives no verdict is asked for again, and then it is unparsed, with the reason; it is
// never a default. Judged text cannot speak for the judge: see Ask. The nonce stops echoes, not obedience: a
// judge that does what a text tells it, and fills in its own form, gives a verdict like any other. Inject
// measures how often that happens. What is asked, and what a verdict means, is defined by the packages that
// measure.
package judge

import (
	"time"

	"parley/eval"
	"parley/sim/llm"
)

// Judge is a model in the role of a judge.
type Judge struct {
	Model    llm.Model
	Name     string       // the model as it was asked for
	Sampling llm.Sampling // temperature 0 where none is set; a seed of its own for each call where none is set
	Again    int          // how often it is asked again after a reply without a verdict; 0: twice, negative: never
	Now      func() time.Time

	// Trusting takes replies that do not carry the nonce of the question, and forms other than an
	// object. A reply that merely repeats the prompt may then count as a verdict: it is for texts
	// from a source that is trusted, and for models too small to copy a nonce.
	Trusting bool
}

func (j *Judge) again() int {
	if j.Again == 0 {
		return 2
	}
	return max(0, j.Again)
}

// Verdict is the outcome of asking a judge.
type Verdict[T any] struct {
	Value    T // the zero value unless scored
	Status   eval.Status
	Reason   string // why there is no value
	Method   string // schema, where the backend held the model to it; else as in Reading, or a Mode
	Evidence []eval.Evidence
	Calls    []llm.Call

	// Keys holds the properties of the last reply one by one, where the verdict is an object of
	// independent labels.
	Keys map[string]Reading
}

// IDs returns the ids of the calls that led to the verdict, for a score's record.
func (v *Verdict[T]) IDs() []string {
	ids := make([]string, len(v.Calls))
	for i := range v.Calls {
		ids[i] = v.Calls[i].ID
	}
	return ids
}
