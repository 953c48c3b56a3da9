//go:build cgo && accept

package stt_test

import "testing"

// TestAcceptTheNetworkHearsTheSameEveryTime: the same recordings give the same texts, in
// any order, and the right ones.
func TestAcceptTheNetworkHearsTheSameEveryTime(t *testing.T) { hearsTheSame(t, 16, 4) }

// TestAcceptMusicIsNoCommand: music, sirens and a kettle say nothing to the house.
func TestAcceptMusicIsNoCommand(t *testing.T) { isNoCommand(t, 2) }
