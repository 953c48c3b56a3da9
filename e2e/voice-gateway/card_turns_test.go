//go:build accept

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
)

// room is one daemon with its own card, broker and house, and what is said there.
type room struct {
	name     string
	turns    int
	below    float64  // dB of the room's noise under the voices
	person   bool     // a man says the commands, in the house he speaks of
	always   bool     // it hears on every machine
	endpoint string   // stt.endpoint
	more     []string // settings
}

// The rooms hear at the same time, as many as the machine has time for: a machine that does
// not keep up hears late, whatever the gateway does. Quiet is 50 dB under the voices.
var rooms = []room{
	{name: "quiet 1", turns: 52, below: 50, endpoint: "sentence", always: true},
	{name: "quiet 2", turns: 52, below: 50, endpoint: "sentence"},
	{name: "quiet 3", turns: 52, below: 50, endpoint: "sentence"},
	{name: "20 dB 1", turns: 52, below: 20, endpoint: "sentence", always: true},
	{name: "20 dB 2", turns: 52, below: 20, endpoint: "sentence"},
	{name: "20 dB 3", turns: 52, below: 20, endpoint: "sentence"},
	{name: "silence, quiet", turns: 32, below: 50, endpoint: "silence", always: true},
	{name: "silence, 20 dB", turns: 32, below: 20, endpoint: "silence", always: true},
}

// roomLead is for the daemon to find its card, its recogniser and its house.
const roomLead = 12 * time.Second

// heardTurn is what became of one thing said.
type heardTurn struct {
	said
	stand   *stand
	at      time.Time // when the command's speech truly ended
	record  *record.Record
	extra   int       // more records for the same
	written time.Time // when the first command to a device was seen at the broker
	whole   string    // the text of the whole sound, asked for if the turn heard something else
}

// right says whether the words are those that were said.
func (h heardTurn) right() bool {
	return h.record != nil && h.record.Transcript != nil && alike(h.record.Transcript.Text, h.text)
}

// alike leaves out what makes no difference to what is done: articles, politeness,
// and one light or several.
func alike(a, b string) bool {
	plain := strings.NewReplacer("the ", "", " please", "", "lights", "light").Replace
	return plain(a) == plain(b)
}

// spoilt says whether the turn came to less than what the recogniser hears in the
// whole recording of the same moment.
func (h heardTurn) spoilt() bool { return h.record != nil && !h.right() && alike(h.whole, h.text) }

// cut reports whether a turn is wrong because it did not wait: it ended before the speech
// did, or words are missing at its end. Other words were misheard, as they may be after a
// fixed silence.
func (h heardTurn) cut() bool {
	if !h.spoilt() {
		return false
	}
	committed, known := h.since(h.record.Timings.Endpoint)
	text := ""
	if h.record.Transcript != nil {
		text = h.record.Transcript.Text
	}
	return known && committed < 0 || text != "" && strings.HasPrefix(h.text, text+" ")
}

// misheard says whether other words were acted on.
func (h heardTurn) misheard() bool {
	return h.spoilt() && !h.cut() && h.record.Transcript != nil && h.record.Transcript.Text != ""
}

// done says whether the command was done, or the question answered: the next
// speaker may have interrupted the reply.
func (h heardTurn) done() bool {
	r := h.record
	if r.Outcome == record.Interrupted {
		return r.Reply != "" && !slices.ContainsFunc(r.Calls, func(c record.CallMade) bool { return !c.OK })
	}
	return r.Outcome == record.Done
}

// since is a moment of the record as a wait from the true end of speech: its times
// count from the end that it believes in.
func (h heardTurn) since(ms *float64) (time.Duration, bool) {
	if h.record == nil || ms == nil || h.record.Timings.SpeechEnd == nil {
		return 0, false
	}
	moment := h.record.Time.Add(time.Duration((*h.record.Timings.SpeechEnd + *ms) * float64(time.Millisecond)))
	return moment.Sub(h.at), true
}

// TestAcceptCardTurns measures how long a user waits with the real program and a sound
// card: people say wake words and synthetic voices commands, at the pace of real time, in
// up to eight houses at once. Times count from the true end of speech in the sound. The test
// demands that commands are heard and not cut off; the times are only printed.
func TestAcceptCardTurns(t *testing.T) {
	var heard []heardTurn
	for _, o := range openRooms(t) {
		heard = append(heard, o.close(t)...)
	}
	ask := make([]*heardTurn, 0, len(heard))
	for i := range heard {
		if heard[i].record != nil && !heard[i].right() {
			ask = append(ask, &heard[i])
		}
	}
	wholly(t, ask)
	var sentence, silence []heardTurn
	for _, h := range heard {
		if h.stand.endpoint == "sentence" {
			sentence = append(sentence, h)
		} else {
			silence = append(silence, h)
		}
	}
	in := func(list []heardTurn, below float64) []heardTurn {
		return slices.DeleteFunc(slices.Clone(list), func(h heardTurn) bool { return h.stand.below != below })
	}
	fixed := summed(silence)
	tellTurns(t, []summary{
		summed(sentence).named("sentence"), summed(in(sentence, 50)).named("  quiet room"), summed(in(sentence, 20)).named("  20 dB"),
		fixed.named("700 ms silence"), summed(in(silence, 50)).named("  quiet room"), summed(in(silence, 20)).named("  20 dB"),
	})
	for _, floor := range []struct {
		summary
		heard, done float64
	}{
		{summed(sentence), 0.95, 0.9},
		{fixed, 0.9, 0.85}, // two rooms: one command is a percent and a half
	} {
		s := floor.summary
		if n := float64(s.said); s.heard < int(floor.heard*n) || s.done < int(floor.done*n) {
			t.Errorf("of %d commands %d were heard and %d done, expected %.0f and %.0f %%", s.said, s.heard, s.done, 100*floor.heard, 100*floor.done)
		}
	}
	if s := summed(sentence); s.cut*100 >= s.said {
		t.Errorf("%d of %d turns were cut, expected less than 1 %%", s.cut, s.said)
	}
}

// openRooms opens the rooms that hear on every machine, looks for a while at what they take of
// the processors, and opens as many of the others as leave a quarter of them free.
func openRooms(t *testing.T) []*stand {
	t.Helper()
	const looks = 20 * time.Second
	var open []*stand
	for i, r := range rooms {
		if r.always {
			open = append(open, r.open(t, uint64(i)))
		}
	}
	passes(t, roomLead)
	before := busyInAll(os.Getpid())
	passes(t, looks)
	each := float64(busyInAll(os.Getpid())-before) / float64(looks) / float64(len(open))
	more := int(0.75*float64(runtime.NumCPU())/each) - len(open)
	for i, r := range rooms {
		if !r.always && more > 0 {
			open = append(open, r.open(t, uint64(i)))
			more--
		}
	}
	shows(t, "%d of %d houses hear at once, each takes %.0f %% of a processor", len(open), len(rooms), 100*each)
	return open
}

// busyInAll is how long a process and everything below it have been busy.
func busyInAll(pid int) (sum time.Duration) {
	for _, took := range busy(pid) {
		sum += took
	}
	return sum
}

// busy is the processor time of a process and of everything below it, by name.
func busy(pid int) map[string]time.Duration {
	const tick = time.Second / 100 // what the kernel counts in
	took := map[string]time.Duration{}
	for _, p := range family(pid) {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		for _, at := range []int{11, 12} { // in user and in kernel mode
			if at < len(fields) {
				n, _ := strconv.Atoi(fields[at])
				took[p.name] += time.Duration(n) * tick
			}
		}
	}
	return took
}

// stand is a room in which a scene is playing.
type stand struct {
	room
	scene
	started string // the card's note of its starts
	daemon  int    // its process
	watch   *watch
}

// open starts all that is in the room.
func (r room) open(tb testing.TB, seed uint64) *stand {
	tb.Helper()
	s := &stand{room: r, scene: compose(tb, script{seed: seed, n: r.turns, below: r.below, lead: roomLead, wanted: sayable, person: r.person}), started: filepath.Join(tb.TempDir(), "started")}
	broker := mosquitto(tb)
	start(tb, environ(tb), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", broker, "--home", r.house(tb))
	s.watch = witness(tb, broker)
	card, _ := fake.SoundCard(tb, fmt.Sprintf("wav %q started %q", save(tb, s.clip), s.started))
	c, _, _ := daemon(tb, broker, slices.Concat(microWords(tb), []string{card, "VOICE_GATEWAY_STT_ENDPOINT=" + r.endpoint}, r.more)...)
	s.daemon = c.Process.Pid
	eventually(tb, "the card captures", func() bool { return len(starts(tb, s.started)) > 0 })
	return s
}

// house is the file of the house in which the commands are meant.
func (r room) house(tb testing.TB) string {
	tb.Helper()
	if !r.person {
		return fake.Shared(tb, "speech", "clips", "home.json")
	}
	path, err := filepath.Abs(filepath.Join("..", "hearing", "testdata", "people_home.json"))
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// close waits for the end of the scene and returns what became of everything said
// in it.
func (s *stand) close(tb testing.TB) []heardTurn {
	tb.Helper()
	all := starts(tb, s.started)
	passes(tb, time.Until(all[len(all)-1].Add(s.clip.Duration())))
	return s.match(starts(tb, s.started))
}

// microWords are the settings of a daemon that hears the people.
func microWords(tb testing.TB) []string {
	tb.Helper()
	return []string{
		"VOICE_GATEWAY_WAKE_ENGINE=micro", "VOICE_GATEWAY_WAKE_WORDS=" + cardWords,
		"VOICE_GATEWAY_WAKE_MODELS_DIR=" + fake.Shared(tb, "speech", "models"),
	}
}

// passes waits for real time to pass: what is said cannot be said faster.
func passes(tb testing.TB, d time.Duration) {
	tb.Helper()
	select {
	case <-time.After(d):
	case <-tb.Context().Done():
		tb.Fatal(tb.Context().Err())
	}
}

// starts are the moments at which the card began with the first sample.
func starts(tb testing.TB, path string) []time.Time {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		tb.Fatal(err)
	}
	var all []time.Time
	for line := range strings.Lines(string(data)) {
		ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, time.Unix(0, ns))
	}
	return all
}

// match gives everything said the record and the first command to a device that
// belong to it.
func (s *stand) match(starts []time.Time) []heardTurn {
	records, writes := s.watch.seen()
	list := make([]heardTurn, len(s.spoken))
	for i, one := range s.spoken {
		list[i] = heardTurn{said: one, stand: s, at: starts[0].Add(one.end)}
		// A card that overflowed starts its recording again.
		for _, zero := range starts {
			h := &list[i]
			within := func(at time.Time, from time.Duration) bool {
				return at.After(zero.Add(from)) && !at.After(zero.Add(one.until))
			}
			for _, rec := range records {
				if rec.Wake == nil || !within(rec.Time, one.from) {
					continue
				}
				if h.record != nil {
					h.extra++
					continue
				}
				h.record, h.at = &rec, zero.Add(one.end)
			}
			for _, at := range writes {
				if h.written.IsZero() && within(at, one.begin) {
					h.written = at
				}
			}
		}
	}
	return list
}

// watch is a stranger at the broker who looks at the clock.
type watch struct {
	mu      sync.Mutex
	records []record.Record
	writes  []time.Time
	bad     error
	broker  string
}

func witness(tb testing.TB, broker string) *watch {
	tb.Helper()
	w := &watch{broker: broker}
	tb.Cleanup(func() {
		if w.bad != nil {
			tb.Error(w.bad)
		}
	})
	rig.Subscribe(tb, broker, func(topic string, payload []byte, _ bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if strings.HasSuffix(topic, "/writeValue/set") {
			w.writes = append(w.writes, time.Now())
		}
		if topic != "voice/test/turn" {
			return
		}
		var r record.Record
		if err := json.Unmarshal(payload, &r); err != nil {
			w.bad = err
		}
		w.records = append(w.records, r)
	}, "voice/test/turn", "zwave/#")
	return w
}

func (w *watch) seen() ([]record.Record, []time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.records), slices.Clone(w.writes)
}

// wholly asks what the recogniser hears in commands of one house that are not cut: from before
// their beginning to the next wake word, as with push to talk.
func wholly(tb testing.TB, list []*heardTurn) {
	tb.Helper()
	if len(list) == 0 {
		return
	}
	args := []string{"hear", "--json", "--no-wake", "--dry-run", "--home", list[0].stand.house(tb)}
	byFile := make(map[string]*heardTurn)
	for _, h := range list {
		part := h.stand.clip
		part.Samples = part.Samples[samplesOf(h.begin-300*time.Millisecond):samplesOf(h.until)]
		file := save(tb, part)
		args, byFile[file] = append(args, file), h
	}
	out, errs, status := command(tb, environ(tb, "VOICE_GATEWAY_STT_ENDPOINT=silence", "VOICE_GATEWAY_STT_SILENCE=3s"), args...)
	for line := range strings.Lines(out) {
		var r record.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			tb.Fatal(err)
		}
		h := byFile[r.File]
		delete(byFile, r.File) // the first turn; another one answers its question
		if h != nil && r.Transcript != nil {
			h.whole = r.Transcript.Text
		}
	}
	if status != 0 || len(byFile) > 0 {
		tb.Fatalf("status %d, no record of %d of %d commands\n%s", status, len(byFile), len(list), errs)
	}
}

// summary is a line of the table.
type summary struct {
	name                            string
	said, heard, done, cut, refused int
	misheard                        int
	ends                            []time.Duration // by how much the turn is wrong about the end of speech
	transcript, published           []time.Duration
	told                            []time.Duration // first publish by the record's own word
	outcomes                        map[record.Outcome]int
	notes                           []string
}

func (s summary) named(name string) summary { s.name = name; return s }

func summed(list []heardTurn) summary {
	s := summary{said: len(list), outcomes: map[record.Outcome]int{}}
	for _, h := range list {
		if h.record == nil {
			s.notes = append(s.notes, fmt.Sprintf("%s: %s after %s was not heard", h.stand.name, h.file, h.wake))
			continue
		}
		s.heard++
		s.outcomes[h.record.Outcome]++
		if h.done() {
			s.done++
		}
		switch {
		case h.cut():
			s.cut++
		case h.misheard():
			s.misheard++
		case h.spoilt():
			s.refused++
		}
		if !h.right() || !h.done() || h.extra > 0 {
			s.notes = append(s.notes, h.describe())
		}
		zero := 0.0
		for _, w := range []struct {
			into *[]time.Duration
			ms   *float64
		}{{&s.ends, &zero}, {&s.transcript, h.record.Timings.Transcript}, {&s.told, h.record.Timings.FirstPublish}} {
			if d, ok := h.since(w.ms); ok && h.right() {
				*w.into = append(*w.into, d)
			}
		}
		if h.right() && !h.written.IsZero() {
			s.published = append(s.published, h.written.Sub(h.at))
		}
	}
	return s
}

// describe is a line about a turn that is worth a look.
func (h heardTurn) describe() string {
	got, ended := "", ""
	if h.record.Transcript != nil {
		got = h.record.Transcript.Text
	}
	if h.record.Endpoint != nil {
		ended = h.record.Endpoint.Reason
	}
	committed, _ := h.since(h.record.Timings.Endpoint)
	return fmt.Sprintf("%s: %s after %s: said %q, heard %q, in the whole %q; %s %s, %s after the end, %d more records; %s",
		h.stand.name, h.file, h.wake, h.text, got, h.whole, h.record.Outcome, ended, committed.Round(time.Millisecond), h.extra, h.record.Error)
}

// percentile is in milliseconds, by the nearest rank.
func percentile(took []time.Duration, p float64) float64 {
	if len(took) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(took))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return float64(sorted[max(rank, 1)-1]) / float64(time.Millisecond)
}

// tellTurns prints the table.
func tellTurns(tb testing.TB, rows []summary) {
	tb.Helper()
	spread := func(took []time.Duration) string {
		return fmt.Sprintf("%5.0f %5.0f %5.0f", percentile(took, 50), percentile(took, 95), percentile(took, 99))
	}
	shows(tb, "ms from the true end of speech, p50 p95 p99")
	shows(tb, "%-16s %5s %5s %5s %4s %8s %7s   %-17s   %-17s   %-17s   %-17s", "", "said", "heard", "done", "cut", "misheard", "refused", "end as believed", "transcript", "first publish", "... by record")
	for _, s := range rows {
		shows(tb, "%-16s %5d %5d %5d %4d %8d %7d   %-17s   %-17s   %-17s   %-17s", s.name, s.said, s.heard, s.done, s.cut, s.misheard, s.refused,
			spread(s.ends), spread(s.transcript), spread(s.published), spread(s.told))
	}
	shows(tb, "%-16s %79s   %5.0f %5.0f", "budget", "", 200.0, 400.0)
	for _, s := range rows {
		if s.name != rows[0].name {
			shows(tb, "%s: p50 %.2f, p95 %.2f times the %s's", strings.TrimSpace(s.name), percentile(s.published, 50)/percentile(rows[0].published, 50),
				percentile(s.published, 95)/percentile(rows[0].published, 95), rows[0].name)
		}
		if !strings.HasPrefix(s.name, " ") {
			shows(tb, "%s: outcomes %v", s.name, s.outcomes)
			for _, note := range s.notes {
				shows(tb, "  %s", note)
			}
		}
	}
}

// shows prints a line that make accept shows although the test has passed.
func shows(tb testing.TB, format string, args ...any) {
	tb.Helper()
	tb.Attr("shows", fmt.Sprintf(format, args...))
}
