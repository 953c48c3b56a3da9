package mind

import (
	"strings"
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/doubt"
	"voicegateway/internal/intent/plan"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/moment"
	"voicegateway/internal/mind/past"
)

// How long a person can take back what was done, counted from the end of the reply.
// After a turn the microphone listens without a wake word for much less
// (REQUIREMENTS U5); saying the wake word or typing takes longer.
const undoTime = 30 * time.Second

// mostAskers bounds how many askers the memory keeps something about: the sender of
// a text may call its area anything, so their number has no other bound.
const mostAskers = 64

// memory is what the answerer keeps between turns, for each asker. It is safe for
// concurrent use.
type memory struct {
	mu       sync.Mutex
	pending  map[string]pending      // the question that waits for an asker's answer
	past     map[string]*remembered  // the last turn that did something
	subjects map[string]subject      // what a short sentence of an asker may be about
	listed   map[string]listed       // the timers that the last answer to an asker told of
	offered  offered                 // the stopped task that was offered last
	said     map[string]saidLast     // the last answer to an asker
	half     halfAnswer              // the answer of which only the beginning was heard
	lies     record.Lies[home.Event] // what turned out not to be done before its turn was kept
}

// pending is a question that the answerer asked back.
type pending struct {
	decision intent.Decision // what is done after a yes, or with the chosen device
	steps    []plan.Step     // of the decision, where they are planned already
	timers   []reply.Timer   // which of them is meant
	thought  *modelQuestion  // a model asked, and gets the answer
	text     string          // the text that led to the question
	doubt    *doubt.Question // it is about what was said
	turn     string          // the id of the turn that has asked what was said
	repeated bool            // it was asked once more, because the answer was not clear
	begun    past.Turn       // what was done before the question
	until    time.Time
}

// halfAnswer is an answer of which only the beginning was heard, with the question that
// it answered.
type halfAnswer struct {
	asker, turn string
	question    pending
}

// remembered is an asker's last turn, as long as it can be taken back. It does not change
// once it is stored.
type remembered struct {
	past.Turn
	turn    string // the id of the turn
	latest  bool   // no other turn came after this one
	asked   bool   // the reply was a question, so a "no" answers it
	at      time.Time
	expires time.Time
}

// recall returns what the asker's last turn did, nil if nothing is remembered, and
// notes that another turn has begun.
func (m *memory) recall(q record.Request) *remembered {
	m.mu.Lock()
	defer m.mu.Unlock()
	who, p := m.lastOf(q)
	if p == nil || time.Now().After(p.expires) {
		return nil
	}
	if !q.DryRun && p.latest {
		older := *p
		older.latest = false
		m.past[who] = &older
	}
	return p
}

// lastOf returns the asker's last turn that did something, or a later command of a timer
// in the same room, which any user there may take back. The caller holds mu.
func (m *memory) lastOf(q record.Request) (who string, p *remembered) {
	who = asker(q)
	own := m.past[who]
	q.Source = record.FromTimer
	if timers := m.past[asker(q)]; timers != nil && (own == nil || timers.at.After(own.at)) {
		return asker(q), timers
	}
	return who, own
}

// holds reports whether an asker has something to correct or a question to answer.
func (m *memory) holds(who string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, did := m.past[who]
	question, asked := m.pending[who]
	now := time.Now()
	return did && p.latest && now.Before(p.expires) || asked && now.Before(question.until) || now.Before(m.listed[who].until)
}

// claim removes an act that can be taken back and reports whether it was still there, so
// that only one turn takes it back: another turn may have done so meanwhile.
func (m *memory) claim(q record.Request, recalled *remembered) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	who, p := m.lastOf(q)
	if p == nil || !p.at.Equal(recalled.at) || p.Undone != recalled.Undone {
		return false
	}
	delete(m.past, who)
	return true
}

// keep remembers what a turn did. A turn that did nothing does not replace what is
// remembered.
func (m *memory) keep(q record.Request, turn string, did past.Turn, reply string) {
	if did.Idle() || q.DryRun {
		return
	}
	p := remembered{Turn: m.truly(q, did), turn: turn, latest: true, asked: strings.HasSuffix(reply, "?"), at: time.Now()}
	p.expires = p.at.Add(undoTime)
	if q.Source == record.FromMic || q.Source == record.FromFile || q.Source == record.FromTimer {
		p.expires = p.expires.Add(moment.Speaking(reply))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.past == nil {
		m.past = map[string]*remembered{}
	}
	makeRoom(m.past, func(p *remembered) time.Time { return p.expires })
	m.past[asker(q)] = &p
}

// makeRoom removes the entries that have expired, and the oldest one if there are
// still too many.
func makeRoom[V any](kept map[string]V, until func(V) time.Time) {
	oldest := ""
	for who, v := range kept {
		if time.Now().After(until(v)) {
			delete(kept, who)
		} else if oldest == "" || until(v).Before(until(kept[oldest])) {
			oldest = who
		}
	}
	if len(kept) >= mostAskers {
		delete(kept, oldest)
	}
}

// ask keeps a question that waits for the asker's answer.
func (m *memory) ask(q record.Request, p pending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending == nil {
		m.pending = map[string]pending{}
	}
	makeRoom(m.pending, func(old pending) time.Time { return old.until })
	m.pending[asker(q)] = p
}

// answer removes and returns the question that waits for this asker. Any next text
// drops the question, except a dry run, which changes nothing.
func (m *memory) answer(q record.Request) (pending, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pending[asker(q)]
	if !q.DryRun {
		delete(m.pending, asker(q))
	}
	return p, ok && !time.Now().After(p.until)
}

// halved keeps the question that half an answer has taken away.
func (m *memory) halved(q record.Request, turn string, p pending) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.half = halfAnswer{asker(q), turn, p}
}

// withdraw removes the question that a turn has asked about its text. If the text was
// half an answer to an earlier question, that question is open again.
func (m *memory) withdraw(q record.Request, turn string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	who := asker(q)
	if p := m.pending[who]; p.doubt != nil && p.turn == turn {
		delete(m.pending, who)
	}
	if m.half.asker == who && m.half.turn == turn {
		m.half.question.until = time.Now().Add(confirmTime)
		m.pending[who] = m.half.question
	}
}

// asker names who asks, by source and area: a question asked in one room is not
// answered from another.
func asker(q record.Request) string { return string(q.Source) + "/" + q.Area }
