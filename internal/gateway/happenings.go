package gateway

import (
	"context"

	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/home"
	"voicegateway/internal/home/events"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mind/house"
	"voicegateway/internal/tools"
)

// followEvents hands what the houses tell by themselves to everything that acts on it,
// in this order.
func (s setup) followEvents(mcp *host.Host, rooms *house.House, listeners ...func(home.Event)) {
	mcp.Watch("://events", events.New(rooms, s.log, listeners...).Tell)
}

// newButtons makes the buttons, and checks them against the house whenever a server
// publishes one.
func (s setup) newButtons(mcp *host.Host, rooms *house.House) *events.Buttons {
	b := events.NewButtons(s.cfg.Buttons, s.log)
	mcp.Watch("://home", func(string, []byte) { b.Check(rooms.House()) })
	return b
}

// followHouses keeps the house equal to what the servers tell, and the servers in touch
// with the broker.
func (s setup) followHouses(mcp *host.Host, rooms *house.House, link link) *events.Buttons {
	mcp.Watch("://home", rooms.Tell)
	link.wakeOnConnection(mcp)
	return s.newButtons(mcp, rooms)
}

// publishPresses publishes the presses of buttons on MQTT.
func (l link) publishPresses(e home.Event) {
	if l.api != nil && e.Kind == home.Pressed {
		l.api.Event(mqttapi.Event{Kind: string(e.Kind), Thing: e.Thing, Press: e.Press, Time: e.Time})
	}
}

// press has the sentences of buttons carried out until ctx ends.
func (g *Gateway) press(ctx context.Context) error {
	return g.buttons.Run(ctx, g.carryOutPress)
}

// carryOutPress carries out the sentence of a button, in the button's room. An act can be seen
// and needs no words; a refusal, a question or an answer is spoken if that room has a
// voice.
func (g *Gateway) carryOutPress(ctx context.Context, s events.Said) {
	here := s.Event.Area == "" || ownRoom(s.Event.Area, g.cfg.Gateway.Area)
	rec := g.Ask(ctx, record.Request{Text: s.Sentence, Area: s.Event.Area, Source: record.FromButton, Aloud: here})
	done := (rec.Outcome == record.Done || rec.Outcome == record.Accepted) && rec.Risk != "" && rec.Risk != string(tools.Read)
	if rec.Reply == "" || done || !here || g.loop == nil {
		return
	}
	if err := (announcer{loop: g.loop}).Say(ctx, rec.Reply); err != nil && ctx.Err() == nil {
		g.log.Warn("the answer to a button was not spoken", "part", "buttons", "err", err)
	}
}
