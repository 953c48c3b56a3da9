package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/mdns"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/mcpint"
)

// The kinds of house in Answers.House, beside None.
const (
	ZWave         = "zwave"
	HomeAssistant = "homeassistant"
	Both          = "both"
)

// kindsOfHouse are the answers to the question which house there is.
func kindsOfHouse() []option {
	return []option{
		{ZWave, "Z-Wave, with zwave-js-ui and an MQTT broker", []string{"z-wave", "zwave-js-ui", "z"}},
		{HomeAssistant, "Home Assistant, with what is connected to it", []string{"home assistant", "hass", "ha"}},
		{Both, "both", nil},
		{None, "none yet", []string{"no"}},
	}
}

// hassPart is what lines about a Home Assistant begin with.
const hassPart = "home assistant"

// The bounds of reaching a Home Assistant.
const (
	mostHomeAssistants = 8
	greeting           = 5 * time.Second
	lookingAround      = 20 * time.Second // a large one tells some megabytes
)

// kind chooses which house there is, and enters a Home Assistant.
func (s *session) kind(ctx context.Context) error {
	chosen, err := s.chooseKind(ctx)
	if err != nil {
		return err
	}
	_, has := s.now.MCP.Servers[ZWave]
	switch wants := chosen == ZWave || chosen == Both; {
	case wants && !has:
		err = s.set(configure.Change{Key: "mcp.servers." + ZWave, Value: "{}"})
	case !wants && has:
		err = s.set(configure.Change{Key: "mcp.servers." + ZWave, Value: "null"})
	}
	if err != nil {
		return err
	}
	s.alone = s.Broker == "" && (chosen == HomeAssistant || chosen == None)
	if chosen == HomeAssistant || chosen == Both {
		return s.homeAssistant(ctx)
	}
	if _, has := s.now.MCP.Servers[s.hassID()]; has {
		return s.set(configure.Change{Key: s.hassKey(""), Value: "null"})
	}
	return nil
}

// chooseKind is the kind of a flag, of the configuration, or the one that a person chooses.
func (s *session) chooseKind(ctx context.Context) (string, error) {
	if s.House != "" {
		i := slices.IndexFunc(kindsOfHouse(), func(o option) bool { return o.called(s.House) })
		if i < 0 {
			return "", configure.AsUseError(fmt.Errorf("--house %q is not known; expected %s, %s, %s or %s", s.House, ZWave, HomeAssistant, Both, None))
		}
		return kindsOfHouse()[i].value, nil
	}
	_, zwave := s.now.MCP.Servers[ZWave]
	_, ha := s.now.MCP.Servers[s.hassID()]
	ha = ha || s.HassURL != "" || s.HassTokenFile != "" || s.HassCert != ""
	now := map[[2]bool]string{{true, true}: Both, {true, false}: ZWave, {false, true}: HomeAssistant}[[2]bool{zwave, ha}]
	now = cmp.Or(now, None)
	if s.found || s.only {
		return now, nil
	}
	all := kindsOfHouse()
	at := slices.IndexFunc(all, func(o option) bool { return o.value == now })
	return s.asker.choice(ctx, "Your house", all, all[at].shown)
}

// hassID is the name of the server for Home Assistant in the configuration.
func (s *session) hassID() string {
	for _, id := range slices.Sorted(maps.Keys(s.now.MCP.Servers)) {
		if s.now.MCP.Servers[id].Command == mcpint.HomeAssistantServer {
			return id
		}
	}
	return HomeAssistant
}

// hassKey is the key of one of its variables; "" for its entry.
func (s *session) hassKey(variable string) string {
	key := "mcp.servers." + s.hassID()
	if variable != "" {
		key += ".env." + variable
	}
	return key
}

// homeAssistant finds a Home Assistant and keeps what lets the gateway in.
func (s *session) homeAssistant(ctx context.Context) error {
	at, err := s.chooseHomeAssistant(ctx)
	for err == nil {
		var again bool
		if again, err = s.enterHomeAssistant(ctx, at); err != nil || !again {
			return err
		}
		at = socket.Config{}
		at.URL, err = s.typedHomeAssistant(ctx, "Home Assistant, such as "+usualHome, usualHome)
	}
	return err
}

// usualHome is where most Home Assistants are.
const usualHome = "http://homeassistant.local:8123"

// chooseHomeAssistant is that of a flag, of the configuration, or one that a person chooses
// among those that are found.
func (s *session) chooseHomeAssistant(ctx context.Context) (socket.Config, error) {
	env := s.now.MCP.Servers[s.hassID()].Env
	at := socket.Config{URL: env["HASS_URL"], CAFile: env["HASS_CA_FILE"], CertSHA256: env["HASS_CERT_SHA256"]}
	if s.HassCert != "" {
		at.CAFile, at.CertSHA256 = "", s.HassCert
	}
	if s.HassURL != "" {
		whole, err := completeHome(s.HassURL)
		if err != nil {
			return at, configure.AsUseError(fmt.Errorf("--hass-url: %w", err))
		}
		at.URL = whole
	}
	if at.URL == "" && s.found {
		return at, configure.AsUseError(errors.New("a Home Assistant needs its address and a file with a long-lived access token: --hass-url " + usualHome + " --hass-token-file FILE"))
	}
	if at.URL != "" {
		if err := at.Validate(); err != nil {
			return at, configure.AsUseError(err)
		}
		return at, nil
	}
	s.asker.say("  Looking for Home Assistant in this network …\n")
	all := discoverHomeAssistants(ctx)
	var err error
	if len(all) == 0 {
		at.URL, err = s.typedHomeAssistant(ctx, "No Home Assistant was found. Its address", usualHome)
		return at, err
	}
	s.asker.say("Home Assistants that were found:\n")
	s.asker.list(all)
	at.URL, err = s.typedHomeAssistant(ctx, "Home Assistant: a number or an address", all[0].value, all...)
	return at, err
}

// typedHomeAssistant asks for the address of a Home Assistant, or for the number of one that
// was found, until one is usable.
func (s *session) typedHomeAssistant(ctx context.Context, prompt, otherwise string, found ...option) (whole string, err error) {
	err = s.until(ctx, prompt, otherwise, func(answer string) error {
		n, number := strconv.Atoi(answer)
		switch {
		case number == nil && n >= 1 && n <= len(found):
			whole = found[n-1].value
			return nil
		case number == nil:
			return configure.AsUseError(fmt.Errorf("%d is no Home Assistant; expected an address such as %s", n, usualHome))
		}
		if whole, err = completeHome(answer); err != nil {
			return configure.AsUseError(err)
		}
		return nil
	})
	return whole, err
}

// completeHome completes what people write of the address of a Home Assistant: a host, with
// or without a port, or what their browser shows of a page of it.
func completeHome(text string) (string, error) {
	whole := strings.TrimSpace(text)
	if !strings.Contains(whole, "://") {
		whole = "http://" + whole
	}
	u, err := url.Parse(whole)
	if err != nil || u.Hostname() == "" || strings.ContainsFunc(u.Host, unicode.IsSpace) {
		return "", fmt.Errorf("%q is no address; expected one such as %s", text, usualHome)
	}
	if u.User != nil {
		return "", errors.New("a user and a password do not belong into the address; expected one such as " + usualHome)
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host = net.JoinHostPort(u.Hostname(), "8123")
	}
	whole = u.Scheme + "://" + u.Host
	if err := (socket.Config{URL: whole}).Validate(); err != nil {
		return "", err
	}
	return whole, nil
}

// enterHomeAssistant reaches a Home Assistant, and keeps it with a token that it takes. again
// means that a person names another one.
func (s *session) enterHomeAssistant(ctx context.Context, at socket.Config) (again bool, err error) {
	reached, again, err := s.reach(ctx, &at)
	if err != nil || again {
		return again, err
	}
	token, file, err := s.firstToken(at.URL)
	if err != nil {
		return false, err
	}
	if s.refuses(at.URL, token) {
		token = ""
	}
	for {
		if token == "" {
			if s.found {
				return false, configure.AsUseError(errors.New("a file with a long-lived access token of Home Assistant is needed: --hass-token-file FILE"))
			}
			if token, err = s.askToken(ctx, at.URL); err != nil {
				return false, err
			}
			switch file = ""; token {
			case "":
				s.poor(hassPart, "is not used without a token; to add it later: %s --house %s", s.again(), HomeAssistant)
				return false, nil
			case other:
				return true, nil
			}
		}
		if !reached {
			s.poor(hassPart, "%s is used once it answers; whether the token is right is seen then", at.URL)
			return false, s.keepHomeAssistant(at, token, file)
		}
		refused, err := s.tryToken(ctx, at, token)
		if err != nil {
			return false, err
		}
		if !refused {
			return false, s.keepHomeAssistant(at, token, file)
		}
		if s.found {
			return false, fmt.Errorf("%s refuses the token; it was tried once. Make a new one there in your profile, under Security, and name its file: %s --hass-token-file FILE", at.URL, s.again())
		}
		s.poor(hassPart, "%s refuses the token; it is not tried again, because each attempt counts there as a failed login", at.URL)
		s.refused[at.URL] = append(s.refused[at.URL], token)
		token = ""
	}
}

// other is what a person types to name another address.
const other = "-"

// tryToken logs in once and says what is found. refused means that the token is not taken.
func (s *session) tryToken(ctx context.Context, at socket.Config, token string) (refused bool, err error) {
	looking, cancel := context.WithTimeout(ctx, lookingAround)
	defer cancel()
	seen, err := hass.Look(looking, at, token)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, socket.ErrToken):
		return true, nil
	case errors.Is(err, socket.ErrBanned):
		return false, err
	case err != nil:
		s.poor(hassPart, "%s: %v", at.URL, err)
		return false, nil
	}
	for _, f := range doctor.Describe(at.URL, seen) {
		if f.State == doctor.Well {
			s.good(hassPart, "%s", f.Text)
			continue
		}
		s.poor(hassPart, "%s", f.Text)
		s.asker.say("  %s\n", f.Do)
	}
	s.houses = true
	return false, nil
}

// reach finds out whether a Home Assistant is at an address, without logging in, and what
// its certificate is worth. It may change the address to the scheme that is spoken there,
// and pin the certificate, if a person agrees. again means that another address is named.
func (s *session) reach(ctx context.Context, at *socket.Config) (reached, again bool, err error) {
	failed := greet(ctx, *at)
	if turned, ok := s.turn(ctx, *at, failed); ok {
		s.poor(hassPart, "%s does not answer, and %s does", at.URL, turned.URL)
		use, err := s.mayTurn(ctx, *at, turned)
		if err != nil {
			return false, false, err
		}
		if use {
			*at = turned
			failed = greet(ctx, *at)
		}
	}
	if unknown, ok := errors.AsType[*socket.CertificateError](failed); ok {
		trusted, err := s.trust(ctx, at, unknown)
		if err != nil || !trusted {
			return false, true, err
		}
		failed = greet(ctx, *at)
	}
	switch {
	case ctx.Err() != nil:
		return false, false, ctx.Err()
	case failed == nil:
		return true, false, nil
	case errors.Is(failed, socket.ErrBanned):
		return false, false, failed
	}
	s.poor(hassPart, "%s: %v", at.URL, cause(failed))
	if s.found {
		return false, false, nil
	}
	use, err := s.asker.yes(ctx, "Use it all the same, once it answers")
	return false, !use, err
}

// mayTurn reports whether the other scheme may be used. From https to http only a person may
// turn: the token would go over the network as plain text, whatever certificate was named.
func (s *session) mayTurn(ctx context.Context, at, turned socket.Config) (bool, error) {
	secure := strings.HasPrefix(turned.URL, "https:")
	switch {
	case s.found && !secure:
		return false, configure.AsUseError(fmt.Errorf("%s does not answer, and %s does, where the token goes over the network as plain text; if that is meant, say so: --hass-url %s", at.URL, turned.URL, turned.URL))
	case s.found:
		return true, nil
	case secure:
		return s.asker.yes(ctx, "Use "+turned.URL)
	}
	return s.asker.confirm(ctx, "Use "+turned.URL+", where the token goes over the network as plain text", "n")
}

// greet returns why there is no Home Assistant at an address; nil if there is one.
func greet(ctx context.Context, at socket.Config) error {
	ctx, cancel := context.WithTimeout(ctx, greeting)
	defer cancel()
	_, err := socket.Greet(ctx, at)
	return err
}

// turn tries the other one of http and https, if something listens at the address that does
// not speak the one that was named.
func (s *session) turn(ctx context.Context, at socket.Config, failed error) (socket.Config, bool) {
	_, certificate := errors.AsType[*socket.CertificateError](failed)
	_, network := errors.AsType[*net.OpError](failed)
	if failed == nil || certificate || network || ctx.Err() != nil || errors.Is(failed, socket.ErrBanned) {
		return at, false
	}
	scheme, rest, _ := strings.Cut(at.URL, "://")
	turned := at
	if scheme == "http" {
		turned.URL = "https://" + rest
	} else {
		turned = socket.Config{URL: "http://" + rest}
	}
	err := greet(ctx, turned)
	_, certificate = errors.AsType[*socket.CertificateError](err)
	return turned, err == nil || certificate
}

// trust asks a person whether to take a certificate that is not known here, and pins it then.
// Where nobody can be asked, that is an error.
func (s *session) trust(ctx context.Context, at *socket.Config, unknown *socket.CertificateError) (bool, error) {
	if s.found {
		return false, configure.AsUseError(fmt.Errorf("%s: %s; if it is that of your Home Assistant, say so: --hass-cert-sha256 %s", at.URL, doctor.SayCertificate(unknown), unknown.SHA256))
	}
	s.poor(hassPart, "%s: %s", at.URL, doctor.SayCertificate(unknown))
	s.asker.say("  Compare the SHA-256 with that on the machine of Home Assistant, where FILE is its certificate:\n  openssl x509 -noout -fingerprint -sha256 -in FILE\n")
	trusted, err := s.asker.confirm(ctx, "Take this certificate, and no other, from now on", "n")
	if err != nil || !trusted {
		return false, err
	}
	at.CAFile, at.CertSHA256 = "", unknown.SHA256
	return true, nil
}

// refuses reports whether the Home Assistant at an address has refused a token: each attempt
// counts there as a failed login.
func (s *session) refuses(address, token string) bool {
	return slices.Contains(s.refused[address], token)
}

// firstToken is the token of a flag, or the one that is kept already for the Home Assistant at
// this address, with the file it is in.
func (s *session) firstToken(address string) (token, file string, err error) {
	if file = s.HassTokenFile; file == "" {
		env := s.now.MCP.Servers[s.hassID()].Env
		secure := strings.Replace(env["HASS_URL"], "http://", "https://", 1)
		if env["HASS_TOKEN_FILE"] == "" || address != env["HASS_URL"] && address != secure {
			return "", "", nil // the token of one is not shown to another
		}
		data, err := os.ReadFile(env["HASS_TOKEN_FILE"])
		if err != nil {
			return "", "", nil //nolint:nilerr // it is asked for
		}
		return cleanToken(string(data)), env["HASS_TOKEN_FILE"], nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", configure.AsUseError(fmt.Errorf("--hass-token-file: %w", err))
	}
	token = cleanToken(string(data))
	if why := noToken(token); why != "" {
		return "", "", configure.AsUseError(fmt.Errorf("--hass-token-file: %s %s", file, why))
	}
	return token, abs(file), nil
}

// askToken says how a token is made, and asks for one until it looks like one and was not
// refused before. It is "" for none, and other for another address.
func (s *session) askToken(ctx context.Context, address string) (string, error) {
	if len(s.refused[address]) == 0 {
		s.asker.say(`  A long-lived access token lets the gateway in. To make one:
  1. In a browser, open %s/profile/security, best as a user of its own, such as Voice.
  2. At the end of the page, under Long-lived access tokens, choose Create token, and call it voice-gateway.
  3. Copy the token. Home Assistant shows it only once.
  4. Paste it here. It is not shown, and is kept in a file that only the gateway reads.
`, address)
	}
	for {
		answer, err := s.asker.secret(ctx, "Token, or Enter for later, or "+other+" for another address")
		if err != nil {
			return "", err
		}
		token := cleanToken(answer)
		switch why := noToken(token); {
		case token == "" || token == other:
			return token, nil
		case why != "":
			s.asker.say("  what was typed %s; it was not tried\n", why)
		case s.refuses(address, token):
			s.asker.say("  that is the token that was refused; it was not tried again\n")
		default:
			return token, nil
		}
	}
}

// cleanToken takes away what people copy along with a token.
func cleanToken(text string) string {
	text = strings.Trim(strings.TrimSpace(text), `"'`)
	return strings.TrimSpace(strings.TrimPrefix(text, "Bearer "))
}

// noToken says why a text cannot be a token of Home Assistant; "" if it can. What cannot be one
// is not tried, because each attempt counts there as a failed login.
func noToken(text string) string {
	const shortest = 60 // characters; with the shortest user and key they have about 180
	if strings.Count(text, ".") != 2 || len(text) < shortest || strings.ContainsFunc(text, unicode.IsSpace) {
		return fmt.Sprintf("is no token of Home Assistant: it has %d characters; expected about 180, with two dots and no blank", len([]rune(text)))
	}
	return ""
}

// keepHomeAssistant writes what was tried, a typed token into a file of its own.
func (s *session) keepHomeAssistant(at socket.Config, token, file string) error {
	s.token = token
	has, known := s.now.MCP.Servers[s.hassID()]
	if !known {
		entry := fmt.Sprintf("{command: %s, env: {HASS_URL: %q}}", mcpint.HomeAssistantServer, at.URL)
		if err := s.set(configure.Change{Key: s.hassKey(""), Value: entry}); err != nil {
			return err
		}
		has = s.now.MCP.Servers[s.hassID()]
	}
	var changes []configure.Change
	wanted := map[string]string{"HASS_URL": at.URL, "HASS_CA_FILE": at.CAFile, "HASS_CERT_SHA256": at.CertSHA256, "HASS_TOKEN_FILE": file}
	if file == "" {
		wanted["HASS_TOKEN_FILE"] = has.Env["HASS_TOKEN_FILE"] // it is named when the token is kept
		s.draft.KeepLater(s.hassKey("HASS_TOKEN"), token)
	}
	wanted["HASS_TOKEN"] = ""
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if value := wanted[name]; value != has.Env[name] {
			changes = append(changes, configure.Change{Key: s.hassKey(name), Value: cmp.Or(value, "null")})
		}
	}
	return s.set(changes...)
}

// lendToken gives the server for Home Assistant a token that is not in a file yet, for the
// gateway that only setup uses.
func (s *session) lendToken(servers map[string]mcpint.Server) map[string]mcpint.Server {
	server, has := servers[s.hassID()]
	if !has || s.token == "" {
		return servers
	}
	server.Env = maps.Clone(server.Env)
	delete(server.Env, "HASS_TOKEN_FILE")
	server.Env["HASS_TOKEN"] = s.token
	servers = maps.Clone(servers)
	servers[s.hassID()] = server
	return servers
}

// discoverHomeAssistants are the Home Assistants of this machine and those that are
// announced in its network, with their names.
func discoverHomeAssistants(ctx context.Context) []option {
	var all []option
	const here = "127.0.0.1:8123"
	probe, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	if c, err := (&net.Dialer{}).DialContext(probe, "tcp", here); err == nil {
		_ = c.Close()
		all = append(all, option{value: "http://" + here, shown: "http://" + here + "  (this machine)"})
	}
	for _, e := range listAnnounced(ctx, "_home-assistant._tcp", probing, mostHomeAssistants) {
		if o, ok := readAnnouncement(e); ok && !slices.ContainsFunc(all, func(x option) bool { return x.value == o.value }) {
			all = append(all, o)
		}
	}
	return all
}

// readAnnouncement returns the address and the name that a Home Assistant announces. Its own
// word for its address is taken where it is one of http or https; else where it answers from.
func readAnnouncement(e *mdns.ServiceEntry) (option, bool) {
	told := map[string]string{}
	for _, field := range e.InfoFields {
		name, value, _ := strings.Cut(field, "=")
		told[name] = value
	}
	address, err := completeHome(told["internal_url"])
	if err != nil || told["internal_url"] == "" {
		ip, ok := netip.AddrFromSlice(e.AddrV4)
		if !ok || e.Port <= 0 || e.Port >= 1<<16 {
			return option{}, false
		}
		address = "http://" + net.JoinHostPort(ip.String(), strconv.Itoa(e.Port))
	}
	o := option{value: address, shown: address}
	if name := strings.TrimSpace(strings.Map(printable, told["location_name"])); name != "" {
		o.shown += "  (" + strings.ToValidUTF8(name[:min(len(name), 60)], "") + ")"
	}
	return o, true
}

// printable drops what a terminal would obey.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return -1
}
