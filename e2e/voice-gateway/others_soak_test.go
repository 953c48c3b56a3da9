//go:build soak && accept

package e2e

import "testing"

// TestSoakServersOfOthers has nine servers of others slow to start, then killed, then hung,
// at each trust.
func TestSoakServersOfOthers(t *testing.T) {
	t.Parallel()
	var trials []trial
	for _, trust := range trusts {
		trials = append(trials, trial{trust: trust, slow: true, kill: true, hang: true})
	}
	tryOthers(t, trials...)
}
