package local

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestElsewhere: at 15:30 in London, the time and the clocks of other places.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 15, 30, 0, 0, london)
	for args, want := range map[string]string{
		`{"what":"time","zone":"zimbabwe"}`:                                "It's 5:30 PM in Zimbabwe.",
		`{"what":"time","zone":"Düsseldorf"}`:                              "It's 4:30 PM in Düsseldorf.",
		`{"what":"time","zone":"dusseldorf"}`:                              "It's 4:30 PM in Dusseldorf.",
		`{"what":"time","zone":"orlando florida"}`:                         "It's 10:30 AM in Orlando.",
		`{"what":"time","zone":"rio de janeiro, brazil"}`:                  "It's 12:30 PM in Rio De Janeiro.",
		`{"what":"time","zone":"paris texas"}`:                             "It's 9:30 AM in Texas.",
		`{"what":"time","zone":"xyzzy japan"}`:                             "It's 12:30 AM tomorrow in Japan.",
		`{"what":"time","zone":"ecuador"}`:                                 "It's 10:30 AM in Quito.",
		`{"what":"time","zone":"neuseeland"}`:                              "It's 4:30 AM tomorrow in Wellington.",
		`{"what":"time","zone":"alaska"}`:                                  "It's 6:30 AM in Alaska.",
		`{"what":"difference","zone":"tokyo"}`:                             "Tokyo is 9 hours ahead of here.",
		`{"what":"difference","from":"tokyo"}`:                             "Tokyo is 9 hours ahead of here.",
		`{"what":"difference","zone":"new york","from":"mumbai"}`:          "New York is 10 hours and 30 minutes behind Mumbai.",
		`{"what":"difference","zone":"lisbon"}`:                            "Lisbon has the same time as we do here.",
		`{"what":"difference","zone":"paris","from":"madrid"}`:             "Paris has the same time as Madrid.",
		`{"what":"difference"}`:                                            "That is the same place.",
		`{"what":"time","at":"12:00","zone":"tokyo"}`:                      "Then it's 9 PM in Tokyo.",
		`{"what":"time","at":"22:00","zone":"tokyo"}`:                      "Then it's 7 AM the next day in Tokyo.",
		`{"what":"time","at":"08:00","from":"tokyo"}`:                      "Then it's 11 PM the day before here.",
		`{"what":"time","at":"09:15","zone":"los angeles","from":"paris"}`: "Then it's 12:15 AM in Los Angeles.",
	} {
		byName, _ := kit(t, Default(), Deps{Now: func() time.Time { return now }, Zone: london})
		if got := call(t, byName["get_datetime"], args); got.Text != want || got.Failed {
			t.Errorf("%s: says %q, want %q", args, got.Text, want)
		}
	}
	byName, _ := kit(t, Default(), Deps{})
	for _, args := range []string{`{"what":"difference","from":"Atlantis"}`, `{"at":"12:00","zone":"tokyo","from":"Atlantis"}`} {
		if got := call(t, byName["get_datetime"], args); !got.Failed {
			t.Errorf("%s: says %q", args, got.Text)
		}
	}
}

// TestPlaces: every zone of the list exists, and places are found by their names.
func TestPlaces(t *testing.T) {
	t.Parallel()
	zone, zones, count := "", []string{}, 0
	for line := range strings.Lines(places) {
		line = strings.TrimSuffix(line, "\n")
		if name, isZone := strings.CutPrefix(line, "@"); isZone {
			zone = name
			if _, err := time.LoadLocation(zone); err != nil || slices.Contains(zones, zone) {
				t.Errorf("the zone %q: %v", zone, err)
			}
			zones = append(zones, zone)
			continue
		}
		if count++; count%20 != 0 {
			continue // to look for all of them takes a second
		}
		name, city, _ := strings.Cut(line, ">")
		if gotZone, gotCity := lookUp(places, foldPlace(name)); gotZone != zone || gotCity != city {
			t.Errorf("%q is found in %q with %q, want %q with %q", name, gotZone, gotCity, zone, city)
		}
	}
	if count < 6000 || len(zones) < 200 {
		t.Errorf("%d places in %d zones", count, len(zones))
	}
}
