//go:build accept

package truth

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/zwave/sim"
)

// TestAcceptTruthOfConduct says what families, strangers and televisions say to a house
// with a model that obeys everything it reads. It fails at an act without an order, at a
// false claim that was spoken, at an order of others that was obeyed, and at requests
// that are not followed.
func TestAcceptTruthOfConduct(t *testing.T) {
	c := loadConduct(t)
	found := newLedger()
	var homes sync.WaitGroup
	live := func(name string, turns func(t *testing.T)) { homes.Go(func() { t.Run(name, turns) }) }
	for _, lang := range languages {
		live("speech/"+lang, func(t *testing.T) { t.Helper(); newFamily(t, c, lang).speakAll(found) })
	}
	live("local", func(t *testing.T) {
		t.Helper()
		for _, lang := range languages {
			t.Run(lang, func(t *testing.T) { newFamily(t, c, lang).localAll(found) })
		}
	})
	for _, lang := range languages[:2] {
		live("words/"+lang, func(t *testing.T) { t.Helper(); newFamily(t, c, lang).answerAll(found) })
		live("orders/"+lang, func(t *testing.T) { t.Helper(); newNeighbours(t, c, lang).orderAll(found) })
	}
	homes.Wait()
	found.show(t)
}

// household is a house with a gateway, a model, and a listener for what is sent to the
// devices.
type household struct {
	*world
	*spy
	conduct  *conduct
	model    *obedient
	settings []string // of the gateway
	flags    []string
	acts     int // those that the model planned since the gateway was started
}

// newFamily starts it; its motors are quick.
func newFamily(tb testing.TB, c *conduct, lang string) *household {
	tb.Helper()
	f := unhoused(tb, c, lang)
	f.anew()
	return f
}

// unhoused is a family whose gateway is not started yet.
func unhoused(tb testing.TB, c *conduct, lang string, change ...func(*sim.Config)) *household {
	tb.Helper()
	quick := func(cfg *sim.Config) {
		for i := range cfg.House.Nodes {
			cfg.House.Nodes[i].Ramp = min(cfg.House.Nodes[i].Ramp, 200*time.Millisecond)
		}
	}
	f := &household{conduct: c, world: newHouse(tb, c.sets, lang, append(change, quick)...)}
	f.spy = newSpy(tb, f.broker)
	model, url := newObedient(tb)
	f.model, f.settings = model, []string{"VOICE_GATEWAY_AI_ENABLED=true", "VOICE_GATEWAY_AI_BASE_URL=" + url}
	return f
}

// anew restarts the gateway, which forgets what was said and how often the model has
// acted.
func (f *household) anew() {
	f.Helper()
	f.model.behave(func(request) response { return response{text: "Hm."} })
	f.startGateway(f.settings, f.flags...)
	f.acts = 0
	rig.Eventually(f, "the gateway finds its model", func() bool { return f.ask("why is the sky blue", "").Route == record.RouteModel })
}

// actsOfAMinute is one less than a model may do in a minute.
const actsOfAMinute = 9

// rest restarts the gateway before the model has acted too often.
func (f *household) rest(r record.Record) {
	f.Helper()
	if f.acts += len(r.Calls); r.Route == record.RouteModel && f.acts >= actsOfAMinute {
		f.anew()
	}
	if r.Route != record.RouteModel {
		f.acts -= len(r.Calls)
	}
}

// speakAll says everything that is said in the family's language.
func (f *household) speakAll(found *ledger) {
	f.Helper()
	for _, u := range f.conduct.utterances {
		if u.lang != f.lang {
			continue
		}
		before := f.before(u.order)
		f.model.behave(func(r request) response {
			if r.rounds == 0 {
				return response{calls: f.conduct.house.calls(f.lang, u.order)}
			}
			return response{text: "Hm."}
		})
		r, sent := f.turn(u.Say)
		moved := len(before) > 0 && len(sent) == 0 && !meets(f.facts()[u.Node], before)
		found.utterance(u, u.judge(sent, moved), string(r.Route)+": "+r.Reply)
		f.rest(r)
		f.backTo(u.Node, sent)
	}
}

// answerAll lets the model say what it says.
func (f *household) answerAll(found *ledger) {
	f.Helper()
	for _, a := range f.conduct.answers {
		if a.Lang != f.lang {
			continue
		}
		nodes := []written{}
		for _, o := range a.Calls {
			f.before(o)
			nodes = append(nodes, written{node: o.Node})
		}
		f.model.behave(func(r request) response {
			var calls []call
			for _, o := range a.Calls {
				calls = append(calls, f.conduct.house.calls(f.lang, o)...)
			}
			if r.rounds == 0 && len(calls) > 0 {
				return response{calls: calls}
			}
			return response{text: a.Say}
		})
		r, sent := f.turn(a.Ask)
		found.answer(a, a.judge(r, f.model.asked()), r.Reply)
		f.rest(r)
		f.backTo(0, append(nodes, sent...))
	}
}

// localAll asks which sentences are understood without a model. Nothing is done.
func (f *household) localAll(found *ledger) {
	f.Helper()
	for _, s := range f.conduct.locals {
		if s.Lang == f.lang {
			found.local(s, string(f.understood(s.Say, s.Here).Route))
		}
	}
}

// turn says a text and returns the turn with what was sent to devices meanwhile.
func (f *household) turn(text string) (record.Record, []written) {
	f.Helper()
	f.take(f.Context())
	r := f.ask(text, "")
	return r, f.take(f.Context())
}

// before brings a device into a state that the order changes, and returns that state.
func (f *household) before(o order) map[string]any {
	f.Helper()
	state := f.conduct.house.device(o.Node).before(o.Do)
	if state != nil {
		f.set(values{o.Node: state})
		f.sync()
	}
	return state
}

// backTo brings devices back to where all is well.
func (f *household) backTo(node int, sent []written) {
	f.Helper()
	changed := values{}
	for _, w := range append(sent, written{node: node}) {
		if d := f.conduct.house.device(w.node); d.ID != 0 {
			if key := d.part(); key != "" {
				changed[d.ID] = map[string]any{key: nil}
			}
		}
	}
	f.calm(changed)
}

// understood says what would become of a text, without anything being done.
func (f *household) understood(text, area string) record.Record {
	f.Helper()
	var r record.Record
	question := map[string]any{"text": text, "area": f.conduct.house.Areas[area].Names[f.lang], "dry_run": true}
	if err := f.request(f.Context(), http.MethodPost, "/api/ask", question, &r); err != nil {
		f.Errorf("asking about %q: %v", text, err)
	}
	return r
}
