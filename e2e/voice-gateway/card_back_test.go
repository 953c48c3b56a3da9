//go:build accept

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// mended is a daemon whose card fails again and again. Whenever the card is back, the
// scene restarts: a second of the room, then a command.
type mended struct {
	*child
	http    string
	started string // the card's note of its starts
	watch   *watch
}

// kitchen are commands that a device confirms.
func kitchen(text string) bool { return text == "turn on the kitchen light" }

// inVain is how many of the commands after a fault may be misheard; a user would repeat
// each of them. Faults happen between two commands.
const inVain = faults / 5

// mend starts the daemon; config is the sound card's configuration, made of the
// scene and the note, with what it is to be called.
func mend(t *testing.T, config func(mic string) (setting string), more ...string) *mended {
	t.Helper()
	s := compose(t, script{seed: 1, n: 3, below: 50, lead: 1200 * time.Millisecond, wanted: kitchen, gap: 4 * time.Second})
	m := &mended{started: filepath.Join(t.TempDir(), "started")}
	card := config(fmt.Sprintf("wav %q started %q", save(t, s.clip), m.started))
	broker := mosquitto(t)
	start(t, environ(t), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", broker, "--home", fake.Shared(t, "speech", "clips", "home.json"))
	m.watch = witness(t, broker)
	m.child, m.http, _ = daemon(t, broker, append(append(microWords(t), card), more...)...)
	return m
}

// answered waits until the card has begun again since there were that many starts,
// and a command has been done after it. It says how many were spoken in vain.
func (m *mended) answered(t *testing.T, before int) (passed int) {
	t.Helper()
	eventually(t, "the microphone is back", func() bool { return len(starts(t, m.started)) > before })
	since := starts(t, m.started)[before]
	var last record.Record
	eventually(t, "the next command is done", func() bool {
		records, _ := m.watch.seen()
		passed = 0
		for _, r := range records {
			if r.Time.Before(since) || r.Wake == nil {
				continue
			}
			if confirmed(r) || r.Outcome == record.Interrupted && len(r.Calls) == 1 && r.Calls[0].OK {
				return true
			}
			passed++
			last = r
		}
		return false
	})
	if passed > 0 {
		t.Logf("in vain: %s, heard %+v, %s", last.Outcome, last.Transcript, last.Error)
	}
	select {
	case <-m.ended:
		t.Fatalf("the gateway has ended: %v", m.Wait())
	default:
	}
	if err := get(t, m.http, "/healthz", new(any)); err != nil {
		t.Error(err)
	}
	return passed
}

// told counts how often a message is in the log.
func (m *mended) told(words string) int { return strings.Count(m.stderr.String(), words) }

// with puts words behind both halves of the card.
func with(t *testing.T, setting, words string) string {
	t.Helper()
	path := strings.TrimPrefix(setting, "ALSA_CONFIG_PATH=")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), "{ type simcard ", "{ type simcard "+words+" ")
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return setting
}

// faults is how often each thing is done to a card.
const faults = 10

// TestAcceptCardComesBack: whatever happens to the card or to the processes that
// use it, the gateway stays and answers the next command, without help.
func TestAcceptCardComesBack(t *testing.T) {
	t.Parallel()
	t.Run("unplugged", func(t *testing.T) {
		t.Parallel()
		gone := filepath.Join(t.TempDir(), "gone")
		m := mend(t, func(mic string) string {
			setting, _ := fake.SoundCard(t, mic)
			return with(t, setting, fmt.Sprintf("gone %q", gone))
		})
		vain := m.answered(t, 0)
		for n := range faults {
			before, noticed := len(starts(t, m.started)), m.told("no microphone")
			touch(t, gone)
			eventually(t, "it is noticed", func() bool { return m.told("no microphone") > noticed })
			if err := os.Remove(gone); err != nil {
				t.Fatal(err)
			}
			passed := m.answered(t, before)
			t.Logf("unplugged %d: %d in vain", n+1, passed)
			vain += passed
		}
		m.noZombies(t)
		if vain > inVain {
			t.Errorf("%d commands in vain, expected %d or fewer", vain, inVain)
		}
		shows(t, "unplugged and plugged in %d times: the same gateway answers, %d commands in vain", faults, vain)
	})
	t.Run("killed", func(t *testing.T) {
		t.Parallel()
		m := mend(t, func(mic string) string { setting, _ := fake.SoundCard(t, mic); return setting })
		vain := m.answered(t, 0)
		for n := range faults {
			before := len(starts(t, m.started))
			if n%2 == 1 {
				kill(t, m.ready(t, 1, "worker stt")[0])
			}
			kill(t, m.ready(t, 1, "worker audio")[0])
			passed := m.answered(t, before)
			t.Logf("killed %d: %d in vain", n+1, passed)
			vain += passed
		}
		m.noZombies(t)
		if vain > inVain {
			t.Errorf("%d commands in vain, expected %d or fewer", vain, inVain)
		}
		shows(t, "worker audio killed %d times, and half of them worker stt: the same gateway answers, %d commands in vain", faults, vain)
	})
}

// TestAcceptCardElsewhere: the microphone comes back under another number of the
// same name and with another rate, and a speaker that another program holds costs
// the reply, not the command.
func TestAcceptCardElsewhere(t *testing.T) {
	t.Parallel()
	t.Run("another number", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
		touch(t, second)
		m := mend(t, func(mic string) string {
			setting, _ := fake.SoundCard(t, mic)
			path := strings.TrimPrefix(setting, "ALSA_CONFIG_PATH=")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			more := fmt.Sprintf("pcm.my_usb_1 { type simcard %s gone %q }\npcm.my_usb_2 { type simcard %s gone %q }\n", mic, first, mic, second)
			if err := os.WriteFile(path, append(text, more...), 0o600); err != nil {
				t.Fatal(err)
			}
			return setting
		}, "VOICE_GATEWAY_AUDIO_INPUT=my_usb")
		m.answered(t, 0)
		before := len(starts(t, m.started))
		touch(t, first)
		if err := os.Remove(second); err != nil {
			t.Fatal(err)
		}
		m.answered(t, before)
		if !strings.Contains(m.stderr.String(), "device=my_usb_2") {
			t.Error("it does not say that it uses the other one")
		}
	})
	t.Run("busy speaker", func(t *testing.T) {
		t.Parallel()
		busy := filepath.Join(t.TempDir(), "busy")
		touch(t, busy)
		played := ""
		m := mend(t, func(mic string) (setting string) {
			setting, played = fake.SoundCard(t, mic)
			path := strings.TrimPrefix(setting, "ALSA_CONFIG_PATH=")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), "simcard raw", fmt.Sprintf("simcard busy %q raw", busy), 1)
			if changed == string(text) {
				t.Fatalf("the speaker is not found in %s", text)
			}
			if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			return setting
		})
		m.answered(t, 0)
		if info, err := os.Stat(played); err == nil && info.Size() > 0 {
			t.Errorf("%d bytes were played on a speaker that another program holds", info.Size())
		}
		if err := os.Remove(busy); err != nil {
			t.Fatal(err)
		}
		stranger := listen(t, m.watch.broker)
		eventually(t, "a text is said", func() bool {
			stranger.say(t, "say", fmt.Sprintf(`{"id":"s%d","text":"Dinner is ready."}`, time.Now().UnixNano()))
			info, err := os.Stat(played)
			return err == nil && info.Size() > 0
		})
	})
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
