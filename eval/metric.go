package eval

import "slices"

// Metric describes a number that a scorer gives: how it is named, aggregated, compared and drawn.
// Tables, differences, the report and comparisons of runs are made from it alone.
type Metric struct {
	Scorer   string  `json:"scorer"`            // the scorer that gives it
	Name     string  `json:"name"`              // as in Score.Metric
	Unit     string  `json:"unit"`              // plural of what n counts, such as players or turns; empty: scores
	Title    string  `json:"title"`             // a short heading
	Short    string  `json:"short,omitempty"`   // the heading of its column where arms are compared; empty: it has none there
	Caption  string  `json:"caption,omitempty"` // one or two sentences for a reader who meets the number for the first time
	Low      float64 `json:"low"`               // the ends of its scale; both 0: it has none
	High     float64 `json:"high"`
	Higher   bool    `json:"higher,omitempty"`   // more is better
	Paired   bool    `json:"paired,omitempty"`   // arms are compared item by item
	Headline bool    `json:"headline,omitempty"` // one of the numbers that a run is about; listed first
	Against  string  `json:"against,omitempty"`  // of a gain: the control under which the value that is subtracted was had
}

// Bounded reports whether the scale of the metric has ends.
func (m *Metric) Bounded() bool { return m.Low < m.High }

// Find returns the metric of a scorer by its name, or a plain description where the list has none:
// scores of a scorer that this program does not know are still shown.
func Find(metrics []Metric, scorer, name string) Metric {
	for i := range metrics {
		if metrics[i].Scorer == scorer && metrics[i].Name == name {
			return metrics[i]
		}
	}
	return Metric{Scorer: scorer, Name: name, Unit: "scores"}
}

// Merge returns the metrics of both lists, those of the first where both have one.
func Merge(first, second []Metric) []Metric {
	merged := slices.Clone(first)
	for _, m := range second {
		if !slices.ContainsFunc(first, func(o Metric) bool { return o.Scorer == m.Scorer && o.Name == m.Name }) {
			merged = append(merged, m)
		}
	}
	return merged
}
