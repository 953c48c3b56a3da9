package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"voicegateway/internal/tools"
)

// hand is a server that speaks the protocol by hand and can ask in the middle of a call.
type hand struct {
	in      *bufio.Reader
	offered json.RawMessage // the capabilities of its client
}

// handMessage is a message that the server reads.
type handMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name         string          `json:"name"`
		Arguments    json.RawMessage `json:"arguments"`
		Capabilities json.RawMessage `json:"capabilities"`
		Meta         struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// read reads the next message, or ends the process.
func (h *hand) read() (m handMessage) {
	for {
		line, err := h.in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		if json.Unmarshal(line, &m) == nil {
			return m
		}
	}
}

// ask asks the client and returns its answer, an error or a result.
func (h *hand) ask(method, params string) string {
	fmt.Printf(`{"jsonrpc":"2.0","id":"asked","method":%q,"params":%s}`+"\n", method, params)
	for {
		if m := h.read(); m.Method == "" && string(m.ID) == `"asked"` {
			return string(m.Error) + string(m.Result)
		}
	}
}

// tell sends a notification.
func (h *hand) tell(method, params string) {
	fmt.Printf(`{"jsonrpc":"2.0","method":%q,"params":%s}`+"\n", method, params)
}

// childTalks is a server that does, for each call, what its argument "do" lists: method
// and parameters with a blank between, one a line. Its answer is what it was answered.
func childTalks() {
	h := &hand{in: bufio.NewReader(os.Stdin)}
	for {
		m := h.read()
		result := `{}`
		switch m.Method {
		case "initialize":
			h.offered = m.Params.Capabilities
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"hand","version":"0"}}`
		case "tools/list":
			result = oneTool
		case "tools/call":
			text, _ := json.Marshal(strings.Join(h.do(m), "\n"))
			result = `{"content":[{"type":"text","text":` + string(text) + `}]}`
		case "":
			continue
		}
		if m.ID != nil {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
		}
	}
}

// do carries out a call of childTalks.
func (h *hand) do(m handMessage) (answers []string) {
	var args struct {
		Do string `json:"do"`
	}
	_ = json.Unmarshal(m.Params.Arguments, &args)
	for line := range strings.Lines(args.Do) {
		method, params, _ := strings.Cut(strings.TrimSpace(line), " ")
		params = strings.ReplaceAll(params, "TOKEN", string(m.Params.Meta.Token))
		switch {
		case method == "capabilities":
			answers = append(answers, string(h.offered))
		case strings.HasPrefix(method, "notifications/"):
			h.tell(method, params)
		default:
			answers = append(answers, h.ask(method, params))
		}
	}
	return answers
}

// call makes a call of childTalks.
func talk(t *testing.T, session Session, do ...string) string {
	t.Helper()
	args, err := json.Marshal(map[string]string{"do": strings.Join(do, "\n")})
	if err != nil {
		t.Fatal(err)
	}
	result, err := session.CallTool(patience(t), "act", args)
	if err != nil || result.Failed {
		t.Fatalf("the call came to %+v, %v", result, err)
	}
	return result.Text
}

// TestWhatAServerMayAsk: a server gets an answer to everything that it asks, and learns
// from the code which methods do not exist here.
func TestWhatAServerMayAsk(t *testing.T) {
	session := dialled(t, child(t, "talks", "talks"))
	for method, want := range map[string]string{
		"ping": `{}`, "roots/list": "-32601", "sampling/createMessage": "-32601", "dance": "-32601",
	} {
		if got := talk(t, session, method+" {}"); !strings.Contains(got, want) {
			t.Errorf("%s is answered with %s, want %s", method, got, want)
		}
	}
	offered := talk(t, session, "capabilities")
	if strings.Contains(offered, "sampling") || strings.Contains(offered, "roots") || !strings.Contains(offered, "elicitation") {
		t.Errorf("the client offers %s, want elicitation and neither sampling nor roots", offered)
	}
}

// person is the Talk of a call: a person who gives one answer.
type person struct {
	answer  tools.Answer
	asked   []tools.Question
	working chan string
}

func (p *person) Working(server string) { p.working <- server }

func (p *person) Ask(_ context.Context, q tools.Question) tools.Answer {
	p.asked = append(p.asked, q)
	return p.answer
}

// TestWhatAPersonIsAsked: a question that can be answered with a sentence reaches the
// person, and the answer the server; everything else is declined.
func TestWhatAPersonIsAsked(t *testing.T) {
	s := child(t, "talks", "talks")
	s.Env = map[string]string{"API_KEY": "Tr0ub4dor-and-3"}
	session := dialled(t, s)
	ask := func(message, fields string) string {
		text, _ := json.Marshal(message)
		return fmt.Sprintf(`elicitation/create {"message":%s,"requestedSchema":{"type":"object",%s}}`, text, fields)
	}
	least, most := 1.0, 10.0
	yes := tools.Answer{Given: true, Yes: true}
	for name, tt := range map[string]struct {
		do     string
		answer tools.Answer
		asked  tools.Question // without a text: nothing is asked
		want   string
	}{
		"yes": {
			ask("Overwrite a.txt?", `"properties":{"sure":{"type":"boolean"}}`), yes,
			tools.Question{Text: "Overwrite a.txt?"},
			`{"action":"accept","content":{"sure":true}}`,
		},
		"no": {
			ask("Overwrite a.txt?", `"properties":{"sure":{"type":"boolean"}}`),
			tools.Answer{Given: true},
			tools.Question{Text: "Overwrite a.txt?"},
			`{"action":"accept","content":{"sure":false}}`,
		},
		"no answer":      {ask("Overwrite?", `"properties":{"sure":{"type":"boolean"}}`), tools.Answer{}, tools.Question{Text: "Overwrite?"}, `{"action":"decline"}`},
		"without fields": {ask("Go on?", `"properties":{}`), yes, tools.Question{Text: "Go on?"}, `{"action":"accept"}`},
		"not gone on":    {ask("Go on?", `"properties":{}`), tools.Answer{Given: true}, tools.Question{Text: "Go on?"}, `{"action":"decline"}`},
		"one of several": {
			ask("Which one?", `"properties":{"file":{"type":"string","enum":["a","b"],"enumNames":["the first","the second"]}}`),
			tools.Answer{Given: true, Option: 1},
			tools.Question{Text: "Which one?", Kind: tools.OneOf, Options: []string{"the first", "the second"}},
			`{"action":"accept","content":{"file":"b"}}`,
		},
		"one of several, newer": {
			ask("Which one?", `"properties":{"file":{"type":"string","oneOf":[{"const":"a","title":"Alpha"},{"const":"b","title":"Beta"}]}}`),
			tools.Answer{Given: true},
			tools.Question{Text: "Which one?", Kind: tools.OneOf, Options: []string{"Alpha", "Beta"}},
			`{"action":"accept","content":{"file":"a"}}`,
		},
		"a number, and a default": {
			ask("How many?", `"properties":{"n":{"type":"integer","minimum":1,"maximum":10},"fast":{"type":"boolean","default":true}},"required":["n"]`),
			tools.Answer{Given: true, Number: 3},
			tools.Question{Text: "How many?", Kind: tools.ANumber, Whole: true, Least: &least, Most: &most},
			`{"action":"accept","content":{"fast":true,"n":3}}`,
		},
		"a text":      {ask("Your name?", `"properties":{"name":{"type":"string"}}`), yes, tools.Question{}, `{"action":"decline"}`},
		"two things":  {ask("Both?", `"properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}},"required":["a","b"]`), yes, tools.Question{}, `{"action":"decline"}`},
		"a secret":    {ask("May I?", `"properties":{"api_token":{"type":"integer"}}`), yes, tools.Question{}, `{"action":"decline"}`},
		"hidden":      {ask("May I?", `"properties":{"n":{"type":"integer","format":"password"}}`), yes, tools.Question{}, `{"action":"decline"}`},
		"an address":  {`elicitation/create {"mode":"url","message":"Log in","url":"https://example.org","elicitationId":"1"}`, yes, tools.Question{}, `{"action":"decline"}`},
		"nonsense":    {`elicitation/create {"message":7}`, yes, tools.Question{}, `{"action":"decline"}`},
		"many things": {ask("Which?", `"properties":{"a":{"enum":[1,2,3,4,5,6,7,8,9]}}`), yes, tools.Question{}, `{"action":"decline"}`},
		"a text that shows a secret, and is long": {
			ask("Use Tr0ub4dor-and-3\u0007\n"+strings.Repeat("x", 500), `"properties":{"sure":{"type":"boolean"}}`), yes,
			tools.Question{Text: "Use *** " + strings.Repeat("x", 500)},
			`{"action":"accept","content":{"sure":true}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{answer: tt.answer}
			args, _ := json.Marshal(map[string]string{"do": tt.do})
			result, err := session.CallTool(tools.WithTalk(patience(t), p), "act", args)
			if err != nil || result.Text != tt.want {
				t.Errorf("answered with %s, %v, want %s", result.Text, err, tt.want)
			}
			if tt.asked.Text == "" {
				if len(p.asked) > 0 {
					t.Errorf("asked %+v", p.asked)
				}
				return
			}
			if len(p.asked) != 1 {
				t.Fatalf("asked %+v, want one question", p.asked)
			}
			got := p.asked[0]
			if len(got.Text) > maxQuestion+len("…") || !strings.HasPrefix(tt.asked.Text, strings.TrimSuffix(got.Text, "…")) {
				t.Errorf("asked %q, want %q", got.Text, tt.asked.Text)
			}
			if got.Server != "talks" {
				t.Errorf("asked by %q", got.Server)
			}
			got.Server, got.Text, got.Field = "", tt.asked.Text, ""
			if !reflect.DeepEqual(got, tt.asked) {
				t.Errorf("asked %+v, want %+v", got, tt.asked)
			}
		})
	}
	if got := talk(t, session, ask("Overwrite?", `"properties":{"sure":{"type":"boolean"}}`)); got != `{"action":"decline"}` {
		t.Errorf("without a person it is answered with %s", got)
	}
}

// TestProgressIsNoted: progress lifts the patience for its call, and is told.
func TestProgressIsNoted(t *testing.T) {
	session := dialled(t, child(t, "talks", "talks"))
	p := &person{working: make(chan string, 3)}
	ctx, cancel := tools.WithLimit(tools.WithTalk(t.Context(), p), time.Minute, tools.ForProgress)
	defer cancel()
	before, _ := ctx.Deadline()
	args := json.RawMessage(`{"do":"notifications/progress {\"progressToken\":TOKEN,\"progress\":1}\nnotifications/progress {\"progressToken\":77,\"progress\":1}\nping {}"}`)
	if _, err := session.CallTool(ctx, "act", args); err != nil {
		t.Fatal(err)
	}
	if after, _ := ctx.Deadline(); len(p.working) != 1 || <-p.working != "talks" || !after.After(before) {
		t.Errorf("progress was told %d times more; the call may last until %s, before until %s", len(p.working), after, before)
	}
}

// TestMessagesForTheLog: what a server sends for a log stands in ours, at its level,
// bounded, and without secrets and control characters.
func TestMessagesForTheLog(t *testing.T) {
	s := child(t, "talks", "talks")
	s.Env = map[string]string{"API_KEY": "Tr0ub4dor-and-3"}
	var text bytes.Buffer
	session, err := Dial(patience(t), s, Options{Name: "test", Version: "0", Log: slog.New(slog.NewTextHandler(&text, nil))})
	if err != nil {
		t.Fatal(err)
	}
	do := []string{
		`notifications/message {"level":"warning","logger":"db","data":"the disk is \u001b[31mfull\u0007, key Tr0ub4dor-and-3"}`,
		`notifications/message {"level":"debug","data":"small things"}`,
		`notifications/message {"level":"critical","data":{"file":"a.txt"}}`,
		`notifications/message {"level":"info","data":"` + strings.Repeat("long ", 1000) + `"}`,
	}
	for range 1000 {
		do = append(do, `notifications/message {"level":"info","data":"again"}`)
	}
	talk(t, session, append(do, "ping {}")...)
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	got := text.String()
	for _, want := range []string{`level=WARN msg="message of an MCP server" text="the disk is full, key`, "logger=db", `level=ERROR msg="message of an MCP server" text="{\"file\":\"a.txt\"}"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %s:\n%s", want, got)
		}
	}
	for _, bad := range []string{"Tr0ub4dor", "small things", strings.Repeat("long ", 300)} {
		if strings.Contains(got, bad) {
			t.Errorf("the log shows %.40q:\n%s", bad, got)
		}
	}
	if n := strings.Count(got, "again"); n > 500 {
		t.Errorf("%d of 1000 messages were logged", n)
	}
}
