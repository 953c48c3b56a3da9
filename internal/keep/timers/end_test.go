package timers_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"voicegateway/internal/keep/timers"
)

// at is a moment so long after a Saturday's noon, and after the start of the program.
func at(after time.Duration) timers.Moment {
	return timers.Moment{Wall: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC).Add(after), Up: after}
}

// ending asks for an end of ten minutes of some things.
func ending(things ...string) timers.Wish {
	seconds := 600
	o := timers.Wish{Kind: timers.End, Seconds: &seconds, Command: "turn it on"}
	for _, thing := range things {
		o.Back = append(o.Back, timers.Back{Thing: thing, Name: thing, Was: json.RawMessage(`{}`)})
	}
	return o
}

// TestEnds: what is put back, when, and what ends it.
func TestEnds(t *testing.T) {
	t.Parallel()
	book := timers.Open(timers.Saved{}, at(0))
	if r := book.Start(timers.Wish{Kind: timers.End, Seconds: new(int)}, at(0)); r.Outcome != timers.Refused {
		t.Errorf("an end of nothing: %+v", r)
	}
	first, second := book.Start(ending("lamp", "fan"), at(0)), book.Start(ending("heater"), at(0))
	if first.Outcome != timers.Started || first.Timers[0].Name != "lamp, fan" || !slices.Equal(first.Timers[0].Things, []string{"lamp", "fan"}) {
		t.Fatalf("two things: %+v", first)
	}
	if !book.Touch([]string{"lamp", "heater"}, []string{second.Timers[0].ID}, at(time.Minute)) {
		t.Error("a touch has changed nothing")
	}
	if list := book.List(timers.Which{Kind: timers.Countdown}, "", at(time.Minute)).Timers; len(list) != 2 || list[0].Name != "fan" || list[1].Name != "heater" {
		t.Errorf("after a touch: %+v", list)
	}
	if _, waits := book.Ending("lamp"); waits {
		t.Error("the lamp is put back although it was touched")
	}
	// The program is off for two days, and killed while it puts back.
	for range 2 {
		kept, err := json.Marshal(book.Save())
		if err != nil {
			t.Fatal(err)
		}
		var saved timers.Saved
		if err := json.Unmarshal(kept, &saved); err != nil {
			t.Fatal(err)
		}
		book = timers.Open(saved, at(48*time.Hour))
		book.Advance(at(48 * time.Hour))
		if due := book.Errands(); len(due) != 2 || due[0].Back[0].Thing != "fan" || len(book.Notices()) != 0 {
			t.Errorf("after two days: %+v, told %+v", due, book.Notices())
		}
	}
	for _, e := range book.Errands() {
		book.Done(e.ID, "", "", at(48*time.Hour))
	}
	if left := book.List(timers.Which{}, "", at(48*time.Hour)).Timers; len(left) != 0 || len(book.Notices()) != 0 {
		t.Errorf("at the end: %+v", left)
	}
}

// TestSun: the times of the sun at a place, compared with an almanac to within three minutes.
func TestSun(t *testing.T) {
	t.Parallel()
	berlin, err := timers.ParsePlace("52.52, 13.405")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   string
		want string // on November 29, 2026, in UTC; the noon before it is over
	}{
		{"sunrise", "2026-11-29T06:51"},
		{"sunset", "2026-11-28T14:58"},
		{"sunset-30", "2026-11-28T14:28"},
		{"dusk", "2026-11-28T15:37"},
		{"dawn+15", "2026-11-29T06:27"},
	} {
		book := timers.Open(timers.Saved{}, at(0))
		book.Stands(berlin)
		r := book.Start(timers.Wish{Kind: timers.Alarm, At: c.at}, at(0))
		want, err := time.Parse("2006-01-02T15:04", c.want)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != timers.Started || r.Timers[0].Due.Sub(want).Abs() > 3*time.Minute || r.Timers[0].At != c.at {
			t.Errorf("%s: %+v, want %s", c.at, r, c.want)
		}
	}
	nowhere, tromsoe := timers.Open(timers.Saved{}, at(0)), timers.Open(timers.Saved{}, at(0))
	tromsoe.Stands(&timers.Place{Latitude: 69.65, Longitude: 18.96})
	if r := nowhere.Start(timers.Wish{Kind: timers.Alarm, At: "sunset"}, at(0)); r.Reason != timers.NoPlace {
		t.Errorf("without a place: %+v", r)
	}
	if r := tromsoe.Start(timers.Wish{Kind: timers.Alarm, At: "sunset"}, at(0)); r.Reason != timers.NoSun {
		t.Errorf("in the polar night: %+v", r)
	}
	// A daily alarm is computed again each day, through the polar night.
	if r := tromsoe.Start(timers.Wish{Kind: timers.Alarm, At: "sunset", Every: "day"}, at(0)); r.Outcome != timers.Started || r.Timers[0].Due.Month() != time.January {
		t.Errorf("every day: %+v", r)
	}
	for text, fits := range map[string]bool{"": true, "52.5,13.4": true, " -33.9 , 151.2 ": true, "52.5": false, "152, 13": false, "a, b": false, "52.5; 13.4": false, "NaN, 1": false} {
		if _, err := timers.ParsePlace(text); (err == nil) != fits {
			t.Errorf("%q: %v", text, err)
		}
	}
}
