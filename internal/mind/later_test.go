package mind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/tools"
)

// clerk answers the tools for timers, and passes all other calls on to a world. It
// keeps the started timers, and adds its calls to the world's.
type clerk struct {
	world *fake.World
	mu    sync.Mutex
	all   []reply.Timer
}

func (c *clerk) call(ctx context.Context, made tools.Call) (tools.Result, error) {
	if !strings.HasSuffix(made.Tool, "_timer") && made.Tool != "list_timers" {
		return c.world.Call(ctx, made)
	}
	var args struct {
		reply.Timer
		Seconds int64
		Action  string
		Which   struct{ ID, Name string }
	}
	if err := json.Unmarshal(made.Args, &args); err != nil {
		return tools.Result{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.world.Note(fmt.Sprintf("%s %s", made.Tool, made.Args))
	now := time.Date(2026, 11, 24, 15, 0, 0, 0, time.UTC)
	outcome, told := "started", c.all
	switch made.Tool {
	case "start_timer":
		t := args.Timer
		t.ID, t.Length, t.Left, t.State, t.Due = fmt.Sprint(len(c.all)+1), args.Seconds, args.Seconds, "running", now.Add(time.Duration(args.Seconds)*time.Second)
		if at, err := time.Parse("15:04", t.At); err == nil {
			t.Due = time.Date(2026, 11, 25, at.Hour(), at.Minute(), 0, 0, time.UTC)
		}
		c.all = append(c.all, t)
		told = c.all[len(c.all)-1:]
	case "list_timers":
		outcome = "listed"
	default:
		outcome = "several"
		for i, t := range c.all {
			if t.ID == args.Which.ID || t.Name != "" && t.Name == args.Which.Name {
				outcome, told = "cancelled", c.all[i:i+1]
			}
		}
		if args.Action == "cancel_all" {
			outcome = "cancelled"
		}
	}
	data, err := json.Marshal(map[string]any{"outcome": outcome, "timers": told, "now": now})
	return tools.Result{Data: data}, err
}

// TestLater follows commands for later and timers up to the call and the reply. A line is
// said to a house in which the lines before it were said; "++" continues in the open ear.
func TestLater(t *testing.T) {
	t.Parallel()
	golden := fake.ReadProse(t, "testdata/later.txtar")
	for _, c := range []struct {
		name  string
		lines map[string][][2]string // said and calls, by language
	}{
		{"a command for later", map[string][][2]string{
			"en": {{"turn off the kitchen light in ten minutes", `start_timer {"area":"Kitchen","command":"turn off the kitchen light","kind":"command","seconds":600}`}},
			"de": {{"schalte das Küchenlicht in zehn Minuten aus", `start_timer {"area":"Kitchen","command":"schalte das küchenlicht aus","kind":"command","seconds":600}`}},
			"fr": {{"éteins la lumière de la cuisine dans dix minutes", `start_timer {"area":"Kitchen","command":"éteins la lumière de la cuisine","kind":"command","seconds":600}`}},
			"es": {{"apaga la luz de la cocina en diez minutos", `start_timer {"area":"Kitchen","command":"apaga la luz de la cocina","kind":"command","seconds":600}`}},
		}},
		{"at a time", map[string][][2]string{
			"en": {{"every weekday at seven open the bedroom curtain", `start_timer {"area":"Kitchen","at":"07:00","command":"open the bedroom curtain","every":"weekday","kind":"command"}`}},
		}},
		{"a dangerous one", map[string][][2]string{
			"en": {
				{"unlock the front door in ten minutes", "-"},
				{"at eight open the garage door", "-"},
			},
			"de": {{"schließ die Haustür in zehn Minuten auf", "-"}},
			"es": {{"abre la puerta del garaje en diez minutos", "-"}},
		}},
		{"nothing that cannot be done", map[string][][2]string{
			"en": {{"turn off the zyxel in ten minutes", "-"}},
		}},
		{"put back", map[string][][2]string{
			"en": {{"turn on the kitchen light ++ in ten minutes", `kitchen_light off; kitchen_light on; start_timer {"area":"Kitchen","command":"turn on the kitchen light","kind":"command","seconds":600}`}},
		}},
		{"put back what was open", map[string][][2]string{
			"en": {{"close the bedroom curtain ++ at eight", ""}},
		}},
		{"it", map[string][][2]string{
			"en": {
				{"turn on the kitchen light", "kitchen_light on"},
				{"turn it off in ten minutes", `start_timer {"area":"Kitchen","command":"turn kitchen light off","kind":"command","seconds":600}`},
			},
			"de": {
				{"mach das Küchenlicht an", "kitchen_light on"},
				{"mach es in zehn Minuten aus", `start_timer {"area":"Kitchen","command":"mach küchenlicht aus","kind":"command","seconds":600}`},
			},
		}},
		{"it after two things", map[string][][2]string{
			"en": {
				{"turn on the kitchen light and the fan", ""},
				{"turn it off in ten minutes", "-"},
			},
		}},
		{"one now and one later", map[string][][2]string{
			"en": {
				{"turn on the kitchen light and turn off the fan in ten minutes", `kitchen_light on; start_timer {"area":"Kitchen","command":"turn off the fan","kind":"command","seconds":600}`},
				{"remind me to take the cake out in 20 minutes and turn on the fan", `fan on; start_timer {"area":"Kitchen","kind":"reminder","seconds":1200,"text":"take the cake out"}`},
				{"tomorrow turn on the kitchen light and turn off the fan in ten minutes", "-"},
			},
		}},
		{"many", map[string][][2]string{
			"en": {
				{"in ten minutes open all the blinds and turn on all the lights", "-"},
				{"yes", `start_timer {"area":"Kitchen","command":"open all the blinds and turn on all the lights","confirmed":true,"kind":"command","seconds":600}`},
			},
		}},
		{"how long", map[string][][2]string{
			"en": {
				{"set a timer for the eggs", "-"},
				{"seven minutes", `start_timer {"area":"Kitchen","kind":"timer","name":"eggs","seconds":420}`},
			},
			"de": {
				{"stell einen Timer für die Eier", "-"},
				{"sieben Minuten", `start_timer {"area":"Kitchen","kind":"timer","name":"eier","seconds":420}`},
			},
			"fr": {
				{"mets un minuteur pour les œufs", "-"},
				{"sept minutes", `start_timer {"area":"Kitchen","kind":"timer","name":"œufs","seconds":420}`},
			},
			"es": {
				{"pon un temporizador para los huevos", "-"},
				{"siete minutos", `start_timer {"area":"Kitchen","kind":"timer","name":"huevos","seconds":420}`},
			},
		}},
		{"when", map[string][][2]string{
			"en": {
				{"remind me to call mum", "-"},
				{"at six", `start_timer {"area":"Kitchen","at":"06:00","kind":"reminder","text":"call mum","twelve":true}`},
			},
			"fr": {
				{"rappelle-moi d'appeler maman", "-"},
				{"à six heures", `start_timer {"area":"Kitchen","at":"06:00","kind":"reminder","text":"appeler maman","twelve":true}`},
			},
			"es": {
				{"recuérdame llamar a mamá", "-"},
				{"a las seis", `start_timer {"area":"Kitchen","at":"06:00","kind":"reminder","text":"llamar a mamá","twelve":true}`},
			},
		}},
		{"another command is no answer", map[string][][2]string{
			"en": {
				{"remind me to call mum", "-"},
				{"turn on the kitchen light", "kitchen_light on"},
			},
		}},
		{"which", map[string][][2]string{
			"en": {
				{"pasta timer for nine minutes", `start_timer {"area":"Kitchen","kind":"timer","name":"pasta","seconds":540}`},
				{"set a timer for ten minutes", `start_timer {"area":"Kitchen","kind":"timer","seconds":600}`},
				{"cancel the timer", `change_timer {"action":"cancel","area":"Kitchen","which":{"kind":"timer"}}`},
				{"the 10 minutes one", `change_timer {"action":"cancel","area":"Kitchen","which":{"id":"2","kind":"timer"}}`},
				{"cancel the timer", `change_timer {"action":"cancel","area":"Kitchen","which":{"kind":"timer"}}`},
				{"the pasta", `change_timer {"action":"cancel","area":"Kitchen","which":{"id":"1","kind":"timer"}}`},
				{"cancel the timer", `change_timer {"action":"cancel","area":"Kitchen","which":{"kind":"timer"}}`},
				{"both", `change_timer {"action":"cancel_all","area":"Kitchen","which":{"area":"Kitchen","kind":"timer"}}`},
			},
		}},
		{"a command for a part of an hour later", map[string][][2]string{
			"en": {{"turn off the kitchen light in a quarter of an hour", `start_timer {"area":"Kitchen","command":"turn off the kitchen light","kind":"command","seconds":900}`}},
			"de": {{"schalte das Küchenlicht in einer Viertelstunde aus", `start_timer {"area":"Kitchen","command":"schalte das küchenlicht aus","kind":"command","seconds":900}`}},
			"fr": {{"éteins la lumière de la cuisine dans un quart d'heure", `start_timer {"area":"Kitchen","command":"éteins la lumière de la cuisine","kind":"command","seconds":900}`}},
			"es": {{"apaga la luz de la cocina dentro de media hora", `start_timer {"area":"Kitchen","command":"apaga la luz de la cocina","kind":"command","seconds":1800}`}},
		}},
		{"an alarm", map[string][][2]string{
			"en": {{"wake me at half past seven", `start_timer {"area":"Kitchen","at":"07:30","kind":"alarm"}`}},
			"de": {{"weck mich um halb acht", `start_timer {"area":"Kitchen","at":"07:30","kind":"alarm"}`}},
			"fr": {{"réveille-moi à sept heures et demie", `start_timer {"area":"Kitchen","at":"07:30","kind":"alarm"}`}},
			"es": {{"despiértame a las siete y media", `start_timer {"area":"Kitchen","at":"07:30","kind":"alarm"}`}},
		}},
	} {
		for _, language := range sentences.Languages() {
			if c.lines[language] == nil {
				continue
			}
			f := move(t, language)
			f.area, f.source = "Kitchen", record.FromMic
			for _, line := range c.lines[language] {
				_, calls, said := f.hear(line[0])
				if calls != line[1] && line[1] != "" {
					t.Errorf("%q: made %s, want %s", line[0], calls, line[1])
				}
				golden.Say(c.name, fake.ProseLine{Language: language, Asked: line[0], Said: said})
			}
		}
	}
	golden.Compare(t, *update)
}
