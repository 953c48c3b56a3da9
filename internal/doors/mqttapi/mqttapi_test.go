package mqttapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/doors"
	"voicegateway/internal/ear"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bus remembers what is published and passes commands to the subscriber.
type bus struct {
	mu     sync.Mutex
	sent   []message
	handle func(topic string, payload []byte, retained bool)
}

func (b *bus) Publish(_ context.Context, topic string, payload []byte) error {
	return b.keep(message{topic, payload, false})
}

func (b *bus) PublishRetained(_ context.Context, topic string, payload []byte) error {
	return b.keep(message{topic, payload, true})
}

func (b *bus) keep(m message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = append(b.sent, m)
	return nil
}

func (b *bus) Subscribe(_ context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error {
	if strings.HasSuffix(filter, "/cmd/#") {
		b.handle = handle
	}
	return nil
}

func (b *bus) on(topic string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var got []string
	for _, m := range b.sent {
		if m.topic == topic {
			got = append(got, string(m.payload))
		}
	}
	return got
}

// TestAnnounce: an announcement has its own topic and is not retained.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bus{}
		api, err := New("kitchen", b, &order.Lines{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		api.Announce(record.Announcement{
			ID: "t-1", Kind: record.Arrived, Device: "Garage Door", Text: "The garage door is open.", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = api.Run(ctx, doors.Parts{}) })
		synctest.Wait()
		cancel()
		running.Wait()
		want := `{"id":"t-1","kind":"arrived","device":"Garage Door","text":"The garage door is open.","time":"2026-01-02T03:04:05Z"}`
		if got := b.on("voice/kitchen/announce"); !slices.Equal(got, []string{want}) {
			t.Errorf("announced %q", got)
		}
	})
}

// house is a gateway that only remembers what it was asked to do.
type house struct {
	mu   sync.Mutex
	did  []string
	fail error
	busy chan struct{} // questions are answered when it is closed; nil: at once
}

func (h *house) note(s string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.did = append(h.did, s)
	return h.fail
}

func (h *house) Ask(ctx context.Context, r doors.AskRequest) (record.Record, error) {
	if r.Text == "something slow" {
		r.Waiting()
		<-ctx.Done()
		return record.Record{}, nil
	}
	if h.busy != nil {
		<-h.busy
	}
	_ = h.note("ask " + r.ID + " " + r.Text + " " + r.Area)
	return record.Record{}, nil
}

func (h *house) Control(_ context.Context, r doors.ControlRequest) (record.Record, error) {
	return record.Record{}, h.note(fmt.Sprintf("control %s %s %s %v", r.ID, r.Thing, r.Do, r.Value))
}
func (h *house) Say(_ context.Context, text string) error   { return h.note("say " + text) }
func (h *house) Listen(context.Context) error               { return h.note("listen") }
func (h *house) Hold(_ context.Context, b ear.Button) error { return h.note("hold " + string(b)) }
func (h *house) Stop(context.Context) error                 { return h.note("stop") }
func (h *house) Mute(_ context.Context, on bool) error {
	return h.note(fmt.Sprintf("mute %t", on))
}

func (h *house) Volume(context.Context) (doors.Level, error) { return doors.Level{}, nil }

func (h *house) SetVolume(_ context.Context, level int) error {
	return h.note("volume " + string(rune('0'+level/10)))
}

func (h *house) Do(_ context.Context, r timers.Request) timers.Result {
	_ = h.note(fmt.Sprintf("timer %s %s", r.Action, r.Name))
	return timers.Result{Outcome: timers.Changed}
}

func (h *house) RetryAll(context.Context) (mcpint.StatusList, error) {
	return mcpint.StatusList{}, h.note("retry")
}

// The methods that no command calls; they are one step deeper than those of house.
type (
	otherEar     struct{ doors.Ear }
	otherTimers  struct{ timerList }
	otherServers struct{ doors.Servers }
)

// timerList is what the door wants of timers.
type timerList = doors.Timers

// Muted is asked for in the answer to a command.
func (h *house) Muted() bool { return false }

// behind are the parts behind the interface.
func (h *house) behind() doors.Parts {
	return doors.Parts{
		Asker: h, Controller: h, Sayer: h, Volume: h,
		Ear: struct {
			*house
			otherEar
		}{house: h},
		Timers: struct {
			*house
			otherTimers
		}{house: h},
		Servers: struct {
			*house
			otherServers
		}{house: h},
	}
}

func started(t *testing.T, gw *house) (*API, *bus, func()) {
	t.Helper()
	b := &bus{}
	a, err := New("kitchen", b, &order.Lines{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := a.Run(ctx, gw.behind()); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return a, b, func() { cancel(); wg.Wait() }
}

func TestCommandsReachTheGatewayOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{}
		_, b, stop := started(t, gw)
		b.handle("voice/kitchen/cmd/ask", []byte(`{"id":"1","text":"hello","area":"Office"}`), false)
		b.handle("voice/kitchen/cmd/ask", []byte(`{"id":"1","text":"hello again"}`), false)
		b.handle("voice/kitchen/cmd/volume", []byte(`{"id":"2","level":30}`), false)
		b.handle("voice/kitchen/cmd/timer", []byte(`{"id":"4","action":"start","name":"pasta","seconds":540}`), false)
		b.handle("voice/kitchen/cmd/timer", []byte(`{"id":"4","action":"start","name":"pasta","seconds":540}`), false)
		b.handle("voice/kitchen/cmd/control", []byte(`{"id":"5","thing":"Lamp","do":"level","value":40}`), false)
		b.handle("voice/kitchen/cmd/ask", []byte(`{"id":"3","text":"x"}`), true)
		b.handle("voice/kitchen/cmd/error", []byte(`{"error":"our own"}`), false)
		synctest.Wait()
		stop()
		slices.Sort(gw.did)
		if want := []string{"ask 1 hello Office", "control 5 Lamp level 40", "timer start pasta", "volume 3"}; !slices.Equal(gw.did, want) {
			t.Errorf("did %q, expected %q", gw.did, want)
		}
		refused := b.on("voice/kitchen/cmd/error")
		if len(refused) != 3 {
			t.Fatalf("refusals %q, expected one for each repeated id and one for the retained command", refused)
		}
		var first struct{ Topic, ID, Error string }
		if err := json.Unmarshal([]byte(refused[0]), &first); err != nil || first.ID != "1" || first.Topic != "voice/kitchen/cmd/ask" || first.Error == "" {
			t.Errorf("refusal %q (%v)", refused[0], err)
		}
	})
}

// TestStopDoesNotWaitForAnswers also checks that a stop does not overtake
// commands sent before it.
func TestStopDoesNotWaitForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{busy: make(chan struct{})}
		_, b, stop := started(t, gw)
		for i := range 16 {
			b.handle("voice/kitchen/cmd/ask", fmt.Appendf(nil, `{"id":"a%d","text":"x"}`, i), false)
		}
		b.handle("voice/kitchen/cmd/say", []byte(`{"id":"1","text":"hello"}`), false)
		b.handle("voice/kitchen/cmd/listen", []byte(`{"id":"2"}`), false)
		b.handle("voice/kitchen/cmd/mute", []byte(`{"id":"4","on":true}`), false)
		b.handle("voice/kitchen/cmd/mute", []byte(`{"id":"5","on":false}`), false)
		b.handle("voice/kitchen/cmd/stop", []byte(`{"id":"3"}`), false)
		synctest.Wait()
		if want := []string{"say hello", "listen", "mute true", "mute false", "stop"}; !slices.Equal(gw.did, want) {
			t.Errorf("did %q, expected %q", gw.did, want)
		}
		close(gw.busy)
		synctest.Wait()
		stop()
	})
}

// TestAThousandQuestionsAreAllAnswered counts a refusal for waiting too long as
// an answer.
func TestAThousandQuestionsAreAllAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{busy: make(chan struct{})}
		_, b, stop := started(t, gw)
		for i := range 1000 {
			b.handle("voice/kitchen/cmd/ask", fmt.Appendf(nil, `{"id":"a%d","text":"x"}`, i), false)
		}
		synctest.Wait()
		<-time.After(maxAge + time.Second)
		close(gw.busy)
		synctest.Wait()
		stop()
		old := b.on("voice/kitchen/cmd/error")
		if len(gw.did) != 1 || len(old) != 999 || !strings.Contains(old[0], "waited 6s") {
			t.Errorf("%d were answered and %d refused, expected one and the rest: %.200q", len(gw.did), len(old), old)
		}
	})
}

// TestAsksKeepTheirOrder checks that questions are answered in order, and that a
// question waiting for something slow does not hold up the next one.
func TestAsksKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{}
		_, b, stop := started(t, gw)
		var want []string
		for i := range waitingMost {
			b.handle("voice/kitchen/cmd/ask", fmt.Appendf(nil, `{"id":"slow%d","text":"something slow"}`, i), false)
		}
		for i := range 100 {
			b.handle("voice/kitchen/cmd/ask", fmt.Appendf(nil, `{"id":"%d","text":"x"}`, i), false)
			want = append(want, fmt.Sprintf("ask %d x ", i))
		}
		synctest.Wait()
		gw.mu.Lock()
		got := slices.Clone(gw.did)
		gw.mu.Unlock()
		stop()
		if !slices.Equal(got, want) {
			t.Errorf("done in the order %q", got)
		}
	})
}

// TestARefusedCommandMayComeAgain checks that a command refused for lack of room
// may be sent again with the same id.
func TestARefusedCommandMayComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bus{}
		a, err := New("kitchen", b, &order.Lines{}, slog.New(slog.DiscardHandler)) // nobody works: it does not run
		if err != nil {
			t.Fatal(err)
		}
		full := 0
		for i := range 2 * waiting {
			if err := a.accept(asking(fmt.Sprint(i))); err != nil {
				full = i
				break
			}
		}
		<-a.asks
		if err := a.accept(asking(fmt.Sprint(full))); full == 0 || err != nil {
			t.Errorf("the command number %d may not come again: %v", full, err)
		}
	})
}

// asking is a question.
func asking(id string) Command {
	return Command{Verb: "ask", ID: id, In: &doors.AskRequest{Text: "x"}, operation: verbs["ask"]}
}

func TestAFailingCommandIsToldToItsSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{fail: errors.New("no voice")}
		_, b, stop := started(t, gw)
		b.handle("voice/kitchen/cmd/say", []byte(`{"id":"9","text":"hello"}`), false)
		synctest.Wait()
		stop()
		if got := b.on("voice/kitchen/cmd/error"); len(got) != 1 {
			t.Errorf("cmd/error has %q, expected one message", got)
		}
	})
}

// TestACommandOnAWrongTopicIsRefused: a sender with a typing mistake gets an error, and
// the errors themselves do not count as commands.
func TestACommandOnAWrongTopicIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{}
		_, b, stop := started(t, gw)
		for _, topic := range []string{"/cmd/ask/x", "/cmd/", "/cmd/Ask", "/cmd", "/cmd/error"} {
			b.handle("voice/kitchen"+topic, []byte(`{"id":"9","text":"hello"}`), false)
		}
		synctest.Wait()
		stop()
		got := b.on("voice/kitchen/cmd/error")
		if len(got) != 3 || !strings.Contains(got[0], `the command \"ask/x\" is not known here`) || !strings.Contains(got[0], `"id":"9"`) {
			t.Errorf("cmd/error has %q, expected three refusals", got)
		}
	})
}

func TestOnlineOfflineAndStateAreBareAndRetained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, stop := started(t, &house{})
		a.Connected()
		a.State("listening")
		a.Servers("full")
		a.Recorder("on")
		a.Timers([]timers.Timer{})
		a.Connected() // everything retained is published again
		synctest.Wait()
		stop()
		if got := b.on("voice/kitchen/availability"); !slices.Equal(got, []string{"online", "online", "offline"}) {
			t.Errorf("availability %q", got)
		}
		if got := b.on("voice/kitchen/state"); !slices.Equal(got, []string{"idle", "listening", "listening"}) {
			t.Errorf("state %q", got)
		}
		if got := b.on("voice/kitchen/servers"); !slices.Equal(got, []string{"full", "full"}) {
			t.Errorf("servers %q", got)
		}
		if got := b.on("voice/kitchen/recorder"); !slices.Equal(got, []string{"on", "on"}) {
			t.Errorf("recorder %q", got)
		}
		if got := b.on("voice/kitchen/timers"); !slices.Equal(got, []string{"[]", "[]"}) {
			t.Errorf("timers %q", got)
		}
		for _, m := range b.sent {
			if !m.retained {
				t.Errorf("%s is not retained", m.topic)
			}
		}
	})
}

// TestControlsAreToldWhenTheyChange: each is bare, retained, and told again at the next
// connection.
func TestControlsAreToldWhenTheyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gw := &house{}
		a, b, stop := started(t, gw)
		for _, on := range []bool{false, false, true, true, false} {
			a.Muted(on)
		}
		a.Volume(0)
		a.Volume(40)
		a.Volume(40)
		b.handle("voice/kitchen/cmd/retry", []byte(`{"id":"1"}`), false)
		synctest.Wait()
		if got := b.on("voice/kitchen/muted"); !slices.Equal(got, []string{"off", "on", "off"}) {
			t.Errorf("muted is told as %q", got)
		}
		if got := b.on("voice/kitchen/volume"); !slices.Equal(got, []string{"0", "40"}) {
			t.Errorf("the volume is told as %q", got)
		}
		a.Connected()
		synctest.Wait()
		stop()
		if got := b.on("voice/kitchen/volume"); len(got) != 3 || got[2] != "40" || !slices.Equal(gw.did, []string{"retry"}) {
			t.Errorf("at the next connection the volume is told as %q; did %q", got, gw.did)
		}
		for _, m := range b.sent {
			if !m.retained && (m.topic == "voice/kitchen/muted" || m.topic == "voice/kitchen/volume") {
				t.Errorf("%s is not retained", m.topic)
			}
		}
	})
}
