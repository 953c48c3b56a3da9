package ai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"voicegateway/internal/ai/offer"
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
	return rec.Spec.Risk == tools.Read && offer.HoldsOrder(r.labels.Clean(rec.Result.Text))
}

// taints reports whether the result of a call makes the turn one that holds text from
// outside (REQUIREMENTS S2). That of a foreign server does, unless the server is believed.
func (r *reply) taints(rec dialogue.Call) bool {
	believed := rec.Spec.Believed && !rec.Spec.OpenWorld && !rec.Result.Untrusted && foreign(&rec.Spec, r.prompt.House)
	return !believed && r.ofOthers(rec)
}

// tellsHouse reports whether a server has told of things in the house.
func tellsHouse(h *home.House, server string) bool {
	return h != nil && slices.ContainsFunc(h.Entities, func(e home.Entity) bool { return e.Server == server })
}

// foreign reports whether a tool belongs to a server that has no house.
func foreign(s *tools.Spec, h *home.House) bool { return s.Server != "" && !tellsHouse(h, s.Server) }

// strangerTo tells which tools are of servers that tell no house.
func strangerTo(h *home.House) offer.Foreign {
	return func(s *tools.Spec) bool { return foreign(s, h) }
}

// wordless returns tools that may be offered beside others that change something: the
// descriptions of foreign tools and of their arguments are removed, because they must not
// tell the model to act in this house. Names and the kinds of arguments stay. A foreign
// tool whose names mention a thing in the house is left out.
func wordless(specs []tools.Spec, h *home.House) []tools.Spec {
	specs = offer.DropOrders(specs, strangerTo(h), h.Names())
	for i := range specs {
		if s := &specs[i]; foreign(s, h) {
			s.Title, s.Description = "", fmt.Sprintf("A tool of the server %q.", s.Server)
			s.Input = dialogue.Bare(s.Input)
		}
	}
	return specs
}

// resolveLabels replaces labels in the arguments of calls by the names of the house, because the
// servers and the mind do not know the labels. The calls that the model reads back, and
// calls that leave the house, keep the labels.
func (r *reply) resolveLabels(plan []planned) {
	for i := range plan {
		if p := &plan[i]; !p.spec.OpenWorld && !foreign(&p.spec, r.prompt.House) {
			p.call.Args = dialogue.Renamed(p.call.Args, r.labels.Meant)
		}
	}
}

// Bounds of what a turn may send back to a server of its own text once the turn is tainted.
// Each piece is a choice of the model and could stand for something else.
const (
	maxPieces     = 3 // of one call
	maxPiecesTurn = 6
	maxSmall      = 2 // values too short to be traced, of all calls of a turn
)

// leaks says why a call may not carry its arguments to a server; "" if it may. Foreign text
// that the model has read may ask it to pass on what it knows. Then only the user's own words
// of this turn may leave the house, and to a server what it has itself answered or was sent
// before (REQUIREMENTS M16). The descriptions of foreign tools may ask for the same: beside
// them, nothing of earlier turns may leave.
func (r *reply) leaks(offered []tools.Spec, spec tools.Spec, args json.RawMessage) string {
	if goesOut := spec.OpenWorld || foreign(&spec, r.prompt.House); !goesOut {
		return r.misplaces(spec, args)
	}
	beside := r.stained() || slices.ContainsFunc(offered, func(s tools.Spec) bool { return foreign(&s, r.prompt.House) })
	from := r.sources(spec)
	known := strings.Join(append(from.Sent, from.Own, r.begun.Format("Monday, 02 January 2006 01")), "\n")
	theirs := known + "\n" + strings.Join(from.Theirs, "\n")
	private, shared := r.private(spec.Server)
	from.Guarded = dialogue.HoldsNumber(private)
	switch calls := append(r.argsTo(spec.Server), args); {
	case beside && (dialogue.SaidBefore(args, known, private) || dialogue.SaidBefore(args, theirs, shared) || dialogue.Reassembles(calls, known, private)):
		return "Not done: nothing of earlier requests may be sent out; only what belongs to this one."
	case !r.stained():
		return ""
	case dialogue.SaidBefore(args, known, r.answersBeside(spec.Server)) || !r.traces(from, spec.Server, args):
		return "Not done: text from outside only goes back to the server that wrote it; to others go only the user's own words of this request."
	}
	return ""
}

// misplaces says why a call may not carry its arguments to a server of the house: they are
// of what others have answered. Names of the house, and words of the tool itself, may be
// in that, too.
func (r *reply) misplaces(spec tools.Spec, args json.RawMessage) string {
	if spec.Server == "" || !r.stained() {
		return "" // our own tools pass nothing on
	}
	known := strings.Join(append(r.prompt.House.Names(), r.prompt.Text, string(spec.Input)), "\n")
	if dialogue.SaidBefore(args, known, r.answersBeside(spec.Server)) {
		return "Not done: text from outside only goes back to the server that wrote it, and never to the house."
	}
	return ""
}

// traces reports whether arguments are made only of what may be sent to a server, and
// counts what is sent.
func (r *reply) traces(from dialogue.Sources, server string, args json.RawMessage) bool {
	found, ok := from.Of(args)
	if !ok || len(found.Pieces) > maxPieces || r.picked[server]+len(found.Pieces) > maxPiecesTurn || r.small+found.Small > maxSmall {
		return false
	}
	if r.picked == nil {
		r.picked = map[string]int{}
	}
	r.picked[server] += len(found.Pieces)
	r.small += found.Small
	return true
}

// sources are the texts that a call of a tool may be made of. The search gets nothing but
// the user's words.
func (r *reply) sources(spec tools.Spec) dialogue.Sources {
	from := dialogue.Sources{Own: r.prompt.Text, Schema: spec.Input, Today: r.begun}
	if spec.Server == "" {
		return from
	}
	for _, p := range r.passages() {
		switch {
		case p.server != spec.Server:
		case p.sent:
			from.Sent = append(from.Sent, p.text)
		default:
			from.Theirs = append(from.Theirs, p.text)
		}
	}
	return from
}

// passages are what this turn, and those before it that the model is given, have exchanged
// with servers.
func (r *reply) passages() (all []passage) {
	for _, e := range r.earlier {
		all = append(all, e.passed...)
	}
	return append(all, r.passed...)
}

// argsTo are the arguments that this turn has sent to a server.
func (r *reply) argsTo(server string) (all []json.RawMessage) {
	for _, p := range r.passed {
		if p.server == server && p.sent {
			all = append(all, json.RawMessage(p.text))
		}
	}
	return all
}

// private is what was said in earlier turns: apart from a server, and shared with it, in
// turns that have called it and nothing else. It gets back what it knows of the latter.
func (r *reply) private(server string) (apart, shared string) {
	for _, e := range r.earlier {
		said := e.user + "\n" + e.assistant + "\n"
		ofServer := func(p passage) bool { return server != "" && p.server == server }
		if len(e.passed) > 0 && !slices.ContainsFunc(e.passed, func(p passage) bool { return !ofServer(p) }) {
			shared += said
		} else {
			apart += said
		}
	}
	return apart, shared
}

// answersBeside is what all servers and tools but one have answered.
func (r *reply) answersBeside(server string) string {
	var b strings.Builder
	for _, p := range r.passages() {
		if !p.sent && (p.server != server || server == "") {
			b.WriteString(p.text + "\n")
		}
	}
	return b.String()
}

// keep notes what a call has sent, and what the model reads of its answer.
func (r *reply) keep(rec dialogue.Call) {
	if rec.Took == 0 {
		return
	}
	answer := cmp.Or(rec.Result.Text, string(rec.Result.Data))
	if rec.Err != nil {
		answer = rec.Err.Error()
	}
	r.passed = append(r.passed,
		passage{rec.Spec.Server, true, string(rec.Args)},
		passage{rec.Spec.Server, false, r.labels.Clean(clip(dialogue.Harmless(answer), maxResult))})
}
