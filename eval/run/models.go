package run

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"parley/sim/llm"
)

// Open opens models outside of a run, such as for single turns. Nothing that they are asked is recorded.
func Open(ctx context.Context, uses []Use, settings *Settings, o Options) (*Env, error) {
	r := &execution{
		plan: opened{uses: uses, settings: settings}, options: o, now: o.Now,
		manifest: &Manifest{Models: map[string]*Served{}, Inputs: map[string]Input{}},
	}
	r.env = newEnv(r)
	return r.env, r.openModels(ctx)
}

// opened is a plan of nothing but its models.
type opened struct {
	Plan
	uses     []Use
	settings *Settings
}

func (o opened) Models() []Use       { return o.uses }
func (o opened) Settings() *Settings { return o.settings }

// openModels opens every model of the plan, holds a run that is resumed to the models that it began with,
// and wraps each so that its calls are recorded and, where it judges, had from the cache.
func (r *execution) openModels(ctx context.Context) error {
	settings := r.plan.Settings()
	models := &llm.Models{
		Registry: r.options.Registry, Env: r.options.Env, Limits: settings.Limits.Endpoints, Seed: settings.Seed,
		Gate: func(ctx context.Context) error {
			if r.soft == nil {
				return nil
			}
			if r.progress != nil {
				r.progress.Sent(ctx)
			}
			return context.Cause(r.soft)
		},
		Tell: func(message string) { r.tellf("%s", message) },
	}
	uses := r.plan.Models()
	for _, use := range uses {
		if r.env.opened[use.Model] != nil {
			continue
		}
		o, err := models.Open(ctx, use.Model)
		if err != nil {
			return err
		}
		if err := r.sameAsBefore(use.Model, o.Identity); err != nil {
			return err
		}
		r.env.opened[use.Model] = o
		asked := o.Model
		judges := func(u Use) bool { return u.Model == use.Model && u.Judges }
		if r.options.Cache != nil && slices.ContainsFunc(uses, judges) {
			asked = o.Cached(r.options.Cache)
		}
		r.env.models[use.Model] = r.recording(use.Model, asked)
		if o.Embedding != nil {
			r.env.embeds[use.Model] = r.recording(use.Model, o.Embedding)
		}
		r.concurrent = max(r.concurrent, o.Defaults.Jobs)
	}
	for _, use := range uses {
		if use.Embeds && r.env.embeds[use.Model] == nil {
			return Usagef("%s has no embeddings: name a model of ollama: or openai: that has", use.Model)
		}
	}
	return nil
}

// sameAsBefore keeps the identity of a model, and refuses another model under the same name than the run
// began with.
func (r *execution) sameAsBefore(spec string, id llm.Identity) error {
	served := r.env.Served(spec)
	if was := served.Identity; was != nil && was.Digest != "" && id.Digest != "" && was.Digest != id.Digest {
		if !r.options.AcceptChangedModel {
			return fmt.Errorf("%s is another model than the run began with (digest %s, was %s): serve that one again, or go on with the new one by --accept-changed-model", spec, id.Digest, was.Digest)
		}
		served.Before = append(served.Before, was.Digest)
		r.tellf("note: %s is another model than the run began with (digest %s, was %s)", spec, id.Digest, was.Digest)
	}
	served.Identity = &id
	defaults := r.options.Registry.Defaults(spec)
	served.Hosted, served.Recorded = defaults.Hosted && !near(spec), defaults.Recorded
	return nil
}

// near reports whether a model is served by this machine or in its private network.
func near(spec string) bool {
	s, err := llm.ParseSpec(spec)
	if err != nil || s.BaseURL == "" {
		return false
	}
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

// Speaker is a plan that says whose recorded replies a model gives, for models that replay a run.
type Speaker interface {
	Speaks(u Use, env *Env) (spec string, id llm.Identity, err error)
}

// refuseSelfJudging returns an error where a judge is one of the models under test.
func (r *execution) refuseSelfJudging() error {
	if r.plan.Settings().AllowSelfJudge {
		return nil
	}
	speaks := func(u Use) (string, llm.Identity, error) {
		if p, ok := r.plan.(Speaker); ok {
			return p.Speaks(u, r.env)
		}
		return u.Model, r.env.opened[u.Model].Identity, nil
	}
	uses := r.plan.Models()
	for _, j := range uses {
		if !j.Judges {
			continue
		}
		judging, judgeID, err := speaks(j)
		if err != nil {
			return err
		}
		for _, t := range uses {
			if !t.Tested {
				continue
			}
			tested, testedID, err := speaks(t)
			if err != nil {
				return err
			}
			if r.options.Registry.SameModel(judging, tested) || judgeID.Same(testedID) {
				return Usagef("the judge %s is the model under test (%s): name another judge, or say --allow-self-judge", j.Model, tested)
			}
		}
	}
	return nil
}

// note keeps the names that a server answers under, the sampling options that it does not take, and what was
// unusual in its replies.
func (r *execution) note(call *llm.Call) {
	served := r.env.Served(call.Model)
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, found := slices.BinarySearch(served.Names, call.Served); !found && call.Served != "" {
		served.Names = slices.Insert(served.Names, i, call.Served)
	}
	if o := r.env.opened[call.Model]; o != nil {
		served.Ignored, served.Notes = o.Ignored(), o.Notes()
	}
}

// tellf tells the user something, on a line of its own.
func (r *execution) tellf(format string, args ...any) {
	if r.options.Log != nil {
		fmt.Fprintf(r.options.Log, format+"\n", args...)
	}
}

// Recorded returns the calls of a run as a recording that a replay answers from.
func Recorded(dir string) (llm.Recording, error) {
	if _, err := ReadManifest(dir); err != nil {
		return nil, err
	}
	return llm.Collect(Calls.Read(dir))
}

// FileCache keeps judges' replies as files in a directory, in folders by the first two digits of their
// keys.
func FileCache(dir string) llm.Store { return fileCache(dir) }

// UsageError is a configuration that asks for something that cannot be.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }
func (e UsageError) Unwrap() error { return e.Err }

// Usagef makes a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
