//go:build accept

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
)

// TestAcceptTimersBySentence: spoken sentences become timers, which ring until the user
// says stop, or carry out a command.
func TestAcceptTimersBySentence(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	simulate(t, broker)
	_, http, _ := daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn off the kitchen light")) })
	for _, step := range []struct {
		text, reply string
		outcome     record.Outcome
	}{
		{"pasta timer for nine minutes", "Nine minutes, pasta.", record.Done},
		{"wake me tomorrow at half past seven", "7:30", record.Done},
		{"remind me to call mum in 20 minutes", "call mum", record.Done},
		{"add five minutes to the pasta timer", "Fourteen minutes", record.Done},
		{"pause the pasta timer", "pasta", record.Done},
		{"resume the pasta timer", "Fourteen minutes", record.Done},
		{"cancel the rice timer", "rice", record.Done},
		{"unlock the front door in ten minutes", "", record.Failed},
		{"turn on the kitchen light in 2 seconds", "goes on in two seconds", record.Done},
		{"set a timer for 1 second called rice", "rice", record.Done},
		{"turn on the bedroom lamp for 2 seconds", "on for two seconds.", record.Done},
	} {
		r := ask(t, http, step.text)
		t.Logf("%-42s %-7s %s", step.text, r.Outcome, r.Reply)
		if r.Outcome != step.outcome || !strings.Contains(r.Reply, step.reply) {
			t.Errorf("%s: %+v", step.text, r)
		}
	}
	eventually(t, "the light is on", func() bool {
		return stranger.has("voice/test/turn", `"source":"timer"`, `"confirmed":true`, "The kitchen light is on.")
	})
	eventually(t, "the lamp is off again", func() bool {
		return stranger.has("voice/test/turn", `"source":"timer"`, `"LocalUndo"`, `"device":"Bedroom Lamp"`, `"value":"off"`, `"confirmed":true`)
	})
	kinds := func() string {
		var list []timers.Timer
		if err := get(t, http, "/api/timers", &list); err != nil {
			return err.Error()
		}
		var all []string
		for _, timer := range list {
			all = append(all, string(timer.Kind)+" "+string(timer.State))
		}
		return strings.Join(all, ", ")
	}
	eventually(t, "it rings", func() bool { return kinds() == "timer ringing, timer running, reminder running, alarm running" })
	if !stranger.has("voice/test/announce", `"kind":"timer"`, "The rice timer.") {
		t.Errorf("announced: %q", stranger.on("voice/test/announce"))
	}
	n := 0
	eventually(t, "stop ends it, once it was heard", func() bool {
		n++
		stranger.say(t, "stop", fmt.Sprintf(`{"id":"stop%d"}`, n))
		return kinds() == "timer running, reminder running, alarm running"
	})
}
