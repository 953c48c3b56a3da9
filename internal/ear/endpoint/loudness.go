package endpoint

import "voicegateway/internal/audio"

const (
	loudStep  = 0.5 // dB in one bin
	loudBins  = int(-audio.Silence/loudStep) + 1
	loudShare = 0.8 // the loudness is the level that 80 % of the speech frames stay below
)

// loudness is how loud the command is spoken: the 80th percentile of its frames
// so far.
type loudness struct {
	count [loudBins]uint16
	n     int
}

func (l *loudness) push(level float64) {
	bin := max(0, min(loudBins-1, int((level-audio.Silence)/loudStep)))
	l.count[bin]++
	l.n++
}

// level is in dBFS; audio.Silence while nothing was pushed.
func (l *loudness) level() float64 {
	above := int(float64(l.n) * (1 - loudShare))
	for bin := loudBins - 1; bin >= 0; bin-- {
		if above -= int(l.count[bin]); above < 0 {
			return audio.Silence + float64(bin)*loudStep
		}
	}
	return audio.Silence
}
