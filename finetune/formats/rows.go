package formats

import (
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// stops returns in words what a reader does with a line that is no JSON object.
func (v *validator) stops() string {
	switch v.f.Loader {
	case service:
		return "the upload is refused"
	case arrow:
		return "datasets cannot load the file"
	}
	return "json.loads raises, and nothing is loaded"
}

// beforeRows looks at a file as a whole.
func (v *validator) beforeRows(size int64) {
	if v.f.Loader != service {
		return
	}
	const maxUpload = 512 * 1000 * 1000
	if size > maxUpload {
		v.report("file_size", "size", size/1_000_000)
	}
	if filepath.Ext(v.file.path) != ".jsonl" {
		v.report("extension")
	}
}

// broken reports a row that is not JSON.
func (v *validator) broken(raw []byte, err error) {
	if !utf8.Valid(raw) && v.once("utf8") {
		v.report("invalid_utf8", "stops", v.stops())
		return
	}
	how := "write one whole JSON object a line"
	if raw[0] == '\'' || len(raw) > 1 && raw[1] == '\'' {
		how = "write it with json.dumps; Python's own notation with single quotes is not JSON"
	}
	v.report("json_invalid", "error", err, "stops", v.stops(), "how", how)
}

// strings reports what is unusual in the strings and keys of a row.
func (v *validator) strings(d *document) {
	if d.badUTF8 {
		v.report("invalid_utf8", "stops", v.stops())
	}
	if d.surrogate {
		v.report("lone_surrogate")
	}
	if d.separator != 0 {
		v.report("line_separator", "char", fmt.Sprintf("U+%04X", d.separator))
	}
	if d.twice {
		v.report("duplicate_key", "key", quote(d.doubled))
	}
}

// repeated compares a row with those before it, in all files.
func (v *validator) repeated(row *value) {
	where, line, met := v.known.meet(row, v.line)
	if !met {
		return
	}
	other := where.path + ", "
	switch {
	case where.path == v.file.path:
		v.report("duplicate", "other", "", "line", line)
	case where.split == v.file.split && where.split != "":
		v.report("duplicate", "other", other, "line", line)
	case where.split != "" && v.file.split != "":
		v.report("split_overlap", "other", other, "line", line)
	default:
		v.report("split_overlap:unsure", "other", other, "line", line)
	}
}

// afterRows looks back at a file.
func (v *validator) afterRows() {
	if v.known.full {
		v.notes["only the first rows were compared for duplicates; the rest would not fit into memory"] = true
	}
	if v.rows == 0 {
		v.report("no_rows:" + string(v.f.Loader))
	}
	v.longRows()
	if v.f.Loader == arrow {
		v.shape.top.dates(v)
	}
}
