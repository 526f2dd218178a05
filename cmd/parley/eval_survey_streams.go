package main

import (
	"cmp"
	"fmt"
	"time"

	"parley/eval"
	"parley/eval/survey"
	"parley/logs"
	"parley/sim/llm"
)

// The streams of an evaluation of surveys, beside messages, calls, verdicts and scores.
const (
	streamProposals = "proposals"
	streamFindings  = "findings"
	streamDocuments = "documents"
)

// documentRow is a document that is done.
type documentRow struct {
	ID       string      `json:"id" parquet:"id"`
	File     string      `json:"file" parquet:"file"`
	Kind     string      `json:"kind" parquet:"kind,dict"`
	Format   string      `json:"format" parquet:"format,dict"`
	Title    string      `json:"title" parquet:"title"`
	Prompt   string      `json:"prompt" parquet:"prompt"`
	Status   eval.Status `json:"status" parquet:"status,dict"` // failed: it could not be read
	Reason   string      `json:"reason" parquet:"reason"`
	Document string      `json:"document" parquet:"document"` // all of it, JSON
	Calls    int         `json:"calls" parquet:"calls"`
	Started  time.Time   `json:"started" parquet:"started,timestamp(microsecond)"`
	Finished time.Time   `json:"finished" parquet:"finished,timestamp(microsecond)"`
}

// findingRow is what the checks without a model found in a document.
type findingRow struct {
	Document string `json:"document" parquet:"document,dict"`
	Where    string `json:"where" parquet:"where"`
	Rule     string `json:"rule" parquet:"rule,dict"`
	Message  string `json:"message" parquet:"message"`
}

// surveyStreams are the streams in the order in which their rows become durable.
func surveyStreams() []keeper {
	calls := map[string]bool{}
	named := func(v *verification, stream string, ids []string) {
		for _, id := range ids {
			if !calls[id] {
				v.findf("%s: call %s is not there", stream, id)
			}
		}
	}
	return []keeper{
		stream[messageRow]{called: streamMessages, compare: byMessage, keep: logs.KeepFirst, look: func(v *verification, r *messageRow) {
			if want := (llm.Message{Role: r.Role, Content: r.Content}).Hash(); r.Hash != want {
				v.findf("messages: %s has the content of %s", r.Hash, want)
			}
		}},
		stream[llm.Call]{called: streamCalls, job: func(r *llm.Call) string { return r.Session }, compare: byCall, timeless: timelessCall, look: func(v *verification, r *llm.Call) {
			if calls[r.ID] {
				v.findf("calls: %s stands twice", r.ID)
			}
			calls[r.ID] = true
		}},
		stream[survey.Verdict]{called: streamVerdicts, job: func(r *survey.Verdict) string { return r.Document },
			compare: func(a, b *survey.Verdict) int { return cmp.Compare(a.Document, b.Document) },
			look: func(v *verification, r *survey.Verdict) {
				if r.Scored() != (r.Value != nil || r.Label != "") || !r.Scored() && r.Reason == "" {
					v.findf("verdicts: %s of %s on %s: status %q with reason %q", r.Aspect, r.Agent, r.Document, r.Status, r.Reason)
				}
				named(v, streamVerdicts, r.Calls)
			}},
		stream[survey.Proposal]{called: streamProposals, job: func(r *survey.Proposal) string { return r.Document },
			compare: func(a, b *survey.Proposal) int { return cmp.Compare(a.Document, b.Document) },
			look:    func(v *verification, r *survey.Proposal) { named(v, streamProposals, r.Calls) }},
		stream[findingRow]{called: streamFindings, job: func(r *findingRow) string { return r.Document },
			compare: func(a, b *findingRow) int { return cmp.Compare(a.Document, b.Document) }},
		stream[eval.Score]{called: streamScores, job: func(r *eval.Score) string { return r.Session }, compare: byScore, look: func(v *verification, r *eval.Score) {
			if (r.Value != nil) != (r.Status == eval.Scored) || r.Value == nil && r.Reason == "" {
				v.findf("scores: %s of %s on %s: status %q with reason %q", r.Metric, r.Subject, r.Session, r.Status, r.Reason)
			}
		}},
		stream[documentRow]{called: streamDocuments, job: func(r *documentRow) string { return r.ID }, keep: logs.KeepLast,
			compare:  func(a, b *documentRow) int { return cmp.Compare(a.ID, b.ID) },
			timeless: func(r *documentRow) { r.Started, r.Finished = time.Time{}, time.Time{} }},
	}
}

// verifySurvey holds an evaluation of surveys against its invariants.
func verifySurvey(dir string, m *manifest) (*verification, error) {
	v := &verification{Run: dir, State: m.State, Streams: map[string]verifiedStream{}, Findings: []string{}}
	if m.State != stateComplete {
		v.findf("the run is %s: finish it with: parley resume %s", m.State, dir)
	}
	for _, k := range surveyStreams() {
		if err := k.check(v, m, dir); err != nil {
			return nil, fmt.Errorf("%s: %w", k.name(), err)
		}
		v.order = append(v.order, k.name())
	}
	if n := v.Streams[streamDocuments].Rows; m.State == stateComplete && n != int64(m.Survey.Documents) {
		v.findf("documents: %d are complete of %d", n, m.Survey.Documents)
	}
	return v, nil
}
