package gateway

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"voicegateway/internal/ai"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/tools/local"
	"voicegateway/internal/turn"
)

func (g *Gateway) buildHouse() error {
	pack, err := intent.Ours(g.cfg.Gateway.Language)
	if err != nil {
		return fmt.Errorf("gateway.language: %w", err)
	}
	g.house, err = newHouse(pack, g.opts.House, g.log)
	return err
}

// buildTools registers the local tools by hand; the servers' come by themselves.
func (g *Gateway) buildTools() error {
	all, volume, err := local.All(g.cfg.Tools, local.Deps{Log: g.log.With("part", "tools"), SearchKey: g.opts.Secrets.SearchKey})
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	g.mind.volume = volume
	if err := g.tools.Add(all...); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	return nil
}

func (g *Gateway) buildVoice() error {
	var err error
	g.voice, err = tts.New(g.cfg.TTS, g.log.With("part", "tts"))
	return err
}

// buildMind puts together what understands and answers.
func (g *Gateway) buildMind() error {
	g.mind.caller = newCaller(g.tools, g.house, g.link.host)
	model, err := ai.NewOpenAI(g.cfg.AI, g.opts.Secrets.AIKey, nil)
	if err != nil {
		return err
	}
	if g.mind.model, err = ai.New(g.cfg.AI, model, g.tools, g.log.With("part", "ai")); err != nil {
		return err
	}
	phrases, err := reply.Ours(g.cfg.Gateway.Language)
	if err != nil {
		return fmt.Errorf("gateway.language: %w", err)
	}
	g.mind.answerer, err = turn.NewAnswerer(g.house, g.mind.caller, assistant{g.mind.model, g.house}, phrases,
		turn.Safety{FanOutLimit: g.cfg.Safety.FanOutLimit}, g.log)
	if err != nil {
		return err
	}
	g.mind.tasks = newTasks(g.cfg.Gateway.StateDir, servers{g.link.host}.connected, g.log.With("part", "tasks"))
	g.mind.answerer.SetRecovery(turn.Recovery{
		Arbiter: arbiter{g.mind.model}, Servers: servers{g.link.host}, Tasks: g.mind.tasks,
	})
	return nil
}

// assistant is the language model as the turn sees it.
type assistant struct {
	model *ai.Assistant
	house *house
}

// Ready says whether the model answers.
func (a assistant) Ready() bool {
	ok, _ := a.model.Ready()
	return ok
}

// Remember puts a local turn into the conversation.
func (a assistant) Remember(heard, said string) { a.model.Remember(heard, said) }

// Reply passes the model's parts on.
func (a assistant) Reply(ctx context.Context, q turn.Question) iter.Seq2[turn.Part, error] {
	prompt := ai.Prompt{Text: q.Text, Area: q.Area, Facts: a.facts(), MayAct: q.MayAct}
	if q.Lost != nil {
		prompt.Lost = func(ctx context.Context, l ai.LostCall) ai.Ruling {
			return ai.Ruling(q.Lost(ctx, turn.Lost{Call: l.Record.Call, Spec: l.Record.Spec, Err: l.Record.Err, Rest: l.Rest}))
		}
	}
	return func(yield func(turn.Part, error) bool) {
		for part, err := range a.model.Reply(ctx, prompt) {
			if e, ok := errors.AsType[*ai.Error](err); ok && e.Kind == ai.Unavailable {
				err = fmt.Errorf("%w: %w", turn.ErrNoModel, err)
			}
			out := turn.Part{Sentence: part.Sentence}
			if c := part.Call; c != nil {
				out.Call, out.Spec, out.Result, out.Err, out.Took = &c.Call, c.Spec, c.Result, c.Err, c.Took
			}
			if !yield(out, err) {
				return
			}
		}
	}
}

// facts tells the model the names in the house, area by area.
func (a assistant) facts() string {
	var b strings.Builder
	h := a.house.House()
	for _, area := range h.AreaNames() {
		var names []string
		for _, e := range h.Entities {
			if e.In(area) {
				names = append(names, e.Name)
			}
		}
		if len(names) > 0 {
			fmt.Fprintf(&b, "%s: %s\n", area, strings.Join(names, ", "))
		}
	}
	return b.String()
}
