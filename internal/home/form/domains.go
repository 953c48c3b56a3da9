package form

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/tools"
)

// domain is a type of things: its name, a noun for one of them, and the words that mean
// every one in an area. What only measures has none, as nothing can be done with all.
type domain struct {
	name, noun string
	group      []string
}

// domains are all types, in the order in which they are listed.
var domains = []domain{
	{"light", "light", []string{"light", "lights", "lamps"}},
	{"switch", "switch", []string{"switches", "plugs", "outlets"}},
	{"fan", "fan", []string{"fans"}},
	{"cover", "blind or curtain", []string{"covers", "blinds", "shades", "curtains", "shutters"}},
	{"lock", "lock", []string{"locks"}},
	{"climate", "thermostat", []string{"thermostats"}},
	{"valve", "valve", nil}, // water never runs for a whole room
	{"media_player", "player", nil},
	{"vacuum", "robot vacuum", nil},
	{"lawn_mower", "lawn mower", nil},
	{"todo", "list", nil},
	{"sensor", "sensor", nil},
	{"binary_sensor", "sensor", nil},
}

// DomainOf returns the domain whose things are all meant by a word.
func DomainOf(word string) (domain string, ok bool) {
	for _, d := range domains {
		if slices.Contains(d.group, word) {
			return d.name, true
		}
	}
	return "", false
}

// NounOf is what people call one thing of a domain.
func NounOf(domain string) string {
	for _, d := range domains {
		if d.name == domain {
			return d.noun
		}
	}
	return strings.ReplaceAll(domain, "_", " ")
}

// pageSize is how many things one page lists; a language model reads them all.
const pageSize = 50

// answerPage answers with one page of a list.
func answerPage(all []Listed, page int) (tools.Result, error) {
	page = max(page, 1)
	pages := max(1, (len(all)+pageSize-1)/pageSize)
	from, to := min((page-1)*pageSize, len(all)), min(page*pageSize, len(all))
	if page > pages { // also keeps the product above from overflowing
		from, to = len(all), len(all)
	}
	out := struct {
		Total   int      `json:"total"`
		Page    int      `json:"page"`
		Pages   int      `json:"pages"`
		Devices []Listed `json:"devices"`
	}{len(all), page, pages, append([]Listed{}, all[from:to]...)}
	var text strings.Builder
	fmt.Fprintf(&text, "%d devices, page %d of %d.", len(all), page, pages)
	for _, d := range out.Devices {
		fmt.Fprintf(&text, "\n%s (%s): %s", d.Name, strings.Trim(d.Type+", "+d.Area, ", "), d.say())
	}
	return answer(text.String(), out, nil)
}

// say says a thing's state, and whether that is only its last report.
func (l Listed) say() string {
	switch {
	case l.Reachable || l.State == nil && l.Reason == SharedTopics:
		return SayState(l.State, "")
	case l.State == nil:
		return "cannot be reached"
	default:
		return "cannot be reached, last reported " + SayState(l.State, "")
	}
}

// SharedTopics is the reason why the state of a thing is not given: another one reports
// under the same name, and nothing shows which of the two it was.
const SharedTopics tools.Reason = "shared_topics"

// Age is how many seconds ago something was told; -1 if that is not known.
func Age(at time.Time) int64 {
	if at.IsZero() {
		return -1
	}
	return max(0, int64(time.Since(at).Seconds()))
}
