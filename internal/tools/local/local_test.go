package local

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kit makes the tools and returns them by name.
func kit(t *testing.T, cfg Config, deps Deps) (map[string]tools.Tool, *Volume) {
	t.Helper()
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	list, volume, err := All(cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]tools.Tool{}
	for _, tool := range list {
		byName[tool.Spec().Name] = tool
	}
	return byName, volume
}

func call(t *testing.T, tool tools.Tool, args string) tools.Result {
	t.Helper()
	result, err := tool.Call(t.Context(), json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s(%s): %v", tool.Spec().Name, args, err)
	}
	if result.Text == "" {
		t.Fatalf("%s(%s) says nothing", tool.Spec().Name, args)
	}
	return result
}

// TestEveryToolKeepsTheContract: the registry takes it, its schema is checked,
// its risk is known, and wrong arguments are answered and not acted on.
func TestEveryToolKeepsTheContract(t *testing.T) {
	t.Parallel()
	cfg := Default()
	cfg.Volume.Backend, cfg.Search.Provider = "software", "duckduckgo"
	byName, _ := kit(t, cfg, Deps{})
	registry := tools.NewRegistry()
	for name, tool := range byName {
		if err := registry.Add(tool); err != nil {
			t.Fatal(err)
		}
		spec := tool.Spec()
		if spec.Risk == "" || spec.Title == "" || spec.Description == "" || !json.Valid(spec.Input) || !json.Valid(spec.Output) {
			t.Errorf("%s: the spec needs a title, a description, a risk and the schemas of its input and output; it has %q, %q, %q, %s and %s",
				name, spec.Title, spec.Description, spec.Risk, spec.Input, spec.Output)
		}
		for _, args := range []string{"[]", `"x"`, "{", `{"nonsense":1}`} {
			result, err := tool.Call(t.Context(), json.RawMessage(args))
			if err != nil || !result.Failed || result.Text == "" {
				t.Errorf("%s(%s) = %+v, %v; want a failed result", name, args, result, err)
			}
		}
	}
	for args, ok := range map[string]bool{
		`{"action":"set","level":30}`:   true,
		`{"action":"set","level":"30"}`: true, // mended by the schema
		`{"action":"set","level":130}`:  false,
		`{"action":"explode"}`:          false,
		`{}`:                            false,
	} {
		result, err := registry.Call(t.Context(), tools.Call{Tool: "set_volume", Args: json.RawMessage(args)})
		if err != nil || result.Failed == ok {
			t.Errorf("set_volume(%s) = %+v, %v", args, result, err)
		}
	}
}

// TestOtherDays: 21 November 2026 is a Saturday.
func TestOtherDays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 19, 45, 0, 0, time.UTC)
	for args, want := range map[string]string{
		`{"days":1}`:                           "Tomorrow is Sunday, 22 November.",
		`{"days":-1}`:                          "Yesterday was Friday, 20 November.",
		`{"days":3}`:                           "That is Tuesday, 24 November.",
		`{"days":-10}`:                         "That was Wednesday, 11 November.",
		`{"days":0}`:                           "Today is Saturday, 21 November.",
		`{"days":41}`:                          "That is Friday, 1 January.",
		`{"weekday":"friday"}`:                 "That is Friday, 27 November.",
		`{"weekday":"saturday"}`:               "Today is Saturday, 21 November.",
		`{"weekday":"saturday","week":"next"}`: "That is Saturday, 28 November.",
		`{"weekday":"sunday","week":"next"}`:   "Tomorrow is Sunday, 22 November.",
		`{"weekday":"saturday","week":"last"}`: "That was Saturday, 14 November.",
		`{"weekday":"friday","week":"last"}`:   "Yesterday was Friday, 20 November.",
	} {
		byName, _ := kit(t, Default(), Deps{Now: func() time.Time { return now }, Zone: time.UTC})
		if got := call(t, byName["get_datetime"], args); got.Text != want || got.Failed {
			t.Errorf("%s: says %q, want %q", args, got.Text, want)
		}
	}
}

func TestDatetimeIsSpokenShortly(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(hour, minute int) time.Time { return time.Date(2026, 11, 21, hour, minute, 5, 0, berlin) }
	for name, c := range map[string]struct {
		now        time.Time
		args, want string
	}{
		"time":              {at(19, 45), `{"what":"time"}`, "It's 7:45 PM."},
		"full hour":         {at(9, 0), `{"what":"time"}`, "It's 9 AM."},
		"noon":              {at(12, 0), `{"what":"time"}`, "It's noon."},
		"midnight":          {at(0, 0), `{"what":"time"}`, "It's midnight."},
		"past midnight":     {at(0, 5), `{"what":"time"}`, "It's 12:05 AM."},
		"date":              {at(19, 45), `{"what":"date"}`, "It's Saturday, 21 November."},
		"day":               {at(19, 45), `{"what":"day"}`, "It's Saturday."},
		"both":              {at(19, 45), `{"what":"datetime"}`, "It's 7:45 PM on Saturday, 21 November."},
		"nothing asked":     {at(19, 45), `{}`, "It's 7:45 PM on Saturday, 21 November."},
		"zone":              {at(19, 45), `{"what":"time","zone":"America/New_York"}`, "It's 1:45 PM in New York."},
		"city":              {at(19, 45), `{"what":"time","zone":"tokyo"}`, "It's 3:45 AM tomorrow in Tokyo."},
		"yesterday":         {at(1, 0), `{"what":"time","zone":"San Francisco"}`, "It's 4 PM yesterday in San Francisco."},
		"day far away":      {at(19, 45), `{"what":"day","zone":"Sydney"}`, "It's Sunday in Sydney."},
		"half hour":         {at(19, 45), `{"what":"time","zone":"Mumbai"}`, "It's 12:15 AM tomorrow in Mumbai."},
		"utc":               {at(19, 45), `{"what":"time","zone":"utc"}`, "It's 6:45 PM in UTC."},
		"umlaut":            {at(19, 45), `{"what":"time","zone":"Zürich"}`, "It's 7:45 PM in Zürich."},
		"summer time":       {time.Date(2026, 7, 1, 12, 30, 0, 0, berlin), `{"what":"time","zone":"London"}`, "It's 11:30 AM in London."},
		"short zone":        {at(19, 45), `{"what":"time","zone":"EST"}`, "It's 1:45 PM in EST."},
		"Washington, D.C.":  {at(19, 45), `{"what":"time","zone":"Washington D.C."}`, "It's 1:45 PM in Washington D.C."},
		"country":           {at(19, 45), `{"what":"time","zone":"india"}`, "It's 12:15 AM tomorrow in India."},
		"in German":         {at(19, 45), `{"what":"time","zone":"Japan"}`, "It's 3:45 AM tomorrow in Japan."},
		"several zones":     {at(19, 45), `{"what":"time","zone":"united states"}`, "It's 1:45 PM in Washington."},
		"short country":     {at(19, 45), `{"what":"time","zone":"U.S."}`, "It's 1:45 PM in Washington."},
		"ahead of UTC":      {at(19, 45), `{"what":"time","zone":"gmt+5"}`, "It's 11:45 PM in UTC+5."},
		"behind UTC":        {at(19, 45), `{"what":"time","zone":"UTC -3:30"}`, "It's 3:15 PM in UTC-3:30."},
		"city of two words": {at(19, 45), `{"what":"time","zone":"los angeles"}`, "It's 10:45 AM in Los Angeles."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			byName, _ := kit(t, Default(), Deps{Now: func() time.Time { return c.now }, Zone: berlin})
			result := call(t, byName["get_datetime"], c.args)
			if result.Text != c.want || result.Failed {
				t.Errorf("says %q, want %q", result.Text, c.want)
			}
			var data datetimeData
			if err := json.Unmarshal(result.Data, &data); err != nil {
				t.Fatal(err)
			}
			got, err := time.Parse(time.RFC3339, data.Time)
			if err != nil || !got.Equal(c.now.Truncate(time.Second)) || data.Zone == "" || data.Spoken != c.want {
				t.Errorf("the data is %+v", data)
			}
		})
	}
}

func TestDatetimeRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	byName, _ := kit(t, Default(), Deps{})
	for _, args := range []string{
		`{"zone":"Atlantis"}`, `{"zone":"../../etc/passwd"}`, `{"zone":"/etc/localtime"}`,
		`{"zone":"` + strings.Repeat("a", 500) + `"}`, `{"what":"weather"}`, `{"zone":"Europe/"}`,
	} {
		if result := call(t, byName["get_datetime"], args); !result.Failed || len(result.Text) > 100 {
			t.Errorf("get_datetime(%s) = %+v", args, result)
		}
	}
}

func TestValidateNamesTheKeyAndTheWayOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"provider":        {func(c *Config) { c.Search.Provider = "bing" }, "none, duckduckgo, google, searxng"},
		"searxng's url":   {func(c *Config) { c.Search.Provider = "searxng" }, "tools.search.url"},
		"a file as url":   {func(c *Config) { c.Search.Provider, c.Search.URL = "searxng", "file:///etc/passwd" }, "not an http"},
		"google's engine": {func(c *Config) { c.Search.Provider = "google" }, "tools.search.engine_id"},
		"search time-out": {func(c *Config) { c.Search.Timeout = 0 }, "tools.search.timeout"},
		"backend":         {func(c *Config) { c.Volume.Backend = "oss" }, "auto, wpctl, pactl, amixer, software"},
		"option":          {func(c *Config) { c.Volume.Control = "-c5" }, "tools.volume.control"},
		"step":            {func(c *Config) { c.Volume.Step = 0 }, "tools.volume.step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Default()
			c.change(&cfg)
			_, _, err := All(cfg, Deps{Log: slog.New(slog.DiscardHandler)})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	if _, _, err := All(Default(), Deps{}); err == nil {
		t.Error("no logger is accepted")
	}
}

func FuzzDatetime(f *testing.F) {
	for _, seed := range []string{`{}`, `{"what":"time","zone":"Berlin"}`, `{"zone":"a/../b"}`, `{"zone":"\u0000"}`, `{"what":1}`, `[`} {
		f.Add([]byte(seed))
	}
	tool := newDatetime(time.Now, time.UTC)
	f.Fuzz(func(t *testing.T, args []byte) {
		result, err := tool.Call(context.Background(), args)
		if err != nil || result.Text == "" {
			t.Fatalf("%q gave %+v, %v", args, result, err)
		}
	})
}
