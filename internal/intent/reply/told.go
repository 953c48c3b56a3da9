package reply

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/tools"
)

// Told says what came of the steps. Results belong to the steps of the same
// index.
func (p *Phrases) Told(steps []plan.Step, results []tools.Result) string {
	var said []string
	for start := 0; start < len(steps) && start < len(results); {
		end := start + 1
		for end < len(steps) && end < len(results) && sameAction(&steps[start], &steps[end]) {
			end++
		}
		if text := p.action(steps[start:end], results[start:end]); text != "" && !slices.Contains(said, text) {
			said = append(said, text)
		}
		start = end
	}
	return strings.Join(said, " ")
}

// sameAction reports whether two steps came from one command. Two commands of one
// intent about different things differ in their devices.
func sameAction(a, b *plan.Step) bool {
	if a.Again || b.Again {
		return a.Again == b.Again // everything that is taken back is told together
	}
	return a.Action.Intent == b.Action.Intent && slices.Equal(a.Action.Devices, b.Action.Devices)
}

func (p *Phrases) action(steps []plan.Step, results []tools.Result) string {
	first := &steps[0]
	switch {
	case catalogue.Of(first.Action.Intent).Plan == catalogue.List:
		return p.listed(steps)
	case first.Entity == nil && first.Err != nil:
		return p.Apology(first.Err)
	case first.Entity == nil:
		return p.plain(first, results[0])
	case first.Risk == tools.Read && first.Err == nil || first.Action.Intent == catalogue.GetState:
		return p.answered(steps, results)
	case len(steps) == 1:
		return p.commanded(first, results[0])
	}
	return p.group(steps, results)
}

func (p *Phrases) plain(s *plan.Step, r tools.Result) string {
	in := catalogue.Of(s.Action.Intent)
	if in.Plan == catalogue.Words {
		return p.Phrase(in.Reply, nil)
	}
	if text := p.clock(in.Reply, r); text != "" {
		return text
	}
	if r.Text != "" && (p.english() || r.Data == nil && r.Failed) {
		return r.Text
	}
	if r.Failed || s.Err != nil {
		return p.Phrase("failed", nil)
	}
	return p.Phrase("done", nil)
}

// clock tells the time and the date if the tool's own text is in another
// language.
func (p *Phrases) clock(key string, r tools.Result) string {
	var data struct {
		Time time.Time `json:"time"`
	}
	if p.phrases[key] == "" || json.Unmarshal(r.Data, &data) != nil || len(p.days) != 7 || len(p.months) != 12 {
		return ""
	}
	at := data.Time
	if key == "clock" && at.Minute() == 0 {
		key = "clock_full"
	}
	return p.Phrase(key, map[string]any{
		"hour": at.Hour(), "minute": at.Minute(), "weekday": p.days[at.Weekday()], "day": at.Day(), "month": p.months[at.Month()-1],
	})
}

func (p *Phrases) listed(steps []plan.Step) string {
	const most = 8 // more names at once are too many to listen to
	var names []string
	for _, s := range steps {
		if s.Entity != nil {
			names = append(names, p.grammar.spoken(s.Entity))
		}
	}
	if len(names) == 0 {
		return p.Phrase("nothing_here", nil)
	}
	return p.Phrase("things_here", map[string]any{"names": p.grammar.list(names[:min(len(names), most)])})
}

// asked is what a control call asked for.
type asked struct {
	Action string `json:"action"`
	Value  any    `json:"value"`
}

// commanded reports what one device did.
func (p *Phrases) commanded(s *plan.Step, r tools.Result) string {
	got, want := read(s, r)
	args := p.grammar.about(s)
	value := got.Value // what the device reports, not what was asked for
	if value == nil || want.Action == "colour" {
		value = want.Value // a colour is reported in numbers, which are not spoken
	}
	args["value"] = said(value)
	if want.Action == "colour" || want.Action == "mode" {
		args["value"] = cmp.Or(p.colours[said(value)], said(value))
	}
	switch got.Outcome {
	case tools.Confirmed:
		return p.confirmed(s, want, got, args)
	case tools.Accepted, tools.Queued, tools.NoAnswer:
		return p.Phrase(string(got.Outcome), args)
	case tools.Refused:
		if got.Message != "" && p.english() {
			return got.Message
		}
		return p.Phrase("refused", args)
	}
	switch {
	case s.Err != nil:
		return p.Apology(s.Err)
	case r.Text != "":
		return r.Text
	case r.Failed:
		return p.Phrase("failed", nil)
	}
	return p.Phrase("done", nil)
}

// read gives the receipt of a call, an empty one where it has none, and what the
// call asked for.
func read(s *plan.Step, r tools.Result) (got tools.Receipt, want asked) {
	if r.Receipt != nil {
		got = *r.Receipt
	}
	_ = json.Unmarshal(s.Call.Args, &want) // the plan has written them
	return got, want
}

func (p *Phrases) confirmed(s *plan.Step, want asked, got tools.Receipt, args map[string]any) string {
	key := "done_" + want.Action
	before, was := got.Before.(float64)
	target, is := want.Value.(float64)
	if want.Action == "level" && was && is && target < before {
		key = "done_dimmed"
	}
	if want.Action == "toggle" {
		args["value"] = p.readings.state(&home.Entity{}, onOff(got.Value))
	}
	if text := p.Phrase("again_"+want.Action, args); s.Again && text != "" {
		return text
	}
	if text := p.Phrase(key, args); text != "" {
		return text
	}
	return p.Phrase("done", nil)
}

func onOff(v any) any {
	switch n := v.(type) {
	case bool:
		if n {
			return "on"
		}
		return "off"
	case float64:
		if n > 0 {
			return "on"
		}
		return "off"
	}
	return v
}

// group reports several devices at once: how many did it, and which did not.
func (p *Phrases) group(steps []plan.Step, results []tools.Result) string {
	var done, told []int
	var others []string
	action := ""
	for i := range steps {
		got, want := read(&steps[i], results[i])
		if action == "" {
			action = want.Action
		}
		fine := !results[i].Failed && steps[i].Err == nil
		switch {
		case got.Outcome == tools.Confirmed, got.Outcome == "" && fine:
			done = append(done, i)
		case got.Outcome == tools.Accepted:
			told = append(told, i)
		default:
			others = append(others, p.commanded(&steps[i], results[i]))
		}
	}
	if len(done)+len(told) == 0 && len(others) > 2 {
		return p.count("all_failed", len(others), steps)
	}
	key := "many_" + action
	if p.phrases[key] == "" {
		key = "many_other"
	}
	if steps[0].Again {
		key = "many_again"
	}
	var said []string
	said = p.counted(said, key, done, steps, results)
	said = p.counted(said, "many_told", told, steps, results)
	return strings.Join(append(said, others[:min(len(others), 3)]...), " ")
}

// counted tells how many; a single device is called by its name.
func (p *Phrases) counted(said []string, key string, items []int, steps []plan.Step, results []tools.Result) []string {
	switch len(items) {
	case 0:
		return said
	case 1:
		return append(said, p.commanded(&steps[items[0]], results[items[0]]))
	}
	return append(said, p.count(key, len(items), steps))
}

func (p *Phrases) count(key string, n int, steps []plan.Step) string {
	return p.Phrase(key, map[string]any{"count": n, "things": p.grammar.thing(steps, n)})
}

// Which asks for one of several things: "Do you mean the lamp or the light?". It
// is an open question if there are no things, or too many to listen to.
func (p *Phrases) Which(things []*home.Entity) string {
	const most = 3
	if len(things) == 0 || len(things) > most {
		return p.Phrase("which_other", nil)
	}
	var names []string
	for _, e := range things {
		names = append(names, p.grammar.spoken(e))
	}
	return p.Phrase("which_one", map[string]any{"names": p.grammar.joined(names, "or")})
}

// said is a value as it is spoken: at most one decimal, no quotes.
func said(v any) string {
	switch n := v.(type) {
	case nil:
		return ""
	case float64:
		return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0")
	}
	return fmt.Sprint(v)
}
