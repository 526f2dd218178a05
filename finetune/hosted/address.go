package hosted

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"

	"parley/sim/llm"
	"parley/sim/llm/openai"
	"parley/sim/llm/wire"
)

// Address is a server, and where its key is.
type Address struct {
	BaseURL     string
	KeyVariable string // environment variable that holds the key; empty: no key is sent
	APIVersion  string // Azure's
	Azure       bool
}

// Azure's and OpenAI's own variables for keys.
const (
	azureKey  = "AZURE_OPENAI_API_KEY"
	openaiKey = "OPENAI_API_KEY"
)

// Resolve fills in what a record says, unless the address is of another server, and the usual variable
// of the vendors' own servers.
func (a Address) Resolve(r *Record) Address {
	a.BaseURL = strings.TrimRight(a.BaseURL, "/")
	if r != nil && (a.BaseURL == "" || a.BaseURL == r.BaseURL) {
		a.BaseURL, a.Azure = r.BaseURL, r.Azure
		a.KeyVariable, a.APIVersion = cmp.Or(a.KeyVariable, r.KeyVariable), cmp.Or(a.APIVersion, r.APIVersion)
	}
	u, err := url.Parse(a.BaseURL)
	switch {
	case a.KeyVariable != "":
	case a.Azure:
		a.KeyVariable = azureKey
	case err == nil && u.Hostname() == "api.openai.com":
		a.KeyVariable = openaiKey
	}
	return a
}

// Trusted reports whether a key may be sent to an address that a record gives, as a record may come
// from elsewhere: to the vendors' own hosts, and to this machine.
func (a Address) Trusted() bool {
	u, err := url.Parse(a.BaseURL)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return wire.ThisMachine(host) || u.Scheme == "https" && (host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com"))
}

// Spec names a job's new model as parley's other commands take it; empty: there is none, or its name
// cannot be written.
func (a Address) Spec(job *Job) string {
	if job.State != Succeeded || job.Tuned == "" {
		return ""
	}
	var options []string
	usual := openaiKey
	if a.Azure {
		usual = azureKey
		options = append(options, "azure=1", "api_version="+url.QueryEscape(cmp.Or(a.APIVersion, DefaultAPIVersion)))
	}
	if a.KeyVariable != "" && a.KeyVariable != usual {
		options = append(options, "key_env="+url.QueryEscape(a.KeyVariable))
	}
	text := openai.Scheme + ":" + job.Tuned
	if len(options) > 0 {
		text += "?" + strings.Join(options, "&")
	}
	text += "@" + a.BaseURL
	if spec, err := llm.ParseSpec(text); err != nil || spec.Name != job.Tuned || spec.BaseURL != a.BaseURL {
		return ""
	}
	return text
}

// Command returns the command line that goes on with a job: by its record where there is one.
func (a Address) Command(name string, r *Record, id string) string {
	line := "parley finetune " + name + " "
	if r != nil {
		return line + ShellWord(r.Path())
	}
	line += id + " --base-url " + ShellWord(a.BaseURL)
	if a.Azure {
		line += " --azure"
	}
	if a.APIVersion != "" {
		line += " --api-version " + ShellWord(a.APIVersion)
	}
	if a.KeyVariable != "" {
		line += " --key-env " + ShellWord(a.KeyVariable)
	}
	return line
}

var shellSafe = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// ShellWord writes a word as a shell reads it back: the name of a model comes from a server.
func ShellWord(word string) string {
	if shellSafe.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
