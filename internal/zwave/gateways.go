package zwave

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/zwave/wire"
)

// severalError says that the user has to choose a gateway.
type severalError struct{ names []string }

func (e *severalError) Error() string {
	return fmt.Sprintf("there are several Z-Wave gateways (%s); set ZWAVE_GATEWAY_NAME to the right one", strings.Join(e.names, ", "))
}

// inSightInstead returns the gateways that were seen, if none of them is the configured
// one.
func (l *link) inSightInstead() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, heard := l.online[l.configured]; l.configured == "" || heard {
		return nil
	}
	_, all := l.levels()
	return plainNames(all)
}

// plainNames returns the names of gateways without what their topics begin with.
func plainNames(levels []string) []string {
	var out []string
	for _, level := range levels {
		out = append(out, strings.TrimPrefix(level, wire.GatewayPrefix))
	}
	return out
}

// gateway returns the topic level of the gateway to talk to.
func (l *link) gateway() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.configured != "" {
		return l.configured, nil
	}
	if on, known := l.online[l.proven]; known && on {
		return l.proven, nil
	}
	live, all := l.levels()
	switch {
	case len(live) == 1:
		return live[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", errNoGateway
	}
	return "", &severalError{plainNames(all)}
}

// levels returns the topic levels of the gateways that say they are there, and of
// all gateways heard of, sorted. The caller holds mu.
func (l *link) levels() (live, all []string) {
	for _, level := range slices.Sorted(maps.Keys(l.online)) {
		all = append(all, level)
		if l.online[level] {
			live = append(live, level)
		}
	}
	return live, all
}

// settleOn chooses a gateway that has answered while it was the only one.
func (l *link) settleOn(level string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if on, known := l.online[level]; known && on && l.configured == "" {
		l.proven = level
	}
}

// contested reports whether more than one gateway claims to be online while none is
// chosen in the settings.
func (l *link) contested() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	live, _ := l.levels()
	return l.configured == "" && len(live) > 1
}

// otherGateways returns the other gateways that say they are online.
func (l *link) otherGateways() []string {
	ours, _ := l.gateway()
	l.mu.Lock()
	defer l.mu.Unlock()
	live, _ := l.levels()
	return slices.DeleteFunc(live, func(level string) bool { return level == ours })
}

// noteSilence records that a gateway does not answer, whatever its retained
// status says.
func (l *link) noteSilence(level string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.online[level] = false
}

// findAnswering asks every gateway that was seen and chooses the only one that answers:
// the retained messages of the others are left over, for example from an earlier name. It
// reports whether exactly one answers.
func (l *link) findAnswering(ctx context.Context) bool {
	l.mu.Lock()
	_, all := l.levels()
	fixed := l.configured != ""
	l.mu.Unlock()
	if fixed || len(all) < 2 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, proofWait)
	defer cancel()
	answered := make([]bool, len(all))
	var wg sync.WaitGroup
	for i, level := range all {
		wg.Go(func() {
			_, err := l.callTo(ctx, level, "getInfo")
			var api *apiError
			if answered[i] = err == nil || errors.As(err, &api); answered[i] {
				time.AfterFunc(proofGrace, cancel)
			}
		})
	}
	wg.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proven = ""
	for i, level := range all {
		switch {
		case !answered[i]:
			l.online[level] = false
		case l.proven != "":
			l.online[level], l.proven = true, ""
			return false
		default:
			l.online[level], l.proven = true, level
		}
	}
	return l.proven != ""
}

// proofWait is how long a gateway may take to prove that it is there, and
// proofGrace how long after another one has done so. An idle gateway takes some
// 50 ms.
const (
	proofWait  = 3 * time.Second
	proofGrace = time.Second
)

// gatewayInfo is the part of getInfo's answer that we use.
type gatewayInfo struct {
	HomeID     uint32 `json:"homeid"`
	Controller int    `json:"controllerId"`
	App        string `json:"appVersion"`
}

// info asks the gateway who it is. If the current gateway is silent or not the only one,
// it asks all gateways ever seen; meanwhile the gateway that has answered before stays in
// use.
func (l *link) info(ctx context.Context) (gatewayInfo, error) {
	var in gatewayInfo
	trial, cancel := context.WithTimeout(ctx, proofWait)
	level, _ := l.gateway()
	a, err := l.call(trial, "getInfo")
	cancel()
	var several *severalError
	switch {
	case err == nil && !l.contested():
		l.settleOn(level)
	case err == nil, errors.As(err, &several), errors.Is(err, errNoAnswer):
		if l.findAnswering(ctx) || err == nil { // when several answered, this call returns that error
			a, err = l.call(ctx, "getInfo")
		}
	}
	if err != nil {
		return in, err
	}
	if err := json.Unmarshal(a.result, &in); err != nil {
		return in, fmt.Errorf("reading the answer of getInfo: %w", err)
	}
	return in, nil
}

// foreignNodes returns the nodes of other gateways under the same prefix, whose topics
// may be the same as ours.
func (l *link) foreignNodes(ctx context.Context) []map[int]*node {
	ctx, cancel := context.WithTimeout(ctx, proofWait)
	defer cancel()
	var out []map[int]*node
	values := maxValues
	for _, level := range l.otherGateways() {
		a, err := l.callTo(ctx, level, "getNodes")
		if err != nil {
			l.noteSilence(level) // a silent gateway publishes nothing either
			continue
		}
		nodes, _, err := decodeNodes(a.result)
		if err != nil {
			continue
		}
		if values -= valuesOf(nodes); values < 0 {
			break // further ones are ignored: no house has so many gateways of that size
		}
		out = append(out, nodes)
	}
	return out
}

// valuesOf counts the values of nodes.
func valuesOf(nodes map[int]*node) (sum int) {
	for _, n := range nodes {
		sum += len(n.values)
	}
	return sum
}
