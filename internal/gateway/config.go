package gateway

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"voicegateway/internal/ai"
	"voicegateway/internal/audio/device"
	"voicegateway/internal/audio/earcon"
	"voicegateway/internal/doors/discovery"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/ear/stt"
	"voicegateway/internal/ear/tts"
	"voicegateway/internal/ear/wake"
	"voicegateway/internal/ground/broker"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/home"
	"voicegateway/internal/home/events"
	"voicegateway/internal/keep/recorder"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind/announce"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools/local"
)

// Config is everything that can be set, section by section as in
// configs/voice-gateway.yaml. A part's own settings live with the part.
type Config struct {
	Gateway  Identity        `yaml:"gateway"`
	Audio    AudioConfig     `yaml:"audio"`
	Wake     wake.Config     `yaml:"wake"`
	STT      stt.Config      `yaml:"stt"`
	Home     house.Config    `yaml:"home"`
	Intents  IntentsConfig   `yaml:"intents"`
	AI       ai.Config       `yaml:"ai"`
	TTS      tts.Config      `yaml:"tts"`
	MQTT     MQTTConfig      `yaml:"mqtt"`
	MCP      host.Settings   `yaml:"mcp"`
	HTTP     httpapi.Config  `yaml:"http"`
	Tools    local.Config    `yaml:"tools"`
	Safety   guard.Limits    `yaml:"safety"`
	Announce announce.Config `yaml:"announce"`
	Buttons  events.Config   `yaml:"buttons"`
	Recorder recorder.Config `yaml:"recorder"`
}

// Identity says which gateway this is and in which room it is.
type Identity struct {
	ID       string `yaml:"id"`
	Area     string `yaml:"area"`
	Language string `yaml:"language"`
	Units    Units  `yaml:"units"`
	Location string `yaml:"location"`  // "latitude, longitude" in degrees, for sunrise and sunset; empty: not known
	StateDir string `yaml:"state_dir"` // empty: $STATE_DIRECTORY, else the XDG state directory
}

// Units are the units in which the house is spoken of.
type Units string

// The units. Only temperatures have more than one.
const (
	AutoUnits   Units = "auto"   // those of the house
	MetricUnits Units = "metric" // degrees Celsius
	USUnits     Units = "us"     // degrees Fahrenheit
)

// Scale is the scale of temperatures; "" where the house decides.
func (u Units) Scale() home.Scale {
	switch u {
	case MetricUnits:
		return home.Celsius
	case USUnits:
		return home.Fahrenheit
	case AutoUnits:
	}
	return ""
}

// AudioConfig chooses the sound devices, and the short sounds on them.
type AudioConfig struct {
	device.Config `yaml:",inline"`
	Earcons       earcon.Set `yaml:"earcons"`
}

// IntentsConfig lists sentence packs beside our own.
type IntentsConfig struct {
	Packs []string `yaml:"packs"`
}

// MQTTConfig is the broker to use; without one the embedded broker serves.
type MQTTConfig struct {
	mqtt.Config `yaml:",inline"`
	Embedded    broker.Config    `yaml:"embedded"`
	Discovery   discovery.Config `yaml:"discovery"`
}

// Default is the configuration without any file. configs/voice-gateway.yaml says
// the same with comments, and a test holds the two together.
func Default() Config {
	servers := host.Default()
	servers.Servers["zwave"] = DefaultServer()
	return Config{
		Gateway:  Identity{ID: "kitchen", Area: "Kitchen", Language: sentences.OfTools, Units: AutoUnits},
		Audio:    AudioConfig{Config: device.Default(), Earcons: earcon.Soft},
		Wake:     wake.Default(),
		STT:      stt.Default(),
		Home:     house.Default(),
		Intents:  IntentsConfig{Packs: []string{}},
		AI:       ai.Default(),
		TTS:      tts.Default(),
		MQTT:     MQTTConfig{Embedded: broker.Default(), Discovery: discovery.Default()},
		MCP:      servers,
		HTTP:     httpapi.Default(),
		Tools:    local.Default(),
		Safety:   guard.Default(),
		Announce: announce.Default(),
		Buttons:  events.Config{},
		Recorder: recorder.Default(),
	}
}

// DefaultServer is the Z-Wave server as it is started without any setting.
func DefaultServer() mcpint.Server {
	return mcpint.Server{Command: "zwave-mcp-server", Args: []string{"--require-broker", "2s"}, Essential: true, House: true, Trust: mcpint.TrustFull}.WithDefaults()
}

// Mistake is one thing that is wrong with the configuration.
type Mistake struct {
	Key  string // the key's path
	Text string // what is wrong, what was expected and what to write instead
}

// Mistakes is everything that is wrong with the configuration, in the order of the
// keys.
func Mistakes(c Config) []Mistake {
	var all []Mistake
	for _, part := range []interface{ Validate() error }{
		c.Gateway, c.Audio, c.Wake, c.STT, c.Home, c.Intents, c.AI, c.TTS, c.MQTT, c.MCP, c.HTTP, c.Tools, c.Safety, c.Announce, c.Buttons, c.Recorder,
	} {
		for _, err := range each(part.Validate()) {
			key, text, _ := strings.Cut(err.Error(), ": ")
			all = append(all, Mistake{key, text})
		}
	}
	slices.SortStableFunc(all, func(a, b Mistake) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// Validate reports everything that is wrong at once, as Mistakes does.
func (c Config) Validate() error {
	var errs []error
	for _, m := range Mistakes(c) {
		errs = append(errs, errors.New(m.Key+": "+m.Text))
	}
	return errors.Join(errs...)
}

// each splits the errors that a part has joined.
func each(err error) []error {
	switch e := any(err).(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		var out []error
		for _, one := range e.Unwrap() {
			out = append(out, each(one)...)
		}
		return out
	}
	return []error{err}
}

// Validate reports everything that is wrong with the identity.
func (i Identity) Validate() error {
	var errs []error
	if i.ID == "" || strings.ContainsAny(i.ID, "/+#") || strings.ContainsFunc(i.ID, unicode.IsSpace) {
		errs = append(errs, fmt.Errorf("gateway.id: %q is not usable in a topic; use letters, digits and dashes, such as kitchen", i.ID))
	}
	if strings.ContainsFunc(i.Area, unicode.IsControl) {
		errs = append(errs, fmt.Errorf("gateway.area: %q is no name of a room: it has several lines or a tab; expected a name on one line, such as Kitchen", i.Area))
	}
	if known := sentences.Languages(); !slices.Contains(known, i.Language) {
		errs = append(errs, fmt.Errorf("gateway.language: %q has no sentence pack here; expected one of %s", i.Language, strings.Join(known, ", ")))
	}
	if all := []Units{AutoUnits, MetricUnits, USUnits}; !slices.Contains(all, i.Units) {
		errs = append(errs, fmt.Errorf("gateway.units: %q is unknown; expected auto, metric, us", i.Units))
	}
	if _, err := timers.ParsePlace(i.Location); err != nil {
		errs = append(errs, fmt.Errorf("gateway.location: %w", err))
	}
	return errors.Join(errs...)
}

// Validate reports everything that is wrong with the broker, ours only where no other is
// named, and with discovery.
func (m MQTTConfig) Validate() error {
	var own error
	if m.URL == "" {
		own = m.Embedded.Validate()
	}
	return errors.Join(m.Config.Validate(), own, m.Discovery.Validate())
}

// Validate reports everything that is wrong with the sound settings.
func (a AudioConfig) Validate() error {
	errs := each(a.Config.Validate())
	if sets := []earcon.Set{earcon.Off, earcon.Soft, earcon.Full}; !slices.Contains(sets, a.Earcons) {
		errs = append(errs, fmt.Errorf("audio.earcons: %q is unknown; expected off, soft, full", a.Earcons))
	}
	return errors.Join(errs...)
}

// Validate reports what is wrong with the sentence packs.
func (i IntentsConfig) Validate() error {
	if len(i.Packs) > 0 {
		return errors.New("intents.packs: other sentence packs cannot be loaded by this version; leave the list empty")
	}
	return nil
}
