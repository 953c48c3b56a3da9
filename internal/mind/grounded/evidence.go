package grounded

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"voicegateway/internal/tools"
)

// item is one thing that the turn knows: a receipt, or a line of a reading.
type item struct {
	things  map[int]bool // the entities it is about
	words   words        // what it is about, and all its other words
	states  words
	numbers []float64
	done    bool // an act that was done or is under way
	outside bool // text of others, which proves nothing about the house
}

// Act notes the result of a call that changes something. A refused or failed call proves
// nothing.
func (g *Ground) Act(tool string, args json.RawMessage, result tools.Result) {
	r := result.Receipt
	if result.Failed || r != nil && !r.Sent() && len(r.Devices) == 0 {
		return
	}
	if r == nil {
		it := g.about(append(textsOf(args), strings.ReplaceAll(tool, "_", " ")))
		it.done = true
		g.read(&it, result.Text)
		g.items = append(g.items, it)
		return
	}
	for _, one := range append([]tools.Receipt{*r}, r.Devices...) {
		if one.Sent() {
			g.items = append(g.items, g.receipt(&one))
		}
	}
}

// receipt reads what a device reported about an act.
func (g *Ground) receipt(r *tools.Receipt) item {
	it := g.about([]string{r.Device})
	it.done = true
	if r.Pending() {
		g.read(&it, r.Message)
		return it
	}
	for _, value := range []any{r.Value, r.ValueLevel} {
		g.value(&it, r.Property, value)
	}
	g.read(&it, r.Message)
	return it
}

// onOff are the states of two values, by the property that has them.
var onOff = map[string][2]string{
	"open_close": {"open", "closed"}, "lock": {"locked", "unlocked"}, "motion": {"detected", "clear"}, "contact": {"open", "closed"},
	"locked": {"locked", "unlocked"}, "open": {"open", "closed"}, "closed": {"closed", "open"}, "unlocked": {"unlocked", "locked"},
	"armed": {"armed", "disarmed"}, "": {"on", "off"},
}

// levels are the properties that are percent.
var levels = []string{"brightness", "position", "speed"}

// value notes a value of a property.
func (g *Ground) value(it *item, property string, value any) {
	pair, ok := onOff[strings.ToLower(property)]
	if !ok {
		pair = onOff[""]
	}
	switch v := value.(type) {
	case bool:
		it.states[pair[map[bool]int{true: 0, false: 1}[v]]] = true
	case float64:
		it.level(v, slices.Contains(levels, property))
	case int:
		it.level(float64(v), slices.Contains(levels, property))
	case string:
		g.read(it, v)
	}
}

// Reading notes the result of a call that reads. With outside, the text is of others
// and proves nothing about the house.
func (g *Ground) Reading(tool string, args json.RawMessage, result tools.Result, outside bool) {
	if result.Failed {
		return
	}
	g.looked = true
	asked := g.about(append(textsOf(args), strings.ReplaceAll(tool, "_", " ")))
	asked.outside = outside
	for line := range strings.FieldsFuncSeq(result.Text, func(r rune) bool { return r == '\n' || r == ';' }) {
		for _, sentence := range sentencesOf(line) {
			g.items = append(g.items, g.line(asked, sentence))
		}
	}
	var data any
	if json.Unmarshal(result.Data, &data) == nil {
		g.data(asked, data)
	}
}

// line reads a sentence of a reading. Names in it say what it is about; else it is
// about what was asked for.
func (g *Ground) line(asked item, sentence string) item {
	it := g.about([]string{sentence})
	it.outside = asked.outside
	if len(it.things) == 0 {
		maps.Copy(it.words, asked.words)
		maps.Copy(it.things, asked.things)
	}
	g.read(&it, sentence)
	return it
}

// sentencesOf parts a text at the ends of its sentences.
func sentencesOf(text string) []string {
	var out []string
	for s := range strings.SplitSeq(text, ". ") {
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

// data reads structured content: every object with plain values is an item.
func (g *Ground) data(asked item, value any) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			g.data(asked, one)
		}
	case map[string]any:
		it := g.about(textsOf(v))
		it.outside = asked.outside
		if len(it.things) == 0 {
			maps.Copy(it.words, asked.words)
			maps.Copy(it.things, asked.things)
		}
		for key, one := range v {
			if key == "age_seconds" || key == "reachable" || key == "stale" {
				continue
			}
			g.value(&it, key, one)
			g.data(it, one)
		}
		g.items = append(g.items, it)
	}
}

// textsOf collects the texts of a JSON value.
func textsOf(value any) []string {
	switch v := value.(type) {
	case json.RawMessage:
		var any any
		if json.Unmarshal(v, &any) != nil {
			return nil
		}
		return textsOf(any)
	case string:
		return []string{v}
	case map[string]any:
		var out []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// about makes an item of the things that texts name.
func (g *Ground) about(texts []string) item {
	it := item{things: map[int]bool{}, words: words{}, states: words{}}
	for _, text := range texts {
		for i, thing := range g.place.things {
			if thing.Control != nil && thing.Control.ID == text || thing.ID == text || strings.EqualFold(thing.Name, text) {
				it.things[i] = true
				maps.Copy(it.words, thing.words)
			}
		}
		for _, t := range g.tongues {
			g.mention(t, &it, t.cut(text))
		}
	}
	return it
}

// mention notes the words of a text and the things named in it.
func (g *Ground) mention(t *tongue, it *item, text []word) {
	for i := 0; i < len(text); i++ {
		w := text[i].folded
		it.words[w] = true
		if kind := t.kind(w); kind != "" {
			it.words[kind] = true
		}
		if found, ok := g.place.at(text[i:]); ok {
			for _, part := range found.folded {
				it.words[part] = true
			}
			if found.thing >= 0 {
				it.things[found.thing] = true
				maps.Copy(it.words, g.place.things[found.thing].words)
			}
			i += len(found.folded) - 1
		}
	}
}

// read notes the states and numbers of a text. A denied state is its opposite.
func (g *Ground) read(it *item, text string) {
	for _, t := range g.tongues {
		if t.code != "en" && !slices.Contains(g.fluent(text), t) {
			continue // servers speak English, whatever the names of the house are
		}
		words := t.cut(text)
		denied := false
		for i, w := range words {
			denied = denied || t.denials[w.folded]
			if w.value != nil {
				it.level(*w.value, i+1 < len(words) && strings.HasPrefix(words[i+1].folded, "percent") || i+1 < len(words) && words[i+1].folded == "%")
			}
			for _, state := range t.stateAt(words, i) {
				if denied {
					state = opposites[state]
				}
				it.states[state] = true
			}
		}
	}
}

// level notes a number. Something at some percent is on, or open.
func (it *item) level(value float64, percent bool) {
	it.numbers = append(it.numbers, value)
	if !percent {
		return
	}
	for state, holds := range map[string]bool{"on": value > 0, "open": value > 0, "dimmed": value > 0 && value < 100, "off": value == 0, "closed": value == 0} {
		if holds && !it.states[opposites[state]] {
			it.states[state] = true
		}
	}
}

// near reports whether two numbers are the same, as people round.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.5 }

// opposites are the states that exclude each other.
var opposites = map[string]string{
	"on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
	"armed": "disarmed", "disarmed": "armed", "detected": "clear", "clear": "detected", "opening": "closing", "closing": "opening",
	"dimmed": "bright", "bright": "dimmed", "warm": "cool", "cool": "warm", "paused": "on", "secure": "open",
}
