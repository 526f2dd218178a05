package formats

// Parse reads one JSON value, for tests.
func Parse(raw []byte) error {
	var d document
	_, err := d.parse(raw)
	return err
}

// Deepest is how far values may nest.
const Deepest = deepest
