package mute

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// closing notes each call, under its name, in a common list.
type closing struct {
	name  string
	told  *[]string
	fails error
}

func (c *closing) Mute(_ context.Context, on bool) error {
	*c.told = append(*c.told, map[bool]string{true: "close ", false: "open "}[on]+c.name)
	return c.fails
}

// switched makes a switch in a directory, with a loop and a card that note their calls in
// one list.
func switched(dir string) (s *Switch, loop, card *closing) {
	told := &[]string{}
	loop, card = &closing{name: "loop", told: told}, &closing{name: "card", told: told}
	return New(dir, loop, card, slog.New(slog.DiscardHandler)), loop, card
}

// The order in which loop and card change never lets the gateway listen while it
// seems muted, and a microphone that could not be opened is closed again.
func TestTheOrderOfATurn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		on          bool
		loop, card  error
		want        []string
		muted, kept bool
	}{
		"mute":                    {on: true, want: []string{"close loop", "close card"}, muted: true, kept: true},
		"mute, the loop hangs":    {on: true, loop: errors.New("hangs"), want: []string{"close loop", "close card"}, muted: true, kept: true},
		"unmute":                  {want: []string{"open card", "open loop"}},
		"unmute, the loop hangs":  {loop: errors.New("hangs"), want: []string{"open card", "open loop", "close card"}, muted: true, kept: true},
		"unmute, the card is ill": {card: errors.New("ill"), want: []string{"open card", "open loop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, loop, card := switched(dir)
			if !tc.on {
				if err := s.Set(t.Context(), true); err != nil {
					t.Fatal(err)
				}
				*loop.told = nil
			}
			loop.fails, card.fails = tc.loop, tc.card
			if err := s.Set(t.Context(), tc.on); (err == nil) != (tc.loop == nil && tc.card == nil) {
				t.Errorf("set: %v", err)
			}
			if !slices.Equal(*loop.told, tc.want) || s.On() != tc.muted {
				t.Errorf("told %q, muted %t", *loop.told, s.On())
			}
			if kept, err := Kept(dir); err != nil || kept != tc.kept {
				t.Errorf("kept %t, %v", kept, err)
			}
		})
	}
}

// A switch that was left closed, or cannot be read, closes the card before the loop
// has begun, and mutes the loop once it runs.
func TestTheSwitchIsRestored(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"closed": `{"muted":true}`, "damaged": `{"muted":fal`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, switchFile+".json"), []byte(file), 0o600); err != nil {
				t.Fatal(err)
			}
			s, loop, _ := switched(dir)
			if !s.Restore(t.Context()) || !s.On() || strings.Join(*loop.told, ", ") != "close card" {
				t.Errorf("restored %t, told %q", s.On(), *loop.told)
			}
			s.Apply(t.Context())
			s.Apply(t.Context())
			if got := strings.Join(*loop.told, ", "); got != "close card, close loop" {
				t.Errorf("told %q", got)
			}
		})
	}
}
