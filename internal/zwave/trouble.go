package zwave

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// trouble says why the gateway cannot be used, and what to do.
func (l *link) trouble(err error) string {
	var api *apiError
	var several *severalError
	gateway, driver := l.available()
	switch {
	case !l.connected():
		return "I cannot reach the MQTT broker. Check that it is running."
	case errors.As(err, &several):
		return "There are several Z-Wave gateways on the broker: " + orList(several.names) + ". Set zwave_gateway_name (ZWAVE_GATEWAY_NAME) to the one I should use."
	case errors.Is(err, errNoGateway):
		return "I have not found the Z-Wave gateway on the broker yet. Check that zwave-js-ui is running, that its MQTT gateway is on " +
			"and that zwave_mqtt_topic is its prefix; where it does not retain messages, set zwave_gateway_name."
	case !gateway:
		return "The Z-Wave gateway is offline. Check that zwave-js-ui is running."
	case l.stickGone():
		return "The Z-Wave stick does not answer. Check that it is plugged in."
	case !driver, errors.As(err, &api) && strings.Contains(api.message, "not connected"):
		return "The Z-Wave controller is not ready yet. Try again in a moment; if that lasts, check the USB stick."
	case errors.Is(err, errNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return "The Z-Wave gateway does not answer. Check that zwave-js-ui is running."
	case errors.As(err, &api):
		return "The Z-Wave gateway could not do that. Its own log says why."
	default: // the broker did not take the request
		return "I could not send that to the Z-Wave gateway. Try again in a moment."
	}
}

// unanswered explains a write without an answer from the gateway.
func (d *devices) unanswered(e *entity, r tools.Receipt, err error) tools.Receipt {
	status := d.ledger.node(e.node.ID)
	gateway, driver := d.link.available()
	var api *apiError
	switch {
	case errors.As(err, &api):
		return ended(r, tools.Refused, d.link.trouble(err))
	case !gateway, !driver:
		return ended(r, tools.NoAnswer, d.link.trouble(err)+" I do not know whether "+e.Name+" got the command.")
	case status.dead():
		return ended(r, tools.NoAnswer, e.Name+" does not answer. Check that it has power, then try again.")
	case status.asleep() && e.node.sleeper():
		return ended(r, tools.Queued, e.Name+" has fallen asleep. It will do this when it wakes up.")
	default:
		return ended(r, tools.NoAnswer, e.Name+" has not answered. It may be out of reach; check that it has power.")
	}
}

func (d *devices) rejected(e *entity, r tools.Receipt, status int) tools.Receipt {
	switch {
	case d.ledger.node(e.node.ID).dead():
		return ended(r, tools.NoAnswer, e.Name+" does not answer. Check that it has power, then try again.")
	case status == statusInvalid:
		return ended(r, tools.Refused, e.Name+" does not accept that value.")
	case status == statusNotSupported, status == statusNoEndpoint, status == statusNotImplemented:
		return ended(r, tools.Refused, e.Name+" cannot do that.")
	default: // statusFailed, and statuses added later
		return ended(r, tools.Refused, e.Name+" did not carry out the command. Try again, and look at the device if it happens again.")
	}
}

// wakesWithin says how long a sleeping device sleeps at most, if that is known.
func (d *devices) wakesWithin(e *entity) string {
	seconds, ok := number(d.ledger.read(wire.ValueID{Node: e.node.ID, Class: wire.WakeUp, Property: "wakeUpInterval"}).value)
	switch {
	case !ok || seconds < 60:
		return ""
	case seconds < 2*60*60:
		return fmt.Sprintf(", within %.0f minutes", math.Ceil(seconds/60))
	default:
		return fmt.Sprintf(", within %.0f hours", math.Ceil(seconds/3600))
	}
}
