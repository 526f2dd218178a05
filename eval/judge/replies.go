package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"parley/eval"
)

// Line is the reading of one reply of a file.
type Line struct {
	ID     json.RawMessage `json:"id"`
	Status eval.Status     `json:"status"`
	Value  json.RawMessage `json:"value"` // null unless scored
	Reason string          `json:"reason"`
	Method string          `json:"method"`
	Keys   map[string]Line `json:"keys,omitempty"` // single labels of an unparsed object
}

// ReadReplies reads replies from JSON lines {"id", "raw", "offered"}, which may hold other fields, and yields what
// Read finds in each. Its errors name the file and the line.
func ReadReplies(r io.Reader, name string, yield func(Line) error) error {
	schemas := map[string]*Schema{}
	return eval.EachLine(r, name, func(text []byte) error {
		row := struct {
			ID      json.RawMessage `json:"id"`
			Raw     *string         `json:"raw"`
			Offered json.RawMessage `json:"offered"`
		}{ID: json.RawMessage("null")}
		if err := json.Unmarshal(text, &row); err != nil {
			return fmt.Errorf(`%w; a line is one JSON object {"id":..., "raw":"...", "offered":{...}}`, err)
		}
		if row.Raw == nil {
			return errors.New(`there is no "raw"; it holds the judge's reply as a string`)
		}
		key := string(row.Offered)
		offered := schemas[key]
		if offered == nil && key != "" && key != "null" {
			var err error
			if offered, err = ParseSchema(row.Offered); err != nil {
				return fmt.Errorf(`%w; "offered" is a JSON schema, or left out`, err)
			}
			schemas[key] = offered
		}
		return yield(lineOf(row.ID, Read(*row.Raw, offered)))
	})
}

func lineOf(id json.RawMessage, r Reading) Line {
	line := Line{ID: id, Status: r.Status, Value: r.Value, Reason: r.Reason, Method: r.Method}
	if r.Status == eval.Scored {
		return line
	}
	for key, one := range r.Keys {
		if line.Keys == nil {
			line.Keys = map[string]Line{}
		}
		if id, err := json.Marshal(key); err == nil {
			line.Keys[key] = lineOf(id, one)
		}
	}
	return line
}
