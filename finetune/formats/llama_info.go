package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const infoFile = "dataset_info.json"

// llamaEntry is a dataset of dataset_info.json.
type llamaEntry struct {
	FileName   string             `json:"file_name"`
	Hub        string             `json:"hf_hub_url"`
	ModelScope string             `json:"ms_hub_url"`
	OpenMind   string             `json:"om_hub_url"`
	Script     string             `json:"script_url"`
	Cloud      string             `json:"cloud_file_name"`
	Formatting *string            `json:"formatting"`
	Ranking    bool               `json:"ranking"`
	Columns    *map[string]string `json:"columns"`
	Tags       *map[string]string `json:"tags"`
}

// openLlama takes a directory with a dataset_info.json, that file, or data, which a dataset_info.json
// beside it may explain.
func openLlama(v *validator, path string, dir bool) ([]source, error) {
	info := path
	switch {
	case dir:
		info = filepath.Join(path, infoFile)
	case filepath.Base(path) != infoFile:
		info = filepath.Join(filepath.Dir(path), infoFile)
	}
	raw, err := os.ReadFile(info)
	switch {
	case errors.Is(err, fs.ErrNotExist) && dir:
		v.reportAt(info, 0, "missing_file:info")
		return v.folder(path)
	case errors.Is(err, fs.ErrNotExist):
		return []source{{path: path}}, nil
	case err != nil:
		return nil, err
	}
	if dir || info == path {
		v.file.path = info
		v.sum.Files = append(v.sum.Files, info)
		return v.llamaInfo(info, raw), nil
	}
	// of data only its own entry matters
	quiet := newValidator(v.ctx, v.f, v.o, func(Finding) error { return nil })
	quiet.file.path = info
	for _, s := range quiet.llamaInfo(info, raw) {
		if filepath.Clean(s.path) == filepath.Clean(path) {
			s.path = path
			return []source{s}, nil
		}
	}
	return []source{{path: path}}, nil
}

// llamaInfo reads a dataset_info.json and returns the files it names.
func (v *validator) llamaInfo(path string, raw []byte) []source {
	if bytes.HasPrefix(raw, mark) {
		v.report("bom_present:info")
		raw = raw[len(mark):]
	}
	if bytes.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf }) {
		v.report("info_not_ascii")
	}
	var entries map[string]llamaEntry
	if err := json.Unmarshal(raw, &entries); err != nil {
		v.report("info_invalid", "error", err)
		return nil
	}
	if len(entries) == 0 {
		v.report("no_datasets:info")
	}
	var out []source
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		if e.Hub+e.ModelScope+e.OpenMind+e.Script+e.Cloud != "" {
			v.notes[path+": the dataset "+quote(name)+" is not on this machine and was not read"] = true
			continue
		}
		if e.FileName == "" {
			v.report("file_name:info", "name", quote(name))
			continue
		}
		attr, ok := v.llamaAttr(name, &e)
		check := func(v *validator, row *value) {
			if ok {
				attr.row(v, row)
			}
		}
		for _, f := range v.llamaFiles(name, filepath.Join(filepath.Dir(path), e.FileName)) {
			out = append(out, source{path: f, check: check})
		}
	}
	return out
}

// llamaFiles finds the data of a dataset.
func (v *validator) llamaFiles(name, path string) []string {
	info, err := os.Stat(path)
	if err != nil {
		v.report("missing_file:dataset", "name", quote(name), "file", quote(filepath.Base(path)))
		return nil
	}
	files := []string{path}
	if info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(path, "*"))
	}
	var out []string
	for _, f := range files {
		switch ext := strings.ToLower(filepath.Ext(f)); ext {
		case ".json", ".jsonl":
			out = append(out, f)
		case ".csv", ".parquet", ".arrow", ".txt":
			v.notes[f+" is not JSON and was not read"] = true
		default:
			v.report("extension:dataset", "file", quote(filepath.Base(f)), "name", quote(name))
		}
	}
	return out
}

// llamaAttr makes of an entry how its rows are read. Not ok: they cannot be judged.
func (v *validator) llamaAttr(name string, e *llamaEntry) (a llamaAttr, ok bool) {
	formatting := "alpaca"
	if e.Formatting != nil {
		formatting = *e.Formatting
	}
	switch formatting {
	case "alpaca":
		a = alpacaUnset()
	case "sharegpt", "openai":
		a = sharegptUnset()
	default:
		v.report("formatting", "name", quote(name), "formatting", quote(formatting))
		return a, false
	}
	a.known, a.formatting, a.ranking = true, formatting, e.Ranking
	if e.Columns != nil { // every column that is not listed is reset
		c := *e.Columns
		a.prompt, a.query, a.response, a.history, a.messages = c["prompt"], c["query"], c["response"], c["history"], c["messages"]
		a.system, a.tools, a.chosen, a.rejected, a.kto = c["system"], c["tools"], c["chosen"], c["rejected"], c["kto_tag"]
	}
	if e.Tags != nil {
		t := *e.Tags
		a.role, a.content, a.user, a.assistant = t["role_tag"], t["content_tag"], t["user_tag"], t["assistant_tag"]
		a.observation, a.function, a.systemTag = t["observation_tag"], t["function_tag"], t["system_tag"]
	}
	rule, what := a.missing()
	if what == "" && a.ranking && (a.chosen == "" || a.rejected == "") {
		rule, what = "info_columns", "chosen and rejected"
	}
	if what != "" {
		v.report(rule, "name", quote(name), "what", what)
	}
	return a, what == ""
}

// missing returns the rule and the name of a column or tag that is needed and was reset.
func (a *llamaAttr) missing() (rule, what string) {
	type need struct{ rule, value, name string }
	needs := []need{
		{"info_columns", a.messages, "messages"}, {"info_tags", a.role, "role_tag"}, {"info_tags", a.content, "content_tag"},
		{"info_tags", a.user, "user_tag"}, {"info_tags", a.assistant, "assistant_tag"},
	}
	if a.formatting == "alpaca" {
		needs = []need{{"info_columns", a.prompt + a.query, "prompt"}}
		if !a.ranking {
			needs = append(needs, need{"info_columns", a.response, "response"})
		}
	}
	for _, n := range needs {
		if n.value == "" {
			return n.rule, n.name
		}
	}
	return "", ""
}
