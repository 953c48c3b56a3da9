package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ground/config"
	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/serve"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/mcpint"
)

// homeAssistants are the Home Assistants that servers of ours are configured for.
func (v *visit) homeAssistants(ctx context.Context) []Finding {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(v.MCP.Servers)), func(id string) bool { return v.MCP.Servers[id].Command != mcpint.HomeAssistantServer })
	var all []Finding
	for _, id := range ids {
		found := v.homeAssistant(ctx, id, len(ids) == 1)
		if len(ids) > 1 {
			for i := range found {
				found[i].Part = "home assistant " + id
			}
		}
		all = append(all, found...)
	}
	return all
}

// homeAssistant logs in once and looks around. What a gateway that runs knows of a refused
// token counts for the only Home Assistant: it does not say which one of several refuses.
func (v *visit) homeAssistant(ctx context.Context, id string, only bool) []Finding {
	cfg, err := v.serverSettings(id)
	if err != nil {
		return []Finding{{State: Ill, Text: err.Error(), Do: "Correct mcp.servers." + id + ".env" + inFile(v.Path) + "."}}
	}
	at := cfg.House().Socket
	if v.runs && only && strings.Contains(v.outage(), hass.TokenRefused) { // each attempt counts there as a failed login
		return []Finding{v.mendToken(id, cfg, at.URL+" refuses the token, says the gateway; it was not tried again")}
	}
	token, err := cfg.ReadToken()
	if err == nil && strings.TrimSpace(token) == "" {
		err = errors.New("the token is empty")
	}
	if errors.Is(err, fs.ErrPermission) {
		return []Finding{{State: Poor, Text: "whether the token is valid cannot be told: " + err.Error(), Mend: "sudo " + v.Command + " doctor"}}
	}
	if err != nil {
		return []Finding{v.mendToken(id, cfg, err.Error())}
	}
	ctx, cancel := context.WithTimeout(ctx, hassPatience)
	defer cancel()
	seen, err := hass.Look(ctx, at, token)
	unknown, isCertificate := errors.AsType[*socket.CertificateError](err)
	switch {
	case errors.Is(err, socket.ErrToken):
		return []Finding{v.mendToken(id, cfg, at.URL+" refuses the token; it was tried once")}
	case errors.Is(err, socket.ErrBanned):
		return []Finding{{State: Ill, Text: at.URL + " has banned this machine after wrong tokens", Do: "Take its address out of ip_bans.yaml there, and restart Home Assistant."}}
	case isCertificate:
		return []Finding{{
			State: Ill, Text: at.URL + ": " + SayCertificate(unknown),
			Do: "Compare it with that of Home Assistant. Only if it is the same: " + v.pin(id, at, unknown.SHA256),
		}}
	case err != nil:
		return []Finding{{State: Ill, Text: at.URL + ": " + err.Error(), Do: "Look whether Home Assistant runs there, and whether HASS_URL of the server " + id + " names it."}}
	}
	return Describe(at.URL, seen)
}

// pin is what has the only certificate taken that has this SHA-256, in place of those of an
// authority.
func (v *visit) pin(id string, at socket.Config, sum string) string {
	env := "mcp.servers." + id + ".env."
	command := v.set(env+"HASS_CERT_SHA256", sum)
	if at.CAFile != "" {
		command = v.set(env+"HASS_CA_FILE", "null") + " && " + command
	}
	return command
}

// hassPatience bounds the look at one Home Assistant: a large one tells some megabytes.
const hassPatience = 20 * time.Second

// serverSettings are the settings that a server for Home Assistant would have.
func (v *visit) serverSettings(id string) (serve.Config, error) {
	server := v.MCP.Servers[id]
	environ := []string{} // a server gets nothing else of what is about settings
	for _, name := range slices.Sorted(maps.Keys(server.Env)) {
		environ = append(environ, name+"="+server.Env[name])
	}
	file := ""
	for i, arg := range server.Args {
		if value, ok := strings.CutPrefix(arg, "--config="); ok {
			file = value
		} else if arg == "--config" && i+1 < len(server.Args) {
			file = server.Args[i+1]
		}
	}
	cfg := serve.Default()
	if _, err := config.Load(file, &cfg, config.Options{Environ: environ}); err != nil {
		return cfg, err
	}
	return cfg, cfg.Validate()
}

// mendToken says that another token is needed, and how it gets to its place.
func (v *visit) mendToken(id string, cfg serve.Config, text string) Finding {
	f := Finding{State: Ill, Text: text + "; make a new one in your profile there, under Security"}
	if cfg.TokenFile == "" {
		f.Do = "Write the new one into HASS_TOKEN of the server " + id + ", better into a file that HASS_TOKEN_FILE names."
		return f
	}
	f.Mend = v.config("secret", "mcp.servers."+id+".env.HASS_TOKEN")
	return f
}

// inFile says which file a configuration is in, for a sentence.
func inFile(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

// SayCertificate says what a person needs to recognise a certificate that is not known
// here.
func SayCertificate(e *socket.CertificateError) string {
	why := "its certificate is not known here"
	if e.Pinned {
		why = "its certificate is another one than the one that was accepted: Home Assistant has a new one, or somebody stands between"
	}
	names := cmp.Or(strings.Join(e.For[:min(len(e.For), 4)], ", "), "no name")
	return fmt.Sprintf("%s; this one is made for %s, until %s, SHA-256 %s", why, names, e.Until.Format(time.DateOnly), e.SHA256)
}

// mostAhead is how far two clocks may be apart before it is told: states and receipts are
// compared by their times.
const mostAhead = 5 * time.Second

// Describe says what one look at a Home Assistant at an address has found.
func Describe(address string, s hass.Survey) []Finding {
	all := well("%s answers: version %s, %s", address, s.Version, shown(s.Shown))
	switch {
	case s.Starting:
		all = append(all, Finding{State: Poor, Text: "it has not finished starting, so that things may be missing", Do: "Look again in a minute."})
	case s.Shown == 0:
		all = append(all, Finding{
			State: Ill, Text: fmt.Sprintf("it shows none of its %d things to assistants, so that there is no house", s.Hidden),
			Do: "Choose the things there: Settings, Voice assistants, Expose.",
		})
	}
	if s.Old() {
		all = append(all, Finding{State: Poor, Text: "version " + s.Version + " is older than " + hass.Oldest + ", the oldest that the gateway is tested with", Do: "Update Home Assistant."})
	}
	if s.Admin {
		all = append(all, well("the token is an administrator's")...)
	} else {
		all = append(all, well("the token is not an administrator's, which is enough; only things without an entry in the entity registry are not seen")...)
	}
	if off := s.Ahead.Abs(); s.HasClock && off > mostAhead {
		way := "ahead of"
		if s.Ahead < 0 {
			way = "behind"
		}
		all = append(all, Finding{State: Poor, Text: fmt.Sprintf("its clock is %s %s that of this machine", off, way), Do: "Let both clocks be set over the network: timedatectl set-ntp true."})
	}
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "ws") && !httpguard.Loopback(u.Hostname()) {
		all = append(all, Finding{State: Poor, Text: "the token goes over the network as plain text", Do: "Use an address with https:// where Home Assistant has one."})
	}
	return all
}

// shown says how many things are shown to assistants.
func shown(n int) string {
	switch n {
	case 0:
		return "nothing is shown to assistants"
	case 1:
		return "1 thing is shown to assistants"
	}
	return fmt.Sprintf("%d things are shown to assistants", n)
}

// tokenFiles are the files with tokens of Home Assistants.
func (v *visit) tokenFiles() (all []string) {
	for _, id := range slices.Sorted(maps.Keys(v.MCP.Servers)) {
		if s := v.MCP.Servers[id]; s.Command == mcpint.HomeAssistantServer && s.Env["HASS_TOKEN_FILE"] != "" {
			all = append(all, s.Env["HASS_TOKEN_FILE"])
		}
	}
	return slices.DeleteFunc(all, func(file string) bool { _, err := os.Stat(file); return err != nil })
}
