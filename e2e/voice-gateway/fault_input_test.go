package e2e

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/keep/record"
)

// wavFile is a WAV file piece by piece, so that every piece can be wrong.
type wavFile struct {
	code, channels, bits uint16
	rate                 uint32
	data                 []byte
	dataSize, riffSize   uint32
	before               []byte // chunks between the format and the sound
}

func (f wavFile) bytes() []byte {
	b := append([]byte("RIFF"), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[4:], f.riffSize)
	b = append(b, "WAVEfmt \x10\x00\x00\x00"...)
	b = binary.LittleEndian.AppendUint16(b, f.code)
	b = binary.LittleEndian.AppendUint16(b, f.channels)
	b = binary.LittleEndian.AppendUint32(b, f.rate)
	b = binary.LittleEndian.AppendUint32(b, f.rate*uint32(f.channels)*uint32(f.bits)/8)
	b = binary.LittleEndian.AppendUint16(b, f.channels*f.bits/8)
	b = binary.LittleEndian.AppendUint16(b, f.bits)
	b = append(b, f.before...)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, f.dataSize)
	return append(b, f.data...)
}

// shape puts a clip into a file of another shape.
func shape(t *testing.T, c audio.Clip, code, channels, bits uint16, rate uint32) wavFile {
	t.Helper()
	c, err := audio.Resample(c, audio.Rate(rate))
	if err != nil {
		t.Fatal(err)
	}
	f := wavFile{code: code, channels: channels, bits: bits, rate: rate}
	for _, s := range c.Samples {
		for range channels {
			switch {
			case code == 3:
				f.data = binary.LittleEndian.AppendUint32(f.data, math.Float32bits(float32(s)/32768))
			case bits == 8:
				f.data = append(f.data, byte(int(s)/256+128))
			case bits == 24:
				f.data = append(f.data, 0, byte(s), byte(s>>8))
			default:
				f.data = binary.LittleEndian.AppendUint16(f.data, uint16(s))
			}
		}
	}
	f.dataSize = uint32(len(f.data))
	f.riffSize = 36 + f.dataSize
	return f
}

// TestRecordingsOfOtherShapes: each is understood, or refused in a sentence that
// names the file.
func TestRecordingsOfOtherShapes(t *testing.T) {
	t.Parallel()
	clip, err := file.Load(spoken(t, "turn on the kitchen light."))
	if err != nil {
		t.Fatal(err)
	}
	usual := shape(t, clip, 1, 1, 16, 16000)
	with := func(change func(*wavFile)) []byte {
		f := usual
		change(&f)
		return f.bytes()
	}
	understood := map[string][]byte{
		"44100 Hz stereo":  shape(t, clip, 1, 2, 16, 44100).bytes(),
		"48000 Hz 24 bit":  shape(t, clip, 1, 1, 24, 48000).bytes(),
		"32 bit float":     shape(t, clip, 3, 1, 32, 16000).bytes(),
		"8 bit":            shape(t, clip, 1, 1, 8, 16000).bytes(),
		"chunks before":    with(func(f *wavFile) { f.before = []byte("LIST\x05\x00\x00\x00abcde\x00") }),
		"from a pipe":      with(func(f *wavFile) { f.dataSize, f.riffSize = math.MaxUint32, math.MaxUint32 }),
		"without a length": with(func(f *wavFile) { f.dataSize, f.riffSize = 0, 0 }),
	}
	anything := map[string][]byte{"8000 Hz mono 8 bit": shape(t, clip, 1, 1, 8, 8000).bytes()} // half of the sound is not there
	refused := map[string][]byte{
		"cut off":          usual.bytes()[:len(usual.data)/2],
		"cut in header":    usual.bytes()[:30],
		"empty file":       {},
		"text":             []byte("This is not a recording at all, although it has some length."),
		"huge data":        with(func(f *wavFile) { f.dataSize = 0x7FFE0000 }),
		"huge chunk":       with(func(f *wavFile) { f.before = []byte("LIST\xff\xff\xff\x7fabcd") }),
		"no channels":      with(func(f *wavFile) { f.channels = 0 }),
		"many channels":    with(func(f *wavFile) { f.channels = 65535 }),
		"no rate":          with(func(f *wavFile) { f.rate = 0 }),
		"huge rate":        with(func(f *wavFile) { f.rate = math.MaxUint32 }),
		"compressed":       with(func(f *wavFile) { f.code = 0x55 }),
		"strange bits":     with(func(f *wavFile) { f.bits = 12345 }),
		"nothing recorded": with(func(f *wavFile) { f.data, f.dataSize = nil, 0 }),
		"odd length":       with(func(f *wavFile) { f.data, f.dataSize = f.data[:1], 1 }),
	}
	dir := t.TempDir()
	put := func(name string, data []byte) string {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".wav")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, data := range understood {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := heard(t, "--no-wake", "--dry-run", put(name, data))
			if len(r) != 1 || r[0].Transcript == nil || r[0].Transcript.Text != "turn on the kitchen light" {
				t.Errorf("%+v", r)
			}
		})
	}
	for name, data := range anything {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := heard(t, "--no-wake", "--dry-run", put(name, data)); len(r) != 1 || r[0].Outcome != record.Ignored {
				t.Errorf("%+v", r)
			}
		})
	}
	for name, data := range refused {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := put(name, data)
			out, errs, status := command(t, environ(t), "hear", "--no-wake", "--json", file)
			if status != 1 || !strings.Contains(errs, filepath.Base(file)) || strings.Contains(errs, "panic") || strings.Count(errs, "\n") != 1 {
				t.Errorf("status %d, said %q and %q", status, out, errs)
			}
			t.Log(errs)
		})
	}
}

// TestGarbageOnEveryCommandTopic: each is refused with a reason, and the
// gateway works on.
func TestGarbageOnEveryCommandTopic(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	c, http, _ := daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "it is online", func() bool { return stranger.has("voice/test/availability", "online") })
	garbage := [][]byte{
		{},
		[]byte("turn on the light"),
		[]byte("\xff\xfe\x00\x01"),
		[]byte("{\"id\":\"\xff\",\"text\":\"\xc3\x28\"}"),
		[]byte(`{"id":null,"text":null}`),
		[]byte(`{"id":7,"text":["x"],"level":"loud","on":"yes"}`),
		[]byte(`{"id":"x","text":"hello","level":1e999,"on":true}`),
		[]byte(`{"id":"` + strings.Repeat("x", 5000) + `","text":"hello","level":5}`),
		[]byte(strings.Repeat("[", 16000)),
		bytes.Repeat([]byte("{\"id\":\"y\",\"text\":\"hello\"} "), 3000),
		bytes.Repeat([]byte{'x'}, 4<<20),
		[]byte(`{"id":"z","text":"hello","time":"yesterday","level":5}`),
		[]byte(`{"id":"z","text":"hello","level":5}{"id":"zz"}`),
	}
	verbs := []string{"ask", "say", "listen", "stop", "mute", "volume", "", "a/b", "ask/x", "%00", "state", strings.Repeat("long", 500)}
	want := 0
	for _, verb := range verbs {
		for _, payload := range garbage {
			if err := stranger.Publish(t.Context(), "voice/test/cmd/"+verb, payload); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(verb, "/") { // deeper topics are nobody's
				want++
			}
		}
	}
	eventually(t, fmt.Sprintf("%d refusals", want), func() bool { return len(stranger.on("voice/test/cmd/error")) >= want })
	for _, e := range stranger.on("voice/test/cmd/error") {
		if len(e) > 16<<10 || !strings.Contains(e, `"error":"`) {
			t.Errorf("a refusal of %d bytes: %.300s", len(e), e)
		}
	}
	var turns []record.Record
	if err := get(t, http, "/api/turns", &turns); err != nil || len(turns) != 0 {
		t.Errorf("turns %+v, %v", turns, err)
	}

	// A huge but well-formed text is a turn like any other.
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	for i, text := range []string{
		strings.Repeat("turn on the kitchen light and ", 500), strings.Repeat("the ", 4000), strings.Repeat("x", 16000),
		strings.Repeat("one hundred ", 1200), "\u202eturn on\x7f the light\u0000\x1b[31m", strings.Repeat("💡", 3000), strings.Repeat("turn ", 3000),
		strings.Repeat("dim the lamp to fifty ", 700), strings.Repeat("(", 8000), strings.Repeat("{name} [the] <area> ", 400),
	} {
		id := fmt.Sprintf("m%d", i)
		body := fmt.Sprintf(`{"id":%q,"text":%s}`, id, quoted(t, text))
		stranger.say(t, "ask", body)
		eventually(t, id+" is answered", func() bool {
			return stranger.has("voice/test/turn", `"id":"`+id+`"`) || stranger.has("voice/test/cmd/error", `"id":"`+id+`"`)
		})
	}
	if r := ask(t, http, "what time is it"); r.Outcome != record.Done {
		t.Errorf("%+v", r)
	}
	if strings.Contains(c.stderr.String(), "panic") {
		t.Error("something panicked")
	}
}

// quoted is a text as JSON.
func quoted(t *testing.T, text string) string {
	t.Helper()
	b, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
