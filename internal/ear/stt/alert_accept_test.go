//go:build accept && cgo

package stt_test

import "testing"

// TestAcceptHearsWordsToAlerts has two voices say each text.
func TestAcceptHearsWordsToAlerts(t *testing.T) {
	for _, engine := range []string{"pocketsphinx", "moonshine"} {
		t.Run(engine, func(t *testing.T) { wordsToAlerts(t, listening(t, engine), 1, 2) })
	}
}
