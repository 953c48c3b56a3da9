package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"voicegateway/internal/audio"
	"voicegateway/internal/audio/file"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// whisper is a server that hears one text in everything.
func whisper(t *testing.T, text string) (base string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		sound, _, err := r.FormFile("file")
		if err == nil {
			_, err = audio.ReadWAV(sound)
		}
		if err != nil || !strings.HasSuffix(r.URL.Path, "/v1/audio/transcriptions") || r.Header.Get("Authorization") != "Bearer sk-ear" {
			t.Errorf("asked %s with %q, %v", r.URL.Path, r.Header.Get("Authorization"), err)
		}
		if p := r.FormValue("prompt"); !strings.Contains(p, "Kitchen Light") {
			t.Errorf("the names are not in %q", p)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"text": text})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

// openHeard runs hear --json with settings of the recognisers.
func openHeard(t *testing.T, env []string, args ...string) []record.Record {
	t.Helper()
	out, errs, status := command(t, environ(t, env...), append([]string{"hear", "--json"}, args...)...)
	if status != 0 {
		t.Fatalf("hear ended with %d: %s", status, errs)
	}
	if strings.Contains(out+errs, "sk-ear") {
		t.Error("the key is told")
	}
	var all []record.Record
	for line := range strings.Lines(out) {
		var r record.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, r)
	}
	return all
}

// oneAfterTheOther joins recordings with silence behind each.
func oneAfterTheOther(t *testing.T, names ...string) string {
	t.Helper()
	all := audio.Clip{Rate: audio.SpeechRate}
	for _, name := range names {
		c, err := file.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = audio.Resample(c, audio.SpeechRate); err != nil {
			t.Fatal(err)
		}
		all.Samples = append(append(all.Samples, c.Samples...), make([]int16, 2*int(audio.SpeechRate))...)
	}
	path := filepath.Join(t.TempDir(), "all.wav")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := audio.WriteWAV(f, all); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

const unheardOf = "hey jarvis, my grandmother used to say that winter evenings are rather long."

// TestWhatTheGrammarRejectsIsHeardByAServer, and what it understands never
// leaves the machine.
func TestWhatTheGrammarRejectsIsHeardByAServer(t *testing.T) {
	t.Parallel()
	base, asked := whisper(t, " Turn on the Kitchen Light.")
	env := []string{"VOICE_GATEWAY_STT_ENGINES=pocketsphinx,openai", "VOICE_GATEWAY_STT_OPENAI_BASE_URL=" + base, "VOICE_GATEWAY_STT_OPENAI_API_KEY=sk-ear"}
	records := openHeard(t, env, oneAfterTheOther(t, spoken(t, "hey jarvis, turn off the kitchen light."), spoken(t, unheardOf)))
	if len(records) != 2 {
		t.Fatalf("%d turns: %+v", len(records), records)
	}
	if r := records[0]; r.Outcome != record.Done || r.Transcript.Engine != "pocketsphinx" {
		t.Errorf("the first: %+v %+v", r, r.Transcript)
	}
	r := records[1]
	if r.Transcript == nil || r.Transcript.Engine != "openai" || r.Transcript.Text != "Turn on the Kitchen Light." || r.Timings.Transcript == nil {
		t.Fatalf("the second: %+v %+v", r, r.Transcript)
	}
	if r.Outcome != record.Done || r.Reply != "The kitchen light is on." || len(r.Calls) != 1 || !r.Calls[0].Receipt.Done() {
		t.Errorf("the second: %+v", r)
	}
	if asked.Load() != 1 {
		t.Errorf("the server was asked %d times", asked.Load())
	}
}

// TestAServerThatIsDownCostsNoTurn: at the first try nothing is said, the record says
// why, and the next command is done.
func TestAServerThatIsDownCostsNoTurn(t *testing.T) {
	t.Parallel()
	env := []string{
		"VOICE_GATEWAY_STT_ENGINES=pocketsphinx,wyoming,openai", "VOICE_GATEWAY_STT_WYOMING_URI=tcp://127.0.0.1:1",
		"VOICE_GATEWAY_STT_OPENAI_BASE_URL=http://127.0.0.1:1/v1", "VOICE_GATEWAY_STT_OPENAI_API_KEY=sk-ear",
	}
	records := openHeard(t, env, oneAfterTheOther(t, spoken(t, unheardOf), spoken(t, "hey jarvis, turn on the kitchen light.")))
	if len(records) != 2 {
		t.Fatalf("%d turns: %+v", len(records), records)
	}
	r := records[0]
	if r.Outcome != record.Ignored || r.Reply != "" || !strings.Contains(r.Error, "wyoming: ") || !strings.Contains(r.Error, "openai: ") || !strings.Contains(r.Error, "refused") {
		t.Errorf("the first: %+v", r)
	}
	if r := records[1]; r.Outcome != record.Done || r.Reply != "The kitchen light is on." {
		t.Errorf("the second: %+v", r)
	}
}

// TestAWyomingServiceAlone hears everything, in a language the grammar's engine
// does not know.
func TestAWyomingServiceAlone(t *testing.T) {
	t.Parallel()
	uri := fake.Wyoming(t, func(p *fake.Peer) {
		e, ok := p.Next()
		if ok && string(e.Data) != `{"language":"de"}` {
			t.Errorf("asked for %s", e.Data)
		}
		if _, sound, ok := p.Until("audio-stop"); ok && sound > 0 {
			p.Send("transcript", map[string]string{"text": "Schalte Kitchen Light ein."}, nil)
		}
	})
	env := []string{"VOICE_GATEWAY_GATEWAY_LANGUAGE=de", "VOICE_GATEWAY_STT_ENGINES=pocketsphinx,wyoming", "VOICE_GATEWAY_STT_WYOMING_URI=" + uri}
	records := openHeard(t, env, "--no-wake", spoken(t, "switch the light on, but in german."))
	if len(records) != 1 {
		t.Fatalf("%d turns: %+v", len(records), records)
	}
	r := records[0]
	if r.Transcript == nil || r.Transcript.Engine != "wyoming" || r.Outcome != record.Done || len(r.Calls) != 1 || !r.Calls[0].OK {
		t.Errorf("%+v %+v", r, r.Transcript)
	}
}
