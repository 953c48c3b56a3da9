package sim

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"

	"voicegateway/internal/zwave/wire"
)

// describe returns a node as getNodes describes it. A node that is not ready yet
// has no values.
func (n *node) describe() map[string]any {
	out := n.info()
	out["groups"], out["hassDevices"] = []any{}, map[string]any{}
	values := map[string]any{}
	if n.view.ready {
		for _, v := range n.values {
			values[v.id.String()] = v.describe()
		}
	}
	out["values"] = values
	return out
}

// info returns a node as its nodeinfo topic describes it.
func (n *node) info() map[string]any {
	endpoints, seen := []any{n.endpoint(0)}, map[int]bool{0: true}
	battery := -1.0
	for _, v := range n.values {
		if ep := v.id.Endpoint; !seen[ep] {
			seen[ep] = true
			endpoints = append(endpoints, n.endpoint(ep))
		}
		if level, ok := v.believed.(float64); ok && v.id.Class == wire.Battery && v.id.Property == "level" {
			battery = level
		}
	}
	ids := n.ids()
	hex := fmt.Sprintf("0x%04x 0x%04x-0x%04x", ids[0], ids[1], ids[2])
	out := maps.Clone(recorded().Node)
	maps.Copy(out, map[string]any{
		"id": n.spec.ID, "name": n.spec.Name, "loc": n.spec.Location,
		"ready": n.view.ready, "available": !n.view.foundDead, "inited": n.view.ready, "status": n.status(), "interviewStage": n.stage(),
		"isControllerNode": false, "isListening": !n.spec.Sleeping && !n.kind.Frequent, "isFrequentListening": n.kind.Frequent,
		"zwavePlusRoleType": 5,
		"deviceClass":       map[string]any{"basic": 4, "generic": n.kind.Class[0], "specific": n.kind.Class[1]},
		"endpoints":         endpoints, "endpointsCount": len(endpoints) - 1,
		"eventsQueue": n.view.events, "hexId": hex,
		"manufacturerId": ids[0], "productType": ids[1], "productId": ids[2], "deviceId": fmt.Sprintf("%d-%d-%d", ids[0], ids[2], ids[1]),
		"productLabel": fmt.Sprintf("Unknown product 0x%04x", ids[2]), "productDescription": n.spec.Product,
		"statistics": n.statistics(),
	})
	if n.view.events == nil {
		out["eventsQueue"] = []any{}
	}
	if !n.radio.lastTraffic.IsZero() {
		out["lastActive"] = n.radio.lastTraffic.UnixMilli()
	} else {
		out["lastActive"] = nil
	}
	if battery >= 0 {
		out["minBatteryLevel"], out["batteryLevels"] = battery, map[string]any{"0": battery}
	}
	if n.spec.Sleeping {
		out["zwavePlusRoleType"] = 6
	}
	return out
}

func (n *node) ids() [3]int {
	if n.spec.IDs == [3]int{} {
		return [3]int{0xFFFF, 0xFFFF, 0xFFFE}
	}
	return n.spec.IDs
}

func (n *node) endpoint(ep int) map[string]any {
	label, specific := "Root Endpoint", n.kind.Class[1]
	if ep > 0 {
		label, specific = fmt.Sprintf("Endpoint %d", ep), 1
	}
	return map[string]any{"index": ep, "label": label, "deviceClass": map[string]any{"basic": 4, "generic": n.kind.Class[0], "specific": specific}}
}

func (n *node) statistics() map[string]any {
	out := map[string]any{"commandsTX": 0, "commandsRX": 0, "commandsDroppedRX": 0, "commandsDroppedTX": 0, "timeoutResponse": 0}
	if !n.radio.lastTraffic.IsZero() {
		out["lastSeen"] = n.radio.lastTraffic.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return out
}

// eventMembers returns a node as events describe it.
func (n *node) eventMembers() map[string]any {
	ids := n.ids()
	out := maps.Clone(recorded().Event)
	maps.Copy(out, map[string]any{
		"id": n.spec.ID, "inited": n.view.ready, "status": statusNumber(n.status()), "isControllerNode": false, "ready": n.view.ready,
		"deviceClass": map[string]any{"basic": "Routing End Node", "generic": n.spec.Kind, "specific": n.spec.Kind},
		"isListening": !n.spec.Sleeping, "canSleep": n.spec.Sleeping,
		"manufacturerId": ids[0], "productType": ids[1], "productId": ids[2],
		"productDescription": n.spec.Product, "productLabel": fmt.Sprintf("Unknown product 0x%04x", ids[2]),
	})
	if n.spec.Name != "" {
		out["name"] = n.spec.Name
	}
	if n.spec.Location != "" {
		out["location"] = n.spec.Location
	}
	return out
}

// describeController returns node 1 as getNodes describes it.
func describeController(v view) map[string]any {
	out := controllerNode(v).describe()
	out["isControllerNode"], out["sdkVersion"], out["rfRegions"], out["supportsLongRange"] = true, "7.17.99", []any{}, false
	for _, of := range []string{"isSecure", "security", "zwavePlusVersion", "zwavePlusNodeType", "zwavePlusRoleType", "prioritySUCReturnRoute"} {
		delete(out, of)
	}
	out["deviceClass"] = map[string]any{"basic": 2, "generic": 1, "specific": 0}
	return out
}

// key spells a property key as JSON: a number where zwave-js has one.
func key(text string) any {
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return n
	}
	return text
}

// describe returns a value as getNodes describes it, and as the payload type
// "entire value object" publishes it.
func (v *value) describe() map[string]any {
	out := map[string]any{
		"id": fmt.Sprintf("%d-%s", v.id.Node, v.id), "nodeId": v.id.Node, "toUpdate": false,
		"commandClass": v.id.Class, "commandClassName": className(v.id.Class), "commandClassVersion": max(recorded().Classes[v.id.Class].Version, 1),
		"endpoint": v.id.Endpoint, "property": key(v.id.Property), "propertyName": cmp.Or(v.meta.Name, v.id.Property),
		"type": v.meta.Type, "label": v.meta.Label, "readable": v.readable, "writeable": v.writeable, "stateless": v.stateless && v.pressed,
		"list": len(v.meta.States) > 0, "lastUpdate": v.time(),
	}
	if v.id.Key != "" {
		out["propertyKey"], out["propertyKeyName"] = key(v.id.Key), cmp.Or(v.meta.KeyName, v.id.Key)
	}
	maps.Copy(out, v.meta.More)
	if v.believed != nil {
		out["value"] = v.believed
	}
	if v.meta.Unit != "" {
		out["unit"] = v.meta.Unit
	}
	if v.meta.Min != nil {
		out["min"] = *v.meta.Min
	}
	if v.meta.Max != nil {
		out["max"] = *v.meta.Max
	}
	if len(v.meta.States) > 0 {
		out["states"] = v.meta.States
	}
	if target := targets(v.id.Property); target != "" {
		out["isCurrentValue"], out["targetValue"] = true, v.id.With(target, v.id.Key).String()
	}
	return out
}
