package ai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/ai/choice"
	"voicegateway/internal/ai/inventory"
	"voicegateway/internal/home"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// stained reports whether the model has read text of others in this turn, or is given
// it from earlier ones.
func (r *reply) stained() bool { return r.outside || r.before == fromOthers }

// origin says whose text the reply may be based on.
func (r *reply) origin() origin {
	switch {
	case r.stained():
		return fromOthers
	case r.described:
		return besideOthers
	}
	return r.before
}

// describes reports whether a foreign tool has a description.
func (r *reply) describes(s tools.Spec) bool {
	return s.Description != "" && foreign(&s, r.prompt.House)
}

// ofOthers reports whether the result of a call is, or holds, foreign text: from a tool
// that reaches beyond the house, from a server that has no house, or from a device that
// reports in free words.
func (r *reply) ofOthers(rec dialogue.Call) bool {
	if rec.Result.Untrusted || rec.Spec.OpenWorld || foreign(&rec.Spec, r.prompt.House) {
		return true
	}
	if free, structured := dialogue.FreeWords(rec.Result.Data); structured {
		return free
	}
	return rec.Spec.Risk == tools.Read && inventory.Orders(r.labels.Clean(rec.Result.Text))
}

// tellsHouse reports whether a server has told of things in the house.
func tellsHouse(h *home.House, server string) bool {
	return h != nil && slices.ContainsFunc(h.Entities, func(e home.Entity) bool { return e.Server == server })
}

// foreign reports whether a tool belongs to a server that has no house.
func foreign(s *tools.Spec, h *home.House) bool { return s.Server != "" && !tellsHouse(h, s.Server) }

// strangerTo tells which tools are of servers that tell no house.
func strangerTo(h *home.House) choice.Foreign {
	return func(s *tools.Spec) bool { return foreign(s, h) }
}

// wordless returns tools that may be offered beside others that change something: the
// descriptions of foreign tools and of their arguments are removed, because they must not
// tell the model to act in this house. Names and the kinds of arguments stay. A foreign
// tool whose names mention a thing in the house is left out.
func wordless(specs []tools.Spec, h *home.House) []tools.Spec {
	specs = choice.Silent(specs, strangerTo(h), h.Names())
	for i := range specs {
		if s := &specs[i]; foreign(s, h) {
			s.Title, s.Description = "", fmt.Sprintf("A tool of the server %q.", s.Server)
			s.Input = dialogue.Bare(s.Input)
		}
	}
	return specs
}

// named replaces labels in the arguments of calls by the names of the house, because the
// servers and the mind do not know the labels. The calls that the model reads back, and
// calls that leave the house, keep the labels.
func (r *reply) named(plan []planned) {
	for i := range plan {
		if p := &plan[i]; !p.spec.OpenWorld && !foreign(&p.spec, r.prompt.House) {
			p.call.Args = dialogue.Renamed(p.call.Args, r.labels.Meant)
		}
	}
}

// leaks says why a call may not carry its arguments out of the house; "" if it may.
// Foreign text that the model has read may ask it to pass on what it knows: then only
// the user's own words of this turn may leave, and small counts. The descriptions of
// foreign tools may ask for the same: beside them, nothing of earlier turns may leave.
func (r *reply) leaks(offered []tools.Spec, spec tools.Spec, args json.RawMessage) string {
	if goesOut := spec.OpenWorld || foreign(&spec, r.prompt.House); !goesOut {
		return ""
	}
	ofOthers := func(s tools.Spec) bool { return foreign(&s, r.prompt.House) }
	switch {
	case r.stained() && !dialogue.OwnWords(args, r.prompt.Text):
		return "Not done: after text from outside was read, only the user's own words of this request may be sent out."
	case slices.ContainsFunc(offered, ofOthers) && dialogue.SaidBefore(args, r.prompt.Text, r.earlier()):
		return "Not done: nothing of earlier requests may be sent out; only what belongs to this one."
	}
	return ""
}

// earlier is what was said in the turns before.
func (r *reply) earlier() string {
	var b strings.Builder
	for _, m := range r.messages[:r.asked] {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}
