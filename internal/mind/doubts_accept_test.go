//go:build accept

package mind_test

import "testing"

// TestAcceptTelevisionAnswersNoQuestion takes every line.
func TestAcceptTelevisionAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	televisionAnswersNothing(t, 1)
}
