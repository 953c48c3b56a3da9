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
)

// Events of the audio worker.
const (
	eventFrame byte = iota + 1 // time of capture (8 bytes), lost samples (4 bytes), samples
	eventState                 // State as JSON
)

type openRequest struct {
	Input  string `json:"input"`
	Output string `json:"output"`
}

const frameHeader = 12

// encodeFrame appends to b, which the capturing side reuses.
func encodeFrame(b []byte, captured time.Duration, lost int, samples []int16) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(captured))
	b = binary.LittleEndian.AppendUint32(b, uint32(lost))
	return audio.AppendPCM(b, samples)
}

func decodeFrame(b []byte) (captured time.Duration, lost int, samples []int16, err error) {
	if len(b) < frameHeader {
		return 0, 0, nil, errors.New("reading a frame of the audio worker: it is cut off")
	}
	captured = time.Duration(binary.LittleEndian.Uint64(b))
	lost = int(binary.LittleEndian.Uint32(b[8:]))
	return captured, lost, audio.PCM(b[frameHeader:]), nil
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
