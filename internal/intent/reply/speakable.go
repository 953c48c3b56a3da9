package reply

import "voicegateway/internal/speech"

// Speakable makes a text fit to be spoken.
func Speakable(text string) string { return speech.Speakable(text) }
