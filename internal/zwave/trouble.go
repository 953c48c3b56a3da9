package zwave

import (
	"context"
	"errors"
	"strings"

	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
	"voicegateway/internal/zwave/wire"
)

// diagnose says why the gateway cannot be used, and what to do.
func (l *link) diagnose(err error) (tools.Reason, string) {
	var api *apiError
	var several *severalError
	gateway, driver := l.available()
	switch {
	case !l.connected():
		return tools.BrokerAway, "I cannot reach the MQTT broker. Check that it is running."
	case errors.As(err, &several):
		return tools.HouseUnknown, "There are several Z-Wave gateways on the broker: " + form.OrList(several.names) + ". Set zwave_gateway_name (ZWAVE_GATEWAY_NAME) to the one I should use."
	case len(l.inSightInstead()) > 0:
		return tools.HouseUnknown, "I see no Z-Wave gateway called " + strings.TrimPrefix(l.configured, wire.GatewayPrefix) + " on the broker, only " + form.OrList(l.inSightInstead()) +
			". Set zwave_gateway_name (ZWAVE_GATEWAY_NAME) to the right name."
	case errors.Is(err, errNoGateway):
		return tools.GatewayAway, "I have not found the Z-Wave gateway on the broker yet. Check that zwave-js-ui is running, that its MQTT gateway is on " +
			"and that zwave_mqtt_topic is its prefix; where it does not retain messages, set zwave_gateway_name."
	case !gateway:
		return tools.GatewayAway, "The Z-Wave gateway is offline. Check that zwave-js-ui is running."
	case l.stickGone():
		return tools.StickGone, "The Z-Wave stick does not answer. Check that it is plugged in."
	case !driver, errors.As(err, &api) && api.driverAway():
		return tools.ControllerNotReady, "The Z-Wave controller is not ready yet. Try again in a moment; if that lasts, check the USB stick."
	case l.losesList() && errors.Is(err, errNoAnswer):
		return tools.HouseUnknown, listRefused
	case errors.Is(err, errNoList):
		return tools.HouseUnknown, listAwaited
	case errors.Is(err, errNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return tools.GatewayAway, "The Z-Wave gateway does not answer. Check that zwave-js-ui is running."
	case errors.As(err, &api):
		return tools.RefusedAction, "The Z-Wave gateway could not do that. Its own log says why."
	default: // the broker did not take the request
		return tools.BrokerAway, "I could not send that to the Z-Wave gateway. Try again in a moment."
	}
}

// trouble is diagnose without the reason, for tools that act on no device.
func (l *link) trouble(err error) string {
	_, text := l.diagnose(err)
	return text
}

// driverAway reports whether the gateway says that its driver is not ready.
func (e *apiError) driverAway() bool { return strings.Contains(e.message, "not connected") }
