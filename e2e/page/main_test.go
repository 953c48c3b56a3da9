//go:build accept

// Package page tests the page from the outside: the real programs, and a Chromium that
// does what people do.
package page

import (
	"os"
	"path/filepath"
	"testing"

	"voicegateway/e2e/rig"
)

// bin holds the real programs, built once; shots is where pictures are kept.
var (
	bin   string
	shots = filepath.Join("..", "..", "dist", "page")
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m, &bin)) }
