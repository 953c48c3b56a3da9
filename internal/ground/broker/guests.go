package broker

import (
	"slices"
	"strings"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// guests is the hook that bounds what is remembered of clients beside their messages
// and filters: nothing beyond their connection, and of a packet no more than is used.
type guests struct{ mochi.HookBase }

// ID names the hook.
func (*guests) ID() string { return "guests" }

// Provides tells the library which of the hook's methods to call.
func (*guests) Provides(b byte) bool { return b == mochi.OnPacketRead }

// OnPacketRead ends the session of every client with its connection, because on one
// machine no network breaks connections: a client that is away has ended or begins
// anew. It takes aliases of topics from a client, for which the library would remember
// each topic, and the delay of its will. It copies what is kept of a packet: the
// library's strings are pieces of the whole packet, so that a topic of ten bytes would
// keep a packet of megabytes.
func (*guests) OnPacketRead(_ *mochi.Client, p packets.Packet) (packets.Packet, error) {
	if p.FixedHeader.Type == packets.Connect {
		p.Connect.Clean = true
		p.Connect.WillProperties.WillDelayInterval = 0
		p.Properties.TopicAliasMaximum = 0
	}
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
