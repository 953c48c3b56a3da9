package choosing

import (
	"regexp"
	"slices"
	"sync"

	"voicegateway/internal/language/sentences"
)

// offered find questions that offer to do something, in all our languages, because
// a model may ask in any.
var offered = sync.OnceValue(func() []*regexp.Regexp {
	var all []*regexp.Regexp
	for _, w := range sentences.EveryWords() {
		for _, pattern := range w.Offers {
			all = append(all, regexp.MustCompile("(?i)"+pattern))
		}
	}
	return all
})

// Offers reports whether a question offers to do something, so that a yes to it is
// an order: "Shall I turn on the lamp?", but not "Do you mean the lamp?".
func Offers(question string) bool {
	return slices.ContainsFunc(offered(), func(r *regexp.Regexp) bool { return r.MatchString(question) })
}
