package hosted

import (
	"fmt"
	"strings"
	"time"

	"parley/finetune"
)

// Answer is the part of a job that is shown.
type Answer struct {
	Name     string    `json:"name,omitempty"`   // of the record
	Record   string    `json:"record,omitempty"` // its file
	BaseURL  string    `json:"base_url"`
	Estimate *Estimate `json:"estimate,omitempty"`
	Job      *Job      `json:"job"`
	Reason   string    `json:"reason,omitempty"` // why it failed
	// Player and Predictor name the new model for parley run and parley finetune eval.
	Player    string `json:"player,omitempty"`
	Predictor string `json:"predictor,omitempty"`
}

// NewAnswer makes the answer of a job, whose record may be nil.
func NewAnswer(a Address, r *Record, job *Job) Answer {
	out := Answer{BaseURL: a.BaseURL, Job: job, Player: a.Spec(job)}
	if r != nil {
		out.Name, out.Record = r.Name, r.Path()
	}
	if job.State == Failed {
		out.Reason = job.Reason()
	}
	if out.Player != "" {
		out.Predictor = "tuned:" + out.Player
	}
	return out
}

// Text returns the answer in lines, with the commands that use a new model.
func (a *Answer) Text(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", a.Job.ID, a.Job.State)
	if a.Name != "" {
		fmt.Fprintf(&b, " (%s)", a.Name)
	}
	b.WriteByte('\n')
	line := func(name, value string) {
		if value != "" && value != "0" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, value)
		}
	}
	line("base", a.Job.Model)
	line("model", a.Job.Tuned)
	line("reason", a.Reason)
	if a.Job.TrainedTokens != nil {
		line("trained", fmt.Sprintf("%d tokens", *a.Job.TrainedTokens))
	}
	if left := a.Job.Estimated.Sub(now).Round(time.Second); !a.Job.State.Done() && left > 0 {
		line("to go", "about "+left.String()+", by the server's estimate")
	}
	if a.Player != "" {
		fmt.Fprintf(&b, "use it:\n  parley run --player %s\n  parley finetune eval --model %s --in TEST.jsonl\n", ShellWord(a.Player), ShellWord(a.Predictor))
	}
	return b.String()
}

// Advice says what the user has to know of a job that succeeded; empty: nothing.
func (a *Answer) Advice(azure bool) string {
	switch {
	case a.Job.State != Succeeded:
		return ""
	case a.Job.Tuned == "":
		return "the server does not name the new model; look there for it"
	case a.Player == "":
		return "the new model's name cannot be written as a model of parley's"
	case azure:
		return "deploy the model at Azure first; if the deployment has another name than the model, add deployment=NAME to its options"
	}
	return ""
}

// Text returns what is new at a look, in lines.
func (p *Progress) Text(now time.Time) string {
	var b strings.Builder
	if p.Trouble != nil {
		return fmt.Sprintf("no answer, asking again: %v\n", p.Trouble)
	}
	var metrics *Event
	for i := range p.Events {
		if e := &p.Events[i]; len(e.Metrics) > 0 {
			metrics = e // the last of many
		} else {
			fmt.Fprintf(&b, "  %s\n", e)
		}
	}
	if !p.Changed && metrics == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s", p.Job.State)
	if p.Job.State == Paused {
		b.WriteString(", until it is resumed at the server")
	}
	if p.Step > 0 {
		fmt.Fprintf(&b, ", step %d", p.Step)
	}
	if p.Step > 0 && p.Steps > 0 {
		fmt.Fprintf(&b, " of %d", p.Steps)
	}
	if metrics != nil {
		for _, name := range []string{"train_loss", "valid_loss", "full_valid_loss"} {
			if v, ok := metrics.Metrics[name]; ok {
				fmt.Fprintf(&b, ", %s %.4g", name, v)
			}
		}
	}
	if left := p.Job.Estimated.Sub(now).Round(time.Second); !p.Job.State.Done() && left > 0 {
		fmt.Fprintf(&b, ", about %s to go", left)
	}
	b.WriteByte('\n')
	return b.String()
}

// String returns the estimate in lines.
func (e *Estimate) String() string {
	var b strings.Builder
	about := ""
	if e.Inexact != "" {
		about = "about "
	}
	fmt.Fprintf(&b, "%s, %s%d tokens (%s), the longest %d\n", finetune.Plural(e.Examples, "example"), about, e.Sum, e.Tokenizer, e.Longest)
	if e.Inexact != "" {
		fmt.Fprintf(&b, "the tokens are approximate: %s\n", e.Inexact)
	}
	if e.Cut > 0 {
		fmt.Fprintf(&b, "%d examples are longer than the limit and will be cut\n", e.Cut)
	}
	epochs := finetune.Plural(e.Epochs, "epoch")
	if e.Assumed {
		epochs += " (the server chooses; taken by OpenAI's rule)"
	}
	fmt.Fprintf(&b, "%s: %s%d tokens to train\n", epochs, about, e.Billed)
	if e.Cost == nil {
		fmt.Fprintf(&b, "cost: unknown (%s)\n", e.Unknown)
	} else {
		fmt.Fprintf(&b, "cost: %s%.2f %s (%v a million tokens)\n", about, *e.Cost, e.Currency, *e.Price)
	}
	return b.String()
}
