//go:build accept

package answer_test

import "testing"

// TestAcceptTelevisionAnswersNoQuestion takes every line.
func TestAcceptTelevisionAnswersNoQuestion(t *testing.T) {
	t.Parallel()
	televisionAnswersNothing(t, 1)
}
