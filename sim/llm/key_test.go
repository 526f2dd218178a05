package llm_test

import (
	"testing"

	"parley/sim/llm"
)

func TestRequestKey(t *testing.T) {
	// Pinned: stores that were filled by an earlier version would be lost by another key.
	const want = "e760a47deb841eb29be1203f0e8c8994"
	if got := llm.RequestKey(request("s1", 3)); got != want {
		t.Errorf("key is %s, want %s", got, want)
	}
	req := request("s1", 3)
	req.Sampling.KeepAlive = "10m"
	if got := llm.RequestKey(req); got != want {
		t.Errorf("key is %s, want %s: how long the model stays loaded changes no reply", got, want)
	}
	req.Sampling.Seed = new(int64(8))
	if got := llm.RequestKey(req); got == want {
		t.Error("another seed has the same key")
	}
}
