package reply

import (
	"strings"

	"voicegateway/internal/intent/plan"
)

// mostItems is how much of a list is said; of more, only the number is.
const mostItems = 8

// sayItems says what stands on a list; "" if the question is about something else.
func (p *Phrases) sayItems(s *plan.Step, o *observation, args map[string]any) string {
	if s.Action.Slots[slotAbout] != "items" {
		return ""
	}
	all, told := o.Values["items"].([]any)
	if !told {
		return p.Phrase("unknown_state", args)
	}
	if len(all) == 0 {
		return p.Phrase("list_empty", args)
	}
	var said []string
	for _, v := range all {
		if text, ok := v.(string); ok {
			said = append(said, strings.Join(strings.Fields(text), " "))
		}
	}
	if rest := len(said) - mostItems; rest > 0 {
		more := p.Phrase("more", map[string]any{"count": rest})
		if rest == 1 {
			more = p.Phrase("more_one", nil)
		}
		said = append(said[:mostItems], more)
	}
	args["value"] = p.grammar.list(said)
	return p.Phrase("list_items", args)
}

// sayPlaying says what a player plays; "" if the question is about something else, or if it
// plays nothing or tells no title: then its state is said.
func (p *Phrases) sayPlaying(s *plan.Step, o *observation, args map[string]any) string {
	title, _ := o.Values["media_title"].(string)
	if s.Action.Slots[slotAbout] != "title" || title == "" || sayValue(o.State) != "playing" {
		return ""
	}
	args["value"], args["by"] = title, o.Values["media_artist"]
	if by, _ := o.Values["media_artist"].(string); by != "" {
		return p.Phrase("plays_by", args)
	}
	return p.Phrase("plays", args)
}
