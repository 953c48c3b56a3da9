// Package audio holds the words for sound: frames, clips, the pre-roll ring
// and WAV files. It is pure, so that everything that decides about sound can be
// tested with values instead of a microphone. A new container or sample format
// gets its own file here; devices live in audio/device.
package audio

import "time"

// Rate is a sample rate in samples per second.
type Rate int

// The one format inside the gateway: 16 kHz, mono, signed 16 bit. Recogniser,
// wake word and VAD all want it, so sound is converted once, at the edge.
const (
	SpeechRate   Rate = 16000
	FrameSamples      = 320                   // samples in one frame
	FrameLength       = 20 * time.Millisecond // length of one frame
)

// Frame is one hop of live sound: FrameSamples samples at SpeechRate (the last
// frame of a file may be shorter).
type Frame struct {
	At      time.Time // when the last sample was captured
	Samples []int16
	Lost    int // samples known to be missing just before this frame
}

// Clip is a finished piece of mono sound.
type Clip struct {
	Rate    Rate
	Samples []int16
}

// Duration is the clip's length in time; zero for a clip without a rate.
func (c Clip) Duration() time.Duration {
	if c.Rate <= 0 {
		return 0
	}
	return time.Duration(len(c.Samples)) * time.Second / time.Duration(c.Rate)
}
