package local

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a small image may lack the zone files
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// cities maps well-known places that are not names of the time zone data base to a zone,
// in lower case and as people say them in any of our languages. Berlin and Tokyo, for
// example, are in the data base and not here.
var cities = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for _, w := range sentences.EveryWords() {
		maps.Copy(all, w.Cities)
	}
	return all
})

// zoneNamed reports whether a name may be looked up, and is no path to another file.
// As a regular expression it would take memory in every process.
func zoneNamed(asked string) bool {
	first, _ := utf8.DecodeRuneInString(asked)
	return unicode.IsLetter(first) && utf8.RuneCountInString(asked) <= zoneLength && !strings.Contains(asked, "..") &&
		strings.IndexFunc(asked, func(r rune) bool {
			return !unicode.IsLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune(" _+.,:'/\u2212-", r)
		}) < 0
}

// zoneLength is more letters than the name of any place has.
const zoneLength = 64

// findZone turns a city or an IANA name into a location and the name to say.
func findZone(asked string) (loc *time.Location, name string, ok bool) {
	asked = strings.TrimSpace(asked)
	if !zoneNamed(asked) {
		return nil, "", false
	}
	if loc, name, ok := offsetZone(asked); ok {
		return loc, name, true
	}
	if loc, name, ok := findPlace(asked); ok {
		return loc, name, true
	}
	if strings.Contains(asked, "/") || asked == strings.ToUpper(asked) {
		if loc, err := time.LoadLocation(asked); err == nil {
			city := asked[strings.LastIndexByte(asked, '/')+1:] // "New_York" of "America/New_York"
			return loc, strings.ReplaceAll(city, "_", " "), true
		}
	}
	return findWithin(asked)
}

// findWithin finds a place that is named with the country or the state in which it is:
// "tokyo japan". If it is not there or not known, the time of the country counts.
func findWithin(asked string) (loc *time.Location, name string, ok bool) {
	words := strings.Fields(asked)
	for i := 1; i < len(words); i++ {
		wide, wideName, known := findPlace(strings.Join(words[i:], " "))
		if !known {
			continue
		}
		loc, name, ok := findPlace(strings.Trim(strings.Join(words[:i], " "), ","))
		region := func(l *time.Location) string { before, _, _ := strings.Cut(l.String(), "/"); return before }
		if ok && region(loc) == region(wide) {
			return loc, name, true
		}
		return wide, wideName, true
	}
	return nil, "", false
}

// findPlace finds a city, a state or a country, and the name to say: that of the city whose
// time is told if a country has several.
func findPlace(asked string) (loc *time.Location, name string, ok bool) {
	key := strings.ToLower(strings.NewReplacer("_", " ", ".", "", "'", "").Replace(asked))
	key = strings.Join(strings.Fields(key), " ")
	if zone, known := cities()[key]; known {
		if loc, err := time.LoadLocation(zone); err == nil {
			if zone == "UTC" || zone == "Etc/GMT" {
				return loc, strings.ToUpper(key), true
			}
			return loc, nameOf(asked), true
		}
	}
	if loc, name, ok := findCountry(key, asked); ok {
		return loc, name, true
	}
	// The parts of the data base that hold cities.
	for _, region := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
		if loc, err := time.LoadLocation(region + "/" + title(key, '_')); err == nil {
			return loc, nameOf(asked), true
		}
	}
	zone, city := lookUp(places, foldPlace(asked))
	if loc, err := time.LoadLocation(zone); zone != "" && err == nil {
		return loc, cmp.Or(city, nameOf(asked)), true
	}
	return nil, "", false
}

// places are the zones of cities, states and countries. scripts/places.go makes them, and
// says how they are written.
//
//go:embed places.txt
var places string

// lookUp finds the zone of a place in a list like places, and the city that tells its time
// if it has several; "" if it is not there.
func lookUp(list, place string) (zone, city string) {
	for _, end := range []string{"\n", ">"} {
		at := strings.Index(list, "\n"+place+end)
		if place == "" || at < 0 {
			continue
		}
		if rest := list[at+1+len(place):]; end == ">" {
			city, _, _ = strings.Cut(rest[1:], "\n")
		}
		zone, _, _ = strings.Cut(list[strings.LastIndex(list[:at+1], "@")+1:], "\n")
		return zone, city
	}
	return "", ""
}

// foldPlace is the name of a place as places are compared.
func foldPlace(name string) string {
	return text.StripAccents(text.Fold(strings.NewReplacer("_", " ", "-", " ", ".", "", "'", "", "\u2019", "").Replace(name)))
}

// countries maps the names of countries in our languages to a zone. If the country has
// several zones, the city whose time is given follows the zone.
var countries = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for _, w := range sentences.EveryWords() {
		maps.Copy(all, w.Lands)
	}
	return all
})

// findCountry turns a country into the zone of its capital. The name to say is that
// of the city where the country has several zones.
func findCountry(key, asked string) (*time.Location, string, bool) {
	zone, city, several := strings.Cut(countries()[key], " ")
	loc, err := time.LoadLocation(zone)
	switch {
	case zone == "" || err != nil:
		return nil, "", false
	case several:
		return loc, city, true
	}
	return loc, nameOf(asked), true
}

// offset matches a zone by its distance from UTC: "GMT+5", "utc -3:30".
var offset = regexp.MustCompile(`^(?i:utc|gmt) ?([+-]) ?(\d{1,2})(?::?([0-5]\d))?$`)

// farthest is the largest distance of a zone from UTC, in hours.
const farthest = 14

// offsetZone turns such a distance into a location.
func offsetZone(asked string) (*time.Location, string, bool) {
	m := offset.FindStringSubmatch(strings.ReplaceAll(asked, "\u2212", "-"))
	if m == nil {
		return nil, "", false
	}
	hours, _ := strconv.Atoi(m[2])   // the expression has checked both
	minutes, _ := strconv.Atoi(m[3]) // 0 where there are none
	ahead := hours*60 + minutes
	if ahead > farthest*60 {
		return nil, "", false
	}
	if m[1] == "-" {
		ahead = -ahead
	}
	name := "UTC" + m[1] + strconv.Itoa(hours)
	if minutes > 0 {
		name += fmt.Sprintf(":%02d", minutes)
	}
	return time.FixedZone(name, ahead*60), name, true
}

// nameOf returns how to say a place: as it was written, or with capitals if it has none
// (a transcript has none). A dot at its end is dropped, because it would end the sentence
// twice.
func nameOf(asked string) string {
	asked = strings.TrimRight(asked, ".")
	if asked == strings.ToLower(asked) {
		return title(asked, ' ')
	}
	return asked
}

// title writes "new york" as "New York" or, for the data base, "New_York".
func title(words string, separator rune) string {
	start := true
	return strings.Map(func(r rune) rune {
		upper := start
		start = r == ' ' || r == '-'
		switch {
		case r == ' ':
			return separator
		case upper:
			return unicode.ToUpper(r)
		}
		return r
	}, words)
}
