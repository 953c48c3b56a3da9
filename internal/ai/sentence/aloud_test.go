package sentence_test

import (
	"encoding/json"
	"strings"
	"testing"

	"voicegateway/internal/ai/sentence"
	"voicegateway/internal/tools"
)

var known = []tools.Spec{{Name: "control_light"}, {Name: "get_state"}, {Name: "search"}}

// heard is what is said of a text that comes at once and byte by byte, and the
// calls in it.
func heard(t *testing.T, text string, held bool) (said string, ended bool, calls []tools.Call) {
	t.Helper()
	hear := func(pieces []string) (string, bool, []tools.Call) {
		w := sentence.Text{Tools: known, Held: held}
		var b strings.Builder
		ended := false
		take := func(said string) {
			if w.Ended() {
				b.Reset()
				ended = true
			}
			b.WriteString(said)
		}
		for _, p := range pieces {
			take(w.Push(p))
		}
		take(w.Flush())
		return b.String(), ended, w.Calls()
	}
	said, ended, calls = hear([]string{text})
	bytewise := make([]string, 0, len(text))
	for i := range len(text) {
		bytewise = append(bytewise, text[i:i+1])
	}
	again, endedAgain, callsAgain := hear(bytewise)
	if again != said || ended != endedAgain || len(calls) != len(callsAgain) {
		t.Fatalf("%q\nat once   %q %v %v\nin pieces %q %v %v", text, said, ended, calls, again, endedAgain, callsAgain)
	}
	return said, ended, calls
}

func TestWhatIsNotSaid(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                                        "plain",
		"It is on. Yes.":                               "It is on. Yes.",
		"<think>a\nb</think>It is on.":                 "It is on.",
		"<THINK>x</Think>Yes":                          "Yes",
		"a<think>b</think>c<think>d</think>":           "ac",
		"<think>never ends":                            "",
		"<think>a<b</thin k></think>x":                 "x",
		"no start</think> then":                        " then",
		"1 < 2 and <b>3</b>":                           "1 < 2 and <b>3</b>",
		"<thinking>a</thinking>b":                      "b",
		"it ends with <thi":                            "it ends with <thi",
		"<<think>x</think>":                            "<",
		"<think></think>":                              "",
		"<think/>x":                                    "x",
		"<reasoning>a</reasoning>b":                    "b",
		"<inner_monologue>a</inner_monologue>b":        "b",
		"<scratchpad>a</scratchpad><answer>b</answer>": "<answer>b</answer>",
		"<seed:think>a</seed:think>b":                  "b",
		"[THINK]a [b] c[/THINK]d":                      "d",
		"a[/THINK]d":                                   "d",
		"◁think▷a◁/think▷b":                            "b",
		"a◁/think▷b":                                   "b",
		"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>b": "b",
		"<|begin_of_thought|>a<|end_of_thought|>b":               "b",
		"a<|end_of_thought|>b":                                   "b",
		"<|channel|>analysis<|message|>We need<|end|><|start|>assistant<|channel|>final<|message|>Hello.<|return|>": "Hello.",
		"<|channel|>final<|message|>Hello.<|return|>more":                                                           "Hello.",
		"analysisWe need to answer.assistantfinalHello.":                                                            "Hello.",
		"Hello.<|im_end|>\n<|im_start|>user\nAnd you?":                                                              "Hello.",
		"<|im_start|>assistant\nHello.":                                                                             "Hello.",
		"Hello.<|eot_id|><|start_header_id|>user<|end_header_id|>Hm":                                                "Hello.",
		"Hello.</s>[INST] more":                                                                                     "Hello.",
		"assistant: Hello.":                                                                                         " Hello.",
		"Assistants help. Assistant: no.":                                                                           "Assistants help. Assistant: no.",
		"Reasoning: it is simple.\nHello.":                                                                          "Hello.",
		"<s>Hello.":                                                                                                 "Hello.",
		"<start_of_turn>model\nHello.<end_of_turn>\n":                                                               "Hello.",
		"Hello <|weird_token|>you.":                                                                                 "Hello you.",
		"Thought: I should say it.\nFinal Answer: Hello.":                                                           " Hello.",
		"```json\n{\"a\":1}\n```\nThat is all.":                                                                     "\nThat is all.",
		"Use `this` and ``that``.":                                                                                  "Use `this` and ``that``.",
		"```never ends":                                                                                             "",
		"{\"device_name\": \"Lamp\", \"note\": \"it's {on\"} Yes.":                                                  " Yes.",
		"{'a': 1} Yes.":                                                                                             " Yes.",
		"{ answer: 5 } Yes.":                                                                                        " Yes.",
		"[{\"name\": \"x\"}] Yes.":                                                                                  " Yes.",
		"{never ends":                                                                                               "{never ends",
		"{\"never\": ends":                                                                                          "",
		"A smile :-{ and {braces} and {two words}.":                                                                 "A smile :-{ and {braces} and {two words}.",
		"See [the page](https://x.org) or [1] or [NOTE] or [x].":                                                    "See [the page](https://x.org) or [1] or [NOTE] or [x].",
		"some_function(1, 2) Yes.":                                                                                  " Yes.",
		"print(get_state()) Yes.":                                                                                   "",
		"A word (in brackets), at 5 (p.m.) too.":                                                                    "A word (in brackets), at 5 (p.m.) too.",
		"Action is what counts. Thought: no.":                                                                       "Action is what counts. Thought: no.",
		"Thoughtful people rest.":                                                                                   "Thoughtful people rest.",
		"<tool_call>{\"name\":\"x\"}</tool_call>":                                                                   "",
		"<function_results>It is on.</function_results>":                                                            "",
		"thinking {\"a\": \"b</think>Yes.":                                                                          "Yes.",
		"thinking ```code</think>Yes.":                                                                              "Yes.",
		"thinking control_light(</think>Yes.":                                                                       "Yes.",
		"I would {\"name\":\"get_state\",\"arguments\":{}}</think>Yes.":                                             "Yes.",
		"<think>a</think>b</think>c":                                                                                "c",
		"ünïcode ◁ and ｜ and …":                                                                                     "ünïcode ◁ and ｜ and …",
	} {
		if said, _, _ := heard(t, text, false); said != want {
			t.Errorf("%q\nis said as %q\nwant       %q", text, said, want)
		}
	}
}

// TestAThoughtWithoutABeginning checks a model that only ends its thoughts: once it
// is known, nothing of them is said.
func TestAThoughtWithoutABeginning(t *testing.T) {
	for text, want := range map[string]string{
		"Okay, the lamp. It is on.</think>It is on.": "It is on.",
		"It is on.":                              "It is on.",
		"<think>x</think>It is on.":              "It is on.",
		"Hm. {\"a\":1}</think>Yes.</think>Done.": "Done.",
	} {
		if said, _, _ := heard(t, text, true); said != want {
			t.Errorf("%q is said as %q, want %q", text, said, want)
		}
	}
	begins := sentence.Text{Held: true}
	if said := begins.Push("Well. <think>Hm. </think>It is noon. "); said != "Well. It is noon. " {
		t.Errorf("a thought with its beginning leaves %q", said)
	}
	w := sentence.Text{Held: true}
	if said := w.Push("Okay, the user wants it. Let me see. "); said != "" || w.Ended() {
		t.Errorf("a thought is said: %q", said)
	}
	if said := w.Push("</think>It is noon. "); !w.Ended() || !strings.HasPrefix("It is noon. ", said) || said == "" || w.Held {
		t.Errorf("after the thought: %q", said)
	}
}

// TestWrittenCallsAreRead checks the forms in which models write calls. Each is the
// same call, and nothing of it is said.
func TestWrittenCallsAreRead(t *testing.T) {
	const schema = `{"type":"object","properties":{"name":{"type":"string"},"level":{"type":"integer"}},"additionalProperties":false}`
	const want = `{"level":5,"name":"Lamp"}`
	for _, text := range []string{
		`{"name": "control_light", "arguments": {"name": "Lamp", "level": 5}}`,
		`{"name": "control_light", "parameters": {"name": "Lamp", "level": "5"}}`,
		`{"name": "control_light", "arguments": "{\"name\": \"Lamp\", \"level\": 5}"}`,
		`{"type":"function","function":{"name":"functions.control_light","arguments":{"name":"Lamp","level":5}}}`,
		`{"tool_calls":[{"function":{"name":"control_light","arguments":"{\"name\":\"Lamp\",\"level\":5}"}}]}`,
		`{"tool": "control_light", "args": {'name': 'Lamp', 'level': 5,}}`,
		`{"action": "control_light", "action_input": {"name": "Lamp", "level": 5}}`,
		`{"control_light": {"name": "Lamp", "level": 5}}`,
		`[{"name": "control_light", "arguments": {"name": "Lamp", "level": 5}}]`,
		"```json\n{\"name\": \"control_light\", \"arguments\": {\"name\": \"Lamp\", \"level\": 5}}\n```",
		"```tool_code\nprint(default_api.control_light(name=\"Lamp\", level=5))\n```",
		`<tool_call>{"name": "control_light", "arguments": {"name": "Lamp", "level": 5}}</tool_call>`,
		`<tool_call>{"name": "control_light", "arguments": {"name": "Lamp", "level": 5}}`,
		"<tool_call>\n<function=control_light>\n<parameter=name>\nLamp\n</parameter>\n<parameter=level>\n5\n</parameter>\n</function>\n</tool_call>",
		`<function=control_light>{"name": "Lamp", "level": 5}</function>`,
		`<function_calls><invoke name="control_light"><parameter name="name">Lamp</parameter><parameter name="level">5</parameter></invoke></function_calls>`,
		`<m:tool_call><m:invoke name="control_light"><m:parameter name="name">Lamp</m:parameter><m:parameter name="level">5</m:parameter></m:invoke></m:tool_call>`,
		`<|tool_call|>[{"name": "control_light", "arguments": {"name": "Lamp", "level": 5}}]<|/tool_call|>`,
		"Action: ```json\n[{\"tool_name\": \"control_light\", \"parameters\": {\"name\": \"Lamp\", \"level\": 5}}]\n```",
		"<tool_call>control_light\n<arg_key>name</arg_key>\n<arg_value>Lamp</arg_value>\n<arg_key>level</arg_key>\n<arg_value>5</arg_value>\n</tool_call>",
		`[TOOL_CALLS][{"name": "control_light", "arguments": {"name": "Lamp", "level": 5}}]`,
		`[TOOL_CALLS]control_light[ARGS]{"name": "Lamp", "level": 5}`,
		`<|python_tag|>{"name": "control_light", "parameters": {"name": "Lamp", "level": 5}}<|eom_id|>`,
		`<|python_tag|>control_light(name="Lamp", level=5)`,
		`<|tool_calls_section_begin|><|tool_call_begin|>functions.control_light:0<|tool_call_argument_begin|>{"name": "Lamp", "level": 5}<|tool_call_end|><|tool_calls_section_end|>`,
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>control_light\n```json\n{\"name\": \"Lamp\", \"level\": 5}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		`commentary to=functions.control_light json{"name": "Lamp", "level": 5}`,
		`<|python_tag|>control_light.call(name="Lamp", level=5)`,
		"```tool_call\n{\"name\": \"control_light\", \"arguments\": {\"name\": \"Lamp\", \"level\": 5}}\n```",
		`<|channel|>commentary to=functions.control_light <|constrain|>json<|message|>{"name": "Lamp", "level": 5}<|call|>`,
		`<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "control_light", "parameters": {"name": "Lamp", "level": 5}}]<|END_ACTION|>`,
		`control_light(name="Lamp", level=5)`,
		`control_light({"name": "Lamp", "level": 5})`,
		`[control_light(name='Lamp', level=5)]`,
		"Action: control_light\nAction Input: {\"name\": \"Lamp\", \"level\": 5}\nObservation: it is on",
	} {
		said, _, calls := heard(t, text, false)
		if strings.TrimSpace(said) != "" || len(calls) != 1 || calls[0].Tool != "control_light" {
			t.Errorf("%s\nis said as %q and called as %v", text, said, calls)
			continue
		}
		args, complaint := tools.Mend([]byte(schema), calls[0].Args)
		var value any
		if err := json.Unmarshal(args, &value); err != nil {
			t.Errorf("%s\nhas the arguments %s: %s", text, calls[0].Args, complaint)
			continue
		}
		if sorted, err := json.Marshal(value); string(sorted) != want || err != nil {
			t.Errorf("%s\nhas the arguments %s", text, sorted)
		}
	}
}

// TestWhatNamesNoToolIsNoCall checks that data and talk about tools call nothing.
func TestWhatNamesNoToolIsNoCall(t *testing.T) {
	for _, text := range []string{
		`{"name": "Kitchen light", "state": "on"}`,
		`{"name": "unlock_door", "arguments": {}}`,
		`{"name": "control_light", "state": "on"}`,
		`{"device_name": "Lamp", "action": "on"}`,
		"```json\n{\"device_name\": \"Lamp\"}\n```",
		`unlock_door(name="front")`,
		`get_state`,
		`I could use get_state for that.`,
		`I did a search (for cheese) and {found} it.`,
		`<tool_call>{"name": "control_light", "argu`,
		`control_light(name="La`,
		`<think>{"name": "control_light", "arguments": {}}</think>Hm.`,
		`Hm. {"name": "control_light", "arguments": {}} no.</think>Hm.`,
		`Hello.<|im_end|>{"name": "control_light", "arguments": {}}`,
		`{"example": "control_light({})", "n": 1}`,
	} {
		if _, _, calls := heard(t, text, false); len(calls) > 0 {
			t.Errorf("%s calls %v", text, calls)
		}
	}
}

// TestSeveralCalls checks that calls one after the other are all read, and that what
// is said between their writing and their results is not.
func TestSeveralCalls(t *testing.T) {
	for _, text := range []string{
		`Let me see. get_state(device="A") get_state(device="B") It is on.`,
		`Let me see. <tool_call>{"name":"get_state","arguments":{}}</tool_call> <tool_call>{"name":"search","arguments":{}}</tool_call> It is on.`,
		`Let me see. [get_state(device="A"), get_state(device="B")] It is on.`,
		`Let me see. <function_calls><invoke name="get_state"><parameter name="a">1</parameter></invoke><invoke name="search"><parameter name="b">2</parameter></invoke></function_calls> It is on.`,
	} {
		said, _, calls := heard(t, text, false)
		if strings.TrimSpace(said) != "Let me see." || len(calls) != 2 || calls[0].Tool != "get_state" {
			t.Errorf("%s\nis said as %q and called as %v", text, said, calls)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"It is on. <think>a</think>b", "[THINK]x[/THINK] [a](b) [{\"a\":1}]", "◁think▷a◁/think▷b", "{\"name\":\"get_state\",\"arguments\":{}}", "```a``` `b` ``c",
		"get_state(a=\"b\", c={\"d\":'e'}) x", "<|channel|>analysis<|message|>a<|end|>b", "Action: get_state\nAction Input: {}\n", "assistantfinal x</think>y", "\xff<\xe2\x97", "Thought: a\n\nb",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, held := range []bool{false, true} {
			said, _, calls := heard(t, text, held)
			if len(said) > len(text) {
				t.Fatalf("%q is said as %q", text, said)
			}
			for _, c := range calls {
				if c.Tool != "control_light" && c.Tool != "get_state" && c.Tool != "search" {
					t.Fatalf("%q calls %q", text, c.Tool)
				}
			}
		}
	})
}
