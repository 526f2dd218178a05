package eval

// Metric describes a number that a scorer gives: how it is named, aggregated, compared and drawn.
// Tables, differences, the report and comparisons of runs are made from it alone.
type Metric struct {
	Scorer    string  // the scorer that gives it
	Name      string  // as in Score.Metric
	Unit      string  // plural of what n counts, such as players or turns; empty: scores
	Title     string  // a short heading
	Caption   string  // one or two sentences for a reader who meets the number for the first time
	Low, High float64 // the ends of its scale; both 0: it has none
	Higher    bool    // more is better
	Paired    bool    // arms are compared item by item
	Headline  bool    // one of the numbers that a run is about; listed first
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
