package fake

import "voicegateway/internal/home"

// terraceNames are the names of the things of the terraced house in each language, by id.
var terraceNames = map[string]map[string]string{
	"en": {
		"kitchen_lamp": "Lamp", "kitchen_spots": "Kitchen Spots", "kitchen_blind": "Kitchen Blind", "lounge_lamp": "Lamp", "standing_lamp": "Standing Lamp",
		"tv": "TV", "lounge_curtains": "Lounge Curtains", "lounge_thermostat": "Lounge Thermostat", "bedroom_lamp": "Lamp", "bedside_left": "Bedside Light Left",
		"bedside_right": "Bedside Light Right", "bedroom_shutter": "Bedroom Shutter", "bedroom_thermostat": "Bedroom Thermostat", "bedroom_window": "Bedroom Window",
		"ceiling_fan": "Ceiling Fan", "night_light": "Night Light", "unicorn_lamp": "Unicorn Lamp", "desk_lamp_1": "Desk Lamp 1", "desk_lamp_2": "Desk Lamp 2",
		"landing": "Landing", "garage_door": "Garage Door", "front_door": "Front Door", "side_left": "Side Blind Left", "side_right": "Side Blind Right",
	},
	"de": {
		"kitchen_lamp": "Lampe", "kitchen_spots": "Küchenspots", "kitchen_blind": "Küchenjalousie", "lounge_lamp": "Lampe", "standing_lamp": "Stehlampe",
		"tv": "Fernseher", "lounge_curtains": "Wohnzimmervorhänge", "lounge_thermostat": "Heizung Wohnzimmer", "bedroom_lamp": "Lampe", "bedside_left": "Nachttischlampe links",
		"bedside_right": "Nachttischlampe rechts", "bedroom_shutter": "Schlafzimmerrollladen", "bedroom_thermostat": "Thermostat Schlafzimmer", "bedroom_window": "Schlafzimmerfenster",
		"ceiling_fan": "Deckenventilator", "night_light": "Nachtlicht", "unicorn_lamp": "Einhornlampe", "desk_lamp_1": "Schreibtischlampe 1", "desk_lamp_2": "Schreibtischlampe 2",
		"landing": "Treppenhaus", "garage_door": "Garagentor", "front_door": "Haustür", "side_left": "Rollladen links", "side_right": "Rollladen rechts",
	},
	"fr": {
		"kitchen_lamp": "Lampe", "kitchen_spots": "Spots de la cuisine", "kitchen_blind": "Store de la cuisine", "lounge_lamp": "Lampe", "standing_lamp": "Lampadaire",
		"tv": "Télé", "lounge_curtains": "Rideaux du salon", "lounge_thermostat": "Thermostat du salon", "bedroom_lamp": "Lampe", "bedside_left": "Lampe de chevet gauche",
		"bedside_right": "Lampe de chevet droite", "bedroom_shutter": "Volet de la chambre", "bedroom_thermostat": "Thermostat de la chambre", "bedroom_window": "Fenêtre de la chambre",
		"ceiling_fan": "Ventilateur", "night_light": "Veilleuse", "unicorn_lamp": "Lampe licorne", "desk_lamp_1": "Lampe de bureau 1", "desk_lamp_2": "Lampe de bureau 2",
		"landing": "Palier", "garage_door": "Porte de garage", "front_door": "Porte d'entrée", "side_left": "Volet gauche", "side_right": "Volet droit",
	},
	"es": {
		"kitchen_lamp": "Lámpara", "kitchen_spots": "Focos de la cocina", "kitchen_blind": "Estor de la cocina", "lounge_lamp": "Lámpara", "standing_lamp": "Lámpara de pie",
		"tv": "Tele", "lounge_curtains": "Cortinas del salón", "lounge_thermostat": "Termostato del salón", "bedroom_lamp": "Lámpara", "bedside_left": "Luz de noche izquierda",
		"bedside_right": "Luz de noche derecha", "bedroom_shutter": "Persiana del dormitorio", "bedroom_thermostat": "Termostato del dormitorio", "bedroom_window": "Ventana del dormitorio",
		"ceiling_fan": "Ventilador", "night_light": "Lucecita", "unicorn_lamp": "Lámpara unicornio", "desk_lamp_1": "Flexo 1", "desk_lamp_2": "Flexo 2",
		"landing": "Rellano", "garage_door": "Puerta del garaje", "front_door": "Puerta principal", "side_left": "Persiana izquierda", "side_right": "Persiana derecha",
	},
}

// terraceRooms are the names of its rooms in each language.
var terraceRooms = map[string]map[string]string{
	"en": {"kitchen": "Kitchen", "lounge": "Lounge", "bedroom": "Main Bedroom", "child": "Freya's Room", "study": "Study", "landing": "Landing", "hall": "Hallway", "garage": "Garage"},
	"de": {"kitchen": "Küche", "lounge": "Wohnzimmer", "bedroom": "Schlafzimmer", "child": "Kinderzimmer", "study": "Büro", "landing": "Treppenhaus", "hall": "Flur", "garage": "Garage"},
	"fr": {"kitchen": "Cuisine", "lounge": "Salon", "bedroom": "Chambre", "child": "Chambre de Zoé", "study": "Bureau", "landing": "Palier", "hall": "Entrée", "garage": "Garage"},
	"es": {"kitchen": "Cocina", "lounge": "Salón", "bedroom": "Dormitorio", "child": "Cuarto de Íñigo", "study": "Despacho", "landing": "Rellano", "hall": "Pasillo", "garage": "Garaje"},
}

// terraceThings are the things of the terraced house, in house order.
var terraceThings = []thing{
	{"kitchen_spots", "kitchen", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"kitchen_lamp", "kitchen", "light", "", []home.Ability{home.OnOff}},
	{"kitchen_blind", "kitchen", "cover", "blind", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"lounge_lamp", "lounge", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"standing_lamp", "lounge", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"tv", "lounge", "switch", "", []home.Ability{home.OnOff}},
	{"lounge_curtains", "lounge", "cover", "curtain", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"lounge_thermostat", "lounge", "climate", "", []home.Ability{home.Setpoint, home.Mode}},
	{"bedroom_lamp", "bedroom", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"bedside_left", "bedroom", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"bedside_right", "bedroom", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"bedroom_shutter", "bedroom", "cover", "shutter", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"bedroom_thermostat", "bedroom", "climate", "", []home.Ability{home.Setpoint, home.Mode}},
	{"ceiling_fan", "bedroom", "fan", "", []home.Ability{home.OnOff, home.Speed}},
	{"bedroom_window", "bedroom", "binary_sensor", "window", []home.Ability{home.Contact}},
	{"night_light", "child", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"unicorn_lamp", "child", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"desk_lamp_1", "study", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"desk_lamp_2", "study", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"side_left", "study", "cover", "shutter", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"side_right", "study", "cover", "shutter", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"landing", "landing", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"front_door", "hall", "lock", "", []home.Ability{home.Lock}},
	{"garage_door", "garage", "cover", "garage", []home.Ability{home.OpenClose}},
}

// Terrace is a house in which many things have the name of their kind alone or differ by
// a number or a side: what was meant is often put right there.
func Terrace(language string) *home.House {
	keys := []string{"kitchen", "lounge", "bedroom", "child", "study", "landing", "hall", "garage"}
	return furnish(keys, terraceRooms[language], terraceThings, terraceNames[language])
}
