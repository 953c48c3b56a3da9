//go:build accept

package e2e

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/keep/record"
)

// TestAcceptLightsBesideStrangers prints how long a command and a story take beside
// servers that never come, and how much longer than in a house alone. All rows run at
// once and are asked one after the other, so that a busy moment affects all of them.
func TestAcceptLightsBesideStrangers(t *testing.T) {
	t.Parallel()
	all := slices.Sorted(maps.Keys(strangers))
	rows := []*besideRow{{name: "alone"}}
	for _, id := range all {
		rows = append(rows, &besideRow{name: id, ids: []string{id}})
	}
	rows = append(rows, &besideRow{name: "all four at once", ids: all})
	for _, r := range rows {
		broker := mosquitto(t)
		simulate(t, broker)
		r.began, r.neighbourhood = time.Now(), settle(t, broker, r.ids)
		r.first = r.take("turn on the kitchen light", record.RouteLocal)
	}
	for young := true; young; {
		young = false
		for _, r := range rows {
			if len(r.lights) >= 3 && time.Since(r.began) > 10*time.Second {
				continue
			}
			young = true
			switching := "off"
			if len(r.lights)%2 == 1 {
				switching = "on"
			}
			r.lights = append(r.lights, r.take("turn "+switching+" the kitchen light", record.RouteLocal))
		}
	}
	for range 3 {
		for _, r := range rows {
			r.stories = append(r.stories, r.take("tell me a story", record.RouteModel))
		}
	}
	alone := rows[0]
	t.Logf("%-17s %9s | %5s %7s %7s %12s | %7s %12s", "beside", "first", "turns", "median", "worst", "above alone", "story", "above alone")
	for _, r := range rows {
		r.stillTrying()
		t.Logf("%-17s %6d ms | %5d %4d ms %4d ms %9d ms | %4d ms %9d ms", r.name, ms(r.first),
			len(r.lights), ms(median(r.lights)), ms(slices.Max(r.lights)), ms(median(r.lights)-median(alone.lights)),
			ms(median(r.stories)), ms(median(r.stories)-median(alone.stories)))
	}
}

// besideRow is one house of the table and what was taken there.
type besideRow struct {
	*neighbourhood
	name            string
	ids             []string // its strangers
	began           time.Time
	first           time.Duration // the first command, which waits for the house
	lights, stories []time.Duration
}

// take has a sentence done by a route and returns how long that took.
func (r *besideRow) take(text string, by record.Route) time.Duration {
	r.t.Helper()
	began := time.Now()
	told := r.told(text)[0]
	if told.Outcome != record.Done || told.Route != by || strings.TrimSpace(told.Reply) == "" {
		r.t.Errorf("beside %s, %q: %+v", r.name, text, told)
	}
	return time.Since(began)
}

func median(of []time.Duration) time.Duration { return slices.Sorted(slices.Values(of))[len(of)/2] }

func ms(d time.Duration) int64 { return d.Milliseconds() }
