package broker

import (
	"slices"
	"strings"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// maxAway bounds the clients that are away and remembered: each message for them is
// copied for each of them.
const maxAway = 32

// guests is the hook that bounds what is remembered of clients beside their messages
// and filters.
type guests struct {
	mochi.HookBase
	server *mochi.Server
	part   func(*mochi.Client) // ends the session of a client that is away
}

// ID names the hook.
func (*guests) ID() string { return "guests" }

// Provides tells the library which of the hook's methods to call.
func (*guests) Provides(b byte) bool {
	switch b {
	case mochi.OnPacketRead, mochi.OnConnect, mochi.OnSessionEstablish, mochi.OnClientExpired:
		return true
	}
	return false
}

// OnPacketRead copies what is kept of a packet: the library's strings are pieces of the
// whole packet, so that a topic of ten bytes would keep a packet of megabytes.
func (*guests) OnPacketRead(_ *mochi.Client, p packets.Packet) (packets.Packet, error) {
	for _, text := range []*string{
		&p.TopicName, &p.Connect.ClientIdentifier, &p.Connect.WillTopic, &p.Properties.ContentType, &p.Properties.ResponseTopic,
	} {
		*text = strings.Clone(*text)
	}
	for i := range p.Filters {
		p.Filters[i].Filter = strings.Clone(p.Filters[i].Filter)
	}
	for _, user := range [][]packets.UserProperty{p.Properties.User, p.Connect.WillProperties.User} {
		for i, u := range user {
			user[i] = packets.UserProperty{Key: strings.Clone(u.Key), Val: strings.Clone(u.Val)}
		}
	}
	p.Properties.CorrelationData = slices.Clone(p.Properties.CorrelationData)
	p.Connect.WillPayload = slices.Clone(p.Connect.WillPayload)
	return p, nil
}

// OnConnect takes from a client what would make us remember something for each topic,
// or for longer than its session: aliases of topics, and a delay of its will.
func (*guests) OnConnect(cl *mochi.Client, _ packets.Packet) error {
	cl.Properties.Props.TopicAliasMaximum = 0
	cl.Properties.Will.WillDelayInterval = 0
	return nil
}

// OnSessionEstablish makes room whenever a client comes: when too many are away, the one
// that has been for longest is forgotten.
func (g *guests) OnSessionEstablish(cl *mochi.Client, _ packets.Packet) {
	var longest *mochi.Client
	away := 0
	for id, other := range g.server.Clients.GetAll() {
		since := other.StopTime()
		if since == 0 || id == cl.ID {
			continue
		}
		if away++; longest == nil || since < longest.StopTime() {
			longest = other
		}
	}
	if away >= maxAway {
		g.part(longest)
	}
}

// OnClientExpired ends the subscriptions of a client that does not come back: the
// library forgets the client alone.
func (g *guests) OnClientExpired(cl *mochi.Client) { g.server.UnsubscribeClient(cl) }
