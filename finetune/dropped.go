package finetune

// Reason is why an example is not in a dataset.
type Reason string

const (
	Duplicate     Reason = "duplicate"      // the same messages came earlier
	NearDuplicate Reason = "near duplicate" // nearly the same play came earlier
	Contaminated  Reason = "contaminated"   // of train: it shares a passage with an evaluation example
	TooLong       Reason = "too long"       // more tokens than the limit
	Alike         Reason = "alike"          // of a preference: nothing but personal data told its messages apart
)

// Dropped is an example that is not in the dataset, and why. A source that gives up an example yields
// one as its error, with a reason of its own, such as "malformed turn".
type Dropped struct {
	ID     string `json:"id"`
	Group  string `json:"group"`
	Source string `json:"source,omitempty"`
	Split  Split  `json:"split,omitempty"` // where it would have gone, if that was known
	Reason Reason `json:"reason"`
	Detail string `json:"detail,omitempty"`
	With   string `json:"with,omitempty"` // the example that it is a duplicate of, or shares a passage with
}

// Error makes a Dropped the error of a stream.
func (d *Dropped) Error() string {
	s := "example " + d.ID + " is left out: " + string(d.Reason)
	if d.Detail != "" {
		s += ": " + d.Detail
	}
	return s
}
