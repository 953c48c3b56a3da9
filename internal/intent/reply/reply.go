// Package reply makes what is said: short sentences that are built from the
// receipts of the tools, so that they tell what happened and not what was hoped
// for (REQUIREMENTS U4, U8). All wording is in sentences/<language>_replies.yaml;
// a new kind of reply is a phrase there and a line here.
package reply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/tools"
)

// Phrases is one language's table of replies. It is never changed after loading.
type Phrases struct {
	*timerWords
	language string
	phrases  map[string]string
	grammar  grammar
	readings readings
	colours  map[string]string
}

// ours are our own replies that were read, by language.
var ours sync.Map

// Ours returns our own replies in a language, which are read once. It is an error if
// there are none.
func Ours(language string) (*Phrases, error) {
	if p, ok := ours.Load(language); ok {
		return p.(*Phrases), nil
	}
	data, err := sentences.Replies(language)
	if err != nil {
		return nil, fmt.Errorf("there are no replies of our own for the language %q", language)
	}
	p, err := Load(data)
	if err != nil {
		return nil, err
	}
	first, _ := ours.LoadOrStore(language, p)
	return first.(*Phrases), nil
}

// Load reads a table of replies. An error names the phrase that is missing.
func Load(data []byte) (*Phrases, error) {
	var raw struct {
		Language  string                       `yaml:"language"`
		Names     home.Names                   `yaml:"names"`
		Phrases   map[string]string            `yaml:"phrases"`
		Things    map[string][]string          `yaml:"things"`
		Units     map[string]string            `yaml:"units"`
		Scales    map[home.Scale]string        `yaml:"scales"`
		States    map[string]map[string]string `yaml:"states"`
		Sensors   map[string]map[string]string `yaml:"sensors"`
		Words     map[string]string            `yaml:"words"`
		Agree     agreement                    `yaml:"agree"`
		Condition map[string]forms             `yaml:"conditions"`
		Point     string                       `yaml:"point"`
		Single    map[string]string            `yaml:"single"`
		OneUpTo   float64                      `yaml:"one_up_to"`
		Colours   map[string]string            `yaml:"colours"`
		Days      []string                     `yaml:"days"`
		Months    []string                     `yaml:"months"`
	}
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("reading replies: %w", err)
	}
	for _, key := range needed {
		if raw.Phrases[key] == "" {
			return nil, fmt.Errorf("reading replies: the phrase %q is missing", key)
		}
	}
	for domain, forms := range raw.Things {
		if len(forms) != 2 {
			return nil, fmt.Errorf("reading replies: things: %s: expected one and many, got %d words", domain, len(forms))
		}
	}
	for class, told := range raw.Sensors {
		if told["on"] == "" || told["off"] == "" {
			return nil, fmt.Errorf("reading replies: sensors: %s: expected what is told of on and of off", class)
		}
	}
	return &Phrases{
		language: raw.Language, phrases: raw.Phrases,
		grammar:    grammar{names: raw.Names, things: raw.Things, words: raw.Words, agree: raw.Agree},
		readings:   readings{states: raw.States, sensors: raw.Sensors, units: raw.Units, scales: raw.Scales, conditions: raw.Condition, point: raw.Point, single: raw.Single, oneUpTo: raw.OneUpTo},
		colours:    raw.Colours,
		timerWords: newTimerWords(raw.Language, raw.Phrases, raw.Words, raw.Days, raw.Months, raw.Names),
	}, nil
}

// needed are the phrases without which something would be answered with silence.
var needed = []string{
	"done_on", "done_off", "accepted", "no_answer", "state", "measured", "senses", "senses_yes", "senses_no", "unknown_state", "unknown_name", "unknown_area",
	"no_device_plain", "not_understood", "no_house", "no_model", "not_heard", "many_devices", "run_costly", "run_costly_many", "timeout", "failed", "fate_unknown",
	"not_sent", "denied", "done",
}

// Language is the language of the table, by its code.
func (p *Phrases) Language() string { return p.language }

// Phrase is a phrase of the table with its {places} filled; "" if there is none.
func (p *Phrases) Phrase(key string, args map[string]any) string {
	text := p.phrases[key]
	if strings.Contains(text, "{") {
		text = p.fill(text, args)
	}
	return p.grammar.names.JoinArticle(strings.Join(strings.Fields(text), " "))
}

// fill fills the places of a phrase. A text for a place may itself have places for
// words that agree with the name: "allumé{e}". Without a name the masculine singular is
// used.
func (p *Phrases) fill(text string, args map[string]any) string {
	for range 2 {
		for place, value := range args {
			if name, ok := value.(home.Called); ok {
				text = strings.ReplaceAll(text, "{"+place+"_object}", name.In(home.Object))
				text = strings.ReplaceAll(text, "{"+place+"_of}", name.In(home.Of))
			}
			text = strings.ReplaceAll(text, "{"+place+"}", p.write(place, value, args))
		}
	}
	for place, forms := range p.grammar.agree.Endings {
		text = strings.ReplaceAll(text, "{"+place+"}", forms[0])
	}
	for place, verb := range p.grammar.agree.Verbs {
		text = strings.ReplaceAll(text, "{"+place+"}", verb[0])
	}
	return text
}

// numbered are the places of phrases that numbers fill.
var numbered = []string{"value", "low", "high", "least", "from", "to", "a", "A", "b"}

// write is what fills a place: a number with the language's mark between its whole and
// its part, and the unit of one thing in the singular.
func (p *Phrases) write(place string, value any, args map[string]any) string {
	text := fmt.Sprint(value)
	switch {
	case slices.Contains(numbered, place) && p.readings.point != "":
		number, unit, _ := strings.Cut(text, " ")
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			return strings.TrimSpace(strings.Replace(number, ".", p.readings.point, 1) + " " + unit)
		}
	case (place == "unit" || place == "degrees") && p.readings.isOne(args["value"]):
		return cmp.Or(p.readings.single[text], text)
	}
	return text
}

// Refusal says why a sentence is not carried out; "" when silence is the answer.
func (p *Phrases) Refusal(d intent.Decision) string {
	heard := speech.Speakable(d.Heard)
	switch {
	case d.Reason.Silent():
		return ""
	case d.NeedHouse:
		return p.Phrase("no_house", nil)
	case d.Reason == intent.NoDevice && heard == "":
		return p.Phrase("no_device_plain", nil)
	case d.Together:
		d.Together = false
		return p.Refusal(d) + " " + p.Phrase("nothing_done", nil)
	case d.Limits != nil && d.Limits.From < d.Limits.To:
		return p.Phrase(string(d.Reason), map[string]any{"from": sayValue(d.Limits.From), "to": sayValue(d.Limits.To), "degrees": p.readings.degrees(d.Limits.Scale, d.Limits.Named)})
	}
	if d.Heard != "" && heard == "" {
		return p.Phrase("not_understood", nil)
	}
	written := p.grammar.names.Capitalise(heard)
	args := map[string]any{"heard": p.grammar.names.Bare(written), "thing": p.grammar.callThing(&home.Entity{Name: written}), "a": p.grammar.article(heard)}
	if text := p.Phrase(string(d.Reason), args); text != "" {
		return capital(text)
	}
	return p.Phrase("not_understood", nil)
}

// SayDenied says that a dangerous act is switched off.
func (p *Phrases) SayDenied(steps []plan.Step) string {
	for _, s := range steps {
		if s.Risk != tools.Dangerous || s.Entity == nil {
			continue
		}
		name := p.grammar.callThing(s.Entity)
		return p.Phrase(deniedKey(s.Entity.Domain), map[string]any{"name": name, "Name": name.Each(capital)})
	}
	return p.Phrase("denied", nil)
}

// deniedKey is the phrase about a dangerous act on a thing of a domain.
func deniedKey(domain string) string {
	switch domain {
	case "lock":
		return "denied_unlock"
	case "cover", "valve":
		return "denied_open"
	case "alarm_control_panel":
		return "denied_disarm"
	}
	return "denied_on"
}

// Challenge asks for words before a dangerous step. The words come first and other words
// last, so that the echo of our own voice is not the answer.
func (p *Phrases) Challenge(s *plan.Step, words string) string {
	return p.Phrase(strings.Replace(deniedKey(s.Entity.Domain), "denied", "challenge", 1), map[string]any{"words": words, "name": p.grammar.callThing(s.Entity)})
}

// maxApology is how long an error may be to be read out, in bytes.
const maxApology = 300

// Apology turns any error into a sentence for people. An error that is itself a sentence
// is said as it is; for any other error the sentence says only that something failed.
func (p *Phrases) Apology(err error) string {
	var planned *plan.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &planned):
		return p.sayPlanError(planned)
	case errors.Is(err, tools.ErrNoAnswer):
		return p.Phrase("fate_unknown", nil)
	case errors.Is(err, tools.ErrNotConnected) && !p.english():
		return p.Phrase("not_sent", nil)
	case errors.Is(err, context.DeadlineExceeded):
		return p.Phrase("timeout", nil)
	case errors.Is(err, context.Canceled):
		return p.Phrase("cancelled", nil)
	}
	for e := err; e != nil && p.english(); e = errors.Unwrap(e) {
		if text := speech.Speakable(e.Error()); isSentence(text) {
			return text
		}
	}
	if errors.Is(err, tools.ErrNotConnected) {
		return p.Phrase("not_sent", nil)
	}
	return p.Phrase("failed", nil)
}

// sayPlanError says why nothing could be planned.
func (p *Phrases) sayPlanError(e *plan.Error) string {
	if e.Key == "" {
		return e.Text
	}
	args := map[string]any{"what": e.What}
	if e.Entity != nil {
		args = p.grammar.about(&plan.Step{Entity: e.Entity})
		args["what"], args["plain"] = e.What, p.grammar.names.Plain(e.Entity)
	}
	if text := p.Phrase(e.Key, args); text != "" {
		return text
	}
	return p.Phrase("failed", nil)
}

// english reports whether the texts of tools, which are English, may be spoken.
func (p *Phrases) english() bool { return p.language == sentences.OfTools || p.language == "" }

// isSentence reports whether a text was written to be heard.
func isSentence(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return len(text) <= maxApology && unicode.IsUpper(first) && strings.HasSuffix(text, ".") && strings.Count(text, " ") >= 2
}

// capital makes the first letter of a sentence large.
func capital(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}
