package local

import (
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // a small image may lack the zone files
	"unicode"
	"unicode/utf8"
)

// regions are the parts of the IANA data base that hold cities, in the order in
// which a city's name is looked for.
func regions() []string {
	return []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic", "Indian"}
}

// cities are well-known places that have no zone of their own name, as people
// say them and in lower case. Names the data base has (Berlin, Tokyo) need none.
func cities() map[string]string {
	return map[string]string{
		"abu dhabi": "Asia/Dubai", "atlanta": "America/New_York", "auckland": "Pacific/Auckland",
		"austin": "America/Chicago", "bangalore": "Asia/Kolkata", "barcelona": "Europe/Madrid",
		"basel": "Europe/Zurich", "beijing": "Asia/Shanghai", "bern": "Europe/Zurich",
		"birmingham": "Europe/London", "bordeaux": "Europe/Paris", "boston": "America/New_York",
		"california": "America/Los_Angeles", "canberra": "Australia/Sydney", "cape town": "Africa/Johannesburg",
		"cologne": "Europe/Berlin", "dallas": "America/Chicago", "delhi": "Asia/Kolkata",
		"edinburgh": "Europe/London", "florence": "Europe/Rome", "florida": "America/New_York",
		"frankfurt": "Europe/Berlin", "geneva": "Europe/Zurich", "glasgow": "Europe/London",
		"gmt": "Etc/GMT", "greenwich": "Etc/GMT", "hamburg": "Europe/Berlin", "hanoi": "Asia/Bangkok",
		"hawaii": "Pacific/Honolulu", "houston": "America/Chicago", "hyderabad": "Asia/Kolkata",
		"krakow": "Europe/Warsaw", "kyiv": "Europe/Kiev", "kyoto": "Asia/Tokyo",
		"köln": "Europe/Berlin", "las vegas": "America/Los_Angeles", "liverpool": "Europe/London",
		"lyon": "Europe/Paris", "manchester": "Europe/London", "marseille": "Europe/Paris",
		"miami": "America/New_York", "milan": "Europe/Rome", "montreal": "America/Toronto",
		"mumbai": "Asia/Kolkata", "munich": "Europe/Berlin", "münchen": "Europe/Berlin",
		"naples": "Europe/Rome", "new delhi": "Asia/Kolkata", "new york city": "America/New_York",
		"nice": "Europe/Paris", "osaka": "Asia/Tokyo", "ottawa": "America/Toronto",
		"philadelphia": "America/New_York", "porto": "Europe/Lisbon", "portland": "America/Los_Angeles",
		"quebec": "America/Toronto", "rio": "America/Sao_Paulo", "rio de janeiro": "America/Sao_Paulo",
		"rotterdam": "Europe/Amsterdam", "san diego": "America/Los_Angeles", "san francisco": "America/Los_Angeles",
		"seattle": "America/Los_Angeles", "seville": "Europe/Madrid", "shenzhen": "Asia/Shanghai",
		"st petersburg": "Europe/Moscow", "stuttgart": "Europe/Berlin", "são paulo": "America/Sao_Paulo",
		"tel aviv": "Asia/Jerusalem", "texas": "America/Chicago", "the hague": "Europe/Amsterdam",
		"turin": "Europe/Rome", "utc": "UTC", "valencia": "Europe/Madrid", "venice": "Europe/Rome",
		"washington": "America/New_York", "washington dc": "America/New_York", "wellington": "Pacific/Auckland",
		"zürich": "Europe/Zurich",
	}
}

// zoneName is what may be looked up; it has no room for a path of another kind.
// Its length is checked apart: counted by the expression it would take two
// megabytes in every process.
var zoneName = regexp.MustCompile(`^\p{L}[\p{L}0-9 _+.'/-]*$`)

// zoneLength is more than the name of any place has letters.
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
			return loc, placeOf(asked), true
		}
	}
	for _, region := range regions() {
		if loc, err := time.LoadLocation(region + "/" + title(key, '_')); err == nil {
			return loc, nameOf(asked), true
		}
	}
	return nil, "", false
}

// nameOf is how to say a place that was asked for: as it was written, unless it
// has no capital (a transcript has none). A dot at the end would end the sentence
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

// placeOf is the city of an IANA name: "New York" of "America/New_York".
func placeOf(zone string) string {
	return strings.ReplaceAll(zone[strings.LastIndexByte(zone, '/')+1:], "_", " ")
}
