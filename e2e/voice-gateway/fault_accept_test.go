//go:build accept

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// TestAcceptTheRecogniserDiesInAnUtterance: a command is spoken again and again
// into a simulated card; the first one is hit.
func TestAcceptTheRecogniserDiesInAnUtterance(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*testing.T, int){
		"killed":  kill,
		"hanging": freeze,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			simulate(t, broker)
			card, _ := fake.SoundCard(t, fmt.Sprintf("wav %q", again(t, spoken(t, "hey jarvis, turn on the kitchen light."), 10, 6*time.Second)))
			c, http, _ := daemon(t, broker, card)
			stranger := listen(t, broker)
			workers := c.ready(t, 2, "worker stt")
			eventually(t, "it listens", func() bool { return strings.Contains(stranger.states(), "listening") })
			for _, pid := range workers {
				fault(t, pid)
			}
			var turns []record.Record
			eventually(t, "the turn is told", func() bool { return get(t, http, "/api/turns", &turns) == nil && len(turns) > 0 })
			first := turns[len(turns)-1]
			t.Logf("the turn that was hit: %s, %q, %s", first.Outcome, first.Reply, first.Error)
			honest(t, first)
			eventually(t, "a later one is heard and done", func() bool {
				return get(t, http, "/api/turns?limit=50", &turns) == nil && confirmed(turns[0]) && turns[0].ID != first.ID
			})
			c.noZombies(t)
		})
	}
}

// again repeats a recording with pauses.
func again(t *testing.T, file string, times int, pause time.Duration) string {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	clip, err := audio.ReadWAV(in)
	if err != nil {
		t.Fatal(err)
	}
	all := audio.Clip{Rate: clip.Rate}
	for range times {
		all.Samples = append(all.Samples, make([]int16, int(pause*time.Duration(clip.Rate)/time.Second))...)
		all.Samples = append(all.Samples, clip.Samples...)
	}
	out, err := os.Create(filepath.Join(t.TempDir(), "again.wav"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	if err := audio.WriteWAV(out, all); err != nil {
		t.Fatal(err)
	}
	return out.Name()
}
