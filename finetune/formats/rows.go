package formats

import (
	"path/filepath"
	"unicode/utf8"

	"parley/finetune"
)

// stops says in words what a reader does with a line that is no JSON object.
func (v *validator) stops() string {
	switch v.f.loader {
	case service:
		return "the upload is refused"
	case arrow:
		return "datasets cannot load the file"
	}
	return "json.loads raises, and nothing is loaded"
}

// beforeRows looks at a file as a whole.
func (v *validator) beforeRows(size int64) {
	if v.f.loader == service {
		const most = 512 * 1000 * 1000
		if size > most {
			v.bad("file_size", "split the file, or leave out rows", "the file has %d MB, and an upload may have 512 MB", size/1_000_000)
		}
		if filepath.Ext(v.file.path) != ".jsonl" {
			v.bad("extension", "rename it to NAME.jsonl", "the name does not end in .jsonl, and nothing else is accepted as training data")
		}
	}
}

// mark judges a byte order mark at the start of a file.
func (v *validator) mark(there bool) {
	v.line = 1
	switch {
	case v.f.bom && !there:
		v.bad("bom_missing", "write the file with a byte order mark, in Python encoding=\"utf-8-sig\"", "Azure documents training files as UTF-8 with a byte order mark, and there is none")
	case !v.f.bom && there:
		what := map[loader]string{
			service: "the first line is not JSON to the upload check",
			arrow:   "pyarrow passes it, but Python's json, DuckDB and Go refuse the file",
			python:  "json.loads raises \"Unexpected UTF-8 BOM\" on the first line",
		}[v.f.loader]
		v.bad("bom_present", "write plain UTF-8; only Azure wants the mark", "the file begins with a byte order mark: %s", what)
	}
	v.line = 0
}

func (v *validator) blank() {
	const remedy = "delete the line; one newline ends the last row"
	switch v.f.loader {
	case service:
		v.bad("blank_line", remedy, "the line is empty, and each line has to be a JSON object")
	case python:
		v.bad("blank_line", remedy, "the line is empty: json.loads raises on it, and nothing is loaded")
	default:
		v.warn("blank_line", remedy, "the line is empty: datasets passes over it, but readers that take line by line stop")
	}
}

func (v *validator) broken(raw []byte, err error) {
	if !utf8.Valid(raw) && v.once("utf8") {
		v.bad("invalid_utf8", "convert the file to UTF-8", "the row is not UTF-8: %s", v.stops())
		return
	}
	remedy := "write one whole JSON object a line"
	if raw[0] == '\'' || len(raw) > 1 && raw[1] == '\'' {
		remedy = "write it with json.dumps; Python's own notation with single quotes is not JSON"
	}
	v.bad("json_invalid", remedy, "the row is not JSON: %s; %s", err, v.stops())
}

// strings judges what the reader met inside of strings and keys.
func (v *validator) strings(d *document) {
	if d.badUTF8 {
		v.bad("invalid_utf8", "convert the file to UTF-8", "a string is not UTF-8: %s", v.stops())
	}
	if d.surrogate {
		what := "the tokenizer cannot encode it and raises"
		if v.f.loader == arrow {
			what = "pyarrow stops at it"
		}
		v.bad("lone_surrogate", "replace it with the whole character, or with \\ufffd", "an escape is half of a character (\\ud800 to \\udfff): %s", what)
	}
	if d.separator != 0 {
		v.warn("line_separator", "escape it as \\u0085, \\u2028 or \\u2029", "U+%04X stands in a string as it is: splitlines() and some line readers cut the row there", d.separator)
	}
	if d.doubled != "" {
		what := "Python keeps the last of them without a word"
		if v.f.loader == arrow {
			what = "pyarrow stops (\"was specified twice\")"
		}
		v.bad("duplicate_key", "keep one of them", "the key %s stands twice in an object: %s", quote([]byte(d.doubled)), what)
	}
}

// repeated compares a row with those before it, in all files.
func (v *validator) repeated(row value) {
	where, line, met := v.known.meet(row, v.line)
	if !met {
		return
	}
	switch {
	case where.path == v.file.path:
		v.warn("duplicate", "delete one of them", "the row stands in line %d already: it weighs double", line)
	case where.split == v.file.split && where.split != "":
		v.warn("duplicate", "delete one of them", "the row stands in %s:%d already: it weighs double", where.path, line)
	case where.split != "" && v.file.split != "":
		v.bad("split_overlap", "delete it from one of them, and split by session", "the row stands in %s:%d already: what is learned cannot be tested, and the loss there says nothing", where.path, line)
	default:
		v.warn("split_overlap", "delete it from one of them where they are different splits", "the row stands in %s:%d already", where.path, line)
	}
}

// afterRows looks back at a file.
func (v *validator) afterRows() {
	if v.known.full {
		v.notes["only the first rows were compared for duplicates; the rest would not fit into memory"] = true
	}
	if v.rows == 0 {
		v.bad("no_rows", "write at least one row", "there is no row in the file: %s", map[loader]string{
			service: "the upload is refused", arrow: "datasets raises", python: "mlx-lm takes the first of no rows and raises IndexError",
		}[v.f.loader])
	}
	v.longRows()
	if v.f.loader == arrow {
		v.shape.top.dates(v)
	}
}

// teaches says whether a file is one to learn from.
func (v *validator) teaches() bool { return v.file.split == "" || v.file.split == finetune.Train }
