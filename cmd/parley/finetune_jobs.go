package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"parley/finetune/hosted"
	"parley/sim/llm"
)

// finetuneJobsCommands are the commands for fine-tuning jobs on a server.
func finetuneJobsCommands() []*cli.Command {
	return []*cli.Command{
		finetuneStartCommand(),
		finetuneListCommand(),
		finetuneStatusCommand(),
		finetuneWaitCommand(),
		finetuneCancelCommand(),
		finetuneEventsCommand(),
		finetuneCostCommand(),
	}
}

// serverFlags say which server is spoken to.
func serverFlags(more ...cli.Flag) []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "base-url", Usage: "`URL` of a server with OpenAI's /files and /fine_tuning/jobs, such as https://host/v1; there is no default"},
		&cli.StringFlag{Name: "key-env", Usage: "environment `VARIABLE` that holds the key", DefaultText: "OPENAI_API_KEY for OpenAI's own host, AZURE_OPENAI_API_KEY for Azure, else no key"},
		&cli.BoolFlag{Name: "azure", Usage: "speak to Azure OpenAI; the URL is then the resource's, such as https://NAME.openai.azure.com"},
		&cli.StringFlag{Name: "api-version", Usage: "Azure's `VERSION`", DefaultText: hosted.DefaultAPIVersion},
		&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
	}, more...)
}

// server is which server a command speaks to.
type server struct {
	base, variable, version string
	azure                   bool
}

// serverOf reads the flags of a server, where a record does not say it.
func serverOf(c *cli.Context, r *hosted.Record) server {
	s := server{base: strings.TrimRight(c.String("base-url"), "/"), variable: c.String("key-env"), version: c.String("api-version"), azure: c.Bool("azure")}
	if r != nil && (s.base == "" || s.base == r.BaseURL) {
		s.base, s.azure = r.BaseURL, r.Azure
		s.variable, s.version = cmp.Or(s.variable, r.KeyVariable), cmp.Or(s.version, r.APIVersion)
	}
	if s.variable == "" {
		u, err := url.Parse(s.base)
		switch {
		case s.azure:
			s.variable = "AZURE_OPENAI_API_KEY"
		case err == nil && u.Hostname() == "api.openai.com":
			s.variable = "OPENAI_API_KEY"
		}
	}
	return s
}

// open makes a client, with the key from the environment.
func (s server) open() (*hosted.Client, error) {
	key := ""
	if s.variable != "" {
		key = strings.TrimSpace(os.Getenv(s.variable))
		if key == "" {
			return nil, fmt.Errorf("the environment variable %s, which should hold the key, is empty", s.variable)
		}
		keys.Add(key)
	}
	client, err := hosted.New(hosted.Options{
		BaseURL: s.base, Key: key, KeyVariable: s.variable, Azure: s.azure, APIVersion: s.version,
		HTTP: httpClient, Now: time.Now, Retry: llm.Retrier{Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))},
	})
	if err != nil {
		return nil, usageError{err}
	}
	return client, nil
}

// handle is a job that a command is about: one of a dataset's directory, with its record, or one that
// the user names by its id.
type handle struct {
	server
	client *hosted.Client
	id     string
	record *hosted.Record // nil: the user named the id
}

// jobOf finds the job that the one argument names: a dataset's directory, a file of examples, a record
// or an id.
func jobOf(c *cli.Context) (*handle, error) {
	if c.NArg() != 1 {
		return nil, usagef("finetune %s takes the directory of a dataset or the id of a job", c.Command.Name)
	}
	h := &handle{}
	name := c.Args().First()
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		h.record, err = recordOf(c, name)
	case err == nil && strings.HasSuffix(name, ".jsonl"):
		h.record, err = recordOf(c, filepath.Dir(name))
	case err == nil:
		h.record, err = hosted.Load(name)
	case !hosted.ValidID(name):
		return nil, usagef("there is no %s, and it is no id of a job", name)
	case c.String("base-url") == "":
		return nil, usagef("there is no directory %s; if it is the id of a job, say with --base-url where it runs", name)
	default:
		h.id, err = name, nil
	}
	if err != nil {
		return nil, err
	}
	if h.record != nil {
		if h.record.Job == nil {
			return nil, fmt.Errorf("%s is of a job that was not created yet, as far as is known; go on with the same parley finetune start", h.record.Path())
		}
		h.id = h.record.Job.ID
	}
	h.server = serverOf(c, h.record)
	if h.record != nil && h.variable != "" && c.String("base-url") == "" && !keepsKeys(h.base) {
		return nil, fmt.Errorf("%s says that the job runs on %s, which would be sent the key in %s: if you know it for yours, say so with --base-url %[2]s",
			h.record.Path(), h.base, h.variable)
	}
	h.client, err = h.open()
	return h, err
}

// keepsKeys reports whether a key may be sent where a record says, which may be somebody else's work: to
// the vendors' own hosts, and to this machine.
func keepsKeys(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() || host == "localhost" {
		return true
	}
	return u.Scheme == "https" && (host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com"))
}

// recordOf finds the record that --name names, or the one that was ordered last.
func recordOf(c *cli.Context, dir string) (*hosted.Record, error) {
	if name := c.String("name"); name != "" {
		if !hosted.ValidName(name) {
			return nil, usagef("--name %q is no name of a job", name)
		}
		return hosted.Load(filepath.Join(dir, hosted.Folder, name+".json"))
	}
	all, err := hosted.Records(dir)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no job; start one with parley finetune start", dir)
	case len(all) > 1:
		fmt.Fprintf(c.App.ErrWriter, "%d jobs are in %s; this is about the last one, %s (another: --name)\n", len(all), dir, all[0].Name)
	}
	return all[0], nil
}

// keep writes down how the job was last seen.
func (h *handle) keep(job *hosted.Job) error {
	if h.record == nil || job == nil {
		return nil
	}
	h.record.Job, h.record.Updated = job, time.Now().UTC().Truncate(time.Second)
	return h.record.Save()
}

// jobAnswer is what the commands about one job print with --json.
type jobAnswer struct {
	Name     string           `json:"name,omitempty"`   // of the record
	Record   string           `json:"record,omitempty"` // its file
	BaseURL  string           `json:"base_url"`
	Estimate *hosted.Estimate `json:"estimate,omitempty"`
	Job      *hosted.Job      `json:"job"`
	Reason   string           `json:"reason,omitempty"` // why it failed
	// Player and Predictor name the new model for parley run and parley finetune eval.
	Player    string `json:"player,omitempty"`
	Predictor string `json:"predictor,omitempty"`
}

func (h *handle) answer(job *hosted.Job) jobAnswer {
	a := jobAnswer{BaseURL: h.base, Job: job}
	if h.record != nil {
		a.Name, a.Record = h.record.Name, h.record.Path()
	}
	if job.State == hosted.Failed {
		a.Reason = job.Reason()
	}
	if a.Player = h.spec(job); a.Player != "" {
		a.Predictor = "tuned:" + a.Player
	}
	return a
}

// spec names the new model as parley's other commands take it; empty: there is none, or its name
// cannot be written.
func (h *handle) spec(job *hosted.Job) string {
	if job.State != hosted.Succeeded || job.Tuned == "" {
		return ""
	}
	var options []string
	if h.azure {
		options = append(options, "azure=1", "api_version="+url.QueryEscape(cmp.Or(h.version, hosted.DefaultAPIVersion)))
	}
	if h.variable != "" && h.variable != map[bool]string{true: "AZURE_OPENAI_API_KEY", false: "OPENAI_API_KEY"}[h.azure] {
		options = append(options, "key_env="+url.QueryEscape(h.variable))
	}
	text := "openai:" + job.Tuned
	if len(options) > 0 {
		text += "?" + strings.Join(options, "&")
	}
	text += "@" + h.base
	if spec, err := llm.ParseSpec(text); err != nil || spec.Name != job.Tuned || spec.BaseURL != h.base {
		return ""
	}
	return text
}

// print prints an answer as text.
func (a *jobAnswer) print(c *cli.Context, h *handle) error {
	if c.Bool("json") {
		return printJSON(c.App.Writer, a)
	}
	w, job := c.App.Writer, a.Job
	fmt.Fprintf(w, "%s: %s", job.ID, job.State)
	if a.Name != "" {
		fmt.Fprintf(w, " (%s)", a.Name)
	}
	fmt.Fprintln(w)
	line := func(name, value string) {
		if value != "" && value != "0" {
			fmt.Fprintf(w, "  %-10s %s\n", name, value)
		}
	}
	line("base", job.Model)
	line("model", job.Tuned)
	line("reason", a.Reason)
	if job.TrainedTokens != nil {
		line("trained", fmt.Sprintf("%d tokens", *job.TrainedTokens))
	}
	if left := time.Until(job.Estimated).Round(time.Second); !job.State.Done() && left > 0 {
		line("to go", "about "+left.String()+", by the server's estimate")
	}
	if job.State == hosted.Succeeded {
		return a.printUse(c, h)
	}
	return nil
}

// printUse prints the lines that use the new model.
func (a *jobAnswer) printUse(c *cli.Context, h *handle) error {
	switch {
	case a.Job.Tuned == "":
		fmt.Fprintln(c.App.ErrWriter, "the server does not name the new model; look there for it")
		return nil
	case a.Player == "":
		fmt.Fprintln(c.App.ErrWriter, "the new model's name cannot be written as a model of parley's")
		return nil
	case h.azure:
		fmt.Fprintln(c.App.ErrWriter, "deploy the model at Azure first; if the deployment has another name than the model, add deployment=NAME to its options")
	}
	_, err := fmt.Fprintf(c.App.Writer, "use it:\n  parley run --player %s\n  parley finetune eval --model %s --in TEST.jsonl\n", shellWord(a.Player), shellWord(a.Predictor))
	return err
}

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord writes a word as a shell reads it back: the name of a model comes from a server.
func shellWord(word string) string {
	if shellSafe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ended is the error, and so the exit status, that a job's end makes: 0 if it succeeded, 1 if it
// failed, 3 if it was cancelled.
func ended(job *hosted.Job) error {
	switch job.State {
	case hosted.Failed:
		return fmt.Errorf("job %s failed: %s", job.ID, job.Reason())
	case hosted.Cancelled:
		return partialf("job %s was cancelled", job.ID)
	}
	return nil
}

func orNil(err error, also error) error {
	if err != nil {
		return err
	}
	return also
}

var errNothingSent = errors.New("nothing was sent")
