package events

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
)

// TestValidateNamesWhatWasExpected checks the errors of config check.
func TestValidateNamesWhatWasExpected(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg  Config
		want []string
	}{
		"none":  {nil, nil},
		"right": {Config{{"Hall Remote", "double", "turn off all the lights"}, {"Hall Remote", "held", "good night"}}, nil},
		"empty": {Config{{}}, []string{"buttons[0].thing", "buttons[0].press", "expected pressed, double", "buttons[0].sentence"}},
		"press": {Config{{"Hall Remote", "twice", "stop"}}, []string{`buttons[0].press: "twice" is unknown`, "double"}},
		"twice": {Config{{"Hall Remote", "held", "stop"}, {"hall  remote", "held", "stop"}}, []string{"buttons[1]: hall  remote held has a sentence already in buttons[0]"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := test.cfg.Validate()
			if (err == nil) != (test.want == nil) {
				t.Fatal(err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

// TestAPressSaysItsSentence checks which presses say what, and that a button that is
// hit many times is heard a few times, in order.
func TestAPressSaysItsSentence(t *testing.T) {
	t.Parallel()
	cfg := Config{
		{"Remote Button 1", "pressed", "turn on the light"},
		{"Remote Button 1", "double", "turn off the light"},
		{"Hall Remote Button 1", "held", "good night"},
		{"zw-1-2", "pressed", "stop"},
	}
	press := func(thing, area, id, how string) home.Event {
		return home.Event{Kind: home.Pressed, Thing: thing, Area: area, Entity: id, Press: how}
	}
	tests := map[string]struct {
		events []home.Event
		want   []string
	}{
		"once":                    {[]home.Event{press("remote button 1", "Hall", "x", "pressed")}, []string{"turn on the light"}},
		"in order":                {[]home.Event{press("Remote Button 1", "", "x", "pressed"), press("Remote Button 1", "", "x", "double")}, []string{"turn on the light", "turn off the light"}},
		"with its room":           {[]home.Event{press("Remote Button 1", "Hall", "x", "held")}, []string{"good night"}},
		"in another room":         {[]home.Event{press("Remote Button 1", "Attic", "x", "held")}, nil},
		"by its id":               {[]home.Event{press("Knob", "", "zw-1-2", "pressed")}, []string{"stop"}},
		"another press":           {[]home.Event{press("Remote Button 1", "", "x", "triple")}, nil},
		"a state is no press":     {[]home.Event{{Kind: home.Reported, Thing: "Remote Button 1", State: "pressed", Press: "pressed"}}, nil},
		"hit by a bored teenager": {slices.Repeat([]home.Event{press("Knob", "", "zw-1-2", "pressed")}, 50), []string{"stop", "stop", "stop", "stop"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := NewButtons(cfg, quiet())
				for _, e := range test.events {
					b.Reported(e)
				}
				ctx, cancel := context.WithCancel(t.Context())
				var mu sync.Mutex
				var said []string
				done := make(chan error, 1)
				go func() {
					done <- b.Run(ctx, func(_ context.Context, s Said) { mu.Lock(); defer mu.Unlock(); said = append(said, s.Sentence) })
				}()
				synctest.Wait()
				cancel()
				if err := <-done; err != nil || !slices.Equal(said, test.want) {
					t.Errorf("said %q (%v), want %q", said, err, test.want)
				}
			})
		})
	}
}

// TestUnknownButtonsAreNamedOnce checks what is logged when the house is known.
func TestUnknownButtonsAreNamedOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := NewButtons(Config{{"Attic Remote", "held", "stop"}, {"remote button 1", "held", "stop"}}, slog.New(slog.NewTextHandler(&log, nil)))
	house := &home.House{Entities: []home.Entity{{Name: "Remote Button 1", Attributes: map[string]any{"device_class": "button"}}}}
	b.Check(house)
	b.Check(house)
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "Attic Remote") || !strings.Contains(text, "expected=\"[Remote Button 1]\"") {
		t.Errorf("logged %s", text)
	}
}
