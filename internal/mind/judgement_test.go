package mind_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicegateway/internal/fake"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// shelf keeps tasks in memory.
type shelf struct {
	mu      sync.Mutex
	tasks   []record.Task
	offered bool
}

func (s *shelf) Keep(t record.Task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks = append([]record.Task{t}, s.tasks...)
	return nil
}

func (s *shelf) Open() []record.Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tasks)
}

func (s *shelf) Take(id string) (record.Task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, t := range s.tasks {
		if id == "" || t.ID == id {
			s.tasks = slices.Delete(s.tasks, i, i+1)
			return t, true
		}
	}
	return record.Task{}, false
}

func (s *shelf) Offer(string) (record.Task, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offered || len(s.tasks) == 0 {
		return record.Task{}, false
	}
	s.offered = true
	return s.tasks[0], true
}

// patient is a server that is lost: calls about the devices in lost get the error
// there, until it is connected again and healed.
type patient struct {
	mu         sync.Mutex
	lost       map[string]error
	heals      bool
	reconnects int
	calls      []string
}

func (p *patient) Trouble(string) dialogue.Trouble {
	return dialogue.Trouble{Health: "dead", Failures: 1}
}

func (p *patient) Reconnect(context.Context, string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reconnects++
	if !p.heals {
		return errors.New("it does not start")
	}
	p.lost = nil
	return nil
}

func (p *patient) call(_ context.Context, c tools.Call) (tools.Result, error) {
	var args struct {
		Device string `json:"device_name"`
		Action string `json:"action"`
	}
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return tools.Result{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, args.Device+" "+args.Action)
	if err := p.lost[args.Device]; err != nil {
		return tools.Result{}, err
	}
	data := fmt.Sprintf(`{"device":%q,"property":"on","outcome":"confirmed","value":%q,"ms":9}`, args.Device, args.Action)
	return tools.Result{Data: json.RawMessage(data), Receipt: tools.ReadReceipt(json.RawMessage(data)), PublishedAt: time.Now()}, nil
}

// arbiter answers with its choices in turn.
type arbiter struct {
	choices []record.Choice
	asked   []dialogue.Trouble
}

func (a *arbiter) Arbitrate(_ context.Context, t dialogue.Trouble) (record.Choice, string, error) {
	a.asked = append(a.asked, t)
	if len(a.choices) == 0 {
		return "", "", errors.New("the answer is nonsense")
	}
	c := a.choices[0]
	a.choices = a.choices[1:]
	return c, "because", nil
}

func answererFor(t *testing.T, p *patient, arb *arbiter, tasks *shelf, model *fake.Assistant) *mind.Mind {
	t.Helper()
	matcher, err := intent.New(intent.English(), fake.House())
	if err != nil {
		t.Fatal(err)
	}
	r := mind.Recovery{Servers: p, Tasks: tasks}
	if arb != nil {
		r.Arbiter = arb
	}
	a, err := mind.New(&fake.Matcher{MatchFunc: matcher.Match, Home: fake.House()}, &fake.Caller{CallFunc: p.call},
		model, fake.English(), guard.Limits{FanOutLimit: 5}, r, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestRuled(t *testing.T) {
	t.Parallel()
	open := []string{"the lamp"}
	for name, tt := range map[string]struct {
		t    dialogue.Trouble
		want record.Choice
	}{
		"nothing is open":              {dialogue.Trouble{}, record.Continue},
		"first loss":                   {dialogue.Trouble{Open: open}, record.RetryConnection},
		"connected anew before":        {dialogue.Trouble{Open: open, Reconnects: 1}, record.StopTask},
		"the call tried to by itself":  {dialogue.Trouble{Open: open, Unreached: true}, record.StopTask},
		"nothing open and unreachable": {dialogue.Trouble{Unreached: true}, record.Continue},
	} {
		if got := mind.DecideByRule(tt.t); got != tt.want {
			t.Errorf("%s: %s, expected %s", name, got, tt.want)
		}
	}
}

// TestJudgementOfALocalTask: two lamps, and the server is lost for one of them.
func TestJudgementOfALocalTask(t *testing.T) {
	t.Parallel()
	const both = "turn on the kitchen light and turn on the bedroom lamp"
	unsent, unknown := tools.ErrNotConnected, tools.ErrNoAnswer
	for name, tt := range map[string]struct {
		lost  error
		heals bool
		sent  bool // the call for the kitchen light was sent, and its result is not known
		arb   *arbiter
		want  string // choice/by for each judgement
		calls string
		kept  string // open steps
		ends  record.Outcome
	}{
		"the rule, never sent":    {lost: unsent, want: "stop_task/rule", calls: "bedroom, kitchen", kept: "Bedroom Lamp: on", ends: record.Failed},
		"the rule, fate unknown":  {lost: unknown, heals: true, want: "retry_connection/rule", calls: "bedroom, kitchen", ends: record.Failed},
		"the rule, stays away":    {lost: unknown, want: "retry_connection/rule stop_task/rule", calls: "bedroom, kitchen", kept: "Bedroom Lamp: on", ends: record.Failed},
		"the model goes on":       {lost: unsent, arb: &arbiter{choices: []record.Choice{record.Continue}}, want: "continue/model", calls: "bedroom, kitchen", ends: record.Failed},
		"the model connects anew": {lost: unsent, heals: true, arb: &arbiter{choices: []record.Choice{record.RetryConnection}}, want: "retry_connection/model", calls: "bedroom, bedroom, kitchen", ends: record.Done},
		"the model never stops connecting": {
			lost: unsent, arb: &arbiter{choices: []record.Choice{record.RetryConnection, record.RetryConnection}},
			want: "retry_connection/model stop_task/rule", calls: "bedroom, kitchen", kept: "Bedroom Lamp: on", ends: record.Failed,
		},
		"one sent, one not":        {lost: unsent, heals: true, sent: true, arb: &arbiter{choices: []record.Choice{record.RetryConnection}}, want: "retry_connection/model", calls: "bedroom, bedroom, kitchen", ends: record.Failed},
		"the model stops":          {lost: unknown, arb: &arbiter{choices: []record.Choice{record.StopTask}}, want: "stop_task/model", calls: "bedroom, kitchen", kept: "Bedroom Lamp: on", ends: record.Failed},
		"the model talks nonsense": {lost: unsent, arb: &arbiter{}, want: "stop_task/rule", calls: "bedroom, kitchen", kept: "Bedroom Lamp: on", ends: record.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, tasks := &patient{lost: map[string]error{"Bedroom Lamp": tt.lost}, heals: tt.heals}, &shelf{}
			if tt.sent {
				p.lost["Kitchen Light"] = unknown
			}
			a := answererFor(t, p, tt.arb, tasks, &fake.Assistant{})
			rec := a.Turn(t.Context(), record.Request{Text: both, Source: record.FromHTTP})
			if got := judgements(rec); got != tt.want {
				t.Errorf("judgements %q, expected %q", got, tt.want)
			}
			if got := p.called(); got != tt.calls {
				t.Errorf("calls %q, expected %q", got, tt.calls)
			}
			if rec.Outcome != tt.ends || rec.Reply == "" {
				t.Errorf("it ends %s with %q (%s)", rec.Outcome, rec.Reply, rec.Error)
			}
			if got := openOf(tasks); got != tt.kept {
				t.Errorf("kept %q, expected %q", got, tt.kept)
			}
			if tt.arb != nil && (tt.arb.asked[0].Asked != both || len(tt.arb.asked[0].Done)+len(tt.arb.asked[0].Open) != 2) {
				t.Errorf("the arbiter was told %+v", tt.arb.asked[0])
			}
		})
	}
}

func judgements(rec record.Record) string {
	var all []string
	for _, j := range rec.Judgements {
		all = append(all, string(j.Choice)+"/"+j.By)
	}
	return strings.Join(all, " ")
}

// called lists the devices of the calls, which come side by side, in order.
func (p *patient) called() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, c := range p.calls {
		all = append(all, strings.ToLower(strings.Fields(c)[0]))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func openOf(s *shelf) string {
	var all []string
	for _, t := range s.Open() {
		for _, o := range t.Open {
			all = append(all, o.Text())
		}
	}
	return strings.Join(all, ", ")
}

// TestResumeRepeatsNothingConfirmed: only the open steps are made, and then there
// is nothing left to resume.
func TestResumeRepeatsNothingConfirmed(t *testing.T) {
	t.Parallel()
	p, tasks := &patient{lost: map[string]error{"Bedroom Lamp": tools.ErrNotConnected}}, &shelf{}
	a := answererFor(t, p, nil, tasks, &fake.Assistant{})
	ask := func(text string) record.Record {
		p.mu.Lock()
		p.calls = nil
		p.mu.Unlock()
		return a.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP})
	}
	if rec := ask("turn on the kitchen light and turn on the bedroom lamp"); !strings.Contains(rec.Reply, "resume") {
		t.Fatalf("it says %q", rec.Reply)
	}
	if rec := ask("yes"); len(rec.Calls) != 0 || len(tasks.tasks) != 1 {
		t.Fatalf("a yes to nothing made %+v", rec.Calls)
	}
	if rec := ask("resume"); rec.Outcome != record.Failed || p.called() != "bedroom" || openOf(tasks) != "Bedroom Lamp: on" {
		t.Fatalf("while it is still lost: %+v, open %q", rec.Verdict, openOf(tasks))
	}
	p.lost = nil
	if offer := a.Offer("zwave"); !strings.Contains(offer, "bedroom lamp") {
		t.Fatalf("the offer is %q", offer)
	}
	if rec := ask("yes"); rec.Outcome != record.Done || p.called() != "bedroom" || len(tasks.tasks) != 0 {
		t.Fatalf("after a yes to the offer: %+v, calls %q, open %q", rec.Verdict, p.called(), openOf(tasks))
	}
	if rec := ask("resume"); len(rec.Calls) != 0 || rec.Reply == "" {
		t.Fatalf("with nothing to resume: %+v", rec.Verdict)
	}
}

// TestANoDeclinesTheOffer: a "no" declines the offer and undoes nothing. After
// something else was done, a "no" undoes that.
func TestANoDeclinesTheOffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, tasks := &patient{lost: map[string]error{"Bedroom Lamp": tools.ErrNotConnected}}, &shelf{}
		a := answererFor(t, p, nil, tasks, &fake.Assistant{})
		ask := func(text string) record.Record {
			<-time.After(time.Second)
			return a.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP})
		}
		ask("turn on the kitchen light and turn on the bedroom lamp")
		p.lost = nil
		if a.Offer("zwave") == "" {
			t.Fatal("nothing is offered")
		}
		rec := ask("no")
		if rec.Intent == nil || rec.Intent.Name != "LocalNo" || len(rec.Calls) != 0 || rec.Reply != "Okay." {
			t.Fatalf("a no to the offer: %+v", rec.Verdict)
		}
		if rec := ask("yes"); len(rec.Calls) != 0 {
			t.Fatalf("a yes after it: %+v", rec.Verdict)
		}
		tasks.offered = false
		if a.Offer("zwave") == "" {
			t.Fatal("nothing is offered once more")
		}
		ask("turn on the kitchen light")
		if rec := ask("no"); rec.Intent == nil || rec.Intent.Name != "LocalUndo" {
			t.Fatalf("a no to what was done after the offer: %+v", rec.Verdict)
		}
	})
}

// TestWhatMustNotBeDoneTwiceIsNotKept: a toggle that may have been carried out is
// not kept, because a second one would undo it.
func TestWhatMustNotBeDoneTwiceIsNotKept(t *testing.T) {
	t.Parallel()
	p, tasks := &patient{lost: map[string]error{"Bedroom Lamp": tools.ErrNoAnswer, "Kitchen Light": tools.ErrNoAnswer}}, &shelf{}
	a := answererFor(t, p, nil, tasks, &fake.Assistant{})
	rec := a.Turn(t.Context(), record.Request{Text: "toggle the kitchen light and toggle the bedroom lamp", Source: record.FromHTTP})
	if got := judgements(rec); got != "retry_connection/rule stop_task/rule" || len(tasks.tasks) != 0 || rec.Outcome != record.Failed {
		t.Fatalf("judgements %q, kept %q: %+v", got, openOf(tasks), rec.Verdict)
	}
}

// TestJudgementOfAModelsTask: the model switched one lamp and the server is lost at
// the next two.
func TestJudgementOfAModelsTask(t *testing.T) {
	t.Parallel()
	call := func(device string) dialogue.Call {
		return dialogue.Call{
			Call: tools.Call{Tool: "control_zwave_device", Args: json.RawMessage(`{"device_name":"` + device + `","action":"on"}`)},
			Spec: tools.Spec{Name: "control_zwave_device", Server: "zwave", Risk: tools.Reversible},
		}
	}
	const kept = "Bedroom Lamp: on, Office Light A: on"
	for name, tt := range map[string]struct {
		arb   *arbiter
		heals bool
		stop  bool
		say   string
		kept  string
	}{
		"continue": {arb: &arbiter{choices: []record.Choice{record.Continue}}, say: "The connection to the bedroom lamp and the office light A is down."},
		"retry":    {arb: &arbiter{choices: []record.Choice{record.RetryConnection}}, heals: true, say: "2 lights are on."},
		"stop":     {arb: &arbiter{choices: []record.Choice{record.StopTask}}, stop: true, say: "I stopped: zwave does not answer, with 2 of 3 still open. Say resume to do the rest.", kept: kept},
		"nonsense": {arb: &arbiter{}, stop: true, say: "I stopped: zwave does not answer, with 2 of 3 still open. Say resume to do the rest.", kept: kept},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got dialogue.Acted
			p := &patient{heals: tt.heals}
			model := &fake.Assistant{ReplyFunc: func(ctx context.Context, q dialogue.Prompt) iter.Seq2[dialogue.Part, error] {
				return func(yield func(dialogue.Part, error) bool) {
					q.Act(ctx, []dialogue.Call{call("Kitchen Light")})
					p.mu.Lock()
					p.lost = map[string]error{"Bedroom Lamp": tools.ErrNotConnected, "Office Light A": tools.ErrNotConnected}
					p.mu.Unlock()
					got = q.Act(ctx, []dialogue.Call{call("Bedroom Lamp"), call("Office Light A")})
					yield(dialogue.Part{Sentence: got.Say}, nil)
				}
			}}
			tasks := &shelf{}
			a := answererFor(t, p, tt.arb, tasks, model)
			rec := a.Turn(t.Context(), record.Request{Text: "make it cosy for reading all over the house", Source: record.FromHTTP})
			if got.Stop != tt.stop || !strings.EqualFold(got.Say, tt.say) || rec.Reply != got.Say {
				t.Errorf("it says %q, stop %v", got.Say, got.Stop)
			}
			if open := openOf(tasks); open != tt.kept {
				t.Errorf("kept %q, expected %q", open, tt.kept)
			}
			if tt.stop && (!strings.HasPrefix(rec.Error, "stop_task") || len(tasks.tasks[0].Done) != 1) {
				t.Errorf("the record says %q, the task %+v", rec.Error, tasks.tasks)
			}
			if rec.Outcome != record.Failed && !tt.heals || len(rec.Calls) != 3 || len(rec.Judgements) != 1 {
				t.Errorf("the record: %+v", rec.Verdict)
			}
		})
	}
}

// TestResumeIsDoneOnce: a step is made only once when two turns resume at the same
// time, when its tool gives no receipt, and when its answer is lost while it is
// resumed.
func TestResumeIsDoneOnce(t *testing.T) {
	t.Parallel()
	order := record.TaskStep{Tool: "order", Server: "shop", Args: json.RawMessage(`{"what":"milk"}`), Once: true}
	toggle := record.TaskStep{Tool: "control_zwave_device", Server: "zwave", Args: json.RawMessage(`{"device_name":"Bedroom Lamp","action":"toggle"}`)}
	for name, tt := range map[string]struct {
		step  record.TaskStep
		fails error
		kept  int
	}{
		"without a receipt":        {step: order},
		"without a receipt, lost":  {step: order, fails: tools.ErrNoAnswer},
		"without a receipt, away":  {step: order, fails: tools.ErrNotConnected, kept: 1},
		"a toggle":                 {step: toggle},
		"a toggle, lost on resume": {step: toggle, fails: tools.ErrNoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			made := 0
			tasks := &shelf{tasks: []record.Task{{ID: "t1", Server: "zwave", Open: []record.TaskStep{tt.step}}}}
			a := answererFor(t, &patient{}, nil, tasks, &fake.Assistant{})
			a.SetCaller(&fake.Caller{CallFunc: func(_ context.Context, c tools.Call) (tools.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				made++
				if tt.fails != nil {
					return tools.Result{}, tt.fails
				}
				if c.Tool == "order" {
					return tools.Result{Text: "Ordered."}, nil
				}
				return tools.Result{Receipt: &tools.Receipt{Device: "Bedroom Lamp", Outcome: tools.Confirmed, Value: "on"}}, nil
			}})
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() { a.Turn(t.Context(), record.Request{Text: "resume", Source: record.FromHTTP}) })
			}
			both.Wait()
			if tt.kept == 0 && made != 1 {
				t.Errorf("it was done %d times", made)
			}
			if got := len(tasks.Open()); got != tt.kept {
				t.Errorf("%d tasks are kept, expected %d", got, tt.kept)
			}
		})
	}
}
