package hass

import (
	"errors"

	"voicegateway/internal/hass/socket"
	"voicegateway/internal/home/form"
	"voicegateway/internal/tools"
)

// stillStarting is what is said while Home Assistant has not finished starting.
const stillStarting = "Home Assistant is still starting. Try again in a minute."

// TokenRefused begins what a house says that waits for another token.
const TokenRefused = "Home Assistant refuses the token."

// explainAway says why there is no connection.
func explainAway(s standing) (tools.Reason, string) {
	switch {
	case s.conn != nil && s.starts:
		return tools.HomeAssistantStarting, stillStarting
	case errors.Is(s.err, socket.ErrToken):
		return tools.HomeAssistantToken, TokenRefused + " Make a new one in your profile there, under Security, and write it into the token file."
	case errors.Is(s.err, socket.ErrBanned):
		return tools.HomeAssistantToken, "Home Assistant has banned this machine after wrong tokens. Take its address out of ip_bans.yaml there, and restart Home Assistant."
	case isCertificate(s.err):
		return tools.HomeAssistantAway, "I do not know the certificate of Home Assistant. Look with voice-gateway doctor, or set HASS_CA_FILE or HASS_CERT_SHA256."
	default:
		return tools.HomeAssistantAway, "I cannot reach Home Assistant. Check that it runs."
	}
}

// isCertificate reports whether a connection ended because of the certificate.
func isCertificate(err error) bool {
	_, ok := errors.AsType[*socket.CertificateError](err)
	return ok
}

// awaitedAt is what is missing before commands work, in the words of form.Health; "" if
// nothing is.
func (s standing) awaitedAt() string {
	switch why, _ := explainAway(s); {
	case s.conn != nil && !s.starts:
		return ""
	case why == tools.HomeAssistantToken:
		return "token"
	case why == tools.HomeAssistantStarting:
		return "start of Home Assistant"
	default:
		return "Home Assistant"
	}
}

// Waiting are the words for what the house may wait for.
func Waiting() []string { return []string{"Home Assistant", "start of Home Assistant", "token"} }

// refuseAway refuses a question that only the house could answer.
func refuseAway(s standing) error {
	why, text := explainAway(s)
	return form.RefuseFor(why, "%s", text)
}
