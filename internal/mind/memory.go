package mind

import (
	"sync"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind/followup"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/mind/past"
)

// How long a person can take back what was done, counted from the end of the reply.
// After a turn the microphone listens without a wake word for much less
// (REQUIREMENTS U5); saying the wake word or typing takes longer.
const undoTime = 30 * time.Second

// mostAskers bounds how many askers the memory keeps something about: the sender of
// a text may call its area anything, so their number has no other bound.
const mostAskers = 64

// Memory is what is remembered of an asker when his text comes. It does not change.
type Memory struct {
	Before   *remembered    // what his last turn did; nil: nothing is remembered
	Tapped   *remembered    // what was done without words since then, by anybody: an undo is about that; nil: nothing
	Question *question      // it waited for his answer; nil: none did
	Asked    bool           // a question waited
	Subject  *subject       // what his last sentence was about; nil: nothing is remembered
	Listed   []reply.Timer  // that the last answer told of
	Said     string         // the last answer to him; "": there was none lately
	Offered  offered        // the stopped task that was offered lately; without an id there is none
	Passed   guard.Act      // the dangerous act whose challenge his text has passed
	Refused  *guard.Refusal // why it did not pass the challenge; nil: it did, or answers none
}

// memories are what the mind keeps between turns, for each asker. They are safe for
// concurrent use.
type memories struct {
	mu        sync.Mutex
	questions map[string]question     // the question that waits for an asker's answer
	past      map[string]*remembered  // the last turn that did something
	subjects  map[string]subject      // what a short sentence of an asker may be about
	listed    map[string]listed       // the timers that the last answer to an asker told of
	offered   offered                 // the stopped task that was offered last
	said      map[string]saidLast     // the last answer to an asker
	half      halfAnswer              // the answer of which only the beginning was heard
	lies      record.Lies[home.Event] // what turned out not to be done before its turn was kept
}

// halfAnswer is an answer of which only the beginning was heard, with the question that
// it answered.
type halfAnswer struct {
	asker, turn string
	question    question
}

// remembered is an asker's last turn, as long as it can be taken back. It does not change
// once it is stored.
type remembered struct {
	past.Turn
	turn    string // the id of the turn
	latest  bool   // no other turn came after this one
	asked   bool   // it ended with a question, so a "no" answers that
	group   string // of acts without words that were ordered at once; "": none
	at      time.Time
	expires time.Time
}

// beginTurn returns what is remembered of an asker for a text of his, which begins a turn. Any
// text drops the question that waits, so that only one text answers it; a dry run and a
// text that asks again leave it.
func (m *memories) beginTurn(x *Exchange) Memory {
	seen := Memory{Before: m.recall(x.Request), Subject: m.subject(x.Request)}
	m.mu.Lock()
	defer m.mu.Unlock()
	seen.Tapped = m.tapped(seen.Before)
	who, now := asker(x.Request), time.Now()
	q, open := m.questions[who]
	if seen.Asked = open && !now.After(q.until); seen.Asked {
		seen.Question = &q
	}
	switch {
	case x.DryRun || x.asksAgain() || x.Challenge != "":
	case seen.Asked && x.Unfinished:
		m.half = halfAnswer{who, x.Turn, q}
		fallthrough
	default:
		delete(m.questions, who)
	}
	seen.Listed = m.unlist(who, x.DryRun)
	if s := m.said[who]; now.Sub(s.at) <= followup.TalkTime {
		seen.Said = s.text
	}
	if m.offered.fresh() {
		seen.Offered = m.offered
	}
	return seen
}

// recall returns what the asker's last turn did, nil if nothing is remembered, and
// notes that another turn has begun.
func (m *memories) recall(q record.Request) *remembered {
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

// tapped returns the last act without words, nil if what the asker did himself came later.
// Anybody may take it back, because who tapped it may stand in any room. The caller holds mu.
func (m *memories) tapped(own *remembered) *remembered {
	p := m.past[wordless]
	if p == nil || time.Now().After(p.expires) || own != nil && own.at.After(p.at) {
		return nil
	}
	return p
}

// lastOf returns the asker's last turn that did something, or a later command of a timer
// in the same room, which any user there may take back. The caller holds mu.
func (m *memories) lastOf(q record.Request) (who string, p *remembered) {
	who = asker(q)
	own := m.past[who]
	q.Source = record.FromTimer
	if timers := m.past[asker(q)]; timers != nil && (own == nil || timers.at.After(own.at)) {
		return asker(q), timers
	}
	return who, own
}

// holds reports whether an asker has something to correct or a question to answer.
func (m *memories) holds(who string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, did := m.past[who]
	question, asked := m.questions[who]
	now := time.Now()
	return did && p.latest && now.Before(p.expires) || asked && now.Before(question.until) || now.Before(m.listed[who].until)
}

// claim removes an act that can be taken back and reports whether it was still there, so
// that only one turn takes it back: another turn may have done so meanwhile.
func (m *memories) claim(q record.Request, recalled *remembered) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	who, p := m.lastOf(q)
	if last := m.past[wordless]; last != nil && last.turn == recalled.turn {
		who, p = wordless, last
	}
	if p == nil || !p.at.Equal(recalled.at) || p.Undone != recalled.Undone {
		return false
	}
	delete(m.past, who)
	return true
}

// keep remembers what a turn did. A turn that did nothing does not replace what is
// remembered.
func (m *memories) keep(q record.Request, rec *record.Record, did past.Turn, asked bool) {
	if did.Idle() || q.DryRun {
		return
	}
	p := remembered{Turn: m.truly(q, did), turn: rec.ID, latest: true, asked: asked, group: q.Group, at: time.Now()}
	p.expires = p.at.Add(undoTime)
	if q.Source == record.FromMic || q.Source == record.FromFile || q.Source == record.FromTimer {
		p.expires = p.expires.Add(Speaking(rec.Reply))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.past == nil {
		m.past = map[string]*remembered{}
	}
	makeRoom(m.past, func(p *remembered) time.Time { return p.expires })
	who := asker(q)
	if earlier := m.past[who]; earlier != nil && p.group != "" && earlier.group == p.group {
		p.Turn = p.With(&earlier.Turn, earlier.Text, p.Text)
	}
	m.past[who] = &p
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

// ask keeps a question that waits for the asker's answer, for a time from now on.
func (m *memories) ask(q record.Request, asked question, wait time.Duration) {
	if q.DryRun {
		return
	}
	asked.wait, asked.until = wait, time.Now().Add(wait)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.questions == nil {
		m.questions = map[string]question{}
	}
	makeRoom(m.questions, func(old question) time.Time { return old.until })
	m.questions[asker(q)] = asked
}

// withdraw removes the question that a turn has asked about its text. If the text was
// half an answer to an earlier question, that question is open again.
func (m *memories) withdraw(q record.Request, turn string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	who := asker(q)
	if p := m.questions[who]; p.doubt != nil && p.turn == turn {
		delete(m.questions, who)
	}
	if m.half.asker == who && m.half.turn == turn {
		m.half.question.until = time.Now().Add(confirmTime)
		m.questions[who] = m.half.question
	}
}

// wordless is the asker of every act that was ordered without words. Such an act answers no
// question, and is nothing that a later sentence of one person could be about.
const wordless = "/"

// asker names who asks, by source and area: a question asked in one room is not
// answered from another.
func asker(q record.Request) string {
	if q.Control != nil {
		return wordless
	}
	return string(q.Source) + "/" + q.Area
}
