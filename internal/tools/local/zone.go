package local

import (
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a small image may lack the zone files
	"unicode"
	"unicode/utf8"

	"voicegateway/internal/intent/sentences"
)

// cities maps well-known places that have no zone of their own name to a zone, in
// lower case and as people say them in any of our languages. Places that the data
// base names (Berlin, Tokyo) are not in it.
var cities = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for _, w := range sentences.EveryWords() {
		maps.Copy(all, w.Cities)
	}
	return all
})

// zoneName matches names that may be looked up, and no path to another file. The
// length is checked separately: counted by the expression it would take two
// megabytes in every process.
var zoneName = regexp.MustCompile(`^\p{L}[\p{L}0-9 _+.'/-]*$`)

// zoneLength is more letters than the name of any place has.
const zoneLength = 64

// findZone turns a city or an IANA name into a location and the name to say.
func findZone(asked string) (loc *time.Location, name string, ok bool) {
	asked = strings.TrimSpace(asked)
	if utf8.RuneCountInString(asked) > zoneLength || !zoneName.MatchString(asked) || strings.Contains(asked, "..") {
		return nil, "", false
	}
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
	if strings.Contains(asked, "/") || asked == strings.ToUpper(asked) {
		if loc, err := time.LoadLocation(asked); err == nil {
			city := asked[strings.LastIndexByte(asked, '/')+1:] // "New_York" of "America/New_York"
			return loc, strings.ReplaceAll(city, "_", " "), true
		}
	}
	// The parts of the data base that hold cities.
	for _, region := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"} {
		if loc, err := time.LoadLocation(region + "/" + title(key, '_')); err == nil {
			return loc, nameOf(asked), true
		}
	}
	return nil, "", false
}

// nameOf is how to say a place that was asked for: as it was written, or with
// capitals if it has none (a transcript has none). A dot at its end is dropped,
// because it would end the sentence twice.
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
