package sphinx

import (
	"encoding/binary"
	"errors"
	"time"

	"voicegateway/internal/audio"
)

// Requests of the recogniser's worker. Sound is little-endian 16 bit, the rest
// JSON; the answer to every 20 ms of a command is binary, because it comes
// fifty times a second.
const (
	kindLoad    byte = iota + 1 // loadRequest; empty answer
	kindGrammar                 // grammarRequest; empty answer
	kindPhrases                 // phrasesRequest; empty answer
	kindStart                   // a JSGF grammar for one utterance, or empty for the set one; empty answer
	kindPush                    // sound; tail in ms (4 bytes), text
	kindFinish                  // ms it may take (4 bytes), or empty; Result
	kindSpot                    // sound; Hit or empty
	kindScore                   // scoreRequest; scores, JSON
	kindReopen                  // a JSGF grammar, or empty for the same; empty answer
	kindForesee                 // foreseeRequest; empty answer
)

type loadRequest struct {
	Acoustic string        `json:"acoustic"` // directory of the acoustic model
	Loop     bool          `json:"loop"`     // with the second decoder
	Retry    float64       `json:"retry"`    // Config.Retry
	Patience time.Duration `json:"patience"` // Config.Patience
}

type grammarRequest struct {
	JSGF  string              `json:"jsgf"`
	Words map[string][]string `json:"words"` // word to its pronunciations
}

type phrasesRequest struct {
	Phrases []Phrase            `json:"phrases"`
	Words   map[string][]string `json:"words"`
}

// scoreRequest asks how well sentences fit, if any fits nearly as well as the first.
type scoreRequest struct {
	Sentences []string `json:"sentences"`
	Within    int      `json:"within"` // how much worse is nearly as well
}

// foreseeRequest says that the first of some sentences has probably been said, and which
// scoreRequest will then come.
type foreseeRequest struct {
	Sentences []string `json:"sentences"`
	Near      Nearness `json:"near"`
}

func encodeSamples(samples []int16) []byte {
	return audio.AppendPCM(make([]byte, 0, 2*len(samples)), samples)
}

func encodePartial(p Partial) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(p.Tail.Milliseconds()))
	return append(b, p.Text...)
}

func decodePartial(b []byte) (Partial, error) {
	if len(b) < 4 {
		return Partial{}, errors.New("reading the recogniser's answer: a partial text without its tail")
	}
	tail := time.Duration(binary.LittleEndian.Uint32(b)) * time.Millisecond
	return Partial{Tail: tail, Text: string(b[4:])}, nil
}

// patience is how long an utterance may take to finish if the request does not say so.
const patience = 30 * time.Second

// encodeWithin says how long an answer may take.
func encodeWithin(d time.Duration) []byte {
	return binary.LittleEndian.AppendUint32(nil, uint32(max(0, d.Milliseconds())))
}

// within is how long an answer may take.
func within(b []byte) time.Duration {
	if len(b) < 4 {
		return patience
	}
	return time.Duration(binary.LittleEndian.Uint32(b)) * time.Millisecond
}
