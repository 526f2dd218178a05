package sqlite

import (
	"errors"
	"strings"
)

// parseTable reads the columns of a CREATE TABLE statement.
func parseTable(sql string) (table, error) {
	t := table{rowid: -1, real: map[int]bool{}}
	from := strings.IndexByte(sql, '(')
	if from < 0 {
		return t, errors.New("its definition names no columns")
	}
	parts, rest := split(sql[from+1:])
	if strings.Contains(strings.ToUpper(rest), "WITHOUT ROWID") {
		return t, errors.New("it has no rowid, which is not read")
	}
	for _, part := range parts {
		name, kind := word(part)
		if name == "" {
			continue
		}
		if part[0] != '"' && part[0] != '`' && part[0] != '[' {
			switch strings.ToUpper(name) {
			case "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "CONSTRAINT":
				continue
			}
		}
		words := strings.Fields(strings.ToUpper(kind))
		if len(words) >= 3 && words[0] == "INTEGER" && strings.HasPrefix(strings.Join(words[1:], " "), "PRIMARY KEY") {
			t.rowid = len(t.columns)
		}
		if len(words) > 0 && (strings.HasPrefix(words[0], "REAL") || strings.HasPrefix(words[0], "FLOA") || strings.HasPrefix(words[0], "DOUB")) {
			t.real[len(t.columns)] = true
		}
		t.columns = append(t.columns, name)
	}
	if len(t.columns) == 0 {
		return t, errors.New("its definition names no columns")
	}
	return t, nil
}

// split cuts at the commas outside of brackets and quotation marks, up to the closing bracket.
func split(s string) (parts []string, rest string) {
	depth, from := 0, 0
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '[':
			quote = ']'
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')':
			return append(parts, strings.TrimSpace(s[from:i])), s[i+1:]
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(s[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(s[from:])), ""
}

// word takes the name at the beginning, with what stands behind it.
func word(s string) (name, rest string) {
	if s == "" {
		return "", ""
	}
	if end := strings.IndexByte("\"`[", s[0]); end >= 0 {
		closing := "\"`]"[end]
		if at := strings.IndexByte(s[1:], closing); at >= 0 {
			return s[1 : 1+at], s[at+2:]
		}
	}
	at := strings.IndexAny(s, " \t\r\n(")
	if at < 0 {
		return s, ""
	}
	return s[:at], s[at:]
}
