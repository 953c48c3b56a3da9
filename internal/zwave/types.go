package zwave

import "slices"

// deviceType is a type of devices: its domain, a noun for one of them, and the words that
// mean every one in an area. What only measures has none, as nothing can be done with all.
type deviceType struct {
	domain, noun string
	group        []string
}

// deviceTypes are all types, in the order in which they are listed. The functions in
// kinds.go find which of them a node has.
var deviceTypes = []deviceType{
	{"light", "light", []string{"light", "lights", "lamps"}},
	{"switch", "switch", []string{"switches", "plugs", "outlets"}},
	{"fan", "fan", []string{"fans"}},
	{"cover", "blind or curtain", []string{"covers", "blinds", "shades", "curtains", "shutters"}},
	{"lock", "lock", []string{"locks"}},
	{"climate", "thermostat", []string{"thermostats"}},
	{"valve", "valve", nil}, // water never runs for a whole room
	{"sensor", "sensor", nil},
	{"binary_sensor", "sensor", nil},
}

// domains are the names of all types.
func domains() (all []string) {
	for _, t := range deviceTypes {
		all = append(all, t.domain)
	}
	return all
}

// typeOf returns the domain whose devices are all meant by a word.
func typeOf(word string) (domain string, ok bool) {
	i := slices.IndexFunc(deviceTypes, func(t deviceType) bool { return slices.Contains(t.group, word) })
	if i < 0 {
		return "", false
	}
	return deviceTypes[i].domain, true
}

// nounOf is what people call one device of a domain.
func nounOf(domain string) string {
	i := slices.IndexFunc(deviceTypes, func(t deviceType) bool { return t.domain == domain })
	if i < 0 {
		return domain
	}
	return deviceTypes[i].noun
}
