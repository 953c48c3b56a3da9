package gateway

import (
	"fmt"

	"voicegateway/internal/ai"
	"voicegateway/internal/answer"
	"voicegateway/internal/house"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/mcpint/selftools"
	"voicegateway/internal/speech/tts"
	"voicegateway/internal/tasks"
	"voicegateway/internal/tools/local"
)

func (g *Gateway) buildHouse() error {
	pack, err := intent.Ours(g.cfg.Gateway.Language)
	if err != nil {
		return fmt.Errorf("gateway.language: %w", err)
	}
	g.house, err = house.New(pack, g.opts.House, g.log)
	return err
}

// buildTools registers the local tools by hand; the servers' come by themselves.
func (g *Gateway) buildTools() error {
	all, volume, err := local.All(g.cfg.Tools, local.Deps{Log: g.log.With("part", "tools"), SearchKey: g.opts.Secrets.SearchKey})
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	g.mind.volume = volume
	if err := g.tools.Add(append(all, selftools.New(httpView{g})...)...); err != nil {
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
	g.mind.tasks = tasks.New(g.cfg.Gateway.StateDir, g.mind.returns, servers{g.link.host}.connected, g.log.With("part", "tasks"))
	g.mind.answerer, err = answer.New(g.house, g.mind.caller, g.mind.model, phrases,
		g.cfg.Safety,
		answer.Recovery{Arbiter: g.mind.model, Servers: servers{g.link.host}, Tasks: g.mind.tasks}, g.log)
	return err
}
