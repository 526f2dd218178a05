package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"parley/sim/fleet"
	"parley/sim/llm"
)

// Forecast is about what a run would take. Its JSON form is a documented interface.
type Forecast struct {
	Jobs      int       `json:"jobs"`
	Rehearsed int       `json:"rehearsed"` // of these, the others are taken to be like them
	Calls     int       `json:"calls"`
	Tally     llm.Tally `json:"usage"` // of the jobs that were rehearsed, scaled to all
	Minutes   float64   `json:"minutes"`
	Assumes   []string  `json:"assumes"`
}

// What an estimate assumes.
const (
	maxRehearsed  = 24
	assumedWords  = 50 // of a text in a reply
	hostedTokens  = 60 // a second
	hostedFirst   = time.Second
	localTokens   = 20  // a second
	localPrompt   = 400 // tokens a second
	maxRehearsing = 60 * time.Second
)

// Estimate rehearses a plan with stand-ins for its models, and so contacts none: each reply satisfies the schema of
// its request, or is a text of 50 words. Of many jobs some are rehearsed, spread over all.
func Estimate(ctx context.Context, p Plan, o Options) (*Forecast, error) {
	dir, err := os.MkdirTemp("", "parley-estimate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, maxRehearsing)
	defer cancel()
	settings, registry := *p.Settings(), o.Registry
	o.Registry = rehearsing(registry)
	o.Log, o.Cache, o.Secret = io.Discard, nil, nil
	p.Settings().Limits, p.Settings().AllowSelfJudge = Limits{}, true
	defer func() { *p.Settings() = settings }()
	m, err := newManifest(p, &o)
	if err != nil {
		return nil, err
	}
	r := &execution{
		dir: dir, plan: p, options: o, now: o.Now, manifest: m, tables: tablesOf(p), pass: 1,
		done: map[string]bool{}, recorded: map[string]map[string]*llm.Call{},
	}
	r.env = newEnv(r)
	r.env.Rehearsal = true
	r.contexts(ctx)
	defer r.stop(nil)
	r.openAccount()
	if err := errors.Join(r.affordable(), m.write(dir), r.openJournal()); err != nil {
		return nil, err
	}
	if err := r.prepare(r.soft); err != nil {
		return nil, errors.Join(err, r.journal.Close())
	}
	f := &Forecast{Jobs: m.Of, Tally: llm.Tally{Rows: []llm.Row{}}}
	f.add(r, 1)
	err = r.rehearse(f)
	if err = errors.Join(err, r.journal.Close()); err != nil {
		return nil, err
	}
	f.Assumes = []string{
		fmt.Sprintf("%d of %d jobs were rehearsed, and the others are like them; every play lasts all its turns, every round of a verification has all criteria, and no reply has to be asked for again", f.Rehearsed, f.Jobs),
		fmt.Sprintf("a text in a reply has about %d words, without reasoning; tokens are estimated, rather too many than too few, and none comes from a server's cache", assumedWords),
	}
	f.time(r, registry, settings)
	return f, nil
}

// rehearse does some of the jobs of each stage, and one stage after another, as a run does.
func (r *execution) rehearse(f *Forecast) error {
	r.manifest.Jobs = map[State]int{}
	r.progress = NewProgress(nil, 0, "", "", nil, r.now)
	defer r.progress.Close()
	for _, stage := range someJobs(r.plan.Jobs(r.env), max(1, (f.Jobs+maxRehearsed-1)/maxRehearsed)) {
		var rehearsed atomic.Int64
		err := fleet.Run(r.soft, 4, func(yield func(func(context.Context) error) bool) {
			for _, job := range stage.jobs {
				if !yield(func(ctx context.Context) error { defer rehearsed.Add(1); return r.do(ctx, job) }) {
					return
				}
			}
		})
		n := int(rehearsed.Load())
		f.Rehearsed += n
		f.add(r, float64(stage.of)/float64(max(1, n)))
		if errors.Is(err, context.DeadlineExceeded) && f.Rehearsed > 1 {
			return nil // the jobs under way are counted in part, and scaled
		}
		if err = errors.Join(err, r.journal.Flush(context.WithoutCancel(r.soft))); err != nil {
			return err
		}
	}
	return nil
}

// rehearsal is some of the jobs of a stage, and how many the stage has.
type rehearsal struct {
	jobs []Job
	of   int
}

// someJobs returns the first of every so many jobs of each stage; an error among them is that of Prepare's count already.
func someJobs(jobs iter.Seq2[Job, error], every int) (stages []rehearsal) {
	at := -1
	for job, err := range jobs {
		if err != nil {
			continue
		}
		if job.Stage != at {
			at, stages = job.Stage, append(stages, rehearsal{})
		}
		stage := &stages[len(stages)-1]
		if stage.of%every == 0 {
			stage.jobs = append(stage.jobs, job)
		}
		stage.of++
	}
	return stages
}

// add adds what was asked since the last time, so many times over.
func (f *Forecast) add(r *execution, by float64) {
	tally := r.account.meter.Tally(r.price)
	r.account.meter = llm.NewMeter()
	count := func(n *int) { *n = int(float64(*n)*by + 0.5) }
	sum := func(c *llm.Count) {
		if c.Sum != nil {
			*c.Sum = int64(float64(*c.Sum)*by + 0.5)
		}
		count(&c.Known)
		count(&c.Of)
	}
	for i := range tally.Rows {
		row := &tally.Rows[i]
		row.Queue, row.Load, row.Read, row.Write, row.Total, row.Timed, row.TimedTokens = 0, 0, 0, 0, 0, 0, 0
		if row.Purpose == "probe" { // once a run, whatever the number of jobs
			f.Calls += row.Calls
			continue
		}
		count(&row.Calls)
		count(&row.Asked)
		sum(&row.Prompt)
		sum(&row.Cached)
		sum(&row.Completion)
		if row.Cost.Amount != nil {
			*row.Cost.Amount *= by
		}
		count(&row.Cost.Known)
		count(&row.Cost.Of)
		for why := range row.Cost.Unknown {
			row.Cost.Unknown[why] = int(float64(row.Cost.Unknown[why])*by + 0.5)
		}
		f.Calls += row.Calls
	}
	f.Tally.Add(tally)
}

// time works out how long the calls take.
func (f *Forecast) time(r *execution, registry llm.Registry, settings Settings) {
	endpoints := map[string]time.Duration{}
	calls, tokens := map[string]int{}, map[string]int64{}
	for i := range f.Tally.Rows {
		row := &f.Tally.Rows[i]
		spec, adapter, err := registry.Lookup(row.Model)
		if err != nil || !adapter.Defaults.Server || row.Prompt.Sum == nil {
			continue
		}
		at := spec.Endpoint()
		busy := seconds(float64(*row.Completion.Sum)/localTokens + float64(*row.Prompt.Sum)/localPrompt)
		atOnce := 1 // a local server shares one machine among its requests
		if adapter.Defaults.Hosted && !near(row.Model) {
			busy = time.Duration(row.Calls)*hostedFirst + seconds(float64(*row.Completion.Sum)/hostedTokens)
			if atOnce = max(1, adapter.Defaults.Jobs); settings.Jobs > 0 {
				atOnce = settings.Jobs
			}
			if n := settings.Limits.Endpoints[at].Concurrent; n > 0 {
				atOnce = min(atOnce, n)
			}
		}
		endpoints[at] += busy / time.Duration(min(atOnce, max(1, f.Jobs)))
		calls[at] += row.Calls
		tokens[at] += *row.Prompt.Sum + *row.Completion.Sum
	}
	for at, busy := range endpoints {
		minutes := busy.Minutes()
		if l := settings.Limits.Endpoints[at]; l.Requests > 0 {
			minutes = max(minutes, float64(calls[at])/float64(l.Requests))
		}
		if l := settings.Limits.Endpoints[at]; l.Tokens > 0 {
			minutes = max(minutes, float64(tokens[at])/float64(l.Tokens))
		}
		f.Minutes += minutes
	}
	f.Assumes = append(f.Assumes, fmt.Sprintf("a hosted model begins after %s and writes %d tokens a second, as many calls at once as limits allow; a local one reads %d and writes %d a second, one call at a time",
		hostedFirst, hostedTokens, localPrompt, localTokens))
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// rehearsing returns the registry with a stand-in for every adapter's models.
func rehearsing(registry llm.Registry) llm.Registry {
	stand := slices.Clone(registry)
	for i := range stand {
		recorded := stand[i].Defaults.Recorded
		stand[i].Open = func(context.Context, llm.Spec, llm.Env) (llm.Model, error) { return standIn{free: recorded}, nil }
	}
	return stand
}

// standIn answers with what satisfies the request's schema, or with a text. It is free where replies are replayed from an earlier run.
type standIn struct{ free bool }

// Generate answers at once.
func (s standIn) Generate(ctx context.Context, req llm.Request) (*llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	io.WriteString(h, llm.CallID(req.Tag))
	text := words(h.Sum64(), assumedWords)
	if len(req.Schema) > 0 {
		var schema any
		if err := json.Unmarshal(req.Schema, &schema); err != nil {
			return nil, err
		}
		made, err := json.Marshal(satisfy(schema, text))
		if err != nil {
			return nil, err
		}
		text = string(made)
	} else {
		text = "SAY: " + text // a move in the form of lines, and a text for everything else
	}
	prompt, output := llm.EstimatePrompt(req.Messages), llm.EstimateTokens(text)
	return &llm.Response{Text: text, Finish: llm.Stop, Usage: llm.Usage{Prompt: &prompt, Completion: &output}, FromCache: s.free || req.Tag.Try > 0}, nil
}

// Embed returns a vector for each text.
func (s standIn) Embed(_ context.Context, texts []string) (*llm.Response, error) {
	resp, tokens := &llm.Response{FromCache: s.free}, 0
	for i, text := range texts {
		resp.Vectors = append(resp.Vectors, []float32{1, float32(i)})
		tokens += llm.EstimateTokens(text)
	}
	resp.Usage.Prompt = &tokens
	return resp, nil
}

// satisfy makes the shortest value that a JSON schema allows. The text is shared among the texts of an object.
func satisfy(schema any, text string) any {
	s, _ := schema.(map[string]any)
	if v, ok := s["const"]; ok {
		return v
	}
	if list, ok := s["enum"].([]any); ok && len(list) > 0 {
		return list[0]
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := s[key].([]any); ok && len(list) > 0 {
			return satisfy(list[0], text)
		}
	}
	kind, _ := s["type"].(string)
	if list, ok := s["type"].([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	switch kind {
	case "object":
		return satisfyObject(s, text)
	case "array":
		return satisfyArray(s, text)
	case "integer", "number":
		least, _ := s["minimum"].(float64)
		return least
	case "boolean":
		return false
	case "null":
		return nil
	}
	if most, ok := s["maxLength"].(float64); ok && len(text) > int(most) {
		text = strings.TrimSpace(text[:int(most)])
	}
	return text
}

// satisfyObject shares the text among the properties that are texts.
func satisfyObject(s map[string]any, text string) any {
	made := map[string]any{}
	properties, _ := s["properties"].(map[string]any)
	texts := 0
	for _, inner := range properties {
		if p, _ := inner.(map[string]any); p["type"] == "string" && p["enum"] == nil && p["const"] == nil {
			texts++
		}
	}
	text = text[:len(text)/max(1, texts)]
	for key, inner := range properties {
		made[key] = satisfy(inner, text)
	}
	return made
}

// satisfyArray gives each item other words of the text.
func satisfyArray(s map[string]any, text string) any {
	made := []any{}
	least, _ := s["minItems"].(float64)
	for n := int(least); len(made) < n; {
		from, to := len(made)*len(text)/n, (len(made)+1)*len(text)/n
		made = append(made, satisfy(s["items"], text[from:to]))
	}
	return made
}

// words makes a text of so many words, each time another.
func words(seed uint64, n int) string {
	list := strings.Fields("the old bell under the hill rings once a year when nobody pulls at its rope and whoever hears it far from home tells a story of the sea that was here before any road")
	var b strings.Builder
	for i := range n {
		seed = seed*6364136223846793005 + 1442695040888963407
		word := list[seed>>33%uint64(len(list))]
		switch {
		case i == 0:
			word = strings.ToUpper(word[:1]) + word[1:]
		case i%12 == 0:
			b.WriteString(". ")
			word = strings.ToUpper(word[:1]) + word[1:]
		default:
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String() + "."
}
