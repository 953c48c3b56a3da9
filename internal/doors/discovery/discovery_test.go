package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"voicegateway/internal/doors/mqttapi"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/language/sentences"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var kitchen = Identity{ID: "kitchen", Area: "Kitchen", Language: "en", Version: "v1", Base: mqttapi.Base("kitchen")}

// broker keeps what is retained, as a broker does.
type broker struct {
	mu       sync.Mutex
	retained map[string]string
	sent     int
	refuse   int // so many messages are not taken
	status   func(topic string, payload []byte, retained bool)
	config   func(topic string, payload []byte, retained bool)
	filters  []string
	changed  []func(up bool)
}

func newBroker() *broker { return &broker{retained: map[string]string{}} }

func (b *broker) PublishRetained(_ context.Context, topic string, payload []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refuse > 0 {
		b.refuse--
		return errors.New("not taken")
	}
	b.sent++
	if len(payload) == 0 {
		delete(b.retained, topic)
	} else {
		b.retained[topic] = string(payload)
	}
	return nil
}

func (b *broker) Subscribe(_ context.Context, filter string, handle func(topic string, payload []byte, retained bool)) error {
	b.filters = append(b.filters, filter)
	if strings.HasSuffix(filter, "/status") {
		b.status = handle
	} else {
		b.config = handle
	}
	return nil
}

// kept is how many messages were taken, and what the broker keeps on a topic.
func (b *broker) kept(topic string) (sent int, word string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sent, b.retained[topic]
}

func (b *broker) OnConnection(changed func(up bool)) { b.changed = append(b.changed, changed) }

func (b *broker) connect() {
	for _, changed := range b.changed {
		changed(true)
	}
	synctest.Wait()
}

// shelf is the state directory.
type shelf struct {
	kept map[string][]byte
	full bool
}

func (s *shelf) Load(name string, v any) error {
	if data, ok := s.kept[name]; ok {
		return json.Unmarshal(data, v)
	}
	return nil
}

func (s *shelf) Save(name string, v any) (err error) {
	if s.full {
		return errors.New("the disk is full")
	}
	s.kept[name], err = json.Marshal(v)
	return err
}

// run has a device told of, until stop is called.
func run(t *testing.T, b *broker, s *shelf, cfg Config, own Identity) (stop func()) {
	t.Helper()
	var open func() (Memory, error)
	if s != nil {
		open = func() (Memory, error) { return s, nil }
	}
	b.changed = nil
	d, err := New(cfg, own, b, open, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := d.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return func() { cancel(); running.Wait() }
}

func TestEverythingIsToldAtEachConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		stop := run(t, b, nil, Default(), kitchen)
		if len(b.retained) > 0 {
			t.Errorf("before there is a connection this is told: %q", slices.Collect(maps.Keys(b.retained)))
		}
		b.connect()
		want := len(kitchen.entities())
		if len(b.retained) != want || want < 12 {
			t.Errorf("%d of %d entities are told", len(b.retained), want)
		}
		for topic, payload := range b.retained {
			if !regexp.MustCompile(`^homeassistant/[a-z]+/voice_gateway_kitchen/[a-z]+/config$`).MatchString(topic) || !strings.Contains(payload, `"availability_topic":"voice/kitchen/availability"`) {
				t.Errorf("%s: %s", topic, payload)
			}
		}
		clear(b.retained) // a broker that keeps nothing over a restart
		b.connect()
		if len(b.retained) != want {
			t.Errorf("at the second connection %d of %d are told", len(b.retained), want)
		}
		stop()
		if len(b.retained) != want {
			t.Errorf("with the end of the gateway %d of %d are left: it is away, not gone", len(b.retained), want)
		}
	})
}

// TestAForgedConfigurationIsPutRight: at once, and then at most every ten seconds. A
// configuration that another client has removed stays removed.
func TestAForgedConfigurationIsPutRight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		defer run(t, b, nil, Default(), kitchen)()
		b.connect()
		<-time.After(retryPause)
		synctest.Wait()
		topic := "homeassistant/switch/voice_gateway_kitchen/mute/config"
		told, right := b.kept(topic)
		if right == "" {
			t.Fatalf("nothing is told on %s", topic)
		}
		for _, harmless := range []struct {
			topic, payload string
			retained       bool
		}{{topic, right, false}, {topic, "", false}, {topic, "old", true}, {"homeassistant/switch/voice_gateway_kitchen/x/config", "{}", false}} {
			b.config(harmless.topic, []byte(harmless.payload), harmless.retained)
			synctest.Wait()
			if sent, _ := b.kept(topic); sent != told {
				t.Fatalf("%+v was put right", harmless)
			}
		}
		for round := range 2 {
			before, _ := b.kept(topic)
			for range 5 {
				if err := b.PublishRetained(t.Context(), topic, []byte("{}")); err != nil {
					t.Fatal(err)
				}
				before++
				b.config(topic, []byte("{}"), false)
				synctest.Wait()
			}
			if sent, _ := b.kept(topic); sent != before+told {
				t.Errorf("round %d: %d messages at once, all are %d", round, sent-before, told)
			}
			<-time.After(retryPause)
			synctest.Wait()
			if sent, word := b.kept(topic); sent != before+2*told || word != right {
				t.Errorf("round %d: %d messages in all, and %q stays", round, sent-before, word)
			}
			<-time.After(retryPause)
			synctest.Wait()
		}
	})
}

// TestHomeAssistantMayStartLater: it announces its start on its own topic, and gets the
// configurations again.
func TestHomeAssistantMayStartLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBroker()
		defer run(t, b, nil, Config{Enabled: true, Prefix: "ha/found"}, kitchen)()
		b.connect()
		told := b.sent
		b.status("ha/found/status", []byte("offline"), false)
		b.status("ha/found/status", []byte(`{"online":1}`), false)
		synctest.Wait()
		if b.sent != told {
			t.Error("it is told although it has not started")
		}
		b.status("ha/found/status", []byte("online"), false)
		synctest.Wait()
		if b.sent != 2*told || !slices.Equal(b.filters, []string{"ha/found/status", "ha/found/+/voice_gateway_kitchen/+/config"}) {
			t.Errorf("after its start %d messages, %d before; subscribed to %q", b.sent, told, b.filters)
		}
	})
}

// TestWhatIsToldNoMoreIsRemoved: configurations become outdated when discovery is
// switched off, when the prefix or the id changes, or when a newer version drops an
// entity. Topics that are not ours stay.
func TestWhatIsToldNoMoreIsRemoved(t *testing.T) {
	bedroom := kitchen
	bedroom.ID = "bedroom"
	for name, tt := range map[string]struct {
		cfg Config
		own Identity
		has string // part of every topic of ours that remains
	}{
		"switched off":   {Config{Enabled: false, Prefix: "homeassistant"}, kitchen, "nothing"},
		"another prefix": {Config{Enabled: true, Prefix: "ha"}, kitchen, "ha/"},
		"another id":     {Default(), bedroom, "voice_gateway_bedroom"},
		"a newer one":    {Default(), kitchen, "homeassistant/"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := newBroker(), &shelf{kept: map[string][]byte{}}
				stop := run(t, b, s, Default(), kitchen)
				b.connect()
				stop()
				const old, other = "homeassistant/sensor/voice_gateway_kitchen/old/config", "homeassistant/sensor/bath/state/config"
				b.retained[old], b.retained[other] = "{}", "{}"
				var last shownTopics
				_ = s.Load(topicsFile, &last)
				_ = s.Save(topicsFile, shownTopics{append(last.Topics, old, other, "voice/kitchen/state", "zwave/+/config")})
				b.refuse = 2 // the broker does not take all at once
				stop = run(t, b, s, tt.cfg, tt.own)
				defer stop()
				b.connect()
				<-time.After(3 * retryPause)
				synctest.Wait()
				if b.retained[other] == "" {
					t.Error("something of others was removed")
				}
				delete(b.retained, other)
				for topic := range b.retained {
					if !strings.Contains(topic, tt.has) || topic == old {
						t.Errorf("%s is left", topic)
					}
				}
				want := 0
				if tt.cfg.Enabled {
					want = len(tt.own.entities())
				}
				if last = (shownTopics{}); len(b.retained) != want || s.Load(topicsFile, &last) != nil || len(last.Topics) != want {
					t.Errorf("%d are told and %d remembered, want %d", len(b.retained), len(last.Topics), want)
				}
				told := b.sent
				b.connect()
				if b.sent != told+want {
					t.Errorf("at the next connection %d messages, want %d", b.sent-told, want)
				}
			})
		})
	}
}

// TestWhatMayBeThereIsRememberedFirst: a gateway that is killed while it publishes still
// knows afterwards which topics it may have used.
func TestWhatMayBeThereIsRememberedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newBroker(), &shelf{kept: map[string][]byte{}}
		b.refuse = 1
		stop := run(t, b, s, Default(), kitchen)
		b.connect()
		stop()
		var last shownTopics
		if err := s.Load(topicsFile, &last); err != nil || len(last.Topics) != len(kitchen.entities()) || b.sent != 0 {
			t.Errorf("%d remembered, %d sent, %v", len(last.Topics), b.sent, err)
		}
		s.full = true
		stop = run(t, b, s, Config{Prefix: "homeassistant"}, kitchen)
		b.connect()
		stop()
		if b.sent != len(kitchen.entities()) || len(b.retained) != 0 {
			t.Errorf("with a full disk %d are removed", b.sent)
		}
	})
}

// documented compiles the documented schema of each kind of entity.
func documented(t *testing.T, component string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("testdata/schema.json#/$defs/" + component)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, payload []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(payload)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestPayloadsAreAsDocumented(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("testdata/schema.json"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, own := range []Identity{kitchen, {ID: "wohnzimmer", Language: "de", Base: "voice/wohnzimmer"}} {
		messages, err := own.messages("homeassistant")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			component := strings.Split(m.topic, "/")[1]
			if err := valid(t, documented(t, component), m.payload); err != nil {
				t.Errorf("%s: %v\n%s", m.topic, err, m.payload)
			}
			var p struct {
				ID string `json:"unique_id"`
			}
			if err := json.Unmarshal(m.payload, &p); err != nil || seen[p.ID] {
				t.Errorf("the id %q is used twice, %v", p.ID, err)
			}
			seen[p.ID] = true
		}
	}
	for name, payload := range map[string]string{
		"an unknown key":     `{"unique_id":"a","device":{"identifiers":["a"]},"origin":{"name":"x"},"command_topic":"a","colour":"x"}`,
		"a wildcard":         `{"unique_id":"a","device":{"identifiers":["a"]},"origin":{"name":"x"},"command_topic":"a/#"}`,
		"a retained command": `{"unique_id":"a","device":{"identifiers":["a"]},"origin":{"name":"x"},"command_topic":"a","retain":true}`,
		"no device":          `{"unique_id":"a","origin":{"name":"x"},"command_topic":"a"}`,
	} {
		if valid(t, documented(t, "button"), []byte(payload)) == nil {
			t.Errorf("%s is found fine", name)
		}
	}
}

// rendered is what Home Assistant makes of a command's template for a value.
func rendered(template, value string) string {
	quoted, _ := json.Marshal(value)
	return strings.NewReplacer(
		"{{ utcnow().timestamp() }}", "1767225600.25", "{{ range(100000) | random }}", "4711",
		"{{ utcnow().isoformat(timespec='seconds') }}", "2026-01-01T00:00:00+00:00",
		"{{ value }}", value, "{{ value | int }}", value, "{{ value | to_json }}", string(quoted),
	).Replace(template)
}

// TestCommandsAreOnesTheGatewayTakes holds the templates to the gateway's own parser.
func TestCommandsAreOnesTheGatewayTakes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC)
	const text = `say "no" \ to <b>{{ states }}</b>`
	said, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"mute": `mute {"on":true}`, "volume": `volume {"level":35}`, "ask": "ask " + string(said), "listen": "listen {}", "stop": "stop {}", "retry": "retry {}",
	}
	values := map[string]string{"mute": "true", "volume": "35", "ask": text, "listen": "PRESS"}
	for _, e := range kitchen.entities() {
		topic, commands := e.config["command_topic"].(string)
		if !commands {
			continue
		}
		payload := rendered(e.config["command_template"].(string), values[e.key])
		verb := strings.TrimPrefix(topic, "voice/kitchen/cmd/")
		c, err := mqttapi.Parse(verb, []byte(payload), false, now)
		in, failed := json.Marshal(c.In)
		if is := c.Verb + " " + string(in); err != nil || failed != nil || is != want[e.key] {
			t.Errorf("%s: %s becomes %s, %v", topic, payload, is, err)
		}
		if _, err := mqttapi.Parse(verb, []byte(payload), false, now.Add(time.Minute)); err == nil {
			t.Errorf("%s is still taken a minute later", e.key)
		}
		delete(want, e.key)
	}
	if len(want) > 0 {
		t.Errorf("not to be commanded: %q", slices.Sorted(maps.Keys(want)))
	}
}

func TestEveryLanguageHasEveryName(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		own := kitchen
		own.Language = language
		names := map[string]bool{}
		for _, e := range own.entities() {
			name := wordsOf(language)[e.key]
			if name == "" || names[name] {
				t.Errorf("%s: %s is called %q, which is nothing or taken", language, e.key, name)
			}
			names[name] = true
		}
		if wordsOf(language)["device"] == "" {
			t.Errorf("%s: the device has no name", language)
		}
	}
	if got := wordsOf("it")["mute"]; got != wordsOf("en")["mute"] {
		t.Errorf("in a language without names it is %q", got)
	}
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "a/#", "+", "/a", "a/", "$SYS"} {
		if err := (Config{Enabled: true, Prefix: prefix}).Validate(); err == nil || !strings.Contains(err.Error(), "mqtt.discovery.prefix") {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	if _, err := New(Default(), Identity{}, newBroker(), nil, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a gateway without an id is taken")
	}
}

// FuzzIdentity: whatever a gateway is called, its topics and payloads are valid, and it
// recognises its own topics.
func FuzzIdentity(f *testing.F) {
	for _, id := range []string{"kitchen", "Küche", "a.b", "a_b", "{{ x }}", ""} {
		f.Add(id, "Wohn\"zimmer")
	}
	f.Fuzz(func(t *testing.T, id, area string) {
		own := Identity{ID: id, Area: area, Language: "en", Base: "voice/x"}
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]+$`).MatchString(own.node()) {
			t.Fatalf("node %q", own.node())
		}
		messages, err := own.messages("homeassistant")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			if !json.Valid(m.payload) || !ours(m.topic) {
				t.Errorf("%s: %s", m.topic, m.payload)
			}
		}
	})
}

// FuzzOurs: what a damaged memory holds is removed only where it has our form.
func FuzzOurs(f *testing.F) {
	f.Add("homeassistant/sensor/voice_gateway_kitchen/state/config")
	f.Add("voice/kitchen/state")
	f.Fuzz(func(t *testing.T, topic string) {
		if ours(topic) && (strings.ContainsAny(topic, "+#\x00") || !strings.Contains(topic, "/voice_gateway_") || !strings.HasSuffix(topic, "/config")) {
			t.Errorf("%q is taken for ours", topic)
		}
	})
}
