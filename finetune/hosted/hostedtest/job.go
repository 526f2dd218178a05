package hostedtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

type job struct {
	ID, Model, Training, Validation, Suffix string
	Asked                                   map[string]json.RawMessage
	Created                                 time.Time
	Cancelled                               time.Time
}

var fields = []string{"model", "training_file", "validation_file", "suffix", "seed", "metadata", "method", "hyperparameters", "integrations"}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	j := &job{ID: fmt.Sprintf("ftjob-%04d", len(s.jobs)+1), Created: s.Now()}
	if err := json.NewDecoder(r.Body).Decode(&j.Asked); err != nil {
		refuse(w, 400, "We could not parse the JSON body of your request.", "", "")
		return
	}
	for name := range j.Asked {
		if !slices.Contains(fields, name) || s.NoMetadata && name == "metadata" || s.NoMethod && name == "method" {
			refuse(w, 400, "Unrecognized request argument supplied: "+name, name, "unknown_parameter")
			return
		}
	}
	text := func(name string) (v string) {
		_ = json.Unmarshal(j.Asked[name], &v) // what is no text counts as missing
		return v
	}
	j.Model, j.Training, j.Validation, j.Suffix = text("model"), text("training_file"), text("validation_file"), text("suffix")
	for name, id := range map[string]string{"training_file": j.Training, "validation_file": j.Validation} {
		if (id != "" || name == "training_file") && !slices.ContainsFunc(s.files, func(f *File) bool { return f.ID == id }) {
			refuse(w, 400, "invalid "+name+": "+id, name, "invalid_"+name)
			return
		}
	}
	if j.Model == "" {
		refuse(w, 400, "you must provide a model parameter", "model", "")
		return
	}
	s.jobs = append(s.jobs, j)
	_, _ = w.Write(s.job(j))
}

// stages are what a job goes through before it runs.
func (s *Server) stages() []string {
	stages := []string{"validating_files", "queued"}
	if s.Azure {
		stages[0] = "pending"
	}
	if s.Pauses {
		stages = append(stages, "paused")
	}
	return stages
}

// state is how far a job is by now.
func (s *Server) state(j *job) string {
	now, stages := s.Now(), s.stages()
	switch {
	case !j.Cancelled.IsZero():
		return "cancelled"
	case !now.Before(s.ended(j)):
		return cmp.Or(s.End, "succeeded")
	}
	for i, stage := range stages {
		if now.Before(j.Created.Add(time.Duration(i+1) * s.Stage)) {
			return stage
		}
	}
	return "running"
}

func done(state string) bool {
	return slices.Contains([]string{"succeeded", "failed", "cancelled"}, state)
}

func (s *Server) ended(j *job) time.Time {
	if !j.Cancelled.IsZero() {
		return j.Cancelled
	}
	return j.Created.Add(time.Duration(len(s.stages()))*s.Stage + s.Training)
}

func (s *Server) job(j *job) json.RawMessage {
	state := s.state(j)
	out := map[string]any{
		"object": "fine_tuning.job", "id": j.ID, "model": j.Model, "created_at": j.Created.Unix(), "finished_at": nil, "fine_tuned_model": nil,
		"organization_id": "org-test", "result_files": []string{}, "status": state, "training_file": j.Training, "validation_file": nil,
		"hyperparameters": j.Asked["hyperparameters"], "method": j.Asked["method"], "trained_tokens": nil, "integrations": []string{}, "seed": j.Asked["seed"],
		"estimated_finish": nil, "metadata": nil, "error": map[string]any{"code": nil, "message": nil, "param": nil},
		"user_provided_suffix": nil, "usage_metrics": nil, "shared_with_openai": false,
	}
	if j.Validation != "" {
		out["validation_file"] = j.Validation
	}
	if j.Suffix != "" {
		out["user_provided_suffix"] = j.Suffix
	}
	if !s.NoMetadata && j.Asked["metadata"] != nil {
		out["metadata"] = j.Asked["metadata"]
	}
	switch {
	case state == "running":
		out["estimated_finish"] = s.ended(j).Unix()
	case done(state):
		out["finished_at"] = s.ended(j).Unix()
	}
	switch state {
	case "succeeded":
		out["fine_tuned_model"] = "ft:" + j.Model + ":org-test:" + j.Suffix + ":" + j.ID[len("ftjob-"):]
		out["trained_tokens"], out["result_files"] = 12345, []string{"file-results"}
	case "failed":
		out["error"] = json.RawMessage(cmp.Or(s.Failure, "{}"))
	}
	raw, err := json.Marshal(out)
	if err != nil {
		panic(err) // Failure is no JSON
	}
	return raw
}

// events returns the events so far, the newest first.
func (s *Server) events(j *job) []json.RawMessage {
	var out []json.RawMessage
	add := func(at time.Time, kind, message string, data any) {
		if at.After(s.Now()) || !j.Cancelled.IsZero() && at.After(j.Cancelled) {
			return
		}
		raw, err := json.Marshal(map[string]any{"object": "fine_tuning.job.event", "id": fmt.Sprintf("%s-event-%04d", j.ID, len(out)+1),
			"created_at": at.Unix(), "level": "info", "message": message, "data": data, "type": kind})
		if err != nil {
			panic(err)
		}
		out = append(out, raw)
	}
	add(j.Created, "message", "Created fine-tuning job: "+j.ID, map[string]any{})
	from := s.ended(j)
	if j.Cancelled.IsZero() {
		from = from.Add(-s.Training)
	}
	for step := 1; step <= s.Steps; step++ {
		add(from.Add(s.Training*time.Duration(step)/time.Duration(s.Steps+1)), "metrics", fmt.Sprintf("Step %d/%d: training loss=%.2f", step, s.Steps, 2/float64(step)),
			map[string]any{"step": step, "total_steps": s.Steps, "train_loss": 2 / float64(step), "valid_loss": nil})
	}
	if state := s.state(j); state == "succeeded" {
		add(s.ended(j), "message", "The job has successfully completed", nil)
	}
	slices.Reverse(out)
	return out
}
