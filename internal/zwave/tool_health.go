package zwave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/home"
	"voicegateway/internal/home/form"
	"voicegateway/internal/zwave/wire"
)

// healthAnswer is what check_zwave_health answers.
type healthAnswer struct {
	form.Health

	Gateway string   `json:"gateway"`
	Version string   `json:"version"`
	Shared  []string `json:"shared_topics"` // devices that publish on each other's topics
	LeftOut []string `json:"left_out"`      // what the house has beyond the bounds of nodelist.go
}

// health says how the house is. Without askDevices only the gateway is asked, and the stick is looked
// for beside (lookAfter).
func (i *inspector) health(ctx context.Context, askDevices bool) healthAnswer {
	m := i.directory.current()
	out := healthAnswer{
		Health: form.Health{Devices: len(m.nodes), Dead: []string{}, Asleep: []string{}, LowBattery: []string{}},
		Shared: m.sharing(), LeftOut: append([]string{}, m.left...),
	}
	if level, err := i.link.gateway(); err == nil {
		out.Gateway = strings.TrimPrefix(level, wire.GatewayPrefix)
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	a, err := i.link.call(ctx, "getInfo")
	out.Answers = err == nil
	if err == nil {
		var info gatewayInfo
		err = json.Unmarshal(a.result, &info)
		out.Version = info.App
	}
	stickAway := i.link.stickGone()
	switch {
	case !askDevices:
		i.link.watchStick()
	case err == nil:
		stickAway = i.devices.stickAway(ctx, 0) // the gateway's own word comes ten seconds late
	}
	i.census(m, &out)
	out.WaitingFor = i.waitingFor(err)
	if err != nil || stickAway {
		out.Message = i.link.trouble(err)
	}
	out.say()
	out.Healthy = out.Answers && len(out.Dead) == 0 && out.WaitingFor == ""
	return out
}

// say says how the house is, unless it has been said what is in the way.
func (out *healthAnswer) say() {
	switch {
	case out.Message != "":
	case out.WaitingFor == waitingForList:
		out.Message = listRefused
	case out.WaitingFor != "":
		out.Message = listAwaited
	case len(out.Dead) > 0:
		out.Message = "The Z-Wave network works, but these do not answer: " + strings.Join(out.Dead, ", ") + "."
	case len(out.LowBattery) > 0:
		out.Message = "The Z-Wave network works. Low battery: " + strings.Join(out.LowBattery, ", ") + "."
	default:
		out.Message = fmt.Sprintf("The Z-Wave network works; all %d devices are well.", out.Devices)
	}
	if len(out.Shared) > 0 && out.Answers {
		out.Message += " These share their MQTT topics: " + strings.Join(out.Shared, "; ") + ". Give one of each pair another name in zwave-js-ui."
	}
	if len(out.LeftOut) > 0 {
		out.Message += " The gateway lists more than a Z-Wave network can have; left out: " + strings.Join(out.LeftOut, "; ") + "."
	}
}

// sharing lists the devices that publish on the same topics, each pair once.
func (m *model) sharing() []string {
	found := map[string]bool{}
	for _, of := range m.topics.contested {
		var names []string
		for _, id := range slices.Sorted(slices.Values(of)) {
			names = append(names, m.nodes[id].display())
		}
		if len(names) > 1 {
			found[strings.Join(names, " and ")+" ("+m.topics.bases[of[0]]+")"] = true
		}
	}
	return append([]string{}, slices.Sorted(maps.Keys(found))...)
}

// waitingFor names what is missing before commands work.
func (i *inspector) waitingFor(err error) string {
	var several *severalError
	var api *apiError
	switch _, driver := i.link.available(); {
	case !i.link.connected():
		return "broker"
	case errors.As(err, &several), err != nil && len(i.link.inSightInstead()) > 0:
		return "choice of a gateway"
	case i.link.stickGone():
		return "stick"
	case errors.As(err, &api), err != nil && !driver:
		return "driver"
	case err != nil:
		return "gateway"
	case i.link.losesList():
		return waitingForList
	}
	select {
	case <-i.directory.loaded:
		return ""
	default:
		return "list of devices"
	}
}

// awaited names what is missing before commands work, as far as that is known without asking.
func (i *inspector) awaited() string {
	_, err := i.link.gateway()
	if gateway, driver := i.link.available(); err == nil && (!gateway || !driver) {
		err = errNoAnswer
	}
	return i.waitingFor(err)
}

// census sorts the nodes into the answer by their state.
func (i *inspector) census(m *model, out *healthAnswer) {
	for _, id := range slices.Sorted(maps.Keys(m.nodes)) {
		n := m.nodes[id]
		switch status := i.ledger.node(id); {
		case status.dead():
			out.Dead = append(out.Dead, n.display())
		case status.asleep():
			out.Asleep = append(out.Asleep, n.display())
		}
		for _, s := range n.sensors() {
			if s.kind == home.Battery && isLow(m.sayReading(s, i.ledger.read(s.id).value, i.ledger.read), nil) {
				out.LowBattery = append(out.LowBattery, n.display())
			}
		}
	}
}
