package scenarios

import (
	"strings"
	"sync"
)

// hooks are for knowledge that was not given a hook of its own. %s is the title.
var hooks = sync.OnceValue(func() []phrasing {
	return phrasings(
		"Rumour has been busy with %s lately, though rumour is seldom well informed.",
		"Everyone has heard of %s, and hardly anyone could give particulars.",
		"A stranger inquired after %s last market afternoon and was met with shrugs.",
		"There is gossip in town concerning %s, most of it invented.",
		"Somebody scrawled a line about %s across the inn's slate, and somebody else wiped it off.",
		"Twice this season an almanac has mentioned %s, and twice without particulars.",
	)
})

// hookFor returns a hook that mentions the title and gives no fact away.
func hookFor(k *Knowledge) string {
	return strings.Replace(k.harmless(hooks(), "So this is about %s."), "%s", k.Title, 1)
}
