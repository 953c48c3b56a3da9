package gateway

import (
	"errors"
	"strings"
	"testing"

	"voicegateway/internal/doors"
)

// TestListeningWithoutAMicrophoneFails: a client that opens an utterance where there is no
// microphone gets an error with the reason, and no turn begins.
func TestListeningWithoutAMicrophoneFails(t *testing.T) {
	g := another(t, t.TempDir())
	looping(t, g)
	const why = "no microphone found; plug one in"
	for name, a := range map[string]acts{
		"text only":     {},
		"no microphone": {loop: g.loop, hears: true, deaf: func() string { return why }},
	} {
		err := doorActs{acts: a}.Listen(t.Context())
		if !errors.Is(err, doors.ErrUnavailable) || name == "no microphone" && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSayingWithoutASpeakerFails: a client that wants a text spoken where there is no
// speaker gets an error with the reason. The text is tried all the same.
func TestSayingWithoutASpeakerFails(t *testing.T) {
	g := another(t, t.TempDir())
	looping(t, g)
	const why = `no speaker is called "hall"; plug it in`
	for name, a := range map[string]acts{
		"text only":  {},
		"no speaker": {loop: g.loop, unheard: func() string { return why }},
	} {
		err := doorActs{acts: a}.Say(t.Context(), "the washing is done")
		if !errors.Is(err, doors.ErrUnavailable) || name == "no speaker" && !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
