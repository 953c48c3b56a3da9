package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"voicegateway/internal/keep/record"
)

// twoStepModel wants two lamps on, one after the other, and, when a server is lost in
// between, decides as the test says.
type twoStepModel struct {
	decision string
	second   func() // called before it asks for the second lamp

	mu    sync.Mutex
	cases []string // what it read of a lost server
}

// ServeHTTP answers /models and /chat/completions.
func (m *twoStepModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model"}]}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta, finish string) {
		_, _ = fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",\"model\":\"tiny\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
	}
	call := func(device string) {
		args, _ := json.Marshal(`{"device_name":"` + device + `","action":"on"}`)
		send(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"control_zwave_device","arguments":`+string(args)+`}}]}`, "null")
		send(`{}`, `"tool_calls"`)
	}
	text := func(s string) {
		quoted, _ := json.Marshal(s)
		send(`{"content":`+string(quoted)+`}`, "null")
		send(`{}`, `"stop"`)
	}
	switch n := strings.Count(string(body), `"role":"tool"`); {
	case strings.Contains(string(body), "A tool server was lost"):
		m.mu.Lock()
		m.cases = append(m.cases, string(body))
		m.mu.Unlock()
		text(m.decision)
	case n == 0:
		call("Kitchen Light")
	case n == 1:
		m.second()
		call("Bedroom Lamp")
	default:
		text("I am done with it.")
	}
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// TestAServerLostInTheMiddleOfAModelsTask: the first lamp is on, and the server is
// killed in the call for the second one, whose device is frozen.
func TestAServerLostInTheMiddleOfAModelsTask(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		decision, made string
		kept           bool
	}{
		"continue":         {`{"decision":"continue","reason":"one lamp is enough"}`, "continue/model", false},
		"retry connection": {`{"decision":"retry_connection","reason":"it may come back"}`, "retry_connection/model", false},
		"stop":             {`{"decision":"stop_task","reason":"it is dead"}`, "stop_task/model", true},
		"nonsense":         {`Let me think about it for a while.`, "retry_connection/rule", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broker := mosquitto(t)
			house := simulate(t, broker)
			witness := listen(t, broker, "zwave/#")
			gateway := listen(t, broker)
			frozen := make(chan struct{})
			model := &twoStepModel{decision: tt.decision, second: sync.OnceFunc(func() { freeze(t, house.Process.Pid); close(frozen) })}
			server := httptest.NewServer(model)
			t.Cleanup(server.Close)
			c, addr, env := daemon(t, broker, "VOICE_GATEWAY_AI_ENABLED=auto", "VOICE_GATEWAY_AI_BASE_URL="+server.URL+"/v1")
			pid := serverPID(t, addr)
			eventually(t, "the light obeys", func() bool { return confirmed(ask(t, addr, "turn off the kitchen light")) })
			before := len(witness.on(writeTopic))

			hit := make(chan record.Record, 1)
			go func() { r, _ := tryAsk(t, addr, "make it nice for reading in here and there"); hit <- r }()
			<-frozen
			eventually(t, "the second write is on its way", func() bool { return len(witness.on(writeTopic)) >= before+2 })
			kill(t, pid)
			r := <-hit
			thaw := sync.OnceFunc(func() { send(t, house.Process.Pid, syscall.SIGCONT) })
			defer thaw()

			var made []string
			for _, j := range r.Judgements {
				made = append(made, string(j.Choice)+"/"+j.By)
			}
			if strings.Join(made, " ") != tt.made || len(model.cases) != 1 {
				t.Errorf("judgements %v after %d questions, expected %s", made, len(model.cases), tt.made)
			}
			if r.Outcome != record.Failed || len(r.Calls) != 2 || !r.Calls[0].OK || r.Calls[1].OK {
				t.Errorf("the turn: %+v", r)
			}
			out, errs, status := command(t, env, "turns", "--tasks", "--json")
			if status != 0 {
				t.Fatalf("turns --tasks: %s", errs)
			}
			var tasks []record.Task
			if err := json.Unmarshal([]byte(out), &tasks); err != nil {
				t.Fatalf("turns --tasks --json prints %s: %v", out, err)
			}
			if (len(tasks) == 1) != tt.kept {
				t.Fatalf("kept tasks: %s", out)
			}
			if tt.kept {
				thaw()
				resumed(t, addr, tasks[0], gateway, env)
			}
			c.noZombies(t)
		})
	}
}

// resumed resumes a task and demands that only the open part is done.
func resumed(t *testing.T, addr string, task record.Task, gateway *ear, env []string) {
	t.Helper()
	if len(task.Done) != 1 || len(task.Open) != 1 || task.Asked == "" || task.Reason == "" || task.Time.IsZero() {
		t.Errorf("the task: %+v", task)
	}
	eventually(t, "it is offered to resume", func() bool { return gateway.has("voice/test/reply", "Shall I do the rest") })
	r := ask(t, addr, "resume")
	if r.Outcome != record.Done || len(r.Calls) != 1 || !strings.Contains(string(r.Calls[0].Args), "Bedroom Lamp") || !confirmed(r) {
		t.Errorf("resumed: %+v", r)
	}
	if out, _, _ := command(t, env, "turns", "--tasks", "--json"); strings.TrimSpace(out) != "[]" {
		t.Errorf("after it was resumed: %s", out)
	}
	if r := ask(t, addr, "resume"); len(r.Calls) != 0 {
		t.Errorf("resumed twice: %+v", r)
	}
}
