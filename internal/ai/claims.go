package ai

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/intent/sentences"
)

// claimPatterns find sentences that claim or promise an act, in all our languages,
// because a model may answer in any. The English patterns are commented with what
// they find.
type claimPatterns struct {
	acts, ready, changes, states []*regexp.Regexp
	denials                      []*regexp.Regexp // sentences that deny a claim
}

var claimed = sync.OnceValue(func() *claimPatterns {
	p := &claimPatterns{}
	for _, w := range sentences.EveryWords() {
		c := &w.Claims
		for into, several := range map[*[]*regexp.Regexp][]string{
			&p.acts: c.Acts, &p.ready: c.Ready, &p.changes: c.Changes, &p.states: c.States, &p.denials: c.Denials,
		} {
			if len(several) > 0 {
				*into = append(*into, regexp.MustCompile("(?i)"+c.Pattern(several)))
			}
		}
	}
	return p
})

// doubt is how much of what a model says about the house is taken for a claim.
type doubt int

const (
	ofActs    doubt = iota // a question: only "I did" and "done"
	ofChanges              // a command without a receipt: also "it is now on"
	ofStates               // ... and nothing was read either: also "it is on"
)

// claims reports whether a sentence says that something was or will be done.
func claims(sentence string, d doubt) bool {
	p := claimed()
	fits := func(several []*regexp.Regexp) bool {
		return slices.ContainsFunc(several, func(r *regexp.Regexp) bool { return r.MatchString(sentence) })
	}
	if fits(p.denials) || strings.HasSuffix(sentence, "?") {
		return false
	}
	return fits(p.acts) || fits(p.ready) || d >= ofChanges && fits(p.changes) || d >= ofStates && fits(p.states)
}
