package wordnet_test

import (
	"slices"
	"testing"

	"parley/eval/iep/wordnet"
)

func TestRelations(t *testing.T) {
	for _, pair := range [][2]string{{"insect", "bug"}, {"jail", "gaol"}, {"begin", "start"}, {"doctor", "physician"}, {"shut", "close"}, {"ocean", "sea"}} {
		if wordnet.Related(pair[0])[pair[1]] == 0 {
			t.Errorf("%s is not related to %s", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"dri", "wet"}, {"left", "right"}, {"huge", "small"}, {"fals", "true"}, {"begin", "end"}} {
		if !slices.Contains(wordnet.Opposites(pair[0]), pair[1]) {
			t.Errorf("%s is no opposite of %s", pair[0], pair[1])
		}
		if wordnet.Related(pair[0])[pair[1]] != 0 {
			t.Errorf("%s is related to %s", pair[0], pair[1])
		}
	}
	if wordnet.Base("gees") != "goos" || wordnet.Base("sold") != "sell" || !wordnet.Known("tanneri") || wordnet.Known("tolliv") || !wordnet.Verb("hang") || wordnet.Verb("tanneri") {
		t.Error("irregular forms or the vocabulary are wrong")
	}
}
