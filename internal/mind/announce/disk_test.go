package announce_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/mind/announce"
)

// TestADiskThatFailsSilencesNoAlarm: the state directory is a file.
func TestADiskThatFailsSilencesNoAlarm(t *testing.T) {
	t.Parallel()
	live(t, announce.Default(), func(f *family) {
		f.off()
		f.dir = filepath.Join(f.dir, "file")
		if err := os.WriteFile(f.dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		f.on()
		f.tell(smoke("detected", "clear"))
		f.sayStop()
		f.tell(smoke("detected", nil))
		f.want("0s rings urgently Smoke in the attic!", "0s stop")
	})
}

// slow is a memory whose disk hangs.
type slow struct{ hung chan struct{} }

// Load knows nothing.
func (slow) Load(string, any) error { return nil }

// Save waits for the disk.
func (s slow) Save(string, any) error { <-s.hung; return nil }

// TestADiskThatHangsSilencesNoAlarm: the second fire is announced while the first one is
// still being written.
func TestADiskThatHangsSilencesNoAlarm(t *testing.T) {
	t.Parallel()
	live(t, announce.Default(), func(f *family) {
		f.off()
		disk := slow{make(chan struct{})}
		f.memory = disk
		f.on()
		f.tell(smoke("detected", "clear"))
		f.tell(thing("Hall Alarm", "smoke", "detected", "clear"))
		f.want("0s rings urgently Smoke in the attic!", "0s rings urgently Smoke in the hall!")
		close(disk.hung)
	})
}

// TestAnAcknowledgementIsWritten: when it is taken, no power cut takes it away.
func TestAnAcknowledgementIsWritten(t *testing.T) {
	t.Parallel()
	live(t, announce.Default(), func(f *family) {
		f.tell(smoke("detected", "clear"))
		f.a.Acknowledged([]string{f.mqtt[0].ID}, false)
		data, err := os.ReadFile(filepath.Join(f.dir, "alarms.json"))
		if err != nil || !strings.Contains(string(data), `"acknowledged":true`) && !strings.Contains(string(data), `"acknowledged": true`) {
			t.Errorf("kept at once: %s, %v", data, err)
		}
	})
}
