package mind_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/keep/record"
)

// TestWhatATimerDidIsTakenBack: a user in the room may take back what a timer did there,
// for as long as anything else; users in other rooms may not.
func TestWhatATimerDidIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		room  string
		first string // said in that room before
		wait  time.Duration
		twice bool
		want  string // the left lamp, afterwards
	}{
		"in its room":              {room: "Bedroom", want: "off"},
		"in its room, twice":       {room: "Bedroom", twice: true, want: "on"},
		"in another room":          {room: "Kitchen", want: "on"},
		"too late":                 {room: "Bedroom", wait: 5 * time.Minute, want: "on"},
		"after another word there": {room: "Bedroom", first: "turn on the kitchen light", want: "off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := converse(t, "en", nil)
				k.line("[" + tt.room + "]")
				if tt.first != "" {
					k.line(tt.first)
					<-time.After(time.Second)
				}
				rec := k.answer.Turn(t.Context(), record.Request{Text: "turn on the left lamp", Area: "Bedroom", Source: record.FromTimer, Aloud: true})
				if rec.Outcome != record.Done || rec.Source != record.FromTimer || len(rec.Calls) != 1 || rec.Calls[0].Receipt == nil {
					t.Fatalf("%+v", rec)
				}
				<-time.After(time.Second + tt.wait)
				k.line("undo")
				if tt.twice {
					k.line("undo")
				}
				if got := k.world.State["Left Lamp"]["on_off"]; got != tt.want {
					t.Errorf("the lamp is %v, expected %s; said %q", got, tt.want, k.said)
				}
			})
		})
	}
}

// TestACommandIsWeighedBeforeItIsKept: what must not be done later is found out when it
// is ordered, and nothing is done for that.
func TestACommandIsWeighedBeforeItIsKept(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		outcome   record.Outcome
		risk      string
		confirmed bool
	}{
		"turn on the left lamp":    {outcome: record.Ignored, risk: "reversible"},
		"unlock the front door":    {outcome: record.Failed, risk: "dangerous"},
		"turn on all the lights":   {outcome: record.Asked, risk: "reversible"},
		"turn on the lights":       {outcome: record.Ignored, risk: "reversible", confirmed: true},
		"open the pod bay doors":   {},
		"what is the meaning of i": {},
	} {
		k := converse(t, "en", nil)
		rec := k.answer.Turn(t.Context(), record.Request{Text: text, Area: "Bedroom", Source: record.FromTimer, DryRun: true, Confirmed: want.confirmed})
		if want.outcome != "" && (rec.Outcome != want.outcome || rec.Risk != want.risk) {
			t.Errorf("%s: %s, risk %s, %q %q", text, rec.Outcome, rec.Risk, rec.Reply, rec.Error)
		}
		if want.outcome == "" && rec.Route == record.RouteLocal {
			t.Errorf("%s: %+v", text, rec)
		}
		if len(k.world.Calls) != 0 {
			t.Errorf("%s: %q was done", text, k.world.Calls)
		}
	}
}
