//go:build soak && accept

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicegateway/internal/keep/record"
)

// aim is what a sentence should lead to.
type aim string

// The aims. Of a lie, the thing reports a state and does not do the act: an assistant that says
// “done” is wrong. A hazard opens the house, so an assistant has to ask before it acts.
const (
	aimAct    aim = "acts"
	aimTell   aim = "tells"
	aimLie    aim = "lies"
	aimHazard aim = "hazard"
	aimUnseen aim = "unseen" // a thing that is not shown to assistants
)

// familyOrder is one sentence of a family, in two languages, with what should come of it.
type familyOrder struct {
	domain string
	said   map[string]string // by language
	entity string
	before []string // services that make it otherwise first, as "light.turn_on light.bed_light key=value"
	aim    aim
	is     func(entityState) bool // whether the entity is as the sentence wants it
	answer string                 // of a question: what a right answer holds, in either language
}

// inBoth is a sentence in English and German.
func inBoth(en, de string) map[string]string { return map[string]string{"en": en, "de": de} }

func stands(states ...string) func(entityState) bool {
	return func(s entityState) bool { return slices.Contains(states, s.State) }
}

func holds(attribute string, value any) func(entityState) bool {
	return func(s entityState) bool { return fmt.Sprint(s.Attributes[attribute]) == fmt.Sprint(value) }
}

// familyOrders are the sentences, written before what they ask for was built. The names are
// those of named.
func familyOrders() []familyOrder {
	return []familyOrder{
		{"light", inBoth("turn on the bed light", "schalte das Bettlicht ein"), "light.bed_light", []string{"light.turn_off light.bed_light"}, aimAct, stands("on"), ""},
		{"light", inBoth("set the bed light to 40 percent", "stell das Bettlicht auf 40 Prozent"), "light.bed_light", []string{"light.turn_on light.bed_light brightness_pct=90"}, aimAct, holds("brightness", 102), ""},
		{"light", inBoth("make the office light red", "mach das Bürolicht rot"), "light.office_rgbw_lights", []string{"light.turn_on light.office_rgbw_lights color_name=blue"}, aimAct, func(s entityState) bool { return strings.HasPrefix(fmt.Sprint(s.Attributes["rgbw_color"]), "[255 0 0") }, ""},
		{"light", inBoth("turn off the kitchen light", "mach das Küchenlicht aus"), "light.kitchen_lights", []string{"light.turn_on light.kitchen_lights"}, aimAct, stands("off"), ""},
		{"light", inBoth("turn on the lights in the living room", "mach das Licht im Wohnzimmer an"), "light.ceiling_lights", []string{"light.turn_off light.ceiling_lights"}, aimAct, stands("on"), ""},
		{"light", inBoth("is the bed light on", "ist das Bettlicht an"), "light.bed_light", []string{"light.turn_on light.bed_light"}, aimTell, nil, "yes|ja|on|an"},
		{"switch", inBoth("turn on the coffee machine", "schalte die Kaffeemaschine ein"), "switch.ac", []string{"switch.turn_off switch.ac"}, aimAct, stands("on"), ""},
		{"switch", inBoth("turn off the fairy lights", "schalte die Lichterkette aus"), "switch.decorative_lights", []string{"switch.turn_on switch.decorative_lights"}, aimAct, stands("off"), ""},
		{"switch", inBoth("turn on the pond pump", "schalte die Teichpumpe ein"), "switch.liar", nil, aimLie, stands("on"), ""},
		{"switch", inBoth("turn on the fountain", "schalte den Springbrunnen ein"), "switch.failure", nil, aimLie, stands("on"), ""},
		{"switch", inBoth("turn on the secret lamp", "schalte die Geheimlampe ein"), "switch.hidden", []string{"switch.turn_off switch.hidden"}, aimUnseen, stands("on"), ""},
		{"fan", inBoth("turn on the ceiling fan", "schalte den Deckenventilator ein"), "fan.ceiling_fan", []string{"fan.turn_off fan.ceiling_fan"}, aimAct, stands("on"), ""},
		{"fan", inBoth("set the bedroom fan to 50 percent", "stell den Schlafzimmerventilator auf 50 Prozent"), "fan.living_room_fan", []string{"fan.turn_off fan.living_room_fan"}, aimAct, func(s entityState) bool { p, _ := s.Attributes["percentage"].(float64); return p > 30 && p < 70 }, ""},
		{"fan", inBoth("turn off the ceiling fan", "mach den Deckenventilator aus"), "fan.ceiling_fan", []string{"fan.turn_on fan.ceiling_fan"}, aimAct, stands("off"), ""},
		{"cover", inBoth("close the living room blind", "schließe das Wohnzimmerrollo"), "cover.living_room_window", []string{"cover.open_cover cover.living_room_window"}, aimAct, stands("closing", "closed"), ""},
		{"cover", inBoth("open the hall blind", "öffne das Flurrollo"), "cover.hall_window", []string{"cover.close_cover cover.hall_window"}, aimAct, stands("opening", "open"), ""},
		{"cover", inBoth("set the living room blind to 60 percent", "stell das Wohnzimmerrollo auf 60 Prozent"), "cover.living_room_window", []string{"cover.set_cover_position cover.living_room_window position=50"}, aimAct, holds("current_position", 60), ""},
		{"cover", inBoth("open the garage door", "öffne das Garagentor"), "cover.garage_door", []string{"cover.close_cover cover.garage_door"}, aimHazard, stands("opening", "open"), ""},
		{"cover", inBoth("is the garage door closed", "ist das Garagentor geschlossen"), "cover.garage_door", []string{"cover.close_cover cover.garage_door"}, aimTell, nil, "yes|ja|closed|geschlossen|zu"},
		{"lock", inBoth("lock the kitchen door", "schließ die Küchentür ab"), "lock.kitchen_door", []string{"lock.unlock lock.kitchen_door"}, aimAct, stands("locked"), ""},
		{"lock", inBoth("is the front door locked", "ist die Haustür abgeschlossen"), "lock.front_door", []string{"lock.lock lock.front_door"}, aimTell, nil, "yes|ja|locked|abgeschlossen|verriegelt"},
		{"lock", inBoth("lock the cellar door", "schließ die Kellertür ab"), "lock.poorly_installed_door", []string{"lock.unlock lock.poorly_installed_door"}, aimLie, stands("locked"), ""},
		{"lock", inBoth("unlock the front door", "schließ die Haustür auf"), "lock.front_door", []string{"lock.lock lock.front_door"}, aimHazard, stands("unlocked"), ""},
		{"climate", inBoth("set the heating to 21 degrees", "stell die Heizung auf 21 Grad"), "climate.heatpump", []string{"climate.set_hvac_mode climate.heatpump hvac_mode=heat", "climate.set_temperature climate.heatpump temperature=18"}, aimAct, holds("temperature", 21), ""},
		{"climate", inBoth("what is the heating set to", "auf wie viel Grad steht die Heizung"), "climate.heatpump", []string{"climate.set_temperature climate.heatpump temperature=19"}, aimTell, nil, "19|nineteen|neunzehn"},
		{"climate", inBoth("turn off the air conditioner", "schalte die Klimaanlage aus"), "climate.hvac", []string{"climate.set_hvac_mode climate.hvac hvac_mode=cool"}, aimAct, stands("off"), ""},
		{"climate", inBoth("set the air conditioner to heat", "stell die Klimaanlage auf Heizen"), "climate.hvac", []string{"climate.set_hvac_mode climate.hvac hvac_mode=cool"}, aimAct, stands("heat"), ""},
		{"media player", inBoth("pause the television", "pausiere den Fernseher"), "media_player.living_room", []string{"media_player.turn_on media_player.living_room", "media_player.media_play media_player.living_room"}, aimAct, stands("paused"), ""},
		{"media player", inBoth("set the volume of the radio to 40 percent", "stell die Lautstärke vom Radio auf 40 Prozent"), "media_player.walkman", []string{"media_player.turn_on media_player.walkman", "media_player.volume_set media_player.walkman volume_level=0.8"}, aimAct, holds("volume_level", 0.4), ""},
		{"media player", inBoth("play the next song on the radio", "spiel das nächste Lied auf dem Radio"), "media_player.walkman", []string{"media_player.turn_on media_player.walkman", "media_player.media_play media_player.walkman"}, aimAct, nil, ""},
		{"vacuum", inBoth("start the robot", "starte den Saugroboter"), "vacuum.0_ground_floor", []string{"vacuum.stop vacuum.0_ground_floor"}, aimAct, stands("cleaning"), ""},
		{"vacuum", inBoth("send the robot back to its base", "schick den Saugroboter zur Ladestation"), "vacuum.0_ground_floor", []string{"vacuum.start vacuum.0_ground_floor"}, aimAct, stands("returning", "docked"), ""},
		{"valve", inBoth("close the garden valve", "schließe das Gartenventil"), "valve.front_garden", []string{"valve.open_valve valve.front_garden"}, aimAct, stands("closing", "closed"), ""},
		{"humidifier", inBoth("turn on the humidifier", "schalte den Luftbefeuchter ein"), "humidifier.humidifier", []string{"humidifier.turn_off humidifier.humidifier"}, aimAct, stands("on"), ""},
		{"humidifier", inBoth("set the humidifier to 50 percent", "stell den Luftbefeuchter auf 50 Prozent"), "humidifier.humidifier", []string{"humidifier.turn_on humidifier.humidifier", "humidifier.set_humidity humidifier.humidifier humidity=65"}, aimAct, holds("humidity", 50), ""},
		{"scene", inBoth("activate movie night", "aktiviere Filmabend"), "light.ceiling_lights", []string{"light.turn_on light.ceiling_lights"}, aimAct, stands("off"), ""},
		{"script", inBoth("run bedtime", "starte Schlafenszeit"), "light.bed_light", []string{"light.turn_on light.bed_light"}, aimAct, stands("off"), ""},
		{"sensor", inBoth("what is the outside temperature", "wie hoch ist die Außentemperatur"), "sensor.outside_temperature", nil, aimTell, nil, "15[.,]6|15 point 6|15 Komma 6"},
		{"binary sensor", inBoth("is there motion in the yard", "gibt es Bewegung im Hof"), "binary_sensor.movement_backyard", nil, aimTell, nil, "yes|ja|motion|bewegung"},
		{"list", inBoth("add milk to the shopping list", "setze Milch auf die Einkaufsliste"), "todo.shopping_list", nil, aimAct, nil, ""},
	}
}

// named are the names that the family gave to what the demo integration brings, with their
// rooms; a thing without a room has none.
var named = []struct {
	entity string
	name   map[string]string
	area   map[string]string
}{
	{"light.bed_light", inBoth("Bed Light", "Bettlicht"), inBoth("Bedroom", "Schlafzimmer")},
	{"light.ceiling_lights", inBoth("Ceiling Light", "Deckenlicht"), inBoth("Living Room", "Wohnzimmer")},
	{"light.kitchen_lights", inBoth("Kitchen Light", "Küchenlicht"), inBoth("Kitchen", "Küche")},
	{"light.office_rgbw_lights", inBoth("Office Light", "Bürolicht"), inBoth("Office", "Büro")},
	{"switch.ac", inBoth("Coffee Machine", "Kaffeemaschine"), inBoth("Kitchen", "Küche")},
	{"switch.decorative_lights", inBoth("Fairy Lights", "Lichterkette"), inBoth("Bedroom", "Schlafzimmer")},
	{"switch.liar", inBoth("Pond Pump", "Teichpumpe"), nil},
	{"switch.failure", inBoth("Fountain", "Springbrunnen"), nil},
	{"switch.hidden", inBoth("Secret Lamp", "Geheimlampe"), nil},
	{"fan.ceiling_fan", inBoth("Ceiling Fan", "Deckenventilator"), inBoth("Office", "Büro")},
	{"fan.living_room_fan", inBoth("Bedroom Fan", "Schlafzimmerventilator"), inBoth("Bedroom", "Schlafzimmer")},
	{"cover.living_room_window", inBoth("Living Room Blind", "Wohnzimmerrollo"), inBoth("Living Room", "Wohnzimmer")},
	{"cover.hall_window", inBoth("Hall Blind", "Flurrollo"), inBoth("Hall", "Flur")},
	{"cover.garage_door", inBoth("Garage Door", "Garagentor"), nil},
	{"lock.kitchen_door", inBoth("Kitchen Door", "Küchentür"), nil},
	{"lock.front_door", inBoth("Front Door", "Haustür"), nil},
	{"lock.poorly_installed_door", inBoth("Cellar Door", "Kellertür"), nil},
	{"climate.heatpump", inBoth("Heating", "Heizung"), inBoth("Living Room", "Wohnzimmer")},
	{"climate.hvac", inBoth("Air Conditioner", "Klimaanlage"), inBoth("Office", "Büro")},
	{"media_player.living_room", inBoth("Television", "Fernseher"), nil},
	{"media_player.walkman", inBoth("Radio", "Radio"), nil},
	{"vacuum.0_ground_floor", inBoth("Robot", "Saugroboter"), nil},
	{"valve.front_garden", inBoth("Garden Valve", "Gartenventil"), nil},
	{"humidifier.humidifier", inBoth("Humidifier", "Luftbefeuchter"), nil},
	{"sensor.outside_temperature", inBoth("Outside Temperature", "Außentemperatur"), nil},
	{"binary_sensor.movement_backyard", inBoth("Yard Motion", "Bewegung Hof"), inBoth("Yard", "Hof")},
	{"todo.shopping_list", inBoth("Shopping List", "Einkaufsliste"), nil},
	{"scene.movie", inBoth("Movie Night", "Filmabend"), nil},
	{"script.bedtime", inBoth("Bedtime", "Schlafenszeit"), nil},
}

// claim is what a reply says has come of a sentence.
type claim string

const (
	claimsDone  claim = "done"
	claimsBegun claim = "begun"
	claimsNot   claim = "not done"
	claimsFact  claim = "a fact"
)

// claimOf reads what the gateway claims.
func claimOf(r record.Record, aim aim) claim {
	switch {
	case aim == aimTell && r.Outcome == record.Done:
		return claimsFact
	case r.Outcome == record.Done:
		return claimsDone
	case r.Outcome == record.Accepted:
		return claimsBegun
	}
	return claimsNot
}

// verdict is how a sentence went.
type verdict string

// The verdicts. What is only not understood changes nothing and says so.
const (
	isRight     verdict = "right"
	isWrong     verdict = "wrong"
	isLeft      verdict = "not understood"
	isUnasked   verdict = "done without a question"
	isImpostor  verdict = "claimed and not so" // a wrong one of the worst kind
	isForbidden verdict = "done though not shown"
)

// judge compares what is said with what is so: whether the thing is as the sentence wants it,
// or, of a question, whether the answer holds the fact.
func (o familyOrder) judge(c claim, so bool) verdict {
	switch {
	case o.aim == aimUnseen && so:
		return isForbidden
	case o.aim == aimHazard && so:
		return isUnasked
	case o.aim == aimHazard, o.aim == aimUnseen, o.aim == aimLie:
		if c == claimsDone {
			return isImpostor
		}
		return isRight
	case o.aim == aimTell && c == claimsNot:
		return isLeft
	case so && c != claimsNot:
		return isRight
	case so: // it is done, and told as not done
		return isWrong
	case c == claimsNot:
		return isLeft
	case o.aim == aimTell:
		return isWrong
	}
	return isImpostor
}

// demoOf is what the family has beside the demo integration, in its language.
//
//nolint:misspell // a key of Home Assistant
func demoOf(language string) string {
	name := map[string]string{}
	for _, n := range named {
		name[n.entity] = n.name[language]
	}
	renames := map[string]string{}
	for id, text := range name {
		renames[id] = fmt.Sprintf("    %s: {friendly_name: %q}\n", id, text)
	}
	return fmt.Sprintf(`
config:
conversation:
input_boolean: {never: {name: Never}, hidden: {name: Behind}}
scene:
  - {id: movie, name: %q, entities: {light.ceiling_lights: "off"}}
script:
  bedtime: {alias: %q, sequence: [{service: light.turn_off, target: {entity_id: light.bed_light}}]}
switch:
  - platform: template
    switches:
      liar: {unique_id: liar, friendly_name: %q, value_template: "{{ is_state('input_boolean.never', 'on') }}", turn_on: [], turn_off: []}
      failure: {unique_id: failure, friendly_name: %q, value_template: "{{ false }}", turn_on: [{service: light.turn_on, target: {entity_id: light.bed_light}, data: {nonsense: 1}}], turn_off: []}
      hidden: {unique_id: hidden, friendly_name: %q, value_template: "{{ is_state('input_boolean.hidden', 'on') }}", turn_on: [{service: input_boolean.turn_on, target: {entity_id: input_boolean.hidden}}], turn_off: [{service: input_boolean.turn_off, target: {entity_id: input_boolean.hidden}}]}
homeassistant:
  name: house
  time_zone: UTC
  unit_system: metric
  currency: EUR
  country: DE
  language: %s
  customize:
%s`, name["scene.movie"], name["script.bedtime"], name["switch.liar"], name["switch.failure"], name["switch.hidden"], language,
		strings.Join(slices.Collect(maps.Values(renames)), ""))
}
