package survey

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"parley/eval/report"
	"parley/eval/run"
	"parley/eval/survey/form"
)

// Open reads an evaluation of surveys.
func Open(dir string) (*run.Manifest, *RunData, error) {
	m, p, err := run.Kinds{Kind: Decode}.Read(dir, Kind)
	if err != nil {
		return nil, nil, err
	}
	d, err := ReadRun(dir, p.(*Plan).config)
	return m, d, err
}

// Checked holds the faults of documents, as far as that can be found without a model.
type Checked struct {
	Files    int           `json:"files"` // that were read
	Findings []FileFinding `json:"findings"`
	Unread   []Unread      `json:"unread"`
}

// FileFinding is a finding in a file.
type FileFinding struct {
	File string `json:"file"`
	form.Finding
}

// Unread is a file that could not be read.
type Unread struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// Check reads the documents of files and finds what is wrong with them.
func Check(files []string) *Checked {
	c := &Checked{Findings: []FileFinding{}, Unread: []Unread{}}
	for _, file := range files {
		d, err := readDocument(file)
		if err != nil {
			c.Unread = append(c.Unread, Unread{file, err.Error()})
			continue
		}
		c.Files++
		for _, f := range form.Check(d) {
			c.Findings = append(c.Findings, FileFinding{file, f})
		}
	}
	return c
}

func readDocument(file string) (*form.Document, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > form.MaxSize {
		return nil, fmt.Errorf("%s: %d bytes are more than a document may have (%d)", file, info.Size(), form.MaxSize)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return form.Read(data, file)
}

// Print prints the findings, one a line.
func (c *Checked) Print(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, f := range c.Findings {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\n", f.File, f.Where, f.Rule, report.Shorten(f.Message, 120))
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%d findings in %d documents\n", len(c.Findings), c.Files)
	return err
}
