//go:build accept

package grammar_test

import "testing"

// TestAcceptHeardAndUnderstoodAgree tries every form of every sentence in the house
// with a thing of every kind, and every sentence of few words that can be heard.
func TestAcceptHeardAndUnderstoodAgree(t *testing.T) {
	t.Parallel()
	agree(t, extent{family: 2, oneOfEach: 0, walks: 250, each: 1})
}
