package answer_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"voicegateway/internal/answer"
	"voicegateway/internal/dialogue/safety"
	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// villa is a house of three rooms with names in a language: kitchen, office and
// cellar, each with a thermometer, of which the cellar's cannot be reached.
func villa(called []string) *home.House {
	h := &home.House{}
	for _, room := range called[:3] {
		h.Areas = append(h.Areas, home.Area{Name: room})
	}
	for i, thing := range []struct {
		domain, class string
		room          int
		can           home.Ability
	}{
		{"light", "", 0, home.OnOff},
		{"light", "", 1, home.OnOff},
		{"light", "", 0, home.OnOff},
		{"cover", "blind", 0, home.OpenClose},
		{"cover", "garage", 2, home.OpenClose},
		{"sensor", "temperature", 0, "temperature"},
		{"sensor", "temperature", 1, "temperature"},
		{"sensor", "temperature", 2, "temperature"},
	} {
		name := called[3+i]
		e := home.Entity{ID: name, Name: name, Domain: thing.domain, Area: called[thing.room], Abilities: []home.Ability{thing.can}, Server: "zwave"}
		e.Control, e.Read = &home.Control{Tool: "control", ID: name}, &home.Control{Tool: "read", ID: name}
		if thing.domain == "light" {
			e.Abilities = append(e.Abilities, home.Brightness)
		}
		if thing.class != "" {
			e.Attributes = map[string]any{"device_class": thing.class}
		}
		h.Entities = append(h.Entities, e)
	}
	return h
}

// answersOf makes the calls of a villa: its things obey, 20 degrees are in the
// kitchen, 22.5 in the office.
func answersOf(called []string) func(context.Context, tools.Call) (tools.Result, error) {
	degrees := map[string]string{called[8]: `{"value":20,"unit":"°C"}`, called[9]: `{"value":22.5,"unit":"°C"}`, called[10]: `{"reachable":false,"reason":"dead"}`}
	return func(_ context.Context, c tools.Call) (tools.Result, error) {
		var args struct {
			Device string `json:"device_name"`
			Action string `json:"action"`
			Zone   string `json:"zone"`
			Days   int    `json:"days"`
		}
		if err := json.Unmarshal(c.Args, &args); err != nil {
			return tools.Result{}, err
		}
		switch {
		case c.Tool == "control":
			return tools.Result{Receipt: &tools.Receipt{Device: args.Device, Property: args.Action, Outcome: tools.Confirmed, Value: args.Action}}, nil
		case c.Tool == "set_volume":
			return tools.Result{Data: json.RawMessage(`{"level":40,"muted":false,"backend":"software"}`)}, nil
		case args.Zone == "atlantis":
			return tools.Result{Failed: true, Text: "I don't know the time zone of atlantis."}, nil
		case args.Zone != "":
			return tools.Result{Text: "It's 3:45 AM tomorrow in Tokyo.", Data: json.RawMessage(`{"time":"2026-11-22T03:45:00+09:00","place":"Tokyo","other":1}`)}, nil
		case c.Tool == "get_datetime":
			return tools.Result{Text: "Tomorrow is Sunday, 22 November.", Data: fmt.Appendf(nil, `{"time":"2026-11-22T19:45:00Z","days":%d}`, args.Days)}, nil
		}
		return tools.Result{Data: json.RawMessage(degrees[args.Device])}, nil
	}
}

// TestShortSentencesAreAnswered: what a family hears after a short sentence, and
// that nothing is done where one thing of it cannot be.
func TestShortSentencesAreAnswered(t *testing.T) {
	t.Parallel()
	for language, tt := range map[string]struct {
		called []string
		said   [][2]string
	}{
		"en": {
			[]string{"Kitchen", "Office", "Cellar", "Kitchen Light", "Desk Lamp", "Counter Light", "Kitchen Blinds", "Garage Door", "Kitchen Thermometer", "Office Thermometer", "Cellar Thermometer"},
			[][2]string{
				{"turn on the kitchen light and the desk lamp", "The kitchen light is on. The desk lamp is on."},
				{"turn off all the lights except the desk lamp", "2 lights are off."},
				{"turn on the kitchen light and the sauna", "I don't know a sauna here. I did nothing."},
				{"turn off all the lights except the sauna", "I don't know a sauna here."},
				{"close the blinds and open the garage door", "Opening the garage door is switched off here. I did nothing."},
				{"turn everything off", "3 lights are off."},
				{"turn off everything in the cellar", "There is nothing there to switch off."},
				{"turn off the lights in the office except the desk lamp", "That leaves nothing to do."},
				{"what time is it in tokyo", "It's 3:45 AM tomorrow in Tokyo."},
				{"what time is it in atlantis", "I don't know the time in Atlantis."},
				{"what day is tomorrow", "Tomorrow is Sunday, 22 November."},
				{"what is the volume", "The volume is at 40 percent."},
				{"is it warmer in the kitchen or the office", "The office is warmer: 22.5 against 20 degrees."},
				{"is the office warmer than the kitchen", "Yes, the office is warmer: 22.5 against 20 degrees."},
				{"is the kitchen warmer than the office", "No, the office is warmer: 22.5 against 20 degrees."},
				{"is it colder in the office or the cellar", "The office is at 22.5 degrees. I have no reading from the cellar."},
				{"which room is the warmest", "The office is warmest, at 22.5 degrees. I have no reading from the cellar."},
				{"thank you", "You're welcome."},
				{"set the kitchen light to 150 percent", "That goes from 0 to 100 percent."},
			},
		},
		"de": {
			[]string{"Küche", "Büro", "Keller", "Küchenlicht", "Schreibtischlampe", "Thekenlicht", "Küchenjalousie", "Garagentor", "Küchenthermometer", "Bürothermometer", "Kellerthermometer"},
			[][2]string{
				{"mach das Küchenlicht und die Schreibtischlampe an", "Küchenlicht ist an. Schreibtischlampe ist an."},
				{"mach alle Lichter aus außer der Schreibtischlampe", "2 Lichter sind aus."},
				{"mach das Küchenlicht und die Sauna an", "Sauna kenne ich hier nicht. Ich habe nichts getan."},
				{"schließe die Küchenjalousie und öffne das Garagentor", "Garagentor öffnen ist hier abgeschaltet. Ich habe nichts getan."},
				{"alles aus", "3 Lichter sind aus."},
				{"wie spät ist es in Tokio", "Tokyo: Es ist 3 Uhr 45. Dort ist schon morgen."},
				{"wie spät ist es in Atlantis", "Die Uhrzeit in Atlantis kenne ich nicht."},
				{"welcher Tag ist morgen", "Morgen ist Sonntag, der 22. November."},
				{"wie laut bist du", "Die Lautstärke ist bei 40 Prozent."},
				{"ist es im Büro oder in der Küche wärmer", "Büro ist wärmer: 22.5 gegen 20 Grad."},
				{"ist es in der Küche wärmer als im Büro", "Nein, Büro ist wärmer: 22.5 gegen 20 Grad."},
				{"welches Zimmer ist am wärmsten", "Am wärmsten: Büro mit 22.5 Grad. Kein Messwert aus Keller."},
				{"danke", "Gern geschehen."},
				{"stell das Küchenlicht auf 150 Prozent", "Das geht von 0 bis 100 Prozent."},
			},
		},
		"es": {
			[]string{"Cocina", "Oficina", "Bodega", "Luz de la Cocina", "Lámpara del Escritorio", "Luz de la Barra", "Estor de la Cocina", "Puerta del Garaje", "Termómetro de la Cocina", "Termómetro de la Oficina", "Termómetro de la Bodega"},
			[][2]string{
				{"enciende la luz de la cocina y la lámpara del escritorio", "He encendido Luz de la Cocina. He encendido Lámpara del Escritorio."},
				{"apaga todas las luces menos la lámpara del escritorio", "He apagado 2 luces."},
				{"cierra el estor de la cocina y abre la puerta del garaje", "Abrir Puerta del Garaje está desactivado aquí. No he hecho nada."},
				{"qué hora es en tokio", "Tokyo: son las 3 y 45. Allí ya es mañana."},
				{"qué día es mañana", "Mañana es domingo, 22 de noviembre."},
				{"qué volumen hay", "El volumen está al 40 por ciento."},
				{"hace más calor en la oficina o en la cocina", "Hace más calor en Oficina: 22.5 frente a 20 grados."},
				{"dónde hace más frío", "Donde más frío hace: Cocina, 20 grados. No tengo lectura de Bodega."},
				{"gracias", "De nada."},
				{"pon la luz de la cocina al 150 por ciento", "Eso va de 0 a 100 por ciento."},
			},
		},
		"fr": {
			[]string{"Cuisine", "Bureau", "Cave", "Lumière de la Cuisine", "Lampe de Bureau", "Lumière du Bar", "Store de la Cuisine", "Porte de Garage", "Thermomètre de la Cuisine", "Thermomètre du Bureau", "Thermomètre de la Cave"},
			[][2]string{
				{"allume la lumière de la cuisine et la lampe de bureau", "Lumière de la Cuisine : allumé. Lampe de Bureau : allumé."},
				{"éteins toutes les lumières sauf la lampe de bureau", "2 lumières : éteint."},
				{"ferme le store de la cuisine et ouvre la porte de garage", "Ouvrir Porte de Garage est désactivé ici. Je n'ai rien fait."},
				{"quelle heure est-il à Tokyo", "Tokyo : il est 3 heures 45. Là-bas, c'est déjà demain."},
				{"on est quel jour demain", "Demain, c'est dimanche 22 novembre."},
				{"quel est le volume", "Le volume est à 40 pour cent."},
				{"fait-il plus chaud dans le bureau ou dans la cuisine", "Plus chaud : Bureau, 22.5 contre 20 degrés."},
				{"où fait-il le plus froid", "Le plus froid : Cuisine, 20 degrés. Aucune mesure de Cave."},
				{"merci", "De rien."},
				{"mets la lumière de la cuisine à 150 pour cent", "Cela va de 0 à 100 pour cent."},
			},
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			a := resident(t, language, villa(tt.called), answersOf(tt.called))
			for _, line := range tt.said {
				rec := a.Turn(t.Context(), record.Request{Text: line[0], Source: record.FromHTTP})
				t.Logf("%-62s %s", line[0], rec.Reply)
				if rec.Reply != line[1] {
					t.Errorf("%q: %q, want %q", line[0], rec.Reply, line[1])
				}
			}
		})
	}
}

// resident is an answerer in a house, without a model.
func resident(t *testing.T, language string, h *home.House, call func(context.Context, tools.Call) (tools.Result, error)) *answer.Answerer {
	t.Helper()
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	a, err := answer.New(&fake.Matcher{MatchFunc: m.Match, Home: h}, &fake.Caller{CallFunc: call}, &fake.Assistant{}, phrases,
		safety.Limits{FanOutLimit: 5}, answer.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
