package intent

import (
	"slices"
	"strings"

	"voicegateway/internal/home"
)

// coverings are the classes of covers that hang before a window. Families call
// those of one group by any of its names.
var coverings = map[string][]string{
	"blind":   {"blind", "shade", "shutter"},
	"shade":   {"blind", "shade", "shutter"},
	"shutter": {"blind", "shade", "shutter"},
	"curtain": {"curtain"},
	"awning":  {"awning"},
}

// coverClasses finds out what each cover is by the words of its name, in the
// language of the pack, and else by its class.
func coverClasses(h *home.House, p *Pack) []string {
	out := make([]string, len(h.Entities))
	for i := range h.Entities {
		e := &h.Entities[i]
		if e.Domain != "cover" || keepsOut(e) {
			continue
		}
		out[i] = e.DeviceClass()
		for name, l := range p.Lists {
			if strings.HasPrefix(name, askedLists) {
				continue // their values are states, such as half open
			}
			for _, v := range l.Values {
				if class, ok := v.Out.(string); ok && coverings[class] != nil && isCalled(e, v.Texts) {
					out[i] = class
				}
			}
		}
	}
	return out
}

// isCalled reports whether a name of a thing has one of the words, alone or at the
// end of a longer word.
func isCalled(e *home.Entity, words []string) bool {
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		for w := range strings.FieldsSeq(strings.ToLower(name)) {
			if slices.ContainsFunc(words, func(end string) bool { return strings.HasSuffix(w, end) }) {
				return true
			}
		}
	}
	return false
}
