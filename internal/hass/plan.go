package hass

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// Actions are what the things of this house can do beside what those of every house can.
func Actions() []string {
	return []string{
		"play", "pause", "next", "previous", "mute", "unmute", "source", "start", "dock", "preset", "humidity", actionAdd, actionComplete, actionRemove,
	}
}

// step is one service call for one thing, and how it is known to be done.
type step struct {
	domain, service string
	data            map[string]any
	property        string             // the ability that changes
	done            func(*status) bool // whether a state is the wanted one
	fresh           bool               // only a change after the call shows that it is done
	failed          func(*status) bool // whether a state says that it failed; nil: none does
	moving          func(*status) bool // whether a state is on the way; nil: none is
	say             func(*status) any  // the part of a state that changes, for people
	unit            string             // of what say returns
	stops           bool               // it ends a movement
	told            string             // the sentence that says it done, of what no state can say; "": made from the state
}

// request is one command for one thing.
type request struct {
	entity *entity
	value  any
	now    *status // may be nil
	item   item    // of a list, that the value means
}

// plan makes a service call of an action, or refuses.
func plan(action string, r request) (step, error) {
	switch action {
	case "on", "off":
		return r.planSwitch(action == "on")
	case "toggle":
		return r.planToggle()
	case "level":
		return r.planLevel()
	case "open", "close":
		return r.planOpen(action == "open")
	case "stop":
		return r.planStop()
	case "position":
		return r.planPosition()
	case "lock", "unlock":
		return r.planLock(action == "lock")
	case "setpoint":
		return r.planSetpoint()
	case "mode":
		return r.planMode()
	case "colour":
		return r.planColour()
	}
	return planMore(action, r)
}

// planMore makes a service call of an action that not every house has, or refuses.
func planMore(action string, r request) (step, error) {
	switch action {
	case "pause":
		if r.entity.Domain == "media_player" {
			return r.planPlay(action)
		}
		return r.planRobot(action)
	case "play", "next", "previous":
		return r.planPlay(action)
	case "mute", "unmute":
		return r.planMute(action == "mute")
	case "source":
		return r.planChoice(choice{home.Source, "select_source", "source", "source_list", "source"})
	case "preset":
		return r.planChoice(choice{home.Preset, "set_preset_mode", "preset_mode", "preset_modes", "preset"})
	case "humidity":
		return r.planHumidity()
	case "start", "dock":
		return r.planRobot(action)
	case actionAdd, actionComplete, actionRemove:
		return r.planItem(action)
	}
	return step{}, form.Refuse("I do not know how to %q a device.", action)
}

// call makes a step of a service of the thing's own domain.
func (r request) call(service string, property home.Ability, done func(*status) bool, data map[string]any) step {
	return step{domain: r.entity.object, service: service, data: data, property: string(property), done: done, say: r.entity.say}
}

// able refuses what a thing cannot do.
func (r request) able(a home.Ability, cannot string) error {
	if r.entity.Can(a) {
		return nil
	}
	return form.Refuse("%s cannot %s.", r.entity.Name, cannot)
}

func is(states ...string) func(*status) bool {
	return func(s *status) bool { return s.known() && slices.Contains(states, s.state) }
}

func isNot(states ...string) func(*status) bool {
	return func(s *status) bool { return s.known() && !slices.Contains(states, s.state) }
}

func (r request) planSwitch(on bool) (step, error) {
	e := r.entity
	switch e.Domain {
	case "climate":
		if on && r.now.known() && r.now.state != "off" {
			return r.planModeWord(r.now.state) // it stays as it is: what cools must not heat
		}
		if on {
			return r.planModeWord("heat", "heat_cool", "auto", "cool")
		}
		return r.planModeWord("off")
	case "valve":
		return r.planOpen(on)
	case "scene", "script", "button":
		return r.planStart(on)
	}
	if err := r.able(home.OnOff, "be switched "+either(on, "on", "off")); err != nil {
		return step{}, err
	}
	done := is(either(on, "on", "off"))
	switch e.Domain {
	case "media_player":
		if !e.has(either(on, playerOn, playerOff)) {
			return step{}, form.Refuse("%s cannot be switched %s.", e.Name, either(on, "on", "off"))
		}
		done = is("off", "standby")
		if on {
			done = isNot("off", "standby")
		}
	case "water_heater":
		done = is("off")
		if on {
			done = isNot("off")
		}
	}
	return r.call(either(on, "turn_on", "turn_off"), home.OnOff, done, nil), nil
}

// planStart makes a step that starts what is over at once: a scene, a button, a script.
func (r request) planStart(on bool) (step, error) {
	e := r.entity
	if !on && e.Domain != "script" {
		return step{}, form.Refuse("%s can only be started.", e.Name)
	}
	if !on {
		return r.call("turn_off", home.OnOff, is("off"), nil), nil
	}
	s := r.call(either(e.Domain == "button", "press", "turn_on"), home.OnOff, func(s *status) bool { return !s.away() }, nil)
	s.fresh = true
	s.say = func(*status) any { return "on" }
	return s, nil
}

func (r request) planToggle() (step, error) {
	e := r.entity
	if err := r.able(home.OnOff, "be switched on and off"); err != nil {
		return step{}, err
	}
	if slices.Contains([]string{"scene", "button"}, e.Domain) {
		return r.planStart(true)
	}
	if !r.now.known() {
		return step{}, form.RefuseFor(tools.Silent, "I do not know whether %s %s on, so I cannot toggle it. Say on or off.", e.Name, form.Verb(e.Name))
	}
	return r.planSwitch(is("off", "standby")(r.now))
}

// percent reads a level from 0 to 100.
func (r request) percent() (float64, error) {
	p, ok := form.Number(r.value, "%", "percent")
	if !ok || p < 0 || p > 100 {
		return 0, form.RefuseBeyond(0, 100, "%s needs a value from 0 to 100 percent.", r.entity.Name)
	}
	return math.Round(p), nil
}

// near reports whether what a thing says of its level is at most by away from a level. Off
// and full must be exact.
func (r request) near(want, by float64) func(*status) bool {
	return func(s *status) bool {
		got, ok := r.entity.percentOf(s).(float64)
		return ok && (got == want || want > 0 && got > 0 && want < 100 && math.Abs(got-want) <= by)
	}
}

func (r request) planLevel() (step, error) {
	e := r.entity
	if e.Domain == "cover" || e.Domain == "valve" {
		return r.planPosition()
	}
	p, err := r.percent()
	if err != nil {
		return step{}, err
	}
	if e.Domain == "media_player" && e.has(playerVolume) {
		return r.planVolume(p), nil
	}
	ability, service, name, by := home.Brightness, "turn_on", "brightness_pct", 2.0
	if e.Domain == "fan" {
		ability, service, name, by = home.Speed, "set_percentage", "percentage", r.speedStep()
	}
	if err := r.able(ability, "be dimmed, only switched on and off"); err != nil {
		return step{}, err
	}
	s := r.call(service, ability, r.near(p, by), map[string]any{name: p})
	if p == 0 && e.Domain == "light" {
		s = r.call("turn_off", ability, r.near(0, 0), nil)
	}
	s.say, s.unit = e.percentOf, "%"
	return s, nil
}

// speedStep is how far the speed that a fan takes may be from the wanted one: they have a
// few steps.
func (r request) speedStep() float64 {
	n, ok := r.entity.shape["percentage_step"].(float64)
	if !ok || n < 1 || n > 50 {
		return 2
	}
	return n/2 + 1
}

// planVolume makes a step that sets the volume of a player.
func (r request) planVolume(p float64) step {
	s := r.call("volume_set", home.Volume, func(s *status) bool {
		v, ok := s.volume().(float64)
		return ok && math.Abs(v-p) <= 2
	}, map[string]any{"volume_level": p / 100})
	s.say, s.unit = (*status).volume, "%"
	return s
}

// onTheWay reports whether a cover or valve moves.
var onTheWay = is("opening", "closing")

func (r request) planOpen(open bool) (step, error) {
	e := r.entity
	if err := r.able(home.OpenClose, either(open, "be opened", "be closed")); err != nil {
		return step{}, err
	}
	if !e.has(either(open, coverOpen, coverClose)) {
		return step{}, form.Refuse("%s cannot be %s.", e.Name, either(open, "opened", "closed"))
	}
	const nearlyOpen = 97
	done := is("closed")
	if open {
		done = func(s *status) bool {
			p, ok := s.number("current_position")
			return s.known() && s.state == "open" && (!ok || p >= nearlyOpen)
		}
	}
	s := r.call(either(open, "open_", "close_")+e.object, home.OpenClose, done, nil)
	s.moving = onTheWay
	return s, nil
}

func (r request) planPosition() (step, error) {
	e := r.entity
	p, err := r.percent()
	if err != nil {
		return step{}, err
	}
	if err := r.able(home.Position, "be moved to a position"); err != nil {
		return step{}, err
	}
	near := r.near(p, 3)
	s := r.call("set_"+e.object+"_position", home.Position, func(s *status) bool { return near(s) && !onTheWay(s) }, map[string]any{"position": p})
	s.say, s.unit, s.moving = e.percentOf, "%", onTheWay
	return s, nil
}

func (r request) planStop() (step, error) {
	if err := r.able(home.Stop, "be stopped"); err != nil {
		return step{}, err
	}
	switch r.entity.Domain {
	case "media_player":
		return r.call("media_stop", home.Play, is("idle", "off", "standby", "paused"), nil), nil
	case "vacuum":
		return r.call("stop", home.Start, is("idle", "paused", "docked"), nil), nil
	}
	s := r.call("stop_"+r.entity.object, home.Position, isNot("opening", "closing"), nil)
	s.stops = true
	if r.entity.Can(home.Position) {
		s.say, s.unit = r.entity.percentOf, "%"
	}
	return s, nil
}

func (r request) planLock(lock bool) (step, error) {
	if err := r.able(home.Lock, either(lock, "be locked", "be unlocked")); err != nil {
		return step{}, err
	}
	done := is("locked")
	if !lock {
		done = is("unlocked", "open")
	}
	s := r.call(either(lock, "lock", "unlock"), home.Lock, done, nil)
	s.moving, s.failed = is("locking", "unlocking", "opening"), is("jammed")
	return s, nil
}

func (r request) planSetpoint() (step, error) {
	e := r.entity
	if err := r.able(home.Setpoint, "be set to a temperature"); err != nil {
		return step{}, err
	}
	word, rest := form.CutCounting(r.value)
	want, ok := form.Temperature(rest, e.scale)
	if !ok {
		return step{}, form.RefuseFor(tools.RefusedValue, "%s needs a temperature, such as 21.", e.Name)
	}
	if err := e.takes(want); err != nil {
		return step{}, err
	}
	name, property, data := r.target(word, want)
	s := r.call("set_temperature", property, func(s *status) bool {
		n, ok := s.number(name)
		return ok && math.Abs(n-want) < 0.3 // they round, some to whole degrees Fahrenheit and back
	}, data)
	s.unit = e.scale
	s.say = numberOf(name)
	return s, nil
}

// takes refuses a temperature that a thing cannot be set to.
func (e *entity) takes(want float64) error {
	low, isLow := e.shape["min_temp"].(float64)
	high, isHigh := e.shape["max_temp"].(float64)
	switch {
	case !isLow || !isHigh || low >= high:
		return nil
	case want < low:
		return form.RefuseBeyond(low, high, "%s goes down to %s at most.", e.Name, form.SayState(low, e.scale))
	case want > high:
		return form.RefuseBeyond(low, high, "%s goes up to %s at most.", e.Name, form.SayState(high, e.scale))
	}
	return nil
}

// target returns which set point a temperature is for, by its attribute, and what the
// service takes. Where two count at once, it takes both; without a word the nearer one is
// meant.
func (r request) target(word string, want float64) (name string, property home.Ability, data map[string]any) {
	below, isBelow := r.now.number("target_temp_low")
	above, isAbove := r.now.number("target_temp_high")
	if _, single := r.now.number("temperature"); single || !isBelow || !isAbove {
		return "temperature", home.Setpoint, map[string]any{"temperature": want}
	}
	if word == form.Cooling || word == "" && math.Abs(want-above) < math.Abs(want-below) {
		return "target_temp_high", home.CoolsTo, map[string]any{"target_temp_low": below, "target_temp_high": want}
	}
	return "target_temp_low", home.HeatsTo, map[string]any{"target_temp_low": want, "target_temp_high": above}
}

func (r request) planMode() (step, error) {
	word, ok := r.value.(string)
	if !ok || strings.TrimSpace(word) == "" {
		return step{}, form.RefuseFor(tools.RefusedValue, "%s needs a mode such as heat or off.", r.entity.Name)
	}
	word = strings.ReplaceAll(form.Fold(word), " ", "_")
	also := map[string][]string{"auto": {"auto", "heat_cool"}, "heat_cool": {"heat_cool", "auto"}, "fan": {"fan_only"}, "heating": {"heat"}, "cooling": {"cool"}}[word]
	return r.planModeWord(append([]string{word}, also...)...)
}

// planModeWord makes a step that sets the first of some modes that a thermostat has.
func (r request) planModeWord(words ...string) (step, error) {
	e := r.entity
	if e.Domain == "humidifier" {
		return r.planChoice(choice{home.Mode, "set_mode", "mode", "available_modes", "mode"})
	}
	if e.Domain != "climate" {
		return step{}, form.Refuse("%s has no modes.", e.Name)
	}
	modes := e.words("hvac_modes")
	for _, w := range words {
		if slices.Contains(modes, w) {
			return r.call("set_hvac_mode", home.Mode, is(w), map[string]any{"hvac_mode": w}), nil
		}
	}
	return step{}, form.RefuseFor(tools.RefusedValue, "%s does not offer that; it knows %s.", e.Name, strings.Join(modes, ", "))
}

// whites are the words for white light, in kelvin.
var whites = map[string]float64{"warm white": 2700, "cool white": 4000, "cold white": 6500}

func (r request) planColour() (step, error) {
	e := r.entity
	if word, _ := r.value.(string); whites[form.Fold(word)] > 0 && slices.Contains(e.words("supported_color_modes"), "color_temp") {
		return r.planWhite(whites[form.Fold(word)]), nil
	}
	if err := r.able(home.Colour, "change colour"); err != nil {
		return step{}, err
	}
	hex, err := form.Colour(r.value)
	if err != nil {
		return step{}, err
	}
	s := r.call("turn_on", home.Colour, func(s *status) bool {
		got := s.colour()
		return s.known() && s.state == "on" && got != "" && alike(got, hex)
	}, map[string]any{"rgb_color": components(hex)})
	s.say = sayColour
	return s, nil
}

// sayColour returns the colour that a lamp shows, for people; nil if it shows none.
func sayColour(s *status) any {
	if c := s.colour(); c != "" {
		return "#" + c
	}
	return nil
}

// planWhite makes a step that sets the warmth of white light.
func (r request) planWhite(kelvin float64) step {
	s := r.call("turn_on", home.Colour, func(s *status) bool {
		n, ok := s.number("color_temp_kelvin")
		return ok && s.state == "on" && math.Abs(n-kelvin) <= kelvin/10
	}, map[string]any{"color_temp_kelvin": kelvin})
	s.say = sayColour
	return s
}

// components are the red, green and blue of rrggbb.
func components(hex string) []int {
	n, _ := strconv.ParseUint(hex, 16, 32) // package form has read it
	return []int{int(n >> 16 & 255), int(n >> 8 & 255), int(n & 255)}
}

// alike reports whether a lamp shows a colour: lamps shift it a little, and keep their
// brightness apart from it.
func alike(got, want string) bool {
	g, w := components(got), components(want)
	gMost, wMost := max(slices.Max(g), 1), max(slices.Max(w), 1)
	const shift = 0.12
	for i := range g {
		if math.Abs(float64(g[i])/float64(gMost)-float64(w[i])/float64(wMost)) > shift {
			return false
		}
	}
	return true
}

// plays are the features that the acts of a player need.
var plays = map[string]int{"play": playerPlay, "pause": playerPause, "next": playerNext, "previous": playerPrevious}

func (r request) planPlay(action string) (step, error) {
	e := r.entity
	switch {
	case e.Domain != "media_player":
		return step{}, form.Refuse("%s plays nothing.", e.Name)
	case !e.has(plays[action]):
		return step{}, form.Refuse("%s cannot do that.", e.Name)
	case action == "play":
		return r.call("media_play", home.Play, is("playing"), nil), nil
	case action == "pause":
		return r.call("media_pause", home.Play, is("paused", "idle", "off", "standby"), nil), nil
	}
	title := r.now.text("media_title")
	s := r.call("media_"+action+"_track", home.Skip, func(s *status) bool {
		now := s.text("media_title") // a title that is only gone shows that it ended
		return s.known() && now != "" && now != title
	}, nil)
	s.fresh = true
	return s, nil
}

func (r request) planMute(mute bool) (step, error) {
	if err := r.able(home.Mute, "be muted"); err != nil {
		return step{}, err
	}
	s := r.call("volume_mute", home.Mute, func(s *status) bool { return s.known() && s.mute() == mute }, map[string]any{"is_volume_muted": mute})
	s.say = (*status).mute
	return s, nil
}

// choice is an ability that takes one of a thing's own words.
type choice struct {
	ability       home.Ability
	service, name string // the service, and its argument, which is also the attribute that shows it
	list, noun    string // the attribute that lists the words, and what people call one of them
}

// planChoice makes a step that sets a thing to one of its own words.
func (r request) planChoice(c choice) (step, error) {
	if err := r.able(c.ability, "be set to a "+c.noun); err != nil {
		return step{}, err
	}
	said, _ := r.value.(string)
	words := r.entity.words(c.list)
	if len(words) == 0 {
		return step{}, form.Refuse("%s does not tell what it can be set to just now.", r.entity.Name)
	}
	at := slices.IndexFunc(words, func(w string) bool { return form.PlainName(w) == form.PlainName(said) && said != "" })
	if at < 0 {
		return step{}, form.RefuseFor(tools.RefusedValue, "%s does not offer that; it knows %s.", r.entity.Name, strings.Join(words, ", "))
	}
	s := r.call(c.service, c.ability, func(s *status) bool { return s.known() && s.text(c.name) == words[at] }, map[string]any{c.name: words[at]})
	s.say = func(s *status) any {
		if t := s.text(c.name); t != "" {
			return t
		}
		return nil
	}
	return s, nil
}

// planHumidity makes a step that sets what a humidifier keeps the air at.
func (r request) planHumidity() (step, error) {
	e := r.entity
	if err := r.able(home.TargetHumidity, "be set to a humidity"); err != nil {
		return step{}, err
	}
	want, err := r.percent()
	if err != nil {
		return step{}, err
	}
	low, isLow := e.shape["min_humidity"].(float64)
	high, isHigh := e.shape["max_humidity"].(float64)
	if isLow && isHigh && low < high && (want < low || want > high) {
		return step{}, form.RefuseBeyond(low, high, "%s takes %s to %s percent.", e.Name, form.SayState(low, ""), form.SayState(high, ""))
	}
	s := r.call("set_humidity", home.TargetHumidity, func(s *status) bool {
		n, ok := s.number("humidity")
		return ok && math.Abs(n-want) < 1
	}, map[string]any{"humidity": want})
	s.unit = "%"
	s.say = numberOf("humidity")
	return s, nil
}

// numberOf returns what takes a number from a state: nil where it is not told.
func numberOf(name string) func(*status) any {
	return func(s *status) any {
		if n, ok := s.number(name); ok {
			return n
		}
		return nil
	}
}

// planRobot makes a step for what drives around: it starts, pauses, or drives home.
func (r request) planRobot(action string) (step, error) {
	e := r.entity
	needs := map[string]home.Ability{"start": home.Start, "pause": home.Pause, "dock": home.Dock}[action]
	cannot := map[string]string{"start": "be started", "pause": "be paused", "dock": "drive to a dock"}[action]
	if err := r.able(needs, cannot); err != nil {
		return step{}, err
	}
	mows := e.Domain == "lawn_mower"
	switch action {
	case "start":
		return r.call(either(mows, "start_mowing", "start"), home.Start, is("cleaning", "mowing"), nil), nil
	case "pause":
		return r.call("pause", home.Start, is("paused", "idle", "docked"), nil), nil
	}
	s := r.call(either(mows, "dock", "return_to_base"), home.Start, is("docked"), nil)
	s.moving = is("returning")
	return s, nil
}

func either[T any](yes bool, this, that T) T {
	if yes {
		return this
	}
	return that
}
