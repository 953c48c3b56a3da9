package plan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/language/sentences"
)

// timerTools are the tools that set and change timers.
var timerTools = []string{"start_timer", "change_timer", "list_timers"}

// speaker understands a language in its own house.
func speaker(t *testing.T, language string) (*intent.Matcher, *home.House) {
	t.Helper()
	path := "../testdata/house.json"
	if language != "en" {
		path = "../testdata/house_" + language + ".json"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var h home.House
	if err := json.Unmarshal(data, &h); err != nil {
		t.Fatal(err)
	}
	pack, err := intent.Ours(language)
	if err != nil {
		t.Fatal(err)
	}
	m, err := intent.New(pack, &h)
	if err != nil {
		t.Fatal(err)
	}
	return m, &h
}

// planned writes what comes of a sentence as the files of timers have it.
func planned(m *intent.Matcher, h *home.House, text string) string {
	d := m.Match(text, "")
	if d.Route == intent.Ask && d.Would != nil && d.Question != "" && len(d.Options) == 0 && d.Reason != intent.WhichArea {
		return "asks " + string(d.Reason)
	}
	steps, err := plan.Calls(d, h, "")
	if err != nil || len(steps) != 1 || !slices.Contains(timerTools, steps[0].Call.Tool) {
		return "none"
	}
	var args map[string]any
	if err := json.Unmarshal(steps[0].Call.Args, &args); err != nil {
		return err.Error()
	}
	if which, ok := args["which"].(map[string]any); ok {
		delete(args, "which")
		for key, value := range which {
			args["which."+key] = value
		}
	}
	return written(steps[0].Action.Intent, args)
}

func written(name string, args map[string]any) string {
	out := []string{name}
	for _, key := range slices.Sorted(maps.Keys(args)) {
		value := fmt.Sprint(args[key])
		if strings.Contains(value, " ") {
			value = strconv.Quote(value)
		}
		out = append(out, key+"="+value)
	}
	return strings.Join(out, " ")
}

var argument = regexp.MustCompile(`([a-z.]+)=("[^"]*"|\S+)`)

// wanted is a line of a file in the order of written.
func wanted(line string) string {
	name, rest, ok := strings.Cut(line, " ")
	if !ok || name == "asks" {
		return line
	}
	args := map[string]any{}
	for _, m := range argument.FindAllStringSubmatch(rest, -1) {
		args[m[1]] = strings.Trim(m[2], `"`)
	}
	return written(name, args)
}

// TestTimersInEveryLanguage plans what people say about timers, alarms, reminders and
// commands for later. Each sentence must lead to the one call that is meant; a sentence
// that mentions times without asking for anything must lead to none.
func TestTimersInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			m, h := speaker(t, language)
			data, err := os.ReadFile("../testdata/timers_" + language + ".txt")
			if err != nil {
				t.Fatal(err)
			}
			said, none := 0, 0
			for line := range strings.Lines(string(data)) {
				text, want, ok := strings.Cut(strings.TrimSpace(line), " => ")
				if !ok || strings.HasPrefix(line, "#") {
					continue
				}
				want = wanted(want)
				if want == "none" {
					none++
				} else {
					said++
				}
				if got := planned(m, h, text); got != want {
					d := m.Match(text, "")
					t.Errorf("%q: got %s, want %s (%s %s %s)", text, got, want, d.Route, d.Reason, d.Act)
				}
			}
			if said < 80 || none < 25 {
				t.Errorf("%d sentences and %d that are none, want at least 80 and 25", said, none)
			}
		})
	}
}
