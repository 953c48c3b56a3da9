//go:build accept && alone

package e2e

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
)

// manNoise is how far below his voice the noise is in the recordings of the man, in dB. The room
// goes on with it when a recording ends.
const manNoise = 16

// TestTurnsAlone measures how long a user waits at the real program with a sound card,
// one house at a time, with each recogniser, in a quiet room and in noise, and with commands of a
// man; and how much of a processor core and of the memory each process takes meanwhile.
// `make hear-bench` runs it, on a machine that does nothing else.
func TestTurnsAlone(t *testing.T) {
	for _, r := range []room{
		{name: "pocketsphinx, quiet room", below: 50},
		{name: "pocketsphinx, 20 dB", below: 20},
		{name: "moonshine, quiet room", below: 50},
		{name: "moonshine, 20 dB", below: 20},
		{name: "pocketsphinx, a man", below: manNoise, person: true},
		{name: "moonshine, a man", below: manNoise, person: true},
	} {
		if r.turns, r.endpoint = 52, "sentence"; r.person {
			r.turns = 30
		}
		r.more = []string{"VOICE_GATEWAY_STT_ENGINES=pocketsphinx"}
		if engine, _, _ := strings.Cut(r.name, ","); engine == "moonshine" {
			r.more = []string{"VOICE_GATEWAY_STT_ENGINES=moonshine", "VOICE_GATEWAY_STT_MOONSHINE_DIR=" + filepath.Join(fake.Models(t), "moonshine-tiny-en")}
		}
		t.Run(r.name, func(t *testing.T) {
			s := r.open(t, 0)
			before, began := busy(s.daemon), time.Now()
			heard := s.close(t)
			after, span := busy(s.daemon), time.Since(began)
			var ask []*heardTurn
			for i := range heard {
				if heard[i].record != nil && !heard[i].right() {
					ask = append(ask, &heard[i])
				}
			}
			wholly(t, ask)
			tellTurns(t, []summary{summed(heard).named(r.name)})
			size := map[string]resident{}
			for _, p := range family(s.daemon) {
				size[p.name] = resident{p.pid, p.name, size[p.name].rss + p.rss, size[p.name].pss + p.pss}
			}
			for _, name := range slices.Sorted(maps.Keys(size)) {
				shows(t, "  %-17s %5.1f %% of a core, %5.1f MB", name, 100*(after[name]-before[name]).Seconds()/span.Seconds(), size[name].rss)
			}
		})
	}
}
