package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

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
		v.findAt(info, 0, Error, "missing_file", "write dataset_info.json into the directory", "there is no dataset_info.json: LLaMA-Factory stops (\"Cannot open\")")
		return v.folder(path)
	case errors.Is(err, fs.ErrNotExist):
		return []source{{path: path}}, nil
	case err != nil:
		return nil, err
	}
	if !dir && info != path { // data: only its own entry matters
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
	v.file.path = info
	v.sum.Files = append(v.sum.Files, info)
	return v.llamaInfo(info, raw), nil
}

// llamaInfo reads a dataset_info.json and returns the files it names.
func (v *validator) llamaInfo(path string, raw []byte) []source {
	if bytes.HasPrefix(raw, mark) {
		v.bad("bom_present", "write plain UTF-8", "dataset_info.json begins with a byte order mark: json.load raises, and LLaMA-Factory stops (\"Cannot open\")")
		raw = raw[len(mark):]
	}
	if i := bytes.IndexFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
		v.warn("info_not_ascii", "escape it as \\uXXXX", "dataset_info.json holds letters beyond ASCII: it is opened in the platform's own encoding, which on Windows is not UTF-8")
	}
	var entries map[string]llamaEntry
	if err := json.Unmarshal(raw, &entries); err != nil {
		v.bad("info_invalid", "repair the JSON", "dataset_info.json cannot be read: %s", err)
		return nil
	}
	if len(entries) == 0 {
		v.bad("no_datasets", "describe a dataset", "dataset_info.json describes no dataset: LLaMA-Factory stops (\"Undefined dataset\")")
	}
	var out []source
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		e := entries[name]
		if e.Hub+e.ModelScope+e.OpenMind+e.Script+e.Cloud != "" {
			v.notes[fmt.Sprintf("%s: the dataset %q is not on this machine and was not read", path, name)] = true
			continue
		}
		if e.FileName == "" {
			v.bad("file_name", "give it a file_name", "the dataset %q has no file_name: LLaMA-Factory raises KeyError", name)
			continue
		}
		attr, ok := v.llamaAttr(name, &e)
		check := attr.row
		if !ok {
			check = func(*validator, value) {}
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
		v.bad("missing_file", "write the path from dataset_info.json's directory", "the dataset %q is in the file %q, which is not there: LLaMA-Factory raises", name, filepath.Base(path))
		return nil
	}
	files := []string{path}
	if info.IsDir() {
		files, _ = filepath.Glob(filepath.Join(path, "*"))
	}
	var out []string
	for _, f := range files {
		switch ext := strings.ToLower(filepath.Ext(f)); {
		case ext == ".json" || ext == ".jsonl":
			out = append(out, f)
		case ext == ".csv" || ext == ".parquet" || ext == ".arrow" || ext == ".txt":
			v.notes[f+" is not JSON and was not read"] = true
		default:
			v.bad("extension", "use json, jsonl, csv, parquet, arrow or txt", "the file %q of the dataset %q has an extension that LLaMA-Factory does not take", filepath.Base(f), name)
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
		a = alpacaUnset
	case "sharegpt", "openai":
		a = sharegptUnset
	default:
		v.bad("formatting", "use alpaca, sharegpt or openai", "the dataset %q has the formatting %q: LLaMA-Factory has no converter of that name and raises", name, formatting)
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
	ok = true
	missing := func(where, what string) {
		ok = false
		v.bad("info_"+where, "list "+what+" under "+where, "the dataset %q lists %s without %s, which resets it: LLaMA-Factory raises KeyError or drops every row", name, where, what)
	}
	if formatting == "alpaca" {
		switch {
		case a.prompt == "" && a.query == "":
			missing("columns", "prompt")
		case !a.ranking && a.response == "":
			missing("columns", "response")
		}
	} else {
		switch {
		case a.messages == "":
			missing("columns", "messages")
		case a.role == "":
			missing("tags", "role_tag")
		case a.content == "":
			missing("tags", "content_tag")
		case a.user == "":
			missing("tags", "user_tag")
		case a.assistant == "":
			missing("tags", "assistant_tag")
		}
	}
	if a.ranking && (a.chosen == "" || a.rejected == "") {
		missing("columns", "chosen and rejected")
	}
	return a, ok
}
