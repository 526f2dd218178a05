package formats

// Parse reads one JSON value, for tests.
func Parse(raw []byte) error {
	_, err := parse(raw)
	return err
}

// MaxDepth is how far values may nest.
const MaxDepth = maxDepth
