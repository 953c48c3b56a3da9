package broker

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/packets"
)

// Bounds of what clients subscribe to: filters of one client, of all of them, and the
// bytes of a filter. Home Assistant has some for each thing of the house.
const (
	maxFilters    = 5_000
	maxAllFilters = 20_000
	maxFilter     = 1 << 10
	maxLevels     = 32 // of a filter, and of the topic of a retained message: the library has a node of its own for each
)

var errAsksTooMuch = errors.New("it subscribes to more than the embedded broker keeps for a client")

// filters is the hook that bounds what clients subscribe to.
type filters struct {
	mochi.HookBase
	server *mochi.Server
	log    *slog.Logger
}

// ID names the hook.
func (*filters) ID() string { return "filters" }

// Provides tells the library which of the hook's methods to call.
func (*filters) Provides(b byte) bool { return b == mochi.OnSubscribe }

// OnSubscribe parts with a client that subscribes to too much. It refuses shared
// subscriptions, because the messages that wait for them cannot be counted: an empty
// filter is one that the library refuses.
func (f *filters) OnSubscribe(cl *mochi.Client, p packets.Packet) packets.Packet {
	more := len(p.Filters)
	long := slices.ContainsFunc(p.Filters, func(s packets.Subscription) bool { return !reasonable(s.Filter) })
	if !long && cl.State.Subscriptions.Len()+more <= maxFilters && int(atomic.LoadInt64(&f.server.Info.Subscriptions))+more <= maxAllFilters {
		p.Filters = slices.Clone(p.Filters)
		for i := range p.Filters {
			if mochi.IsSharedFilter(p.Filters[i].Filter) {
				p.Filters[i].Filter = ""
			}
		}
		return p
	}
	f.log.Warn("a client of the embedded broker was disconnected: it subscribes to too much", "client", cl.ID, "filters", cl.State.Subscriptions.Len()+more)
	cl.Stop(errAsksTooMuch)
	p.Filters = nil
	return p
}

// reasonable reports whether a filter or topic is short enough to be kept.
func reasonable(topic string) bool {
	return len(topic) <= maxFilter && strings.Count(topic, "/") < maxLevels
}
