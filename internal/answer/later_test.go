package answer_test

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
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// clerk answers the tools for timers in front of a world, which does the rest. It keeps
// what was started, and writes its calls down among those of the world.
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

// TestLater follows what is said of commands for later and timers up to the call and
// the reply. A line is said to a house in which the lines before it were said; "++"
// goes on in the open ear.
func TestLater(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		language string
		lines    [][3]string // said, calls, reply
	}{
		"a command for later": {"en", [][3]string{
			{"turn off the kitchen light in ten minutes", `start_timer {"area":"Kitchen","command":"turn off the kitchen light","kind":"command","seconds":600}`, "The kitchen light goes off in ten minutes."},
		}},
		"at a time": {"en", [][3]string{
			{"every weekday at seven open the bedroom curtain", `start_timer {"area":"Kitchen","at":"07:00","command":"open the bedroom curtain","every":"weekday","kind":"command"}`, "I'll open the bedroom curtain every weekday at 7 AM."},
		}},
		"a dangerous one": {"en", [][3]string{
			{"unlock the front door in ten minutes", "-", "I don't do that later. Ask me when it is time."},
			{"at eight open the garage door", "-", "I don't do that later. Ask me when it is time."},
		}},
		"nothing that cannot be done": {"en", [][3]string{{"turn off the zyxel in ten minutes", "-", "I don't know a zyxel here."}}},
		"put back": {"en", [][3]string{
			{"turn on the kitchen light ++ in ten minutes", `kitchen_light off; kitchen_light on; start_timer {"area":"Kitchen","command":"turn on the kitchen light","kind":"command","seconds":600}`, "The kitchen light goes on in ten minutes."},
		}},
		"put back what was open": {"en", [][3]string{
			{"close the bedroom curtain ++ at eight", "", "I'll close the bedroom curtain at 8 AM tomorrow."},
		}},
		"it": {"en", [][3]string{
			{"turn on the kitchen light", "kitchen_light on", "The kitchen light is on."},
			{"turn it off in ten minutes", `start_timer {"area":"Kitchen","command":"turn kitchen light off","kind":"command","seconds":600}`, "The kitchen light goes off in ten minutes."},
		}},
		"it after two things": {"en", [][3]string{
			{"turn on the kitchen light and the fan", "", "The kitchen light is on. The fan is on."},
			{"turn it off in ten minutes", "-", "That was no order, so I did nothing."},
		}},
		"one now and one later": {"en", [][3]string{
			{"turn on the kitchen light and turn off the fan in ten minutes", `kitchen_light on; start_timer {"area":"Kitchen","command":"turn off the fan","kind":"command","seconds":600}`, "The kitchen light is on. The fan goes off in ten minutes."},
			{"remind me to take the cake out in 20 minutes and turn on the fan", `fan on; start_timer {"area":"Kitchen","kind":"reminder","seconds":1200,"text":"take the cake out"}`, "In twenty minutes: take the cake out. The fan is on."},
			{"tomorrow turn on the kitchen light and turn off the fan in ten minutes", "-", "That was no order, so I did nothing."},
		}},
		"many": {"en", [][3]string{
			{"in ten minutes open all the blinds and turn on all the lights", "-", "That is 6 devices. Shall I go on?"},
			{"yes", `start_timer {"area":"Kitchen","command":"open all the blinds and turn on all the lights","confirmed":true,"kind":"command","seconds":600}`, "In ten minutes: open all the blinds and turn on all the lights."},
		}},
		"how long": {"en", [][3]string{
			{"set a timer for the eggs", "-", "For how long?"},
			{"seven minutes", `start_timer {"area":"Kitchen","kind":"timer","name":"eggs","seconds":420}`, "Seven minutes, eggs."},
		}},
		"when": {"en", [][3]string{
			{"remind me to call mum", "-", "When?"},
			{"at six", `start_timer {"area":"Kitchen","at":"06:00","kind":"reminder","text":"call mum","twelve":true}`, "At 6 AM tomorrow: call mum."},
		}},
		"another command is no answer": {"en", [][3]string{
			{"remind me to call mum", "-", "When?"},
			{"turn on the kitchen light", "kitchen_light on", "The kitchen light is on."},
		}},
		"which": {"en", [][3]string{
			{"pasta timer for nine minutes", `start_timer {"area":"Kitchen","kind":"timer","name":"pasta","seconds":540}`, "Nine minutes, pasta."},
			{"set a timer for ten minutes", `start_timer {"area":"Kitchen","kind":"timer","seconds":600}`, "Ten minutes."},
			{"cancel the timer", `change_timer {"action":"cancel","area":"Kitchen","which":{"kind":"timer"}}`, "Which one, pasta or ten minutes?"},
			{"the 10 minutes one", `change_timer {"action":"cancel","area":"Kitchen","which":{"id":"2","kind":"timer"}}`, "Cancelled: the timer for ten minutes."},
			{"cancel the timer", `change_timer {"action":"cancel","area":"Kitchen","which":{"kind":"timer"}}`, "Which one, pasta or ten minutes?"},
			{"the pasta", `change_timer {"action":"cancel","area":"Kitchen","which":{"id":"1","kind":"timer"}}`, "Cancelled: the pasta timer."},
			{"cancel the timer", `change_timer {"action":"cancel","area":"Kitchen","which":{"kind":"timer"}}`, "Which one, pasta or ten minutes?"},
			{"both", `change_timer {"action":"cancel_all","area":"Kitchen","which":{"kind":"timer"}}`, "I cancelled 2."},
		}},
		"German": {"de", [][3]string{
			{"schalte das Küchenlicht in zehn Minuten aus", `start_timer {"area":"Kitchen","command":"schalte das küchenlicht aus","kind":"command","seconds":600}`, "Küchenlicht geht in zehn Minuten aus."},
			{"schließ die Haustür in zehn Minuten auf", "-", "Das mache ich nicht später. Frag mich, wenn es so weit ist."},
			{"mach das Küchenlicht an", "kitchen_light on", "Küchenlicht ist an."},
			{"mach es in zehn Minuten aus", `start_timer {"area":"Kitchen","command":"mach küchenlicht aus","kind":"command","seconds":600}`, "Küchenlicht geht in zehn Minuten aus."},
			{"weck mich um halb acht", `start_timer {"area":"Kitchen","at":"07:30","kind":"alarm"}`, "Wecker morgen um 7 Uhr 30."},
		}},
		"Spanish": {"es", [][3]string{
			{"apaga la luz de la cocina dentro de media hora", `start_timer {"area":"Kitchen","command":"apaga la luz de la cocina","kind":"command","seconds":1800}`, "Apagaré Luz de la cocina en treinta minutos."},
			{"pon un temporizador para los huevos", "-", "¿Cuánto tiempo?"}, //nolint:misspell // Spanish
			{"siete minutos", `start_timer {"area":"Kitchen","kind":"timer","name":"huevos","seconds":420}`, "Siete minutos, huevos."},
		}},
		"French": {"fr", [][3]string{
			{"éteins la lumière de la cuisine dans un quart d'heure", `start_timer {"area":"Kitchen","command":"éteins la lumière de la cuisine","kind":"command","seconds":900}`, "J'éteindrai Lumière de la cuisine dans quinze minutes."},
			{"rappelle-moi d'appeler maman", "-", "Quand ?"},
			{"à six heures", `start_timer {"area":"Kitchen","at":"06:00","kind":"reminder","text":"appeler maman","twelve":true}`, "Demain à 6 heures : appeler maman."},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := move(t, tt.language)
			f.area, f.source = "Kitchen", record.FromMic
			for _, line := range tt.lines {
				_, calls, said := f.hear(line[0])
				if calls != line[1] && line[1] != "" || said != line[2] {
					t.Errorf("%q: made %s and said %q, want %s and %q", line[0], calls, said, line[1], line[2])
				}
			}
		})
	}
}
