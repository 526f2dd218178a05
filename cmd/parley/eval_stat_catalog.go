package main

import (
	"fmt"
	"strings"

	"parley/eval/stat"
)

// statistic is one thing that the command computes, and the columns that it needs.
type statistic struct {
	name    string
	aliases []string
	about   string
	x, y    columnKind
	group   groupNeed
	samples bool       // x and y are independent, or x holds both and the group says which
	ratings columnKind // of alpha: what raters give
	methods []string   // the first is the default
	sided   bool       // takes an alternative

	run   func(d *statData, o *statOptions) []statResult
	value func(d *statData, o *statOptions) stat.Value // of rows, where a bootstrap can resample it
}

// needs says in words which columns to name.
func (s *statistic) needs() string {
	switch {
	case s.name == "bootstrap":
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

// findStatistic finds a statistic by name or alias; case, _ and - do not matter.
func findStatistic(name string) (*statistic, error) {
	plain := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
	}
	var names []string
	for _, s := range statistics() {
		for _, n := range append([]string{s.name}, s.aliases...) {
			if plain(n) == plain(name) {
				return &s, nil
			}
		}
		names = append(names, s.name)
	}
	return nil, usagef("no statistic is called %q; there are %s", name, strings.Join(names, ", "))
}

// statistics is the table of all that the command computes.
func statistics() []statistic {
	row := statistic{x: colNumbers}
	pairs := statistic{x: colNumbers, y: colNumbers}
	named := statistic{x: colLabels, y: colLabels}
	samples := statistic{x: colNumbers, y: colNumbers, samples: true}
	return []statistic{
		{name: "mean", aliases: []string{"clustered-mean"}, about: "mean with t interval; clustered by group", x: colNumbers, group: groupMaybe, run: runMean, value: rowsMean},
		{name: "clustered-se", about: "standard error of a mean of clusters", x: colNumbers, group: groupAlways, run: runClusteredSE},
		row.as("sd", "standard deviation (n-1)", func(d *statData, _ *statOptions) stat.Value { return stat.SD(d.x, stat.Sample) }),
		row.as("cv", "coefficient of variation, population (n)", func(d *statData, _ *statOptions) stat.Value { return stat.CV(d.x, stat.Population) }, "cv-population", "variation"),
		row.as("cv-sample", "coefficient of variation, sample (n-1)", func(d *statData, _ *statOptions) stat.Value { return stat.CV(d.x, stat.Sample) }),
		{name: "wilson", aliases: []string{"proportion"}, about: "share of yes with Wilson's interval", x: colYesNo, run: runProportion(stat.Wilson), value: rowsMean},
		{name: "clopper-pearson", about: "share of yes with the exact interval", x: colYesNo, run: runProportion(stat.ClopperPearson), value: rowsMean},
		{name: "bootstrap", about: "any statistic of rows (--of) with an interval by resampling rows or clusters", methods: []string{"percentile", "bca"}, group: groupMaybe, run: runBootstrap},

		correlation("pearson", "product-moment correlation", stat.Pearson),
		correlation("spearman", "correlation of mid-ranks", stat.Spearman),
		correlation("kendall-b", "tau-b", stat.KendallB, "kendall", "kendall-tau-b", "tau-b"),
		correlation("kendall-c", "tau-c", stat.KendallC, "kendall-tau-c", "tau-c"),
		pairs.as("mse", "mean squared difference", func(d *statData, _ *statOptions) stat.Value { return stat.MSE(d.x, d.y) }),

		named.as("accuracy", "share of equal labels", func(d *statData, _ *statOptions) stat.Value { return stat.Accuracy(d.xLabels, d.yLabels) }),
		named.as("kappa", "Cohen's kappa", rowsKappa(stat.Plain), "cohen-kappa"),
		named.as("kappa-linear", "Cohen's kappa, linear weights (--labels)", rowsKappa(stat.Linear)),
		named.as("kappa-quadratic", "Cohen's kappa, quadratic weights (--labels)", rowsKappa(stat.Quadratic)),
		named.as("mcc", "Matthews' correlation", func(d *statData, _ *statOptions) stat.Value { return stat.MCC(d.xLabels, d.yLabels) }, "matthews"),
		alpha(stat.Nominal, colLabels, "alpha", "krippendorff", "krippendorff-nominal"),
		alpha(stat.Ordinal, colNumbers, "krippendorff-ordinal"),
		alpha(stat.IntervalScale, colNumbers, "krippendorff-interval"),
		alpha(stat.Ratio, colNumbers, "krippendorff-ratio"),

		{name: "paired-t", aliases: []string{"t-paired", "ttest-rel"}, about: "mean of x-y with interval; Student's paired t test", x: colNumbers, y: colNumbers, sided: true, run: runPairedT, value: rowsDifference},
		{name: "welch", aliases: []string{"welch-t", "ttest-ind", "unpaired-t"}, about: "difference of two samples' means with interval; Welch's t test", samples: true, x: colNumbers, y: colNumbers, sided: true, run: runWelch},
		{name: "wilcoxon", about: "signed-rank test (--zeros)", x: colNumbers, y: colNumbers, sided: true, methods: []string{"auto", "exact", "normal"}, run: runWilcoxon},
		{name: "sign", aliases: []string{"sign-test"}, about: "exact sign test", x: colNumbers, y: colNumbers, sided: true, run: runSign},
		{name: "mcnemar", aliases: []string{"mcnemar-exact"}, about: "exact McNemar test", x: colYesNo, y: colYesNo, run: runMcNemar},
		{name: "paired-bootstrap", aliases: []string{"bootstrap-paired"}, about: "mean of x-y with bootstrap interval and p", x: colNumbers, y: colNumbers, group: groupMaybe, methods: []string{"percentile", "bca"}, run: runPairedBootstrap},

		{name: "holm", about: "p values adjusted by Holm", x: colNumbers, group: groupMaybe, run: runAdjusted(stat.Holm)},
		{name: "bh", aliases: []string{"benjamini-hochberg", "fdr"}, about: "p values adjusted by Benjamini and Hochberg", x: colNumbers, group: groupMaybe, run: runAdjusted(stat.BenjaminiHochberg)},

		samples.as("cohens-d", "difference over pooled standard deviation", func(d *statData, _ *statOptions) stat.Value { return stat.CohenD(d.x, d.y) }, "cohen-d"),
		samples.as("hedges-g", "Cohen's d without its bias", func(d *statData, _ *statOptions) stat.Value { return stat.HedgesG(d.x, d.y) }),
		samples.as("cliffs-delta", "P(x > y) - P(x < y)", func(d *statData, _ *statOptions) stat.Value { return stat.CliffDelta(d.x, d.y) }, "cliff-delta", "cliff"),
		pairs.as("cohens-dz", "mean difference over its standard deviation", func(d *statData, _ *statOptions) stat.Value { return stat.CohenDz(d.x, d.y) }, "cohen-dz", "dz"),
		pairs.as("rank-biserial", "effect size of wilcoxon", func(d *statData, _ *statOptions) stat.Value { return stat.RankBiserial(d.x, d.y) }),

		{name: "power-paired", about: "pairs needed to see a difference (--diff, --power), the least difference seen, power", x: colNumbers, y: colNumbers, run: runPower(stat.Paired)},
		{name: "power-unpaired", about: "sessions an arm needed, the least difference seen, power", x: colNumbers, y: colNumbers, samples: true, run: runPower(stat.Unpaired)},
	}
}

// as makes a statistic that is a single value of the same columns.
func (s statistic) as(name, about string, value func(*statData, *statOptions) stat.Value, aliases ...string) statistic {
	s.name, s.about, s.aliases = name, about, aliases
	if !s.samples {
		s.value = value
	}
	s.run = func(d *statData, o *statOptions) []statResult { return []statResult{single(d, value(d, o))} }
	return s
}

func correlation(name, about string, of func(x, y []float64) stat.Correlation, aliases ...string) statistic {
	return statistic{
		name: name, about: about + "; the mean over groups", aliases: aliases, x: colNumbers, y: colNumbers, group: groupMaybe,
		run:   runCorrelation(name, of),
		value: func(d *statData, _ *statOptions) stat.Value { return of(d.x, d.y).R },
	}
}

func alpha(m stat.Metric, ratings columnKind, aliases ...string) statistic {
	s := statistic{ratings: ratings}
	return s.as("alpha-"+string(m), "Krippendorff's alpha, "+string(m), rowsAlpha(m), aliases...)
}
