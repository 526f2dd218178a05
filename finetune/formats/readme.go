package formats

import (
	"fmt"
	"strings"

	"parley/finetune"
)

const readmeFile = "README.md"

// readme says what the files are and how to train on them.
func (w *written) readme() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", w.format.Name, w.format.About)
	b.WriteString("| file | rows | longest row, in tokens |\n|---|---|---|\n")
	altered, repeated := int64(0), int64(0)
	for _, s := range finetune.Splits() {
		if f := w.rows[s]; f != nil {
			fmt.Fprintf(&b, "| %s | %d | about %d |\n", f.Name, f.Rows, f.Longest)
			altered += f.Altered
			repeated += f.Repeated
		}
	}
	fmt.Fprintf(&b, "\n## Settings\n\n%s\n", strings.Trim(w.format.usage(w), "\n"))
	fmt.Fprintf(&b, "\n## Check\n\n    parley finetune validate --for %s DIR\n", w.format.Name)
	if repeated > 0 {
		fmt.Fprintf(&b, "\n%d rows were left out, as the same rows stand in these files already: conversations that begin alike share their first answers.\n", repeated)
	}
	if altered > 0 {
		fmt.Fprintf(&b, "\nIn %d messages a marker such as `<|im_end|>` got a space, so that no tokenizer takes it for the end of a turn.\n", altered)
	}
	return b.String()
}
