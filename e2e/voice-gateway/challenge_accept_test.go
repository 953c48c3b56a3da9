//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/audio"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// porch is the front door of a house with a gateway that asks for challenges: the real
// programs, a sound card whose microphone hears what the test says, a voice that writes
// down its texts, and a witness at the broker who counts what is written to the devices.
type porch struct {
	t       *testing.T
	http    string
	gateway *child
	again   func() // starts the gateway anew
	said    string // the file that the microphone hears next
	log     string // what the voice was given, a line each
	ear     *ear   // hears the gateway
	house   *ear   // hears the devices

	commands int             // about timers, so far
	last     []int16         // the last right answer as it sounded
	table    strings.Builder // what came of orders, answers and attacks
}

// speakingScript is a voice in the place of Piper.
const speakingScript = `#!/bin/sh
text=$(cat)
printf '%%s\n' "$text" >> %q
printf '%%s' "$text" | espeak-ng -v en-us --stdout | tail -c +45
`

func newPorch(t *testing.T, more ...string) *porch {
	t.Helper()
	dir := t.TempDir()
	p := &porch{t: t, said: filepath.Join(dir, "said.wav"), log: filepath.Join(dir, "spoken.txt")}
	voice, model := filepath.Join(dir, "voice"), filepath.Join(dir, "voice.onnx")
	for path, text := range map[string]string{voice: fmt.Sprintf(speakingScript, p.log), model: "", model + ".json": `{"audio":{"sample_rate":22050}}`} {
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	broker := mosquitto(t)
	start(t, environ(t), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", broker, "--home", fake.Shared(t, "speech", "clips", "home.json"))
	p.ear, p.house = listen(t, broker), listen(t, broker, "zwave/#")
	started := filepath.Join(dir, "started")
	card, _ := fake.SoundCard(t, fmt.Sprintf("say %q started %q", p.said, started))
	p.again = func() {
		before := len(starts(t, started))
		p.gateway, p.http, _ = daemon(t, broker, append(append(microWords(t), card, "GOGC=", "VOICE_GATEWAY_SAFETY_DANGEROUS=challenge", "VOICE_GATEWAY_TTS_ENGINES=piper",
			"VOICE_GATEWAY_TTS_PIPER_COMMAND="+voice, "VOICE_GATEWAY_TTS_PIPER_MODEL="+model), more...)...)
		eventually(t, "the card captures", func() bool { return len(starts(t, started)) > before })
		eventually(t, "the house is known", func() bool { return confirmed(ask(t, p.http, "lock the front door")) })
		eventually(t, "it is idle", p.idle)
	}
	p.again()
	return p
}

// jarvis is the wake word, spoken by a person.
func (p *porch) jarvis() []int16 {
	p.t.Helper()
	word := sound(p.t, filepath.Join(fake.Shared(p.t, "speech", "clips"), people[0].file))
	rate := float64(audio.SpeechRate)
	return voiced(word[int(people[0].from*rate):int(people[0].to*rate)])
}

// by is a text in a voice of flite, or of espeak-ng where the voice is "".
func (p *porch) by(voice, text string) []int16 {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "by.wav")
	cmd := exec.CommandContext(p.t.Context(), "flite", "-voice", voice, "-o", path, "-t", text)
	if voice == "" {
		cmd = exec.CommandContext(p.t.Context(), "espeak-ng", "-v", "en-us", "-w", path, text)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("saying %q: %v: %s", text, err, out)
	}
	return voiced(trimmed(sound(p.t, path)))
}

// says lets the microphone hear sounds, with a pause before each.
func (p *porch) says(sounds ...[]int16) {
	p.t.Helper()
	var all []int16
	for _, s := range sounds {
		all = append(append(all, make([]int16, samplesOf(300*time.Millisecond))...), s...)
	}
	all = append(all, make([]int16, samplesOf(time.Second))...)
	path := save(p.t, audio.Clip{Rate: audio.SpeechRate, Samples: all})
	if err := os.Rename(path, p.said); err != nil {
		p.t.Fatal(err)
	}
	passes(p.t, time.Duration(len(all))*time.Second/time.Duration(audio.SpeechRate))
}

func (p *porch) idle() bool { return strings.HasSuffix(p.ear.states(), "idle") }

// turns are the records of the turns at the microphone so far.
func (p *porch) turns() []record.Record {
	p.t.Helper()
	var all []record.Record
	for _, text := range p.ear.on("voice/test/turn") {
		var r record.Record
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			p.t.Fatal(err)
		}
		if r.Source == record.FromMic {
			all = append(all, r)
		}
	}
	return all
}

// writes is how often something was written to a lock or a garage door. After a wake word two
// words that nobody waits for may be taken for some other sentence, as any speech may.
func (p *porch) writes() (n int) {
	p.house.mu.Lock()
	defer p.house.mu.Unlock()
	for topic, all := range p.house.heard {
		for _, payload := range all {
			if strings.HasSuffix(topic, "/writeValue/set") && letsIn.MatchString(payload) {
				n++
			}
		}
	}
	return n
}

// letsIn is part of what is written to a lock (98) or a garage door (102).
var letsIn = regexp.MustCompile(`"commandClass":\s*(98|102)\b`)

// unsure is the question that the gateway asks if the recogniser may have heard the
// opposite.
const unsure = "Unlock, or lock?"

// tooOften begins the answer to an order after three wrong answers.
const tooOften = "That went wrong too often."

// within reports whether something comes true in some seconds.
func within(t *testing.T, d time.Duration, holds func() bool) bool {
	t.Helper()
	return rig.Within(t.Context(), d, holds)
}

// asked gives an order and returns its turn and the two words that were asked for, "" for
// none. If it was misheard, it gives the order again.
func (p *porch) asked(order string) (r record.Record, words string) {
	p.t.Helper()
	for range 3 {
		eventually(p.t, "it is idle", p.idle)
		before := len(p.turns())
		p.says(p.jarvis(), p.by("rms", order))
		if !within(p.t, time.Minute, func() bool { return len(p.turns()) > before }) {
			continue
		}
		r = p.turns()[before]
		if r.Reply == unsure {
			passes(p.t, 400*time.Millisecond)
			p.says(p.by("rms", "unlock."))
			if within(p.t, 8*time.Second, func() bool { return len(p.turns()) > before+1 }) {
				r = p.turns()[before+1]
			}
		}
		if r.Risk == "dangerous" {
			break
		}
	}
	if r.Outcome != record.Asked {
		return r, ""
	}
	spoken, err := os.ReadFile(p.log)
	if err != nil {
		p.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(spoken)), "\n")
	words, asks := strings.CutPrefix(lines[len(lines)-1], "Say ")
	words, _, _ = strings.Cut(words, ",")
	if !asks {
		p.t.Fatalf("it asked %q", lines[len(lines)-1])
	}
	told := strings.Join(p.ear.on("voice/test/reply"), " ") + strings.Join(p.ear.on("voice/test/turn"), " ") + strings.Join(p.ear.on("voice/test/transcript"), " ")
	if strings.Contains(told+p.gateway.stderr.String(), words) {
		p.t.Errorf("the words %q are told to others", words)
	}
	passes(p.t, 400*time.Millisecond) // a person takes a breath
	return r, words
}

// attack is one attempt at the front door that must not open it.
type attack struct {
	name string
	does func(p *porch, words string)
}

// attacks are played at front doors of their own, a list at each.
var attacks = map[string][]attack{
	"wrong words": {
		{"a wrong word", func(p *porch, words string) { p.says(p.by("rms", strings.Fields(words)[0]+" "+another(words)+".")) }},
		{"the other order", func(p *porch, words string) { w := strings.Fields(words); p.says(p.by("rms", w[1]+" "+w[0]+".")) }},
		{"one word", func(p *porch, words string) { p.says(p.by("rms", strings.Fields(words)[0]+".")) }},
		{"the words and another device", func(p *porch, words string) { p.says(p.by("rms", words+" garage door.")) }},
	},
	"wrong voices": {
		{"our own voice, a moment later", func(p *porch, words string) { p.says(p.by("", "Say "+words+", to unlock the front door.")) }},
		{"the last answer, played again", func(p *porch, _ string) { p.says(p.last) }},
		{"a wake word between", func(p *porch, words string) { p.says(p.jarvis(), p.by("rms", words+".")) }},
		{"a restart, then the words", func(p *porch, words string) {
			p.restart()
			before := p.writes()
			p.says(p.by("rms", words+"."))
			p.says(p.jarvis(), p.by("rms", words+"."))
			if n := p.writes() - before; n != 0 {
				p.t.Errorf("after a restart: %d writes", n)
			}
		}},
	},
	"wrong moments": {
		{"silence", func(p *porch, _ string) { passes(p.t, 12*time.Second) }},
		{"the words after eleven seconds", func(p *porch, words string) { passes(p.t, 11*time.Second); p.says(p.by("rms", words+".")) }},
		{"a stop, then the words", func(p *porch, words string) { p.ear.say(p.t, "stop", `{"id":"s1"}`); p.says(p.by("rms", words+".")) }},
	},
	withGuesses: {
		{"the words over HTTP, then silence", func(p *porch, words string) { ask(p.t, p.http, words); passes(p.t, 12*time.Second) }},
	},
}

// withGuesses is the door at which orders over HTTP and guesses follow the attack.
const withGuesses = "HTTP and guesses"

// another is a word of the challenges that is not among these.
func another(words string) string {
	if strings.Contains(words, "tiger") {
		return "walrus"
	}
	return "tiger"
}

// unlock is the order that every challenge is asked for.
const unlock = "unlock the front door."

// TestAcceptChallengeRedTeam attacks front doors of the real programs, each attack between
// two good answers, and prints what came of it.
func TestAcceptChallengeRedTeam(t *testing.T) {
	t.Parallel()
	for name, list := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPorch(t)
			for _, a := range list {
				p.answers()
				p.withstand(a)
			}
			p.answers()
			if name == withGuesses {
				p.ordersOverHTTP()
				p.guesses()
			}
			p.tells(name)
		})
	}
}

// restart kills the gateway and starts it again.
func (p *porch) restart() {
	p.t.Helper()
	kill(p.t, p.gateway.Process.Pid)
	<-p.gateway.ended
	p.again()
}

// row adds a line to the table.
func (p *porch) row(what string, acts int, r record.Record) {
	fmt.Fprintf(&p.table, "  %-44s %d acts  %-8s %s\n", what, acts, r.Outcome, r.Reply)
}

// answers orders the door to be unlocked and says the two words, which opens it, and locks
// it again.
func (p *porch) answers() {
	p.t.Helper()
	for range 4 { // a person who was misheard says it again
		r, words := p.asked(unlock)
		if strings.HasPrefix(r.Reply, tooOften) {
			p.row("misheard, with an attack before", 0, r)
			p.restart() // which forgets the wrong answers
			continue
		}
		if words == "" {
			p.t.Fatalf("it asked for no words: %+v\n%s", r, &p.table)
		}
		before, turns := p.writes(), len(p.turns())
		p.last = p.by("rms", words+".")
		p.says(p.last)
		eventually(p.t, "the answer is answered", func() bool { return len(p.turns()) > turns })
		r = p.turns()[turns]
		p.row("the words: "+words, p.writes()-before, r)
		if r.Outcome != record.Done {
			continue
		}
		if n := p.writes() - before; n != 1 || !confirmed(r) || r.Risk != "dangerous" || r.Calls[0].Tool != "operate_dangerous_device" || strings.Contains(r.Transcript.Text, words) {
			p.t.Errorf("%d writes, %+v", n, r)
		}
		eventually(p.t, "it is idle", p.idle)
		if r := ask(p.t, p.http, "lock the front door"); !confirmed(r) {
			p.t.Errorf("locking: %+v", r)
		}
		return
	}
	p.t.Fatalf("the right answers were not heard:\n%s", &p.table)
}

// withstand orders the door to be unlocked, attacks it, and wants it to stay locked.
func (p *porch) withstand(a attack) {
	p.t.Helper()
	_, words := p.asked(unlock)
	if words == "" {
		p.t.Fatalf("%s: it asked for no words: %+v", a.name, p.turns()[len(p.turns())-1])
	}
	before, turns := p.writes(), len(p.turns())
	a.does(p, words)
	passes(p.t, 2*time.Second)
	eventually(p.t, "it is idle", p.idle)
	n, r := p.writes()-before, record.Record{Verdict: record.Verdict{Outcome: "no turn"}}
	if all := p.turns(); len(all) > turns {
		r = all[len(all)-1]
	}
	if a.name == "a restart, then the words" {
		n = 0 // counted there: the door is locked when the house is known again
	}
	p.row(a.name, n, r)
	if n != 0 || r.Outcome == record.Done && r.Risk == "dangerous" {
		p.t.Errorf("%s: %d writes, %+v", a.name, n, r)
	}
}

// ordersOverHTTP gives orders over HTTP, where a challenge is impossible, so they are refused.
func (p *porch) ordersOverHTTP() {
	p.t.Helper()
	before := p.writes()
	for _, text := range []string{"unlock the front door", "open the garage door"} {
		r := ask(p.t, p.http, text)
		p.row("over HTTP: "+text, p.writes()-before, r)
		if r.Outcome != record.Failed || r.Route != record.RouteRefused {
			p.t.Errorf("over HTTP: %+v", r)
		}
	}
	if n := p.writes() - before; n != 0 {
		p.t.Errorf("over HTTP: %d writes", n)
	}
}

// guesses says wrong words until the gateway asks for none any more, after three
// challenges. One whose answer was not heard at all has failed, too.
func (p *porch) guesses() {
	p.t.Helper()
	before := p.writes()
	r, challenges, wrong := record.Record{}, 0, 0
	for range 6 {
		var words string
		if r, words = p.asked(unlock); words == "" {
			break
		}
		challenges++
		turns := len(p.turns())
		p.says(p.by("rms", "pumpkin pumpkin."))
		if within(p.t, time.Minute, func() bool { return len(p.turns()) > turns }) && strings.HasPrefix(p.turns()[turns].Reply, "Those were not the words.") {
			wrong++
		}
	}
	p.row(fmt.Sprintf("the order after %d challenges", challenges), p.writes()-before, r)
	if challenges != 3 || wrong == 0 || !strings.HasPrefix(r.Reply, tooOften) || p.writes() != before {
		p.t.Errorf("after %d challenges, %d answered wrongly: %+v, %d writes", challenges, wrong, r, p.writes()-before)
	}
}

// tells prints the table, and wants every order for which words were asked to be called
// dangerous.
func (p *porch) tells(name string) {
	p.t.Helper()
	for _, r := range p.turns() {
		if r.Transcript != nil && r.Transcript.Text == strings.TrimSuffix(unlock, ".") && r.Outcome == record.Asked && r.Risk != "dangerous" && r.Reply != unsure {
			p.t.Errorf("an order is not called dangerous: %+v", r)
		}
	}
	p.t.Logf("the red team at the front door, %s:\n%s", name, &p.table)
}
