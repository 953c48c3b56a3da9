package fake

import (
	"voicegateway/internal/home"
)

// villaNames are the names of the things of the villa in each language, by id.
var villaNames = map[string]map[string]string{
	"en": {
		"kitchen_light": "Kitchen Light", "bedroom_lamp": "Bedroom Lamp", "desk_lamp": "Desk Lamp", "office_light": "Office Light", "hallway_light": "Hallway Light",
		"coffee": "Coffee Machine", "heater": "Heater", "fan": "Fan", "bedroom_curtain": "Bedroom Curtain", "kitchen_blind": "Kitchen Blind", "garage_door": "Garage Door",
		"kitchen_heating": "Kitchen Heating", "bedroom_heating": "Bedroom Heating", "front_door": "Front Door", "back_door": "Back Door",
		"kitchen_window": "Kitchen Window", "bedroom_window": "Bedroom Window", "office_temperature": "Office Temperature", "kitchen_temperature": "Kitchen Temperature",
	},
	"de": {
		"kitchen_light": "Küchenlicht", "bedroom_lamp": "Schlafzimmerlampe", "desk_lamp": "Schreibtischlampe", "office_light": "Bürolicht", "hallway_light": "Flurlicht",
		"coffee": "Kaffeemaschine", "heater": "Heizlüfter", "fan": "Ventilator", "bedroom_curtain": "Schlafzimmervorhang", "kitchen_blind": "Küchenrollo", "garage_door": "Garagentor",
		"kitchen_heating": "Küchenheizung", "bedroom_heating": "Schlafzimmerheizung", "front_door": "Haustür", "back_door": "Hintertür",
		"kitchen_window": "Küchenfenster", "bedroom_window": "Schlafzimmerfenster", "office_temperature": "Bürotemperatur", "kitchen_temperature": "Küchentemperatur",
	},
	"es": {
		"kitchen_light": "Luz de la cocina", "bedroom_lamp": "Lámpara del dormitorio", "desk_lamp": "Lámpara del escritorio", "office_light": "Luz de la oficina",
		"hallway_light": "Luz del pasillo", "coffee": "Máquina de café", "heater": "Calefactor", "fan": "Ventilador", "bedroom_curtain": "Cortina del dormitorio",
		"kitchen_blind": "Persiana de la cocina", "garage_door": "Puerta del garaje", "kitchen_heating": "Calefacción de la cocina",
		"bedroom_heating": "Calefacción del dormitorio", "front_door": "Puerta principal", "back_door": "Puerta trasera", "kitchen_window": "Ventana de la cocina",
		"bedroom_window": "Ventana del dormitorio", "office_temperature": "Temperatura de la oficina", "kitchen_temperature": "Temperatura de la cocina",
	},
	"fr": {
		"kitchen_light": "Lumière de la cuisine", "bedroom_lamp": "Lampe de la chambre", "desk_lamp": "Lampe du bureau", "office_light": "Plafonnier du bureau",
		"hallway_light": "Lumière du couloir", "coffee": "Cafetière", "heater": "Radiateur soufflant", "fan": "Ventilateur", "bedroom_curtain": "Rideau de la chambre",
		"kitchen_blind": "Store de la cuisine", "garage_door": "Porte de garage", "kitchen_heating": "Chauffage de la cuisine", "bedroom_heating": "Chauffage de la chambre",
		"front_door": "Porte d'entrée", "back_door": "Porte de derrière", "kitchen_window": "Fenêtre de la cuisine", "bedroom_window": "Fenêtre de la chambre",
		"office_temperature": "Température du bureau", "kitchen_temperature": "Température de la cuisine",
	},
}

// villaRooms are the names of its rooms in each language.
var villaRooms = map[string]map[string]string{
	"en": {"kitchen": "Kitchen", "bedroom": "Bedroom", "hallway": "Hallway", "office": "Office", "garage": "Garage"},
	"de": {"kitchen": "Küche", "bedroom": "Schlafzimmer", "hallway": "Flur", "office": "Büro", "garage": "Garage"},
	"es": {"kitchen": "Cocina", "bedroom": "Dormitorio", "hallway": "Pasillo", "office": "Oficina", "garage": "Garaje"},
	"fr": {"kitchen": "Cuisine", "bedroom": "Chambre", "hallway": "Couloir", "office": "Bureau", "garage": "Garage"},
}

// villaThings are the things of the villa, in house order.
var villaThings = []thing{
	{"kitchen_light", "kitchen", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"bedroom_lamp", "bedroom", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"desk_lamp", "office", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"office_light", "office", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"hallway_light", "hallway", "light", "", []home.Ability{home.OnOff}},
	{"coffee", "kitchen", "switch", "", []home.Ability{home.OnOff}},
	{"heater", "office", "switch", "", []home.Ability{home.OnOff}},
	{"fan", "bedroom", "fan", "", []home.Ability{home.OnOff}},
	{"bedroom_curtain", "bedroom", "cover", "curtain", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"kitchen_blind", "kitchen", "cover", "blind", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"garage_door", "garage", "cover", "garage", []home.Ability{home.OpenClose}},
	{"kitchen_heating", "kitchen", "climate", "", []home.Ability{home.Setpoint, home.Mode}},
	{"bedroom_heating", "bedroom", "climate", "", []home.Ability{home.Setpoint, home.Mode}},
	{"front_door", "hallway", "lock", "", []home.Ability{home.Lock}},
	{"back_door", "kitchen", "lock", "", []home.Ability{home.Lock}},
	{"kitchen_window", "kitchen", "binary_sensor", "window", []home.Ability{home.Contact}},
	{"bedroom_window", "bedroom", "binary_sensor", "window", []home.Ability{home.Contact}},
	{"office_temperature", "office", "sensor", "temperature", []home.Ability{home.Temperature}},
	{"kitchen_temperature", "kitchen", "sensor", "temperature", []home.Ability{home.Temperature}},
}

// thing is a thing of a house: its id, the key of its room, and what it is and can.
type thing struct {
	id, room, domain, class string
	can                     []home.Ability
}

// Villa is the house of the dialogues: five rooms with things of the same kinds.
func Villa(language string) *home.House {
	return furnish([]string{"kitchen", "bedroom", "hallway", "office", "garage"}, villaRooms[language], villaThings, villaNames[language])
}

// furnish makes a house of rooms and things, whose names are given by key and by id. Its
// tools know each thing by its id, which is the same in every language.
func furnish(keys []string, rooms map[string]string, things []thing, names map[string]string) *home.House {
	h := &home.House{}
	for _, key := range keys {
		h.Areas = append(h.Areas, home.Area{Name: rooms[key]})
	}
	for _, v := range things {
		e := home.Entity{
			ID: v.id, Name: names[v.id], Domain: v.domain, Area: rooms[v.room], Abilities: v.can, Server: "zwave",
			Read: &home.Control{Tool: "get_device_state", ID: v.id},
		}
		if v.class != "" {
			e.Attributes = map[string]any{"device_class": v.class}
		}
		if v.domain != "sensor" && v.domain != "binary_sensor" {
			e.Control = &home.Control{Tool: "control_zwave_device", ID: v.id}
		}
		h.Entities = append(h.Entities, e)
	}
	return h
}
