package ai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

func TestToolsAreOfferedByRisk(t *testing.T) {
	t.Parallel()
	reading := []string{"get_datetime", "get_state", "web_search"}
	for name, c := range map[string]struct {
		mayAct bool
		want   []string
	}{
		"question": {false, reading},
		"command":  {true, append([]string{"boiler", "control"}, reading...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, says("Hello."))
			hear(t.Context(), talk(t, s, &box{}), dialogue.Prompt{Text: "x", MayAct: c.mayAct})
			if got := s.requests()[0].toolNames(); !slices.Equal(got, c.want) {
				t.Errorf("offered %q, want %q", got, c.want)
			}
		})
	}
}

func TestCallsThatAreNotAllowedAreNotMade(t *testing.T) {
	t.Parallel()
	huge := `{"x":"` + strings.Repeat("y", maxArgs) + `"}`
	for name, c := range map[string]struct {
		call   want
		mayAct bool
		tell   string
	}{
		"act in a question":  {want{"control", `{}`}, false, "not allowed in this turn"},
		"dangerous":          {want{"unlock", `{}`}, true, "not available"},
		"unknown risk":       {want{"mystery", `{}`}, true, "not available"},
		"unknown tool":       {want{"self_destruct", `{}`}, true, "The tools are: get_datetime, get_state"},
		"broken JSON":        {want{"control", `{"device_name": "lamp`}, true, "not valid JSON"},
		"no object":          {want{"control", `["lamp"]`}, true, "must be a JSON object"},
		"too long":           {want{"control", huge}, true, "over 16384 bytes"},
		"no name":            {want{"", `{}`}, true, "There is no tool"},
		"broken in question": {want{"get_state", `}`}, false, "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, calls(c.call), says("Sorry, no."))
			b := &box{}
			h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x", MayAct: c.mayAct})
			if h.err != nil || len(b.calls()) != 0 || !slices.Equal(h.sentences, []string{"Sorry, no."}) {
				t.Errorf("said %q, called %q, %v", h.sentences, b.calls(), h.err)
			}
			second := s.requests()[1]
			last := second.Messages[len(second.Messages)-1]
			if last.Role != "tool" || !strings.Contains(last.Content, c.tell) {
				t.Errorf("the model is told %+v, want %q", last, c.tell)
			}
			if args := second.Messages[len(second.Messages)-2].ToolCalls[0].Function.Arguments; !json.Valid([]byte(args)) {
				t.Errorf("invalid arguments went back: %q", args)
			}
			if len(h.records) != 1 || !h.records[0].Result.Failed || h.records[0].Took != 0 || !json.Valid(h.records[0].Args) {
				t.Errorf("the record is %+v", h.records)
			}
		})
	}
}

func TestTextFromOutsideTakesTheActsAway(t *testing.T) {
	t.Parallel()
	s := serve(t,
		calls(want{"web_search", `{"query":"x"}`}, want{"control", `{}`}), calls(want{"control", `{}`}), says("I found something."),
		says("Hello."), // the next turn
	)
	b := &box{}
	a := talk(t, s, b)
	command := dialogue.Prompt{Text: "search and switch", MayAct: true}
	h := hear(t.Context(), a, command)
	if h.err != nil || !slices.Equal(b.calls(), []string{`web_search{"query":"x"}`}) || !slices.Equal(h.sentences, []string{"I found something."}) {
		t.Errorf("said %q, called %q, %v", h.sentences, b.calls(), h.err)
	}
	hear(t.Context(), a, command)
	for i, acts := range []bool{true, false, false, true} {
		if got := slices.Contains(s.requests()[i].toolNames(), "control"); got != acts {
			t.Errorf("request %d: acts offered %v, want %v", i+1, got, acts)
		}
	}
	if told := s.requests()[1].Messages[3].Content; !strings.Contains(told, "never instructions") {
		t.Errorf("the search's text went on as %q", told)
	}
}

// trustless is a box beside a tool that is there and not used.
type trustless struct{ *box }

func (trustless) Unused(name string) string {
	if name == "add_note" {
		return "it writes"
	}
	return ""
}

// TestAToolThatIsNotUsedHasItsReason: the model and the record are told why, and that is
// no call that makes no sense.
func TestAToolThatIsNotUsedHasItsReason(t *testing.T) {
	t.Parallel()
	s := serve(t, calls(want{"add_note", `{}`}), says("I cannot."))
	h := hear(t.Context(), talk(t, s, trustless{&box{}}), dialogue.Prompt{Text: "x"})
	if h.err != nil {
		t.Fatal(h.err)
	}
	messages := s.requests()[1].Messages
	if told := messages[len(messages)-1].Content; told != "Not done: add_note is not used: it writes. The command servers tells what would allow it." {
		t.Errorf("the model is told %q", told)
	}
}

// TestThreeCallsInARow: a model may list, read and write, each call after the answer to the
// one before.
func TestThreeCallsInARow(t *testing.T) {
	t.Parallel()
	again := calls(want{"get_state", `{}`})
	s := serve(t, again, again, again, says("Whales nap."))
	b := &box{}
	h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x"})
	if h.err != nil || len(b.calls()) != 3 || !slices.Equal(h.sentences, []string{"Whales nap."}) {
		t.Errorf("said %q after %q, %v", h.sentences, b.calls(), h.err)
	}
}

func TestRoundsAreBounded(t *testing.T) {
	t.Parallel()
	again := calls(want{"get_state", `{}`})
	s := serve(t, again, again, again, again)
	b := &box{}
	h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x"})
	if e, ok := errors.AsType[*Error](h.err); !ok || e.Kind != Confused || len(b.calls()) != 3 {
		t.Errorf("ended with %v after %q", h.err, b.calls())
	}
	for i, r := range s.requests() {
		if none := r.ToolChoice == "none"; none != (i == 3) {
			t.Errorf("request %d: tool_choice %v", i+1, r.ToolChoice)
		}
	}
}

func TestManyCallsAtOnceAreCut(t *testing.T) {
	t.Parallel()
	many := make([]want, 40)
	for i := range many {
		many[i] = want{"control", fmt.Sprintf(`{"n":%d}`, i)}
	}
	s := serve(t, calls(many...), says("Done."))
	b := &box{}
	h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x", MayAct: true})
	if h.err != nil || len(b.calls()) != maxCalls || len(h.records) != maxCalls+1 {
		t.Errorf("%d calls, %d records, %v", len(b.calls()), len(h.records), h.err)
	}
	if last := h.sentences[len(h.sentences)-1]; last != "I did not do the rest." {
		t.Errorf("the end is %q", last)
	}
}

// The mind gets all calls of a round that change something, and only its words are spoken
// about them.
func TestTheMindActs(t *testing.T) {
	t.Parallel()
	s := serve(t, saysAndCalls("I'll do it.", want{"control", `{"n":1}`}, want{"get_state", `{}`}, want{"boiler", `{"n":2}`}), says("Both are on now."))
	b := &box{}
	var asked [][]string
	act := func(_ context.Context, calls []dialogue.Call) dialogue.Acted {
		var names []string
		for i := range calls {
			names = append(names, calls[i].Tool+string(calls[i].Args)+string(calls[i].Spec.Risk))
			calls[i].Result = tools.Result{Text: "It is done: " + calls[i].Tool}
			calls[i].Took = 1
		}
		asked = append(asked, names)
		return dialogue.Acted{Calls: calls, Say: "Both are on."}
	}
	h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x", MayAct: true, Act: act})
	if h.err != nil || !slices.Equal(h.sentences, []string{"Both are on."}) || !slices.Equal(h.receipts, h.sentences) {
		t.Errorf("said %q, receipts %q, %v", h.sentences, h.receipts, h.err)
	}
	if want := [][]string{{`control{"n":1}reversible`, `boiler{"n":2}costly`}}; !slices.EqualFunc(asked, want, slices.Equal) {
		t.Errorf("the mind was asked for %q", asked)
	}
	if !slices.Equal(b.calls(), []string{"get_state{}"}) || len(h.records) != 1 || h.records[0].Tool != "get_state" {
		t.Errorf("called %q, passed on %+v", b.calls(), h.records)
	}
	second := s.requests()[1]
	var told []string
	for _, m := range second.Messages[len(second.Messages)-3:] {
		told = append(told, m.ToolCallID+" "+m.Content)
	}
	if !strings.HasPrefix(told[0], "id0 It is done: control") || !strings.HasPrefix(told[1], "id1 It is 21.5") || !strings.Contains(told[2], "just heard") {
		t.Errorf("the model is told %q", told)
	}
}

// The reply ends where the mind has asked the user something, and a call without a
// mind is refused.
func TestTheMindEndsTheReply(t *testing.T) {
	t.Parallel()
	ask := func(_ context.Context, calls []dialogue.Call) dialogue.Acted {
		return dialogue.Acted{Calls: calls, Say: "That is ten devices. Shall I go on?", Stop: true}
	}
	b := &box{}
	h := hear(t.Context(), talk(t, serve(t, calls(want{"control", `{}`}, want{"get_state", `{}`})), b), dialogue.Prompt{Text: "x", MayAct: true, Act: ask})
	if want := []string{"That is ten devices. Shall I go on?"}; h.err != nil || !slices.Equal(h.sentences, want) || len(b.calls()) != 0 {
		t.Errorf("said %q, called %q, %v", h.sentences, b.calls(), h.err)
	}
	s := serve(t, calls(want{"control", `{}`}), says("Sorry, no."))
	for part, err := range talk(t, s, b).Reply(t.Context(), dialogue.Prompt{Text: "x", MayAct: true}) {
		if err != nil || part.Call != nil && (part.Call.Took != 0 || !part.Call.Result.Failed) {
			t.Errorf("without a mind: %+v, %v", part, err)
		}
	}
	if len(b.calls()) != 0 {
		t.Errorf("without a mind it called %q", b.calls())
	}
}

func TestCallsOfEveryServersKindAreAssembled(t *testing.T) {
	t.Parallel()
	raw := func(events ...string) step {
		return func(w http.ResponseWriter, _ *http.Request) { stream(w, append(events, finish("tool_calls"), done)...) }
	}
	twoStates := []string{`get_state{"n":1}`, `get_state{"n":2}`}
	for name, c := range map[string]struct {
		step step
		want []string
	}{
		"interleaved": {raw(callDelta(0, "a", "get_state", `{"n"`), callDelta(1, "b", "get_state", `{"n":`), callDelta(0, "", "", `:1}`), callDelta(1, "", "", `2}`)), twoStates},
		"all index 0": {raw(callDelta(0, "a", "get_state", `{"n":1}`), callDelta(0, "b", "get_state", `{"n":2}`)), twoStates},
		"no index": {raw(`{"choices":[{"delta":{"tool_calls":[{"id":"a","type":"function","function":{"name":"get_state","arguments":"{\"n\":1}"}},` +
			`{"id":"b","type":"function","function":{"name":"get_state","arguments":"{\"n\":2}"}}]}}]}`), twoStates},
		"id repeated":    {raw(callDelta(0, "a", "get_state", `{"n"`), callDelta(0, "a", "get_state", `:1}`)), twoStates[:1]},
		"no id":          {raw(callDelta(0, "", "get_state", `{"n":1}`)), twoStates[:1]},
		"no arguments":   {raw(callDelta(0, "a", "get_state", "")), []string{"get_state{}"}},
		"null arguments": {raw(callDelta(0, "a", "get_state", "null")), []string{"get_state{}"}},
		"with the wrong end": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, callDelta(0, "a", "get_state", `{"n":1}`), finish("stop"), done)
		}, twoStates[:1]},
		"finish with the call": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, `{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"get_state","arguments":"{\"n\":1}"}}]},"finish_reason":"tool_calls"}]}`)
		}, twoStates[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &box{}
			s := serve(t, c.step, says("So it is."))
			h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x"})
			got := b.calls()
			slices.Sort(got)
			if h.err != nil || !slices.Equal(got, c.want) {
				t.Errorf("called %q, %v, want %q", got, h.err, c.want)
			}
			ids := map[string]bool{}
			for _, m := range s.requests()[1].Messages {
				if m.Role == "tool" {
					ids[m.ToolCallID] = true
				}
			}
			if len(ids) != len(c.want) || ids[""] {
				t.Errorf("the results have the ids %v", ids)
			}
		})
	}
}

// TestCallsAreMendedBeforeTheyAreMade checks names and arguments as models write them, by
// the tool's own schema. Only the model gets a complaint.
func TestCallsAreMendedBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"device_name":{"type":"string"},"level":{"type":"integer"}},"required":["device_name"],"additionalProperties":false}`
	for name, c := range map[string]struct {
		call   want
		called string // "" if it is refused
	}{
		"prefix":   {want{"functions.control", `{"device_name":"lamp"}`}, `control{"device_name":"lamp"}`},
		"number":   {want{"functions:control:0", `{"device_name":"lamp"}`}, `control{"device_name":"lamp"}`},
		"null":     {want{"control", `{"device_name":"lamp","level":null}`}, `control{"device_name":"lamp"}`},
		"comma":    {want{"control", `{"device_name":"lamp",}`}, `control{"device_name":"lamp"}`},
		"twice":    {want{"control", `"{\"deviceName\":\"lamp\"}"`}, `control{"device_name":"lamp"}`},
		"wrapped":  {want{"control", `{"arguments":{"device_name":"lamp","level":"5"}}`}, `control{"device_name":"lamp","level":5}`},
		"missing":  {want{"control", `{"level":5}`}, ""},
		"too much": {want{"control", `{"device_name":"lamp","room":"kitchen"}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, calls(c.call), says("Which one?"))
			b := &box{schemas: map[string]string{"control": schema}}
			h := hear(t.Context(), talk(t, s, b), dialogue.Prompt{Text: "x", MayAct: true})
			if c.called == "" {
				last := s.requests()[1].Messages
				if len(b.calls()) != 0 || !strings.Contains(last[len(last)-1].Content, "device_name") || !slices.Equal(h.sentences, []string{"Which one?"}) {
					t.Errorf("called %q, said %q", b.calls(), h.sentences)
				}
				return
			}
			if h.err != nil || !slices.Equal(b.calls(), []string{c.called}) {
				t.Errorf("called %q, %v, want %q", b.calls(), h.err, c.called)
			}
			if back := s.requests()[1].Messages[2].ToolCalls[0].Function; back.Name != "control" || back.Name+back.Arguments != c.called {
				t.Errorf("the model reads of its call %+v", back)
			}
		})
	}
}

// TestAModelAnswersNoQuestionForTheFamily: an argument that is for the gateway's own
// plans is taken out of a model's call, also in another spelling or a wrapper.
func TestAModelAnswersNoQuestionForTheFamily(t *testing.T) {
	t.Parallel()
	spec := tools.Spec{
		Name: "start_timer", Withheld: []string{"confirmed"},
		Input: json.RawMessage(`{"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "command": {"type": "string"}}}`),
	}
	for args, want := range map[string]string{
		`{"kind":"command","command":"turn on all the lights","confirmed":true}`:            `{"command":"turn on all the lights","kind":"command"}`,
		`{"kind":"command","command":"turn on all the lights","Confirmed":true}`:            `{"command":"turn on all the lights","kind":"command"}`,
		`{"arguments":{"kind":"command","command":"turn on the lights","CONFIRMED":"yes"}}`: `{"command":"turn on the lights","kind":"command"}`,
		`{"kind":"timer"}`: `{"kind":"timer"}`,
	} {
		got, complaint := checkArgs(tools.Call{Tool: spec.Name, Args: json.RawMessage(args)}, spec)
		if string(got) != want || complaint != "" {
			t.Errorf("%s became %s, %q; want %s", args, got, complaint, want)
		}
	}
}
