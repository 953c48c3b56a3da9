// Package home holds the types for a house: floors, areas and the entities in them
// with their abilities. It is pure. Its JSON is a file format (hear --home, match
// --home) and the body of the zwave://home resource at the same time, so a house
// can come from a server, a file or a test without conversion. A new ability begins
// as a constant below. How a thing or room is named inside a sentence ("the kitchen
// light", "dad's lamp") is in naming.go, so that a reply and a search in a reply use the
// same form.
package home

// House is the structure of a home; states in it are only as fresh as the
// source that made it (read them by tool, REQUIREMENTS Z2).
type House struct {
	Floors   []Floor  `json:"floors"`
	Areas    []Area   `json:"areas"`
	Entities []Entity `json:"entities"`
	// Scale is the scale its degrees are spoken of in; "": see Degrees.
	Scale Scale `json:"scale,omitempty"`

	// What the server of a house says of itself (docs/house.md).
	Form   int    `json:"form,omitempty"`   // the version of the form; 0: from before it had one
	Kind   string `json:"kind,omitempty"`   // such as Z-Wave
	Health string `json:"health,omitempty"` // the tool that says whether it can be reached; "": none

	Tellers []Teller `json:"-"` // of a house that several servers tell: these servers
}

// Teller is a server that tells a house, or a part of it.
type Teller struct {
	Server string
	Name   string // what people call its house
	Health string // the tool that says whether it can be reached; "": not told
}

// Teller finds a server that tells the house; the zero value if it is none.
func (h *House) Teller(server string) Teller {
	for _, t := range h.Tellers {
		if t.Server == server {
			return t
		}
	}
	return Teller{}
}

// Floor is a storey with its areas.
type Floor struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
}

// Area is a room or another named part of the house; Floor may be empty.
type Area struct {
	Name    string   `json:"name"`
	Floor   string   `json:"floor"`
	Aliases []string `json:"aliases"`
}

// Entity is one thing a person can name: a lamp, a lock, one sensor of a device.
type Entity struct {
	ID         string         `json:"id"` // unique in the house
	Name       string         `json:"name"`
	Aliases    []string       `json:"aliases"`
	Domain     string         `json:"domain"` // light, switch, cover, lock, climate, fan, sensor, binary_sensor, valve, scene …
	Area       string         `json:"area"`   // an Area's Name, or empty
	State      any            `json:"state,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"` // device_class, unit, dimmable, color, position …
	Abilities  []Ability      `json:"abilities,omitempty"`
	Control    *Control       `json:"control,omitempty"` // how to act on it; nil: it cannot be acted on
	Read       *Control       `json:"read,omitempty"`    // how to read it; nil: it cannot be read
	// Dangerous is how to do an act that could let a person in or do harm; nil: the server
	// does not allow it.
	Dangerous *Control `json:"dangerous,omitempty"`
	Server    string   `json:"-"` // the MCP server it came from
	House     string   `json:"-"` // what people call the house that it is of; "": there is only one
	Namesakes bool     `json:"-"` // things in other rooms have the same name
	Scale     Scale    `json:"-"` // the scale its degrees are spoken of in; "": Celsius
}

// Control names the tool that reaches an entity and the identifier that tool
// knows it by (its device_name argument).
type Control struct {
	Tool string `json:"tool"`
	ID   string `json:"id"`
}

// Ability is one thing an entity can do or tell.
type Ability string

// The abilities the gateway knows how to use.
const (
	OnOff       Ability = "on_off"
	Brightness  Ability = "brightness" // percent
	Colour      Ability = "colour"
	OpenClose   Ability = "open_close"
	Position    Ability = "position" // percent, 100 = open
	Stop        Ability = "stop"
	Lock        Ability = "lock"
	Setpoint    Ability = "setpoint"
	HeatsTo     Ability = "heats_to" // the lower of two set points that count at once
	CoolsTo     Ability = "cools_to" // the upper one
	Mode        Ability = "mode"
	Speed       Ability = "speed" // percent
	Temperature Ability = "temperature"
	Humidity    Ability = "humidity"
	Luminance   Ability = "luminance"
	Motion      Ability = "motion"
	Contact     Ability = "contact" // doors and windows
	Battery     Ability = "battery"
	Power       Ability = "power"
	Energy      Ability = "energy"

	Play           Ability = "play"            // play and pause, of a player
	Skip           Ability = "skip"            // the next title and the previous one
	Volume         Ability = "volume"          // of a player, percent
	Mute           Ability = "mute"            // of a player
	Source         Ability = "source"          // what a player plays from, one of its sources
	Start          Ability = "start"           // to clean or to mow
	Pause          Ability = "pause"           // what it has started
	Dock           Ability = "dock"            // it drives home
	Preset         Ability = "preset"          // one of its presets
	TargetHumidity Ability = "target_humidity" // what a humidifier is set to, percent
	List           Ability = "list"            // things to buy or to do are added, completed and removed
)
