package fake

import "voicegateway/internal/home"

// bungalowNames are the names of the things of the bungalow in each language, by id.
var bungalowNames = map[string]map[string]string{
	"en": {
		"living_light": "Living Room Light", "kitchen_light": "Kitchen Light", "bedroom_light": "Bedroom Light", "bathroom_light": "Bathroom Light", "hallway_light": "Hallway Light",
		"study_light": "Study Light", "dining_light": "Dining Room Light", "garage_light": "Garage Light", "porch_light": "Porch Light", "garden_light": "Garden Light",
		"desk_lamp": "Desk Lamp", "bedside_lamp": "Bedside Lamp", "coffee": "Coffee Machine", "vacuum": "Robot Vacuum", "plug": "Smart Plug", "tv": "TV", "fan": "Bedroom Fan",
		"thermostat": "Thermostat", "blinds": "Living Room Blinds", "garage_door": "Garage Door", "front_door": "Front Door", "outdoor_temperature": "Outdoor Temperature",
	},
	"de": {
		"living_light": "Wohnzimmerlicht", "kitchen_light": "Küchenlicht", "bedroom_light": "Schlafzimmerlicht", "bathroom_light": "Badlicht", "hallway_light": "Flurlicht",
		"study_light": "Arbeitszimmerlicht", "dining_light": "Esszimmerlicht", "garage_light": "Garagenlicht", "porch_light": "Verandalicht", "garden_light": "Gartenlicht",
		"desk_lamp": "Schreibtischlampe", "bedside_lamp": "Nachttischlampe", "coffee": "Kaffeemaschine", "vacuum": "Saugroboter", "plug": "Steckdose", "tv": "Fernseher", "fan": "Ventilator",
		"thermostat": "Thermostat", "blinds": "Wohnzimmerjalousien", "garage_door": "Garagentor", "front_door": "Haustür", "outdoor_temperature": "Außentemperatur",
	},
	"es": {
		"living_light": "Luz del salón", "kitchen_light": "Luz de la cocina", "bedroom_light": "Luz del dormitorio", "bathroom_light": "Luz del baño", "hallway_light": "Luz del pasillo",
		"study_light": "Luz del estudio", "dining_light": "Luz del comedor", "garage_light": "Luz del garaje", "porch_light": "Luz del porche", "garden_light": "Luz del jardín",
		"desk_lamp": "Lámpara del escritorio", "bedside_lamp": "Lámpara de la mesilla", "coffee": "Máquina de café", "vacuum": "Robot aspirador", "plug": "Enchufe", "tv": "Tele", "fan": "Ventilador",
		"thermostat": "Termostato", "blinds": "Persianas del salón", "garage_door": "Puerta del garaje", "front_door": "Puerta principal", "outdoor_temperature": "Temperatura exterior",
	},
	"fr": {
		"living_light": "Lumière du salon", "kitchen_light": "Lumière de la cuisine", "bedroom_light": "Lumière de la chambre", "bathroom_light": "Lumière de la salle de bain",
		"hallway_light": "Lumière du couloir", "study_light": "Lumière du bureau", "dining_light": "Lumière de la salle à manger", "garage_light": "Lumière du garage",
		"porch_light": "Lumière du perron", "garden_light": "Lumière du jardin", "desk_lamp": "Lampe de bureau", "bedside_lamp": "Lampe de chevet", "coffee": "Cafetière",
		"vacuum": "Robot aspirateur", "plug": "Prise", "tv": "Télé", "fan": "Ventilateur", "thermostat": "Thermostat", "blinds": "Stores du salon", "garage_door": "Porte de garage",
		"front_door": "Porte d'entrée", "outdoor_temperature": "Température extérieure",
	},
}

// bungalowRooms are the names of its rooms in each language.
var bungalowRooms = map[string]map[string]string{
	"en": {"living": "Living Room", "kitchen": "Kitchen", "bedroom": "Bedroom", "bathroom": "Bathroom", "hallway": "Hallway", "study": "Study", "dining": "Dining Room", "garage": "Garage", "porch": "Porch", "garden": "Garden"},
	"de": {"living": "Wohnzimmer", "kitchen": "Küche", "bedroom": "Schlafzimmer", "bathroom": "Bad", "hallway": "Flur", "study": "Arbeitszimmer", "dining": "Esszimmer", "garage": "Garage", "porch": "Veranda", "garden": "Garten"},
	"es": {"living": "Salón", "kitchen": "Cocina", "bedroom": "Dormitorio", "bathroom": "Baño", "hallway": "Pasillo", "study": "Estudio", "dining": "Comedor", "garage": "Garaje", "porch": "Porche", "garden": "Jardín"},
	"fr": {"living": "Salon", "kitchen": "Cuisine", "bedroom": "Chambre", "bathroom": "Salle de bain", "hallway": "Couloir", "study": "Bureau", "dining": "Salle à manger", "garage": "Garage", "porch": "Perron", "garden": "Jardin"},
}

// bungalowThings are the things of the bungalow, in house order.
var bungalowThings = []thing{
	{"living_light", "living", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"kitchen_light", "kitchen", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"bedroom_light", "bedroom", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"bathroom_light", "bathroom", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"hallway_light", "hallway", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"study_light", "study", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"dining_light", "dining", "light", "", []home.Ability{home.OnOff, home.Brightness}},
	{"garage_light", "garage", "light", "", []home.Ability{home.OnOff}},
	{"porch_light", "porch", "light", "", []home.Ability{home.OnOff}},
	{"garden_light", "garden", "light", "", []home.Ability{home.OnOff}},
	{"desk_lamp", "study", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"bedside_lamp", "bedroom", "light", "", []home.Ability{home.OnOff, home.Brightness, home.Colour}},
	{"coffee", "kitchen", "switch", "", []home.Ability{home.OnOff}},
	{"vacuum", "living", "switch", "", []home.Ability{home.OnOff}},
	{"plug", "living", "switch", "outlet", []home.Ability{home.OnOff}},
	{"tv", "living", "switch", "", []home.Ability{home.OnOff}},
	{"fan", "bedroom", "fan", "", []home.Ability{home.OnOff, home.Speed}},
	{"thermostat", "living", "climate", "", []home.Ability{home.Setpoint, home.Mode}},
	{"blinds", "living", "cover", "blind", []home.Ability{home.OpenClose, home.Position, home.Stop}},
	{"garage_door", "garage", "cover", "garage", []home.Ability{home.OpenClose}},
	{"front_door", "hallway", "lock", "", []home.Ability{home.Lock}},
	{"outdoor_temperature", "garden", "sensor", "temperature", []home.Ability{home.Temperature}},
}

// Bungalow is a house with what people talk about at home: lamps in ten rooms, a coffee
// machine, a robot vacuum, a plug, a television and a thermostat.
func Bungalow(language string) *home.House {
	keys := []string{"living", "kitchen", "bedroom", "bathroom", "hallway", "study", "dining", "garage", "porch", "garden"}
	return furnish(keys, bungalowRooms[language], bungalowThings, bungalowNames[language])
}
