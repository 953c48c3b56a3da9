package device

import (
	"encoding/binary"
	"errors"
	"time"

	"voicegateway/internal/audio"
)

// Requests of the audio worker.
const (
	kindClock byte = iota + 1 // empty; nanoseconds since the worker's start (8 bytes)
	kindOpen                  // openRequest as JSON; empty answer, capturing begins
	kindPlay                  // number (4 bytes), rate (4 bytes), samples; answered when it was heard
	kindStop                  // number (4 bytes); answered when that clip is silent
	kindMute                  // 1 or 0 (1 byte); answered when the microphone is closed, or may open
	kindList                  // openRequest as JSON; []Info as JSON
)

// Events of the audio worker.
const (
	eventFrame byte = iota + 1 // a frame, see encodeFrame
	eventState                 // State as JSON, without what the daemon counts
)

// openRequest says which devices are wanted.
type openRequest struct {
	Input   string `json:"input"`
	Output  string `json:"output"`
	Channel int    `json:"channel"`
	Muted   bool   `json:"muted"`
}

// frame is one frame on its way: time of capture (8 bytes), lost samples (4
// bytes), flags (1 byte), samples.
type frame struct {
	at      time.Duration // since the worker's start, of the last sample
	lost    int           // samples missing just before it
	flags   byte
	samples []int16
}

const (
	flagFirst    byte = 1 << iota // the first one since the microphone was opened
	flagOverflow                  // the card's buffer had run over
)

const frameHeader = 13

// encodeFrame appends to b, which the capturing side reuses.
func encodeFrame(b []byte, f frame) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(f.at))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.lost))
	b = append(b, f.flags)
	return audio.AppendPCM(b, f.samples)
}

func decodeFrame(b []byte) (frame, error) {
	if len(b) < frameHeader {
		return frame{}, errors.New("reading a frame of the audio worker: it is cut off")
	}
	return frame{
		at:      time.Duration(binary.LittleEndian.Uint64(b)),
		lost:    int(binary.LittleEndian.Uint32(b[8:])),
		flags:   b[12],
		samples: audio.PCM(b[frameHeader:]),
	}, nil
}

func encodePlay(id uint32, c audio.Clip) []byte {
	b := make([]byte, 0, 8+2*len(c.Samples))
	b = binary.LittleEndian.AppendUint32(b, id)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Rate))
	return audio.AppendPCM(b, c.Samples)
}

func decodePlay(b []byte) (id uint32, c audio.Clip, err error) {
	if len(b) < 8 {
		return 0, audio.Clip{}, errors.New("reading a clip for the speaker: it is cut off")
	}
	c = audio.Clip{Rate: audio.Rate(binary.LittleEndian.Uint32(b[4:])), Samples: audio.PCM(b[8:])}
	return binary.LittleEndian.Uint32(b), c, nil
}
