package hass

import (
	"math"
	"slices"
	"strconv"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
)

// kind is how a domain of Home Assistant appears in the house.
type kind struct {
	domain string // of the house
	acts   bool   // it can be commanded
	find   func(e *entity) []home.Ability
}

// kinds are the domains that are part of the house, by their names in Home Assistant. The
// others are left out.
var kinds = map[string]kind{
	"light":               {"light", true, lightAbilities},
	"switch":              {"switch", true, onOff},
	"input_boolean":       {"switch", true, onOff},
	"fan":                 {"fan", true, fanAbilities},
	"cover":               {"cover", true, coverAbilities},
	"valve":               {"valve", true, coverAbilities},
	"lock":                {"lock", true, always(home.Lock)},
	"climate":             {"climate", true, climateAbilities},
	"water_heater":        {"water_heater", true, heaterAbilities},
	"humidifier":          {"humidifier", true, humidifierAbilities},
	"media_player":        {"media_player", true, playerAbilities},
	"vacuum":              {"vacuum", true, vacuumAbilities},
	"lawn_mower":          {"lawn_mower", true, mowerAbilities},
	"todo":                {"todo", true, listAbilities},
	"scene":               {"scene", true, onOff},
	"script":              {"script", true, onOff},
	"button":              {"button", true, onOff},
	"input_button":        {"button", true, onOff},
	"siren":               {"siren", true, onOff},
	"alarm_control_panel": {"alarm_control_panel", false, always()},
	"sensor":              {"sensor", false, sensorAbilities},
	"binary_sensor":       {"binary_sensor", false, binaryAbilities},
}

// Domains are the domains of the things of the house, in the order in which they are told.
func Domains() []string {
	return []string{
		"light", "switch", "fan", "cover", "lock", "climate", "valve", "media_player", "vacuum", "lawn_mower", "humidifier", "water_heater", "siren",
		"scene", "script", "button", "todo", "alarm_control_panel", "sensor", "binary_sensor",
	}
}

// Features of things, as Home Assistant numbers them in supported_features.
const (
	fanSpeed        = 1
	fanPreset       = 8
	coverOpen       = 1
	coverClose      = 2
	coverPosition   = 4
	coverStop       = 8
	climateTarget   = 1
	climateRange    = 2
	climatePreset   = 16
	heaterTarget    = 1
	heaterMode      = 2
	heaterOnOff     = 8
	humidifierModes = 1
	playerPause     = 1
	playerVolume    = 4
	playerMute      = 8
	playerPrevious  = 16
	playerNext      = 32
	playerOn        = 128
	playerOff       = 256
	playerSource    = 2048
	playerStop      = 4096
	playerPlay      = 16384
	vacuumPause     = 4
	vacuumStop      = 8
	vacuumReturn    = 16
	vacuumStart     = 8192
	mowerStart      = 1
	mowerPause      = 2
	mowerDock       = 4
	listAdd         = 1
	listRemove      = 2
	listUpdate      = 4
)

// has reports whether a thing has all of these features.
func (e *entity) has(features int) bool { return e.features&features == features }

// skill is an ability that a thing has if it has one of some features.
type skill struct {
	ability  home.Ability
	features []int
}

// abilitiesBy returns the abilities that a thing has by its features.
func (e *entity) abilitiesBy(all ...skill) (out []home.Ability) {
	for _, a := range all {
		if slices.ContainsFunc(a.features, e.has) {
			out = append(out, a.ability)
		}
	}
	return out
}

func always(a ...home.Ability) func(*entity) []home.Ability {
	return func(*entity) []home.Ability { return a }
}

func onOff(*entity) []home.Ability { return []home.Ability{home.OnOff} }

func lightAbilities(e *entity) []home.Ability {
	all := []home.Ability{home.OnOff}
	modes := e.words("supported_color_modes")
	if slices.ContainsFunc(modes, func(m string) bool { return m != "onoff" && m != "unknown" }) {
		all = append(all, home.Brightness)
	}
	if slices.ContainsFunc(modes, func(m string) bool { return slices.Contains([]string{"hs", "xy", "rgb", "rgbw", "rgbww"}, m) }) {
		all = append(all, home.Colour)
	}
	return all
}

func fanAbilities(e *entity) []home.Ability {
	all := []home.Ability{home.OnOff}
	if e.has(fanSpeed) {
		all = append(all, home.Speed)
	}
	if e.has(fanPreset) && len(e.words("preset_modes")) > 0 {
		all = append(all, home.Preset)
	}
	return all
}

func humidifierAbilities(e *entity) []home.Ability {
	all := []home.Ability{home.OnOff, home.TargetHumidity}
	if e.has(humidifierModes) && len(e.words("available_modes")) > 0 {
		all = append(all, home.Mode)
	}
	return all
}

func coverAbilities(e *entity) (all []home.Ability) {
	if e.has(coverOpen) || e.has(coverClose) {
		all = append(all, home.OpenClose)
	}
	if e.has(coverPosition) {
		all = append(all, home.Position)
	}
	if e.has(coverStop) {
		all = append(all, home.Stop)
	}
	return all
}

func climateAbilities(e *entity) (all []home.Ability) {
	if e.has(climateTarget) || e.has(climateRange) {
		all = append(all, home.Setpoint)
	}
	if e.has(climateRange) {
		all = append(all, home.HeatsTo, home.CoolsTo)
	}
	if len(e.words("hvac_modes")) > 1 {
		all = append(all, home.Mode)
	}
	if e.has(climatePreset) && len(e.words("preset_modes")) > 0 {
		all = append(all, home.Preset)
	}
	if e.shape["current_temperature"] == true {
		all = append(all, home.Temperature)
	}
	if e.shape["current_humidity"] == true {
		all = append(all, home.Humidity)
	}
	return all
}

func heaterAbilities(e *entity) (all []home.Ability) {
	if e.has(heaterOnOff) {
		all = append(all, home.OnOff)
	}
	if e.has(heaterTarget) {
		all = append(all, home.Setpoint)
	}
	if e.shape["current_temperature"] == true {
		all = append(all, home.Temperature)
	}
	return all
}

func playerAbilities(e *entity) []home.Ability {
	all := e.abilitiesBy(
		skill{home.OnOff, []int{playerOn, playerOff}}, skill{home.Play, []int{playerPlay, playerPause}}, skill{home.Stop, []int{playerStop}},
		skill{home.Skip, []int{playerNext, playerPrevious}}, skill{home.Volume, []int{playerVolume}}, skill{home.Mute, []int{playerMute}},
	)
	if e.has(playerSource) { // those of one that is off are not known
		all = append(all, home.Source)
	}
	return all
}

func vacuumAbilities(e *entity) []home.Ability {
	return e.abilitiesBy(
		skill{home.Start, []int{vacuumStart}}, skill{home.Pause, []int{vacuumPause}}, skill{home.Stop, []int{vacuumStop}}, skill{home.Dock, []int{vacuumReturn}},
	)
}

func mowerAbilities(e *entity) []home.Ability {
	return e.abilitiesBy(skill{home.Start, []int{mowerStart}}, skill{home.Pause, []int{mowerPause}}, skill{home.Dock, []int{mowerDock}})
}

func listAbilities(e *entity) []home.Ability {
	return e.abilitiesBy(skill{home.List, []int{listAdd, listUpdate, listRemove}})
}

// measured are the classes of sensors with an ability of the house.
var measured = map[string]home.Ability{
	"temperature": home.Temperature, "humidity": home.Humidity, "illuminance": home.Luminance, "battery": home.Battery, "power": home.Power, "energy": home.Energy,
}

func sensorAbilities(e *entity) []home.Ability {
	if a, ok := measured[e.DeviceClass()]; ok {
		return []home.Ability{a}
	}
	return nil
}

// The classes of binary sensors for things that are open or closed, and for what moves.
var (
	openings = []string{"door", "garage_door", "window", "opening"}
	movers   = []string{"motion", "occupancy", "presence", "moving"}
)

func binaryAbilities(e *entity) []home.Ability {
	switch class := e.DeviceClass(); {
	case slices.Contains(openings, class):
		return []home.Ability{home.Contact}
	case slices.Contains(movers, class):
		return []home.Ability{home.Motion}
	}
	return nil
}

// attributes returns what the house tells of a thing beside its abilities.
func (e *entity) attributes() map[string]any {
	a := map[string]any{}
	if class := e.DeviceClass(); class != "" {
		a["device_class"] = class
	}
	for ability, name := range map[home.Ability]string{home.Brightness: "dimmable", home.Colour: "color", home.Position: "position"} {
		if e.Can(ability) {
			a[name] = true
		}
	}
	for ability, from := range map[home.Ability][2]string{
		home.Mode: {"modes", e.modeList()}, home.Source: {"sources", "source_list"}, home.Preset: {"presets", "preset_modes"},
	} {
		if words := e.words(from[1]); e.Can(ability) && len(words) > 0 {
			a[from[0]] = words
		}
	}
	switch e.Domain {
	case "climate", "water_heater":
		a["unit"] = e.scale
		low, isLow := e.shape["min_temp"].(float64)
		high, isHigh := e.shape["max_temp"].(float64)
		if isLow && isHigh && low < high {
			a["min"], a["max"] = low, high
		}
	case "sensor":
		if unit := e.unit(); unit != "" {
			a["unit"] = unit
		}
	}
	return a
}

// modeList is the attribute that has the modes of a thing.
func (e *entity) modeList() string {
	if e.Domain == "humidifier" {
		return "available_modes"
	}
	return "hvac_modes"
}

// words returns a structural attribute that is a list of words.
func (e *entity) words(name string) []string { return words(e.shape, name) }

func words(shape map[string]any, name string) (all []string) {
	list, _ := shape[name].([]any)
	for _, v := range list {
		if w, ok := v.(string); ok {
			all = append(all, w)
		}
	}
	return all
}

func (e *entity) unit() string {
	u, _ := e.shape["unit_of_measurement"].(string)
	return u
}

// say returns the state of a thing as a word or number for people; nil means unknown.
func (e *entity) say(s *status) any {
	if !s.known() {
		return nil
	}
	switch e.Domain {
	case "scene", "button": // their state is when they were last used
		return nil
	case "lock":
		if s.state == "open" {
			return "unlocked"
		}
	case "sensor", "todo": // that of a list is how much stands on it
		if n, err := strconv.ParseFloat(s.state, 64); err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) {
			return n
		}
	case "binary_sensor":
		return e.sayBinary(s.state == "on")
	}
	return s.state
}

func (e *entity) sayBinary(on bool) string {
	words := [2]string{"clear", "detected"}
	switch class := e.DeviceClass(); {
	case slices.Contains(openings, class):
		words = [2]string{"closed", "open"}
	case class == "lock":
		words = [2]string{"locked", "unlocked"}
	case class == "battery":
		words = [2]string{"full", "low"}
	case class == "connectivity":
		words = [2]string{"disconnected", "connected"}
	case class == "" || class == "running" || class == "power" || class == "plug" || class == "light":
		words = [2]string{"off", "on"}
	}
	if on {
		return words[1]
	}
	return words[0]
}

// percentOf returns the level of a thing in percent; nil where it tells none.
func (e *entity) percentOf(s *status) any {
	switch {
	case !s.known():
		return nil
	case e.Can(home.Brightness):
		if b, ok := s.number("brightness"); ok && s.state == "on" {
			return max(1, math.Round(b/2.55))
		}
		return zeroWhenOff(s)
	case e.Can(home.Speed):
		if p, ok := s.number("percentage"); ok && s.state == "on" {
			return math.Round(p)
		}
		return zeroWhenOff(s)
	case e.Can(home.Position):
		if p, ok := s.number("current_position"); ok {
			return math.Round(p)
		}
	}
	return nil
}

func zeroWhenOff(s *status) any {
	if s.state == "off" {
		return float64(0)
	}
	return nil
}

// level returns the ability that is set in percent; ok reports whether the thing has one.
func (e *entity) level() (home.Ability, bool) {
	for _, a := range []home.Ability{home.Brightness, home.Speed, home.Position} {
		if e.Can(a) {
			return a, true
		}
	}
	return "", false
}

// values returns everything readable about a thing in people's units, by ability.
func (e *entity) values(s *status) map[string]any {
	out := map[string]any{}
	put := func(name string, v any) {
		if v != nil {
			out[name] = v
		}
	}
	if !s.known() {
		return out
	}
	if a, ok := e.level(); ok {
		put(string(a), e.percentOf(s))
	}
	if rgb := s.colour(); rgb != "" && e.Can(home.Colour) {
		put(string(home.Colour), "#"+rgb)
	}
	switch e.Domain {
	case "climate", "water_heater":
		e.putDegrees(s, put)
	case "media_player":
		s.putPlaying(put)
	case "humidifier":
		s.putNumber(put, home.TargetHumidity, "humidity")
		s.putNumber(put, home.Humidity, "current_humidity")
		s.putText(put, home.Mode, "mode")
	case "vacuum":
		if n, ok := s.number("battery_level"); ok {
			put(string(home.Battery), n)
		}
	}
	s.putText(put, home.Preset, "preset_mode")
	if !e.measures() || len(e.Abilities) == 0 {
		return out
	}
	put(string(e.Abilities[0]), e.say(s))
	if e.Abilities[0] == home.Temperature {
		put("temperature_unit", e.unit())
	}
	return out
}

func (s *status) putNumber(put func(name string, v any), a home.Ability, from string) {
	if n, ok := s.number(from); ok {
		put(string(a), n)
	}
}

func (s *status) putText(put func(name string, v any), a home.Ability, from string) {
	if t := s.text(from); t != "" {
		put(string(a), t)
	}
}

// putPlaying puts what a player plays, and how loud.
func (s *status) putPlaying(put func(name string, v any)) {
	put(string(home.Volume), s.volume())
	put(string(home.Mute), s.mute())
	for _, name := range []string{"media_title", "media_artist", "source"} {
		if t := s.text(name); t != "" {
			put(name, t)
		}
	}
}

// volume returns the volume of a player in percent; nil if it tells none.
func (s *status) volume() any {
	if v, ok := s.number("volume_level"); ok {
		return math.Round(v * 100)
	}
	return nil
}

// mute returns whether a player is muted; nil if it does not tell.
func (s *status) mute() any {
	if muted, ok := s.attributes["is_volume_muted"].(bool); ok {
		return muted
	}
	return nil
}

// measures reports whether a thing only measures.
func (e *entity) measures() bool { return e.Domain == "sensor" || e.Domain == "binary_sensor" }

// putDegrees puts what a thermostat is set to and measures.
func (e *entity) putDegrees(s *status, put func(name string, v any)) {
	for name, from := range map[home.Ability]string{
		home.Setpoint: "temperature", home.HeatsTo: "target_temp_low", home.CoolsTo: "target_temp_high",
		home.Temperature: "current_temperature", home.Humidity: "current_humidity",
	} {
		if n, ok := s.number(from); ok {
			put(string(name), n)
		}
	}
	if e.Can(home.Mode) {
		put(string(home.Mode), s.state)
	}
	if what := s.text("hvac_action"); what != "" {
		put("activity", what)
	}
	put("unit", e.scale)
}

// colour returns the colour of a lamp that is on as rrggbb; "" if it shows none.
func (s *status) colour() string {
	list, _ := s.attributes["rgb_color"].([]any)
	if len(list) != 3 {
		return ""
	}
	hex, _ := form.Hex(list)
	return hex
}
