package ai

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"voicegateway/internal/ai/filter"
	"voicegateway/internal/ai/offer"
	"voicegateway/internal/ai/sentence"
	"voicegateway/internal/mind/dialogue"
	"voicegateway/internal/tools"
)

// The bounds of one reply.
const (
	maxRounds     = 4    // completions: three with calls and an answer
	maxReply      = 2400 // characters; two minutes of speech, and more than ai.max_tokens gives
	maxRetryAfter = 2 * time.Second
)

// reply is one Reply in progress. One goroutine owns it.
type reply struct {
	a         *Assistant
	prompt    dialogue.Prompt
	model     string
	watch     *watchdog
	yield     func(dialogue.Part, error) bool
	begun     time.Time
	messages  []Message // without the first one, which is of the prefix
	asked     int       // the index of the user's message
	said      []string
	length    int            // characters the model has written so far
	stopped   bool           // the reader had enough
	halted    bool           // the mind has ended the reply
	earlier   []exchange     // the turns before
	before    origin         // of the turns before
	passed    []passage      // what this turn has exchanged with servers
	picked    map[string]int // how many pieces of its own text each server was sent back
	small     int            // how many values that are too short to be traced were sent out
	outside   bool           // this turn holds text from outside
	described bool           // this turn's request holds the descriptions of foreign tools
	facts     facts
	labels    *offer.Labels
	filter    *filter.Turn
}

// facts is what has happened in this reply. It decides which of the model's words
// can be believed.
type facts struct {
	wrote    bool                  // what came of calls that change something was spoken
	undone   bool                  // the last acts that the model asked for were refused, and the user does not know
	denied   bool                  // the model asked for an act that is never done for it
	changed  bool                  // such a call was for the house
	readings []dialogue.Call       // what was read of the house since the last act
	told     int                   // how many of them were told
	verdicts [filter.Acted + 1]int // how many of the model's sentences had each
	lost     []loss                // the reading calls that came to nothing, unless a later one did better
	answered bool                  // another call of the same round was answered
	miscalls int                   // calls that could not be made as the model wrote them
	made     int                   // calls that were made
}

// loss is a server that came to nothing when it was called.
type loss struct {
	server string
	silent bool // it gave no answer; else it reported an error
}

// mayAct reports whether tools that change something are offered at this moment.
func (r *reply) mayAct() bool { return r.scope() != reading }

// scope is which tools are offered at this moment.
func (r *reply) scope() scope {
	switch {
	case !r.prompt.MayAct || r.stained():
		return reading
	case r.prompt.Elsewhere:
		return elsewhere
	}
	return everywhere
}

func (r *reply) run(ctx context.Context) error {
	for round := 1; ; round++ {
		calls, err := r.complete(ctx, round == maxRounds)
		switch {
		case err != nil || r.stopped:
			return err
		case len(calls) == 0:
			return r.conclude(ctx)
		case round == maxRounds:
			if len(r.facts.lost) > 0 {
				return r.conclude(ctx)
			}
			return r.wordless(Confused, errors.New("it asked for tools in the last round, in which none are left"))
		}
		if err := r.execute(ctx, calls); err != nil || r.stopped || r.halted {
			return err
		}
		if !r.prompt.MayAct {
			r.tellReadings() // at once: the user need not wait for the model's next words
		}
	}
}

// conclude makes sure that something was said, and that it was true.
func (r *reply) conclude(ctx context.Context) error {
	if !r.facts.changed {
		r.tellReadings()
	}
	if len(r.facts.lost) > 0 {
		r.tellLost()
	} else {
		r.instead(ctx)
	}
	if r.facts.undone && r.facts.wrote {
		// The user has heard some results and would think that everything was done.
		r.say(dialogue.Part{Sentence: r.a.phrases["model_left_rest"], Receipt: true}, false)
	}
	if len(r.said) == 0 && !r.stopped {
		return r.wordless(Empty, nil)
	}
	return nil
}

// wordless is why a reply has no words: what its calls were like, or else as given.
func (r *reply) wordless(kind Kind, err error) error {
	if r.facts.miscalls > 0 && r.facts.made == 0 {
		return &Error{Kind: Miscalled, Err: errors.New("it called tools that do not exist, or with arguments that are wrong")}
	}
	return &Error{Kind: kind, Err: err}
}

// topic is what the person has said, in this turn and in those before it that the
// model is given.
func (r *reply) topic() string {
	var said []string
	for _, m := range r.messages {
		if m.Role == User {
			said = append(said, m.Text)
		}
	}
	return strings.Join(said, "\n")
}

// request is what the model is asked; in the last round it is to answer.
func (r *reply) request(last bool) Request {
	begin := r.a.prefix(r.prompt.House, r.scope(), r.topic())
	r.described = r.described || r.scope() == reading && slices.ContainsFunc(begin.tools, r.describes)
	messages := append([]Message{begin.system}, r.messages...)
	messages[1+r.asked] = userMessage(r.begun, r.prompt, r.labels.Of(r.prompt.Area), r.mayAct())
	req := Request{
		Model: r.model, Messages: messages, Tools: begin.tools, NoCalls: last,
		MaxTokens: r.a.cfg.MaxTokens, Temperature: r.a.cfg.Temperature,
	}
	if r.a.habits.has(takesNoTools, r.model) {
		req.Tools = nil
	}
	req.Tools = r.a.habits.omitRefused(r.model, req.Tools)
	return req
}

// complete asks the model once, and a second time if it was busy for a moment.
func (r *reply) complete(ctx context.Context, last bool) ([]tools.Call, error) {
	req := r.request(last)
	r.watch.ask()
	defer r.watch.stopAnswer()
	calls, err := r.round(ctx, req)
	if len(req.Tools) > 0 && refusesTools(err) {
		r.a.log.Warn("the language model takes no tools, so it cannot look or act", "model", r.model, "err", err)
		r.a.habits.learn(takesNoTools, r.model)
		req.Tools = nil
		calls, err = r.round(ctx, req)
	}
	for range maxBlamed {
		blamed, found := blamedTool(err, req.Tools)
		if !found {
			break
		}
		r.a.log.Warn("the language model's server refuses a tool, which is left out from now on", "model", r.model, "tool", blamed.Name, "server", blamed.Server, "err", err)
		r.a.habits.refuse(r.model, blamed.Name)
		if box, ok := r.a.tools.(refusedTools); ok {
			box.Refused(blamed)
		}
		req.Tools = r.a.habits.omitRefused(r.model, req.Tools)
		calls, err = r.round(ctx, req)
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Busy || e.RetryAfter <= 0 || e.RetryAfter > maxRetryAfter {
		return calls, err
	}
	wait := time.NewTimer(e.RetryAfter)
	defer wait.Stop()
	select {
	case <-wait.C:
		return r.round(ctx, req)
	case <-ctx.Done():
		return nil, reasonOf(ctx)
	}
}

// round is one completion: its text becomes sentences while it comes.
type round struct {
	text      sentence.Text
	split     sentence.Splitter
	plain     plainer
	calls     []tools.Call
	last      bool                  // calls are not made any more
	mused     []string              // sentences that sound like a thought, and what followed them
	verdicts  [filter.Acted + 1]int // those of the rounds before
	answering bool                  // a piece of the answer came
	finish    Finish
}

func (r *reply) round(ctx context.Context, req Request) ([]tools.Call, error) {
	rd := &round{verdicts: r.facts.verdicts, text: sentence.Text{Tools: req.Tools, Held: r.a.habits.has(endsThoughts, r.model)}, last: req.NoCalls}
	r.watch.listen()
	defer r.watch.deaf()
	answer, begun := r.a.early.claim(ctx, req)
	if !begun {
		answer = r.a.model.Complete(ctx, req)
	}
	for d, err := range answer {
		if err == nil {
			err = r.handle(rd, d)
		}
		if err != nil || r.stopped {
			return nil, r.broken(rd, r.cause(ctx, err))
		}
	}
	if ctx.Err() != nil {
		return nil, r.broken(rd, reasonOf(ctx))
	}
	return r.finishRound(rd)
}

// broken handles a completion that failed, and returns why. It speaks the whole sentences
// that have arrived, unless the caller ended the reply.
func (r *reply) broken(rd *round, err error) error {
	if _, own := errors.AsType[*Error](err); own {
		r.whole(rd)
	}
	return err
}

// cause is the reason behind an error of the stream.
func (r *reply) cause(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return reasonOf(ctx)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Broken, Err: err}
}

// handle handles one piece.
func (r *reply) handle(rd *round, d Delta) error {
	visible := r.visible(rd, d.Text)
	piece := !d.Hidden && d.Text == "" // a piece of a call
	rd.answering = rd.answering || piece || strings.ContainsFunc(visible, func(c rune) bool { return c > ' ' })
	if rd.answering {
		// Thinking that is not spoken does not extend the wait for the first word.
		r.watch.listen()
	}
	if r.length += utf8.RuneCountInString(visible); r.length > maxReply {
		return &Error{Kind: TooLong, Err: errors.New("the answer has over 2400 characters")}
	}
	for _, s := range rd.split.Push(visible) {
		r.sentence(rd, s)
	}
	if d.Call != nil {
		rd.calls = append(rd.calls, *d.Call)
	}
	if d.Finish != "" {
		rd.finish = d.Finish
	}
	return nil
}

// finishRound handles what is left at the end of a completion.
func (r *reply) finishRound(rd *round) ([]tools.Call, error) {
	var err error
	switch rd.finish {
	case "":
		return nil, &Error{Kind: Dropped, Err: errors.New("the stream ended before the answer did")}
	case CutOff:
		// The last call may be cut without showing it. Whole sentences are an answer.
		r.whole(rd)
		if len(rd.calls) > 0 || len(r.said) == 0 {
			err = &Error{Kind: TooLong, Err: errors.New("the answer was cut at ai.max_tokens")}
		}
		rd.calls = nil
	case Filtered:
		rd.calls = nil
		err = &Error{Kind: Filter}
	case Stopped:
		rest := append(rd.split.Push(r.remaining(rd)), rd.split.Flush())
		for _, s := range rest {
			r.sentence(rd, s)
		}
		if len(rd.calls) == 0 {
			r.releaseHeld(rd)
		}
	}
	return rd.calls, err
}

// planned reports whether one of the calls changes something. If so, the model's
// sentences before it are only a promise, and the reports that follow are spoken
// instead.
func (r *reply) planned(calls []tools.Call) bool {
	return slices.ContainsFunc(calls, func(c tools.Call) bool {
		spec, offered := find(r.a.listTools(r.prompt.House, r.scope()), c.Tool)
		return offered && spec.Risk != tools.Read
	})
}

// say gives a sentence to the reader. Both clocks stop while the reader is busy.
func (r *reply) say(p dialogue.Part, listening bool) {
	if !p.Receipt {
		r.watch.stopAnswer()
	}
	if r.pass(p, listening) {
		r.said = append(r.said, p.Sentence)
	}
}

func (r *reply) pass(p dialogue.Part, listening bool) bool {
	if r.stopped {
		return false
	}
	r.watch.pause()
	r.stopped = !r.yield(p, nil)
	r.watch.resume(listening && !r.stopped)
	return true
}
