//go:build cgo

package device

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	_ "voicegateway/internal/fake/bubble"
)

func TestWatchdogFindsACallThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w watchdog
		done := w.watch("reading", fastLimit)
		ended := make(chan error)
		began := time.Now()
		go func() { ended <- w.run(t.Context()) }()
		w.watch("closing", time.Hour)
		if err := <-ended; !errors.Is(err, errStuck) {
			t.Errorf("%v, want that it hangs", err)
		}
		if took := time.Since(began); took < fastLimit || took > fastLimit+2*lookAtCalls {
			t.Errorf("noticed after %v", took)
		}
		done()
	})
}

func TestWatchdogForgivesAMachineThatStoodStill(t *testing.T) {
	var w watchdog
	done := w.watch("reading", fastLimit)
	now := time.Now().Add(10 * time.Second)
	if doing := w.overdue(now, 10*time.Second-lookAtCalls); doing != "" {
		t.Errorf("%s hangs, though nothing ran for ten seconds", doing)
	}
	if doing := w.overdue(now.Add(fastLimit), 0); doing != "reading" {
		t.Errorf("%q hangs after another two seconds, want reading", doing)
	}
	done()
	if doing := w.overdue(now.Add(time.Hour), 0); doing != "" {
		t.Errorf("%s hangs though it has returned", doing)
	}
}
