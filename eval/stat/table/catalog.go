package table

import (
	"fmt"
	"strings"

	"parley/eval/stat"
)

// statistic is one thing that the command computes, and the columns that it needs.
type Statistic struct {
	Name    string
	Aliases []string
	About   string
	x, y    columnKind
	group   groupNeed
	samples bool       // x and y are independent, or x holds both and the group says which
	ratings columnKind // of alpha: what raters give
	methods []string   // the first is the default
	sided   bool       // takes an alternative

	run   func(d *data, o *settings) []Result
	value func(d *data, o *settings) stat.Value // of rows, where a bootstrap can resample it
}

// needs says in words which columns to name.
func (s *Statistic) Needs() string {
	switch {
	case s.Name == "bootstrap":
		return "the columns of the statistic --of; --group clusters"
	case s.ratings != colNone:
		return fmt.Sprintf("--x and --y, or --raters A,B,..., or --x ratings with --group units (%s); else every column is a rater", s.ratings)
	case s.samples:
		return "--x and --y, or --x with --group of two samples (numbers)"
	}
	var words []string
	if s.x != colNone {
		words = append(words, "--x ("+string(s.x)+")")
	}
	if s.y != colNone {
		words = append(words, "--y ("+string(s.y)+")")
	}
	switch s.group {
	case groupMaybe:
		words = append(words, "[--group]")
	case groupAlways:
		words = append(words, "--group")
	}
	return strings.Join(words, ", ")
}

// Find finds a statistic by name or alias; case, _ and - do not matter.
func Find(name string) (*Statistic, error) {
	plain := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	var names []string
	for _, s := range List() {
		for _, n := range append([]string{s.Name}, s.Aliases...) {
			if plain(n) == plain(name) {
				return &s, nil
			}
		}
		names = append(names, s.Name)
	}
	return nil, usage("no statistic is called %q; there are %s", name, strings.Join(names, ", "))
}

// statistics is the table of all that the command computes.
func List() []Statistic {
	row := Statistic{x: colNumbers}
	pairs := Statistic{x: colNumbers, y: colNumbers}
	named := Statistic{x: colLabels, y: colLabels}
	samples := Statistic{x: colNumbers, y: colNumbers, samples: true}
	return []Statistic{
		{Name: "mean", Aliases: []string{"clustered-mean"}, About: "mean with t interval; clustered by group", x: colNumbers, group: groupMaybe, run: runMean, value: rowsMean},
		{Name: "clustered-se", About: "standard error of a mean of clusters", x: colNumbers, group: groupAlways, run: runClusteredSE},
		row.as("sd", "standard deviation (n-1)", func(d *data, _ *settings) stat.Value { return stat.SD(d.x, stat.Sample) }),
		row.as("cv", "coefficient of variation, population (n)", func(d *data, _ *settings) stat.Value { return stat.CV(d.x, stat.Population) }, "cv-population", "variation"),
		row.as("cv-sample", "coefficient of variation, sample (n-1)", func(d *data, _ *settings) stat.Value { return stat.CV(d.x, stat.Sample) }),
		{Name: "wilson", Aliases: []string{"proportion"}, About: "share of yes with Wilson's interval", x: colYesNo, run: runProportion(stat.Wilson), value: rowsMean},
		{Name: "clopper-pearson", About: "share of yes with the exact interval", x: colYesNo, run: runProportion(stat.ClopperPearson), value: rowsMean},
		{Name: "bootstrap", About: "any statistic of rows (--of) with an interval by resampling rows or clusters", methods: []string{"percentile", "bca"}, group: groupMaybe, run: runBootstrap},

		correlation("pearson", "product-moment correlation", stat.Pearson),
		correlation("spearman", "correlation of mid-ranks", stat.Spearman),
		correlation("kendall-b", "tau-b", stat.KendallB, "kendall", "kendall-tau-b", "tau-b"),
		correlation("kendall-c", "tau-c", stat.KendallC, "kendall-tau-c", "tau-c"),
		pairs.as("mse", "mean squared difference", func(d *data, _ *settings) stat.Value { return stat.MSE(d.x, d.y) }),

		named.as("accuracy", "share of equal labels", func(d *data, _ *settings) stat.Value { return stat.Accuracy(d.xLabels, d.yLabels) }),
		named.as("kappa", "Cohen's kappa", rowsKappa(stat.Plain), "cohen-kappa"),
		named.as("kappa-linear", "Cohen's kappa, linear weights (--labels)", rowsKappa(stat.Linear)),
		named.as("kappa-quadratic", "Cohen's kappa, quadratic weights (--labels)", rowsKappa(stat.Quadratic)),
		named.as("mcc", "Matthews' correlation", func(d *data, _ *settings) stat.Value { return stat.MCC(d.xLabels, d.yLabels) }, "matthews"),
		alpha(stat.Nominal, colLabels, "alpha", "krippendorff", "krippendorff-nominal"),
		alpha(stat.Ordinal, colNumbers, "krippendorff-ordinal"),
		alpha(stat.IntervalScale, colNumbers, "krippendorff-interval"),
		alpha(stat.Ratio, colNumbers, "krippendorff-ratio"),

		{Name: "paired-t", Aliases: []string{"t-paired", "ttest-rel"}, About: "mean of x-y with interval; Student's paired t test", x: colNumbers, y: colNumbers, sided: true, run: runPairedT, value: rowsDifference},
		{Name: "welch", Aliases: []string{"welch-t", "ttest-ind", "unpaired-t"}, About: "difference of two samples' means with interval; Welch's t test", samples: true, x: colNumbers, y: colNumbers, sided: true, run: runWelch},
		{Name: "wilcoxon", About: "signed-rank test (--zeros)", x: colNumbers, y: colNumbers, sided: true, methods: []string{"auto", "exact", "normal"}, run: runWilcoxon},
		{Name: "sign", Aliases: []string{"sign-test"}, About: "exact sign test", x: colNumbers, y: colNumbers, sided: true, run: runSign},
		{Name: "mcnemar", Aliases: []string{"mcnemar-exact"}, About: "exact McNemar test", x: colYesNo, y: colYesNo, run: runMcNemar},
		{Name: "paired-bootstrap", Aliases: []string{"bootstrap-paired"}, About: "mean of x-y with bootstrap interval and p", x: colNumbers, y: colNumbers, group: groupMaybe, methods: []string{"percentile", "bca"}, run: runPairedBootstrap},

		{Name: "holm", About: "p values adjusted by Holm", x: colNumbers, group: groupMaybe, run: runAdjusted(stat.Holm)},
		{Name: "bh", Aliases: []string{"benjamini-hochberg", "fdr"}, About: "p values adjusted by Benjamini and Hochberg", x: colNumbers, group: groupMaybe, run: runAdjusted(stat.BenjaminiHochberg)},

		samples.as("cohens-d", "difference over pooled standard deviation", func(d *data, _ *settings) stat.Value { return stat.CohenD(d.x, d.y) }, "cohen-d"),
		samples.as("hedges-g", "Cohen's d without its bias", func(d *data, _ *settings) stat.Value { return stat.HedgesG(d.x, d.y) }),
		samples.as("cliffs-delta", "P(x > y) - P(x < y)", func(d *data, _ *settings) stat.Value { return stat.CliffDelta(d.x, d.y) }, "cliff-delta", "cliff"),
		pairs.as("cohens-dz", "mean difference over its standard deviation", func(d *data, _ *settings) stat.Value { return stat.CohenDz(d.x, d.y) }, "cohen-dz", "dz"),
		pairs.as("rank-biserial", "effect size of wilcoxon", func(d *data, _ *settings) stat.Value { return stat.RankBiserial(d.x, d.y) }),

		{Name: "power-paired", About: "pairs needed to see a difference (--diff, --power), the least difference seen, power", x: colNumbers, y: colNumbers, run: runPower(stat.Paired)},
		{Name: "power-unpaired", About: "sessions an arm needed, the least difference seen, power", x: colNumbers, y: colNumbers, samples: true, run: runPower(stat.Unpaired)},
	}
}

// as makes a statistic that is a single value of the same columns.
func (s Statistic) as(name, about string, value func(*data, *settings) stat.Value, aliases ...string) Statistic {
	s.Name, s.About, s.Aliases = name, about, aliases
	if !s.samples {
		s.value = value
	}
	s.run = func(d *data, o *settings) []Result { return []Result{single(d, value(d, o))} }
	return s
}

func correlation(name, about string, of func(x, y []float64) stat.Correlation, aliases ...string) Statistic {
	return Statistic{
		Name: name, About: about + "; the mean over groups", Aliases: aliases, x: colNumbers, y: colNumbers, group: groupMaybe,
		run:   runCorrelation(name, of),
		value: func(d *data, _ *settings) stat.Value { return of(d.x, d.y).R },
	}
}

func alpha(m stat.Metric, ratings columnKind, aliases ...string) Statistic {
	s := Statistic{ratings: ratings}
	return s.as("alpha-"+string(m), "Krippendorff's alpha, "+string(m), rowsAlpha(m), aliases...)
}
