package endpoint_test

import (
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/ear/endpoint"
	"voicegateway/internal/language/speech"
)

// BenchmarkGate passes a frame on to the recogniser while another person speaks in the
// background.
func BenchmarkGate(b *testing.B) {
	r := newRoom()
	cfg := endpoint.Default()
	cfg.Voice = r
	e := endpoint.New(cfg)
	r.woken(e, talking(mine-20), speech.Detection{Word: "hey jarvis"})
	f := r.frame(mine - 20)
	b.ReportAllocs()
	for b.Loop() {
		f.At = f.At.Add(audio.FrameLength)
		e.Admit(f)
	}
}
