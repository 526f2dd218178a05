// Package hosted runs fine-tuning jobs on any server that has OpenAI's /files and
// /fine_tuning/jobs, Azure's included: it uploads files, orders a job, waits for it, and estimates
// what it will cost.
//
// It records of every job what is needed to go on after a restart. Address and key are parameters; it
// reads no environment variable and has no default server. finetune/formats reads the files' content.
//
// It has an HTTP client of its own: go-openai's fine-tuning requests know no method (so no DPO), no
// metadata to find a job by whose answer was lost, no list of jobs and no Retry-After.
package hosted

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley/sim/llm"
	"parley/sim/llm/wire"
)

// DefaultAPIVersion is the api-version that Azure is asked in where none is given.
const DefaultAPIVersion = "2024-10-21"

// Options say which server is asked, and how patiently. Only BaseURL is needed.
type Options struct {
	BaseURL     string // such as https://host/v1, or https://NAME.openai.azure.com for Azure
	Key         string // sent as a bearer token, or as Azure's api-key; never part of an error
	KeyVariable string // where the key was read from, for the hint of an error
	Azure       bool
	APIVersion  string // Azure's; empty: DefaultAPIVersion

	HTTP    *http.Client     // nil: http.DefaultClient
	Now     func() time.Time // for dates in Retry-After and for records; nil: both are left out
	Timeout time.Duration    // for one request and its reply, without what an upload takes longer; 0: 1 minute
	Retry   llm.Retrier      // its Wait is 20 seconds unless it is set
}

// Client asks one server. It may be used by several goroutines.
type Client struct {
	o      Options
	base   *url.URL
	http   *http.Client
	keys   *llm.Keys
	wash   washer
	budget *llm.Budget
}

// New makes a client without asking the server anything.
func New(o Options) (*Client, error) {
	base, err := checkBase(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("the key in %s holds a space, a line break or a letter that no key has", cmp.Or(o.KeyVariable, "the options"))
	}
	o.Timeout = cmp.Or(o.Timeout, time.Minute)
	o.Retry.Wait = cmp.Or(o.Retry.Wait, 20*time.Second)
	if o.Azure {
		switch path := strings.TrimRight(base.Path, "/"); {
		case strings.HasSuffix(path, "/openai/v1"): // the newer surface, where a version is optional
		case strings.HasSuffix(path, "/openai"):
			o.APIVersion = cmp.Or(o.APIVersion, DefaultAPIVersion)
		default:
			base.Path = path + "/openai"
			o.APIVersion = cmp.Or(o.APIVersion, DefaultAPIVersion)
		}
	}
	c := &Client{o: o, base: base, keys: &llm.Keys{}, budget: llm.NewBudget(o.Retry)}
	c.keys.Add(o.Key)
	c.wash = washer{c.keys}
	c.http = wire.Client(o.HTTP)
	return c, nil
}

// checkBase reads a base URL, which must not hold what has to stay secret.
func checkBase(text string) (*url.URL, error) {
	if text == "" {
		return nil, errors.New("there is no base URL; say which server to ask, such as https://host/v1")
	}
	base, err := url.Parse(strings.TrimRight(text, "/"))
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		// What does not parse is not shown: it may hold a password.
		return nil, errors.New("the base URL is no address; write it as https://host/v1")
	case base.User != nil:
		return nil, errors.New("the base URL must not carry credentials; keys are read from the environment")
	case base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the base URL must end before ? and #")
	}
	return base, nil
}

// url is the address of a path below the base.
func (c *Client) url(path string, query url.Values) string {
	u := *c.base
	u.Path = strings.TrimRight(u.Path, "/") + path
	if c.o.APIVersion != "" && c.o.Azure {
		if query == nil {
			query = url.Values{}
		}
		query.Set("api-version", c.o.APIVersion)
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// washer makes what a server wrote fit to be shown and kept: one line without control characters,
// terminal sequences and marks that turn the direction of text, and without the key.
type washer struct{ keys *llm.Keys }

func (w washer) line(text string) string { return llm.Excerpt(w.keys.Redact(llm.Clean(text)), 2000) }

func (c *Client) now() time.Time {
	if c.o.Now == nil {
		return time.Time{}
	}
	return c.o.Now()
}

// id matches what can name a job, a file or an event in an address without leading elsewhere.
var id = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}$`)

// ValidID reports whether a text can be the id of a job, a file or an event.
func ValidID(text string) bool { return id.MatchString(text) && !strings.Contains(text, "..") }

func checkID(what, text string) error {
	if !ValidID(text) {
		return fmt.Errorf("%q is no id of a %s", washer{}.line(text), what)
	}
	return nil
}
