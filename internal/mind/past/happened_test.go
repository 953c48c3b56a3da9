package past

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/tools"
)

// TestWhatHappened plays an evening and checks what is told of it: each thing once, with who it
// was, and in the order of the time.
func TestWhatHappened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		phrases, err := reply.Ours("en")
		if err != nil {
			t.Fatal(err)
		}
		thing := func(id, name, domain, area, class string) home.Entity {
			return home.Entity{ID: id, Name: name, Domain: domain, Area: area, Server: "zwave", Control: &home.Control{Tool: "set", ID: id}, Attributes: map[string]any{"device_class": class}}
		}
		house := &home.House{Areas: []home.Area{{Name: "Office"}, {Name: "Hall"}}, Entities: []home.Entity{
			thing("lamp", "Desk Lamp", "light", "Office", ""), thing("plug", "Heater", "switch", "Office", ""), thing("door", "Front Door", "lock", "Hall", ""), thing("smoke", "Smoke Alarm", "binary_sensor", "Hall", "smoke"),
			thing("warm", "Thermometer", "sensor", "Hall", "temperature"),
		}}
		began := time.Now()
		a := Account{House: house, Acts: &Ledger{}, Reports: &Reports{}, Phrases: phrases, Mine: func(*Entry) bool { return false }}
		report := func(id, property string, state any, change func(e *home.Event)) {
			<-time.After(time.Minute)
			e := home.Event{Kind: home.Reported, Entity: id, Area: house.Entity(id).Area, Property: property, State: state, Time: time.Now()}
			if change != nil {
				change(&e)
			}
			a.Reports.Note(e)
		}
		turn := func(q record.Request, outcome tools.Outcome, things ...string) {
			<-time.After(time.Minute)
			rec := &record.Record{ID: record.NewID()}
			for _, id := range things {
				receipt := record.Receipt(tools.Receipt{Device: house.Entity(id).Name, Property: "on_off", Value: "on", Outcome: outcome, Reason: tools.Unconfirmed})
				rec.Calls = append(rec.Calls, record.CallMade{Server: "zwave", Receipt: &receipt})
			}
			a.Acts.Note(house, q, rec, intent.Decision{})
		}
		ours := func(e *home.Event) { e.Ours = true }
		report("lamp", "on_off", "off", func(e *home.Event) { e.First = true }) // how it was is nothing that happened
		report("warm", "temperature", 21.5, nil)                                // a measurement
		report("door", "lock", "unlocked", nil)                                 // by hand
		report("lamp", "on_off", "on", ours)                                    // the report of the act that follows
		turn(record.Request{Source: record.FromMic}, tools.Confirmed, "lamp", "plug")
		report("plug", "on_off", "off", func(e *home.Event) { e.Ours, e.Time = true, e.Time.Add(10*time.Minute) }) // another program
		turn(record.Request{Source: record.FromPage, Control: &record.Control{Thing: "lamp", Do: "on"}}, tools.Accepted, "lamp")
		report("smoke", "smoke", "detected", func(e *home.Event) { e.Class = "smoke" })
		a.Reports.Note(home.Event{Kind: home.Pressed, Thing: "Bedside Button", Area: "Hall", Press: "pressed", Time: time.Now()})
		a.Reports.Rang("The timer is up.", time.Now())
		want := []string{
			"report Front Door unlocked itself", "act Desk Lamp on mic", "act Heater on mic", "act Desk Lamp on tap unsure", "report Smoke Alarm smoke itself",
			"press Bedside Button  button", "ring  The timer is up. timer", "report Heater off program",
		}
		told := func(from, to time.Time, area string) (all []string) {
			for _, h := range a.Happened(from, to, area) {
				line := fmt.Sprintf("%s %s %s %s", h.Kind, h.Name, h.Said, h.By)
				if h.Unsure {
					line += " unsure"
				}
				all = append(all, line)
			}
			return all
		}
		if got := told(time.Time{}, time.Now().Add(time.Hour), ""); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("it is told:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got := told(time.Time{}, time.Now(), "hall"); len(got) != 3 {
			t.Errorf("in the hall: %q", got)
		}
		at := func(minutes int) string { return phrases.TimeOfDay(began.Add(time.Duration(minutes) * time.Minute)) }
		if got, want := a.SayHappened(began, began.Add(5*time.Minute), began, ""), "At "+at(3)+" the front door reported: unlocked. At "+at(5)+" I turned the desk lamp on and turned the heater on."; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		if got := a.SayHappened(time.Time{}, time.Now().Add(time.Hour), began, ""); !strings.HasPrefix(got, "These are the last of 7.") || strings.Count(got, "At ") != 4 || !strings.Contains(got, "it rang: The timer is up.") {
			t.Errorf("of all it says %q", got)
		}
		if got, want := a.SayHappened(began.Add(-time.Hour), began, began, ""), "Nothing that I know of. I only know what has happened since "+at(0)+"."; got != want {
			t.Errorf("of the time before it says %q, want %q", got, want)
		}
	})
}

// TestWhatWasAnotherDayIsToldWithIt: half past six of yesterday evening is told as that, not as a
// time of a today that has not got there yet.
func TestWhatWasAnotherDayIsToldWithIt(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][3]string{
		"en": {"At 6:30 PM the button Bedside was pressed.", "At 6:30 PM yesterday the button Bedside was pressed.", "At 6:30 PM on Saturday the button Bedside was pressed."},
		"de": {"Um 18 Uhr 30 wurde der Taster Bedside gedrückt.", "Gestern um 18 Uhr 30 wurde der Taster Bedside gedrückt.", "Am Samstag um 18 Uhr 30 wurde der Taster Bedside gedrückt."},
		"es": {"A las 18:30 se pulsó el botón Bedside.", "Ayer a las 18:30 se pulsó el botón Bedside.", "El sábado a las 18:30 se pulsó el botón Bedside."},
		"fr": {"À 18 heures 30, le bouton Bedside a été actionné.", "Hier à 18 heures 30, le bouton Bedside a été actionné.", "Samedi à 18 heures 30, le bouton Bedside a été actionné."},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				phrases, err := reply.Ours(lang)
				if err != nil {
					t.Fatal(err)
				}
				y, m, d := time.Now().Local().Date() // Saturday, the first of January 2000
				evening := time.Date(y, m, d, 18, 30, 0, 0, time.Local)
				<-time.After(time.Until(evening))
				a := Account{House: &home.House{}, Acts: &Ledger{}, Reports: &Reports{}, Phrases: phrases}
				a.Reports.Note(home.Event{Kind: home.Pressed, Thing: "Bedside", Press: "pressed", Time: time.Now()})
				for days, want := range want {
					<-time.After(time.Until(evening.AddDate(0, 0, days).Add(time.Hour)))
					if got := a.SayHappened(time.Time{}, time.Now(), evening, ""); got != want {
						t.Errorf("after %d days: %q, want %q", days, got, want)
					}
				}
			})
		})
	}
}

// TestWhatFlickersPushesNothingOut checks the bounds of what is kept.
func TestWhatFlickersPushesNothingOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r Reports
		note := func(device string) {
			r.Note(home.Event{Kind: home.Reported, Entity: device, Property: "on_off", State: "on", Time: time.Now()})
		}
		note("door")
		for range 3 * mostOfThing {
			note("lamp")
		}
		if got := r.between(time.Time{}, time.Now()); len(got) != mostOfThing+1 || got[0].Device != "door" {
			t.Errorf("%d are kept, the first of %s", len(got), got[0].Device)
		}
		for i := range 2 * mostNoted {
			note(fmt.Sprint(i))
		}
		if got := len(r.between(time.Time{}, time.Now())); got != mostNoted {
			t.Errorf("%d are kept, at most %d should be", got, mostNoted)
		}
		<-time.After(notedFor + time.Minute)
		for range mostNoted {
			note("door")
		}
		if got := len(r.between(time.Time{}, time.Now().Add(-time.Hour))); got != 0 {
			t.Errorf("%d are older than they may be", got)
		}
	})
}
