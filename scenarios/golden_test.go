package scenarios_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"parley/characters"
	"parley/scenarios"
)

// TestScenariosAreTheSameInEveryRelease compares scenarios made of the whole library with those of the
// first release, as published results name them by a seed.
func TestScenariosAreTheSameInEveryRelease(t *testing.T) {
	const want = "f175163f271696deace64fe2f8c825bff49808d6989ff9d2f41a214fdebc642c"
	sum := sha256.New()
	encode := json.NewEncoder(sum)
	shelf := scenarios.Library()
	for seed := range uint64(10) {
		for i := range shelf.Knowledge {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			if err := encode.Encode(scenarios.NewExchange(&shelf.Knowledge[i], characters.Generate(r, 2+i%5))); err != nil {
				t.Fatal(err)
			}
		}
		for i := range shelf.Scenes {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			if err := encode.Encode(scenarios.NewExpression(&shelf.Scenes[i], characters.Generate(r, 2+i%5), r)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		t.Errorf("the scenarios have the hash %s, want %s", got, want)
	}
}
