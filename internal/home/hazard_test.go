package home_test

import (
	"strings"
	"testing"

	"voicegateway/internal/home"
)

// actDomains are the kinds of things that can be switched on or opened; the names
// of a thing count in all of them.
var actDomains = []string{"switch", "light", "fan", "cover", "lock", "scene", "button", ""}

func TestHazardsOfNames(t *testing.T) {
	t.Parallel()
	tests := map[home.Hazard]string{
		home.Gate: `Garage Door; Gates; Gate; Side Gate; Front-Door Opener; front_door; FrontDoor; garageDoor2; Gate 2; Garage; Garage Door Switch;
			Garage Fan Door; Light Gate; Lamp Door; Light Gate Opener; Garage Opener; Sliding Door; Garage Door Shutter; Doors; Frontdoor;
			Garage Relay; Gate and Light; Gate/Light; Light & Gate; Door with Light; Gate (Lamp); Gate Lamp Door; Garage Big; Blind Door;
			Garagentor; Hoftor; Hoftore; Tor; Einfahrtstor; Haustor; Parktor; Rolltor; Hoftorantrieb; Garagentorschalter; Haustür; Haustu` + "\u0308" + `r;
			Haustuer; Haustur; Türen; Kellertüren; Türöffner; Garagenantrieb; Gartenpforte; Parkschranke; Licht Hoftor;
			Puerta Garaje; Portón; Puertas del garaje; Garaje; Cancela; Verjas; Porte de garage; Porte d'entrée; Portail; Portails; la porte; Porte-fenêtre;
			Gar` + "\u200b" + `age Door; 🚪 Door; Store Room Door; Puerta Luz; Portail lumière; Garage Door Outlet; Door by the light`,
		home.Hot: `Oven; Wall Oven; Ovens; Stove; Boiler; Heizkessel; Chaudière; Caldera; Cooker; Air-Fryer; Hob; Sauna; Water Heater; Kitchen Range; Grill; BBQ; Fireplace; Backofen;
			Backöfen; Ofen; Elektroherd; Herd; Kochfeld; Kaminofen; Horno; Vitrocerámica; Four de la cuisine; le four; Cuisinière; Chauffe-eau; Oven Switch;
			Oven and Hood; Light Oven`,
		home.Wet: `Water Main; Main Water; Valve; Valves; Sprinkler; Garden-Sprinklers; Irrigation; Hauptventil; Ventil; Gasventile; Wasserhahn;
			Gartenbewässerung; Válvula; Riego; Llave de paso; Vanne; Robinet; Électrovanne; Arrosage; Water Main Relay`,
		home.Loud: `Siren; Sirene; Sirens; Alarm; House Alarm; Alarms; Alarmsirene; Hausalarm; Alarmanlage; Sirena; Alarma; Sirène; Alarme; Garden Siren 2`,
		0: `Doorbell; Door Bell; Front Door Light; Garage Light; Garage Lights 2; Porch Light; Garden Door Lamp; Windows Blind; Motor; Monitor;
			Ventilator; Reaktor; Dachventilator; Generator; Radiator; Projektor; Refrigerator; Kompressor; Traktor; Inventor; Transistor; Oven Light;
			Gate House Lamp; Garage Blind; Garage Window Shade; Garage.Shade+; Garage Shade left; Outdoor Shade; Outdoor; Cooker Lamp; Cooker Hood;
			Range Hood; Range Extender; Garage Fan; Garage Light Switch; Garage & Driveway Lights; Light over the Garage Door; Garage: Light;
			Garage Freezer; Garage Outlet; Alarm Clock; Lamp four; Four Lamps; Temperatur; Armatur; Kühlschrank; Kleiderschränke; Torlampe; Tor Licht;
			Garagenlicht; Haustür Außenlicht; Licht Garage; Licht am Hoftor; Rollo Garage; Luz de la puerta; Luz Garaje; Lámpara Puerta; Lumière du portail;
			Lampe de la porte; Lampe Garage; Persiana del garaje; Rideau porte; Kitchen Light; Coffee Machine; Space Heater; Pond Pump; Projector Screen;
			Bedroom Curtains; Stehlampe; Store; Gateway; Heater; Interruptor Encimera; Porch Switch; Terrassenschalter; Hotte; Shepherd Lamp; Mental Note;
			Garage Shade 2 South; Gas Meter`,
	}
	for want, names := range tests {
		for name := range strings.SplitSeq(names, ";") {
			name = strings.TrimSpace(name)
			for _, domain := range actDomains {
				for _, e := range []home.Entity{
					{Name: name, Domain: domain},
					{Name: "Relay 3", Aliases: []string{"Relay", name}, Domain: domain},
				} {
					if got := e.Hazards(); got&want != want || want == 0 && got != 0 {
						t.Errorf("%s %q, aliases %q: hazards %b, want %b", domain, e.Name, e.Aliases, got, want)
					}
				}
			}
			if got := (&home.Entity{Name: name, Domain: "sensor"}).Hazards(); got != 0 {
				t.Errorf("a sensor %q: %b", name, got)
			}
		}
	}
}

func TestHazardsInContext(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entity home.Entity
		want   home.Hazard
	}{
		"a door in the garage":          {home.Entity{Name: "Door", Area: "Garage", Domain: "switch"}, home.Gate},
		"an opener in the garage":       {home.Entity{Name: "Opener", Area: "Garage", Domain: "switch"}, home.Gate},
		"an opener elsewhere":           {home.Entity{Name: "Opener", Area: "Kitchen", Domain: "switch"}, 0},
		"the main of the water":         {home.Entity{Name: "Main", Area: "Water", Domain: "switch"}, home.Wet},
		"a light in the garage":         {home.Entity{Name: "Light", Area: "Garage", Domain: "light"}, 0},
		"a relay in the garage":         {home.Entity{Name: "Workbench", Area: "Garage", Domain: "switch"}, 0},
		"a cover in the garage":         {home.Entity{Name: "Left", Area: "Garage", Domain: "cover"}, home.Gate},
		"a shade in the garage":         {home.Entity{Name: "Shade", Area: "Garage", Domain: "cover"}, 0},
		"a cover of that class":         {home.Entity{Name: "Big One", Domain: "cover", Attributes: map[string]any{"device_class": "gate"}}, home.Gate},
		"a blind by class, a gate":      {home.Entity{Name: "Hoftor", Domain: "cover", Attributes: map[string]any{"device_class": "blind"}}, home.Gate},
		"the garage's thermostat":       {home.Entity{Name: "Garage", Domain: "climate"}, 0},
		"an oven as a thermostat":       {home.Entity{Name: "Wall Oven", Domain: "climate"}, home.Hot},
		"a radiator's valve":            {home.Entity{Name: "Heizkörperventil", Domain: "climate"}, 0},
		"a valve of any name":           {home.Entity{Name: "Left", Domain: "valve"}, home.Wet},
		"hot water of any name":         {home.Entity{Name: "Left", Domain: "water_heater"}, home.Hot},
		"a siren of any name":           {home.Entity{Name: "Left", Domain: "siren"}, home.Loud},
		"a siren by class":              {home.Entity{Name: "Left", Domain: "switch", Attributes: map[string]any{"device_class": "siren"}}, home.Loud},
		"a light with a dangerous name": {home.Entity{Name: "Garage Light", Aliases: []string{"garage door"}, Domain: "light"}, home.Gate},
	}
	for name, tc := range tests {
		if got := tc.entity.Hazards(); got != tc.want {
			t.Errorf("%s: %b, want %b", name, got, tc.want)
		}
	}
}

func FuzzHazards(f *testing.F) {
	f.Add("Garage Door", "Garage")
	f.Add("Türöffner (Licht) & 🚪\u0308", "")
	f.Add("four", "\xff")
	f.Fuzz(func(_ *testing.T, name, area string) {
		_ = home.NamesHazard(area, name)
		_ = home.IsShade(name)
	})
}
