package llm_test

import (
	"math"
	"testing"

	"parley/sim/llm"
)

func TestRequestKey(t *testing.T) {
	// Pinned: stores that were filled by an earlier version would be lost by another key.
	const want = "e760a47deb841eb29be1203f0e8c8994"
	if got := llm.RequestKey(request("s1", 3)); got != want {
		t.Errorf("key is %s, want %s", got, want)
	}
	nan := math.NaN()
	keys := map[string]bool{}
	for seed := range int64(3) {
		req := request("s1", 3)
		req.Sampling.Temperature, req.Sampling.Seed = &nan, &seed
		keys[llm.RequestKey(req)] = true
	}
	if len(keys) != 3 {
		t.Errorf("three seeds have %d keys where the temperature is no number", len(keys))
	}
}
