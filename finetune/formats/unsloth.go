package formats

// unslothSeen are the first rows, by which Unsloth tells the key of the role from that of the content.
type unslothSeen struct {
	rows   int64
	values [2]map[string]bool
	keys   [2]string
}

const unslothLooks = 10 // rows

func checkUnsloth(v *validator, row *value) {
	conversation := row.get(v.f.column("messages"))
	switch {
	case conversation.kind() > null:
		if row.has("text") && row.has("messages") {
			v.report("two_formats", "one", "conversations and messages", "other", "text")
		}
		v.standard(conversation)
	case row.has("instruction"):
		attr := alpacaUnset()
		attr.row(v, row)
	case row.has("chosen"):
		checkTRLDPO(v, row)
	default:
		checkTRL(v, row)
		if row.has("messages") {
			v.advise("formatting_func")
		}
	}
}

// standard judges a conversation that standardize_sharegpt reads.
func (v *validator) standard(conversation *value) {
	if conversation.k != list || conversation.len() == 0 {
		v.report("empty_messages", "column", v.f.column("messages"))
		return
	}
	c := v.f.Message
	if m := conversation.first(); m.has("from") || m.has("value") {
		c.Role, c.Content = "from", "value"
	}
	v.twoKeys(&c, conversation)
	v.ends(v.talk(&c, conversation, "message"))
	seen, _ := v.state.(*unslothSeen)
	if seen == nil {
		seen = &unslothSeen{keys: [2]string{c.Role, c.Content}, values: [2]map[string]bool{{}, {}}}
		v.state = seen
	}
	if seen.rows++; seen.rows > unslothLooks {
		return
	}
	for _, m := range conversation.items() {
		for i, key := range seen.keys {
			seen.values[i][string(m.get(key).bytes())] = true
		}
	}
}

// twoKeys reports the first message of a row with other than two keys, and the first with another value
// than a string under a third key.
func (v *validator) twoKeys(c *chat, conversation *value) {
	counted, typed := false, false
	for n, m := range conversation.items() {
		if m.kind() == object && m.len() != 2 && !counted {
			counted = true
			v.report("message_keys", "n", n, "count", m.len(), "role", c.Role, "content", c.Content)
		}
		for key, field := range m.members() {
			if field.k != text && string(key) != c.Role && string(key) != c.Content && !typed && !counted {
				typed = true
				v.report("message_keys:text", "n", n, "kind", field.k, "key", quote(key))
			}
		}
	}
}

// doneUnsloth guesses as Unsloth does: the key with fewer values is the role.
func doneUnsloth(v *validator) {
	seen, _ := v.state.(*unslothSeen)
	if seen == nil || len(seen.values[0]) < len(seen.values[1]) {
		return
	}
	rule := "role_key_guess"
	if seen.keys[0] == "role" { // which needs no standardizing
		rule += ":role"
	}
	v.report(rule, "rows", min(seen.rows, unslothLooks), "roles", len(seen.values[0]), "contents", len(seen.values[1]))
}
