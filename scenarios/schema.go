package scenarios

import (
	"encoding/json"
	"maps"
	"slices"

	"parley/characters"
)

// The schemas have no lengths in them: servers that turn a schema into a grammar choke on large ones,
// and Review counts anyway.

func knowledgeSchema() []byte {
	return object(map[string]any{
		"title": text(), "text": text(),
		"facts": array(map[string]any{"aspect": oneOf(Aspects()), "text": text()}),
	})
}

func sceneSchema(skills []characters.Skill) []byte {
	return object(map[string]any{
		"title": text(), "premise": text(),
		"aims": array(map[string]any{"skill": oneOf(skills), "brief": text()}),
	})
}

func text() any { return map[string]any{"type": "string"} }

func oneOf[T ~string](values []T) any { return map[string]any{"type": "string", "enum": values} }

func array(properties map[string]any) any {
	return map[string]any{"type": "array", "items": json.RawMessage(object(properties))}
}

func object(properties map[string]any) []byte {
	data, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "additionalProperties": false, "required": slices.Sorted(maps.Keys(properties)),
	})
	if err != nil {
		panic(err) // made of constants
	}
	return data
}
