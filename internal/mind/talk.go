package mind

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/intent/choosing"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/tools"
)

// work is what a turn does. It runs beside the turn that began it, because a server may
// ask the person something in the middle of a call: then that turn ends with the question,
// the work stands still, and the turn with the answer goes on with it.
type work struct {
	mind  *Mind
	turn  *turn
	x     Exchange
	order Order
	leash *leash
	asks  chan serverAsks
	done  chan struct{} // closed when the work is done
}

// serverAsks is the question of a server on its way to the person.
type serverAsks struct {
	question tools.Question
	answer   chan tools.Answer // has room for one
}

// parked is work that waits for the answer to a server's question.
type parked struct {
	*work
	asked serverAsks
	once  *sync.Once
	clock *time.Timer // drops the question
}

// work begins the work of an order.
//
//nolint:contextcheck // the leash is the context of the turn, but can let go of it
func (m *Mind) work(ctx context.Context, x Exchange, seen Memory, o Order, t *turn) *work {
	w := &work{mind: m, turn: t, x: x, order: o, leash: newLeash(ctx), asks: make(chan serverAsks), done: make(chan struct{})}
	calls := tools.WithTalk(w.leash, w) // what its servers say comes here
	if slices.Contains(written, x.Source) {
		calls = tools.WithReader(calls)
	}
	go func() {
		defer close(w.done)
		m.carry(calls, x, o, t)
		if t.missing != nil {
			w.order = m.unthought(x, seen, m.match.House(), t.missing)
			m.carry(calls, x, w.order, t)
		}
	}()
	return w
}

// attend waits until the work is done, or a server asks something. It reports whether the
// work is done.
func (w *work) attend() bool {
	select {
	case <-w.done:
		w.leash.release()
		w.turn.moment.End()
		return true
	case asked := <-w.asks:
		w.park(asked)
		return false
	}
}

// park ends the turn with the question of a server.
func (w *work) park(asked serverAsks) {
	m, t := w.mind, w.turn
	rec, outcome := t.rec, t.rec.Outcome
	text := speech.Speakable(m.serverQuestion(asked.question))
	rec.Outcome, rec.Reply = record.Asked, strings.Join(append(t.said, text), " ")
	t.said = nil
	t.moment.Pass(text)
	w.leash.release()
	t.moment.Turn(nil)
	// Before the question can be answered: what the work finds out from now on belongs to the turn with the answer.
	t.rec = &record.Record{ID: rec.ID, Time: rec.Time, Source: rec.Source, Area: rec.Area, Route: rec.Route, Verdict: record.Verdict{Calls: []record.CallMade{}}}
	t.rec.Outcome, t.rec.Intent, t.rec.SpeechAct, t.rec.Risk = outcome, rec.Intent, rec.SpeechAct, rec.Risk
	p := &parked{work: w, asked: asked, once: &sync.Once{}}
	wait := confirmTime
	if !slices.Contains(written, w.x.Source) {
		wait += min(Speaking(rec.Reply), confirmTime/2)
	}
	p.clock = time.AfterFunc(wait, p.drop)
	m.memory.ask(w.x.Request, question{server: p}, wait)
}

// declineTime is how long a server may take to end a call whose question was declined.
const declineTime = 2 * time.Second

// drop declines the question if it was not answered, and ends the work: nobody waits for
// what comes of it.
func (p *parked) drop() {
	p.once.Do(func() {
		p.asked.answer <- tools.Answer{}
		time.AfterFunc(declineTime, p.leash.end)
		go func() {
			<-p.done
			p.turn.moment.End()
		}()
	})
}

// resume goes on with the work in a turn that has the answer. It reports whether the
// question was still open.
func (p *parked) resume(ctx context.Context, q *record.Turn, answer tools.Answer) (open bool) {
	p.once.Do(func() {
		open = true
		kept := p.turn.rec
		p.turn.rec, p.turn.watch = q.Record, q.Watch
		q.Record.Route, q.Record.Intent, q.Record.SpeechAct, q.Record.Risk = kept.Route, kept.Intent, kept.SpeechAct, kept.Risk
		q.Record.Outcome = kept.Outcome
		p.turn.moment.Turn(q.Say)
		p.leash.follow(ctx)
		p.asked.answer <- answer
	})
	return open
}

// Working notes that a server reports progress of a call.
func (w *work) Working(string) { w.turn.moment.Progress() }

// Ask ends the turn with a server's question and returns the answer of a later one. Where
// there is no person, or a secret is wanted, there is no answer.
func (w *work) Ask(ctx context.Context, q tools.Question) tools.Answer {
	secret := func(words *choosing.Words) bool { // servers ask in English in any house
		return words.Secret(q.Text + " " + q.Field + " " + strings.Join(q.Options, " "))
	}
	if w.x.DryRun || slices.Contains(nobody, w.x.Source) || slices.ContainsFunc(w.mind.names, secret) {
		return tools.Answer{}
	}
	asked := serverAsks{q, make(chan tools.Answer, 1)}
	select {
	case w.asks <- asked:
	case <-ctx.Done():
		return tools.Answer{}
	}
	// The question is open, and the answer comes in time: drop sees to that. Until then the
	// work must stand still, even if the call has ended.
	return <-asked.answer
}

// nobody are the sources of texts behind which no person waits for a question.
var nobody = []record.Source{record.FromTimer, record.FromButton, record.FromMCP}

// serverQuestion is a server's question as it is said: as its own, because what it says is
// not to be believed.
func (m *Mind) serverQuestion(q tools.Question) string {
	plain := strings.NewReplacer("{", "(", "}", ")") // braces are places of our own phrases
	slots := map[string]any{"server": q.Server, "question": plain.Replace(q.Text)}
	if q.Kind == tools.OneOf {
		slots["options"] = plain.Replace(strings.Join(q.Options, ", "))
		return m.phrases.Phrase("server_asks_which", slots)
	}
	return m.phrases.Phrase("server_asks", slots)
}

// resumption is the answer to a server's question, and the work that waits for it.
type resumption struct {
	*parked
	answer tools.Answer
}

// replied takes a text for the answer to a server's question. A text that is none is
// something new, and the question is declined.
func (u *understanding) replied(x Exchange, p *parked) (Order, bool) {
	q := p.asked.question
	a := tools.Answer{Given: true}
	no := u.choosing.None(x.Text) || x.Alone.Route == intent.Local && len(x.Alone.Actions) == 1 && x.Alone.Actions[0].Intent == catalogue.No
	ok := true
	switch {
	case q.Kind == tools.YesOrNo:
		a.Yes = u.choosing.Yes(x.Text)
		ok = a.Yes || no
	case no:
		a.Given = false
	case q.Kind == tools.OneOf:
		a.Option, ok = u.choosing.Option(x.Text, q.Options)
	default:
		a.Number, ok = u.choosing.Number(x.Text, q.Whole)
		ok = ok && (q.Least == nil || a.Number >= *q.Least) && (q.Most == nil || a.Number <= *q.Most)
	}
	return Order{Replies: &resumption{p, a}}, ok
}

// leash is the context of work: it ends with the turn that waits for the work, and lasts
// while none does. A context of the standard library ends with one other for good.
type leash struct {
	context.Context //nolint:containedctx // it is a context itself

	mu   sync.Mutex
	stop func() bool // forgets the turn
	done chan struct{}
	err  error
}

func newLeash(ctx context.Context) *leash {
	l := &leash{Context: context.WithoutCancel(ctx), done: make(chan struct{})}
	l.follow(ctx)
	return l
}

// follow ends the work with a turn.
func (l *leash) follow(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop = context.AfterFunc(ctx, func() { l.endFor(ctx.Err()) })
}

// end ends the work because nobody waits for it.
func (l *leash) end() { l.endFor(context.Canceled) }

func (l *leash) endFor(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = why
		close(l.done)
	}
}

// release lets the work go on without the turn.
func (l *leash) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop()
}

// Done is closed when the turn has ended that waits for the work.
func (l *leash) Done() <-chan struct{} { return l.done }

// Err says why the work is to end; nil while it goes on.
func (l *leash) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}
