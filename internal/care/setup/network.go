package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hashicorp/mdns"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/language/text"
)

// Bounds of looking around: probing for one address of this machine, announcing for
// answers to a question over mDNS, and mostBrokers for how many of these are looked at.
const (
	probing     = 2 * time.Second
	announcing  = time.Second
	mostBrokers = 10
)

// local is where a broker of this machine listens by default.
const local = "127.0.0.1:1883"

// broker finds the MQTT broker and connects to it, with a user and a password where it
// wants them.
func (s *session) broker(ctx context.Context) error {
	if s.Broker != "" && s.Broker != None {
		if err := s.usable(s.Broker); err != nil {
			return configure.Misused(fmt.Errorf("--broker: %w", err))
		}
	}
	chosen, err := s.chosenBroker(ctx)
	for err == nil {
		if chosen == "" || chosen == None {
			return s.ownBroker(chosen == None)
		}
		again, err := s.connect(ctx, address(chosen))
		if err != nil || !again {
			return err
		}
		if chosen, err = s.typedBroker(ctx, "Broker, such as mqtt://192.168.1.10, or none", None); err != nil {
			return err
		}
	}
	return err
}

// usable returns what is wrong with the address of a broker, whether it answers or not.
func (s *session) usable(broker string) error {
	cfg := s.now.MQTT.Config
	cfg.URL, cfg.Username, cfg.Password, cfg.CAFile, cfg.AllowInsecure = address(broker), "", "", "", true
	if err := cfg.Validate(); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "mqtt.broker: "))
	}
	return nil
}

// typedBroker asks for the address of a broker, or for the number of one that was found,
// until one is usable.
func (s *session) typedBroker(ctx context.Context, prompt, otherwise string, found ...string) (string, error) {
	var chosen string
	err := s.until(ctx, prompt, otherwise, func(answer string) error {
		n, err := strconv.Atoi(answer)
		switch chosen = answer; {
		case strings.EqualFold(answer, None):
			chosen = None
			return nil
		case err == nil && n >= 1 && n <= len(found):
			chosen = found[n-1]
			return nil
		case err == nil:
			return configure.Misused(fmt.Errorf("%d is no broker; expected an address such as mqtt://192.168.1.10, or none", n))
		}
		if err := s.usable(answer); err != nil {
			return configure.Misused(err)
		}
		return nil
	})
	return chosen, err
}

// chosenBroker is the broker of a flag, of the configuration, or one that is found.
func (s *session) chosenBroker(ctx context.Context) (string, error) {
	now := s.now.MQTT.URL
	if s.Broker != "" || s.only || !s.mayFill(now, "") {
		return cmp.Or(s.Broker, now), nil
	}
	found := around(ctx, local)
	if !s.found {
		return s.askBroker(ctx, found, now)
	}
	if len(found) > 0 && here(found[0]) {
		return found[0], nil
	}
	for _, one := range found { // a stranger's word is not enough to send commands there
		s.poor("broker", "one is announced in this network; to use it: voice-gateway setup --broker %s", one)
	}
	return now, nil
}

// askBroker lets a person choose.
func (s *session) askBroker(ctx context.Context, found []string, now string) (string, error) {
	if len(found) == 0 {
		return s.typedBroker(ctx, "No MQTT broker was found. Its address, such as mqtt://192.168.1.10, or none", cmp.Or(now, None))
	}
	s.asker.say("MQTT brokers that were found:\n")
	s.asker.list(options(found))
	return s.typedBroker(ctx, "Broker: a number, an address or none", cmp.Or(now, found[0]), found...)
}

// address completes what people write of a broker.
func address(text string) string {
	if strings.Contains(text, "://") {
		return text
	}
	return "mqtt://" + text
}

// around are the brokers that are found: that at an address of this machine first, then
// those that are announced by mDNS.
func around(ctx context.Context, local string) []string {
	var all []string
	probe, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	if c, err := (&net.Dialer{}).DialContext(probe, "tcp", local); err == nil {
		_ = c.Close()
		all = append(all, "mqtt://"+local)
	}
	for _, one := range announced(ctx) {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// announced are the brokers that tell of themselves by mDNS; none where the network
// does not carry it.
func announced(ctx context.Context) []string {
	entries := make(chan *mdns.ServiceEntry, mostBrokers) // more are dropped by the library
	_ = mdns.QueryContext(ctx, &mdns.QueryParam{
		Service: "_mqtt._tcp", Timeout: announcing, Entries: entries, Logger: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	})
	close(entries)
	var all []string
	for e := range entries {
		if ip, ok := netip.AddrFromSlice(e.AddrV4); ok && e.Port > 0 && e.Port < 1<<16 {
			all = append(all, "mqtt://"+net.JoinHostPort(ip.String(), strconv.Itoa(e.Port)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// here reports whether a broker's address is this machine.
func here(address string) bool {
	u, err := url.Parse(address)
	return err == nil && httpguard.Loopback(u.Hostname())
}

// ownBroker is the way without a broker. With chosen, one of the configuration is removed.
func (s *session) ownBroker(chosen bool) error {
	if chosen {
		if err := s.set(configure.Change{Key: "mqtt.broker"}); err != nil {
			return err
		}
	}
	s.poor("broker", "none is used; the gateway brings its own, at %s, which zwave-js-ui on this machine can use", s.now.MQTT.Embedded.Listen)
	s.asker.say("  To use another one later: %s --broker mqtt://ADDRESS\n", s.again())
	return nil
}

// again is the command that runs setup again.
func (s *session) again() string {
	command, _ := s.Command(s.now)
	return command + " setup"
}

// login is what a broker is tried with.
type login struct {
	user, password string
	file           string // that holds the password, "" for one that is typed or kept
	insecure       bool   // neither is wanted from a broker of another host
}

// connect tries a broker and keeps what works. again means that a person names another
// one.
func (s *session) connect(ctx context.Context, broker string) (again bool, err error) {
	l, err := s.firstLogin()
	for err == nil {
		open := l.user == "" && !l.insecure && !here(broker) // it must not be used without a password
		attempt := l
		attempt.insecure = l.insecure || open // whether it answers is asked without a password too
		var tried error
		if tried, err = s.try(ctx, broker, attempt); err != nil {
			return false, err
		}
		if tried == nil && !open {
			return false, s.keepBroker(broker, l)
		}
		s.seen = nil
		wanted := tried == nil || doctor.Refused(tried)
		if s.found && wanted && l.user != "" && l.password != "" {
			return false, fmt.Errorf("the broker %s refuses the user %s: the name or the password is wrong; give the right ones: %s --broker-user NAME --broker-password-file FILE", broker, l.user, s.again())
		}
		if s.found && open {
			return false, configure.Misused(fmt.Errorf("the broker %s is on another machine; name a user and a password: --broker-user NAME --broker-password-file FILE, or use --broker-insecure if everybody in that network may switch things", broker))
		}
		s.tellBroker(broker, l, wanted, tried)
		if s.found {
			return false, s.keepBroker(broker, l)
		}
		if !wanted {
			return s.absent(ctx, broker, l, open)
		}
		var back bool
		if l, back, err = s.askLogin(ctx, l.user, open); err == nil && back {
			return true, nil
		}
	}
	return false, err
}

// absent asks whether a broker that does not answer is used when it does. One that is
// open needs a user and a password, or the word that it is used without.
func (s *session) absent(ctx context.Context, broker string, l login, open bool) (again bool, err error) {
	keep, err := s.asker.yes(ctx, "Use it all the same, once it answers")
	if err != nil || !keep {
		return true, err
	}
	if open {
		if l, again, err = s.askLogin(ctx, l.user, open); err != nil || again {
			return again, err
		}
	}
	if err := s.keepBroker(broker, l); err != nil {
		return false, err
	}
	s.poor("broker", "%s is used once it answers", broker)
	return false, nil
}

// tellBroker says why a broker cannot be used so; wanted means that other credentials are
// needed. Without a reason it is one of another machine that lets everybody in.
func (s *session) tellBroker(broker string, l login, wanted bool, why error) {
	flags := ": " + s.again() + " --broker-user NAME --broker-password-file FILE"
	if !s.found {
		flags = ""
	}
	switch {
	case !wanted:
		s.poor("broker", "%s does not answer: %v", broker, cause(why))
	case why == nil:
		s.poor("broker", "%s lets everybody in its network switch things; better name a user and a password%s", broker, flags)
	case l.user == "":
		s.poor("broker", "%s wants a user and a password%s", broker, flags)
	default:
		s.poor("broker", "%s refuses the user %s: the name or the password is wrong%s", broker, l.user, flags)
	}
}

// cause is the part of an error that says what the network has answered.
func cause(err error) error {
	if unknown, ok := errors.AsType[*net.DNSError](err); ok {
		return fmt.Errorf("the name %s is not known here", unknown.Name)
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Timeout() {
		return errors.New("nothing came back in time")
	}
	return err
}

// try connects to a broker and keeps what it tells; tried is why that failed.
func (s *session) try(ctx context.Context, broker string, l login) (tried, err error) {
	cfg := s.now.MQTT.Config
	cfg.URL, cfg.Username, cfg.Password, cfg.AllowInsecure = broker, l.user, l.password, l.insecure
	seen, err := doctor.Gather(ctx, cfg, s.now.Gateway.ID, quiet())
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err == nil {
		s.seen, s.reached, s.asked = &seen, cfg, s.now.Gateway.ID
	}
	return err, nil
}

// firstLogin is what flags and the configuration say.
func (s *session) firstLogin() (login, error) {
	l := login{
		user: cmp.Or(s.User, s.now.MQTT.Username), password: s.now.Secrets.MQTTPassword,
		insecure: s.Insecure || s.now.MQTT.AllowInsecure,
	}
	if s.PasswordFile == "" {
		return l, nil
	}
	data, err := os.ReadFile(s.PasswordFile)
	if err != nil {
		return l, configure.Misused(fmt.Errorf("--broker-password-file: %w", err))
	}
	l.password, l.file = strings.TrimRight(string(data), "\r\n"), abs(s.PasswordFile)
	return l, nil
}

// askLogin asks for a user and a password; without a user, whether a broker that is open
// to everybody is to be used so. back means that another broker is to be named.
func (s *session) askLogin(ctx context.Context, user string, open bool) (l login, back bool, err error) {
	const other = "-"
	user, err = s.asker.text(ctx, "User at the broker, or "+other+" for another broker", user)
	switch {
	case err != nil || user == other:
		return login{}, true, err
	case user == "" && open:
		insecure, err := s.asker.yes(ctx, "Without a password everybody in that network can switch things here. Use it so")
		return login{insecure: insecure}, !insecure, err
	case user == "":
		return login{}, false, nil
	}
	password, err := s.asker.secret(ctx, "Password of "+user)
	return login{user: user, password: password}, false, err
}

// keepBroker writes what was tried, the password into a file of its own.
func (s *session) keepBroker(broker string, l login) error {
	var changes []configure.Change
	if l.user != s.now.MQTT.Username {
		changes = append(changes, configure.Change{Key: "mqtt.username", Value: l.user})
	}
	if l.insecure != s.now.MQTT.AllowInsecure {
		changes = append(changes, configure.Change{Key: "mqtt.allow_insecure", Value: strconv.FormatBool(l.insecure)})
	}
	if l.file != "" && l.file != s.now.MQTT.PasswordFile {
		changes = append(changes, configure.Change{Key: "mqtt.password_file", Value: l.file})
	}
	if l.file == "" && l.password != "" && l.password != s.now.Secrets.MQTTPassword {
		s.draft.KeepPassword(l.password)
	}
	if broker != s.now.MQTT.URL {
		changes = append(changes, configure.Change{Key: "mqtt.broker", Value: broker})
	}
	if err := s.set(changes...); err != nil {
		return err
	}
	if err := s.load(); err != nil {
		return err
	}
	if s.seen != nil {
		s.good("broker", "%s answers", s.seen.Broker)
	}
	return nil
}

// prefixKey is where the Z-Wave server learns the prefix of zwave-js-ui.
const prefixKey = "mcp.servers.zwave.env.ZWAVE_MQTT_TOPIC"

// prefix finds zwave-js-ui at the broker.
func (s *session) prefix(ctx context.Context) error {
	server, ours := s.now.MCP.Servers["zwave"]
	if !ours {
		return nil // another kind of house
	}
	if strings.ContainsAny(s.Prefix, "+#") {
		return configure.Misused(fmt.Errorf("--prefix %q is no prefix of topics; expected the one in the MQTT settings of zwave-js-ui, such as zwave", s.Prefix))
	}
	now := cmp.Or(server.Env["ZWAVE_MQTT_TOPIC"], "zwave")
	chosen := now
	if err := s.lookAgain(ctx); err != nil {
		return err
	}
	up := s.prefixes()
	there := slices.Sorted(maps.Keys(up))
	switch {
	case s.Prefix != "":
		chosen = s.Prefix
	case len(there) == 0:
	case !s.found && len(there) > 1:
		var err error
		if chosen, err = s.asker.choice(ctx, "Prefix of zwave-js-ui", options(there), now); err != nil {
			return err
		}
	case !slices.Contains(there, now) && s.mayFill(now, "zwave"):
		chosen = there[0]
	}
	if chosen != now {
		if err := s.set(configure.Change{Key: prefixKey, Value: chosen}); err != nil {
			return err
		}
	}
	switch {
	case up[chosen]:
		s.good("house", "zwave-js-ui, at the prefix %s", chosen)
	case s.seen == nil && s.now.MQTT.URL != "":
		s.poor("house", "zwave-js-ui is looked for at the prefix %s once the broker answers", chosen)
	case slices.Contains(there, chosen):
		s.poor("house", "zwave-js-ui, at the prefix %s, says that it is offline; start it: it is found when it comes", chosen)
	default:
		s.poor("house", "no zwave-js-ui is seen at the prefix %s; switch on its MQTT gateway, with this broker and retained messages: it is found when it comes", chosen)
		for _, other := range there {
			s.asker.say("  There is one at the prefix %s: %s --prefix %s\n", other, s.again(), other)
		}
		if len(there) == 0 {
			s.asker.say("  If its prefix is another one: %s --prefix NAME\n", s.again())
		}
	}
	return nil
}

// lookAgain looks at the broker of the configuration if no question was about it.
func (s *session) lookAgain(ctx context.Context) error {
	broker := s.now.MQTT.URL
	if broker == "" && s.runs {
		broker = address(s.now.MQTT.Embedded.Listen)
	}
	if !s.only || s.seen != nil || broker == "" {
		return nil
	}
	l, err := s.firstLogin()
	if err != nil {
		return err
	}
	tried, err := s.try(ctx, broker, l)
	if tried != nil {
		s.poor("broker", "%s: %v", broker, tried)
	}
	return err
}

// prefixes returns the topic prefixes of the zwave-js-ui that were found, and whether one
// with that prefix runs.
func (s *session) prefixes() map[string]bool {
	up := map[string]bool{}
	if s.seen == nil {
		return up
	}
	for house, site := range s.seen.Houses {
		at, _, _ := strings.Cut(house, "/")
		up[at] = up[at] || !site.Away
	}
	return up
}

// id chooses the gateway's name at the broker, where each gateway needs its own.
func (s *session) id(ctx context.Context) error {
	if s.ID == "" && !s.found {
		proposed, err := s.proposedID(ctx)
		if err != nil {
			return err
		}
		return s.until(ctx, "Name of this gateway, for its MQTT topics", proposed, func(answer string) error {
			if err := s.setID(answer); err != nil {
				return err
			}
			if answer != proposed {
				taken, err := s.taken(ctx, answer)
				if err != nil {
					return err
				}
				if taken {
					return configure.Misused(fmt.Errorf("another gateway at this broker is called %s; expected another name", answer))
				}
			}
			s.good("id", "%s; its topics begin with %s", answer, mqttapi.Base(answer))
			return nil
		})
	}
	chosen := s.ID
	if chosen == "" {
		var err error
		if chosen, err = s.proposedID(ctx); err != nil {
			return err
		}
	}
	if err := s.setID(chosen); err != nil {
		return err
	}
	s.good("id", "%s", chosen)
	return nil
}

func (s *session) setID(id string) error {
	return s.set(configure.Change{Key: "gateway.id", Value: id})
}

// proposedID is the name that the gateway has, or a free one that is made of its room.
func (s *session) proposedID(ctx context.Context) (string, error) {
	id := s.now.Gateway.ID
	if !s.mayFill(id, byDefault().Gateway.ID) {
		return id, nil
	}
	if s.untouched {
		id = cmp.Or(plainName(s.now.Gateway.Area), id)
	}
	for base, n := id, 2; n < 10; n++ {
		taken, err := s.taken(ctx, id)
		if err != nil || !taken {
			return id, err
		}
		s.poor("id", "another gateway at this broker is called %s", id)
		id = fmt.Sprint(base, "-", n)
	}
	return id, nil
}

// plainName writes a room as a name for a topic: "Salle à manger" is "salle-a-manger".
func plainName(room string) string {
	parts := strings.FieldsFunc(text.SpeltOut(strings.ToLower(room)), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(parts, "-")
}

// taken reports whether another gateway at the broker has this name.
func (s *session) taken(ctx context.Context, id string) (bool, error) {
	switch {
	case s.seen == nil || s.runs && id == s.now.Gateway.ID:
		return false, nil
	case id == s.asked:
		return s.seen.Twin, nil
	}
	taken, err := doctor.Taken(ctx, s.reached, id, quiet())
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return taken && err == nil, nil // a broker that is gone knows no other gateway
}

// endpoints are where language models of this machine listen: Ollama, llama.cpp, LM
// Studio and vLLM.
func endpoints() []string {
	return []string{"http://127.0.0.1:11434/v1", "http://127.0.0.1:8080/v1", "http://127.0.0.1:1234/v1", "http://127.0.0.1:8000/v1"}
}

// model finds a language model for what no sentence fits.
func (s *session) model(ctx context.Context) error {
	d := byDefault().AI
	switch chosen := s.Model; {
	case chosen == None:
		s.good("model", "none is used")
		return s.set(configure.Change{Key: "ai.enabled", Value: "false"})
	case chosen != "":
		return s.useModel(ctx, chosen)
	case s.now.AI.Enabled != d.Enabled || !s.mayFill(s.now.AI.BaseURL, d.BaseURL) || s.now.AI.Profile != d.Profile:
		s.good("model", "%s", s.now.AI.Endpoint())
		return nil
	}
	found := slices.DeleteFunc(endpoints(), func(e string) bool { return offers(ctx, e) != nil })
	if s.found {
		if len(found) == 0 {
			s.good("model", "none is found; sentences that the gateway does not know are refused, all else works")
			return nil
		}
		return s.useModel(ctx, found[0])
	}
	otherwise := None
	if len(found) > 0 {
		otherwise = found[0]
	}
	return s.until(ctx, "Language model for other sentences, an OpenAI-compatible address, or none", otherwise, func(chosen string) error {
		switch {
		case strings.EqualFold(chosen, None) && len(found) == 0:
			s.good("model", "none; one that comes to %s later is used", s.now.AI.Endpoint())
			return nil
		case strings.EqualFold(chosen, None):
			return s.set(configure.Change{Key: "ai.enabled", Value: "false"})
		}
		if u, err := url.Parse(chosen); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return configure.Misused(fmt.Errorf("%q is no address of a language model; expected one such as %s, or none", chosen, endpoints()[0]))
		}
		if err := offers(ctx, chosen); err != nil {
			s.poor("model", "%s: %v", chosen, err)
			use, err := s.asker.yes(ctx, "Use it all the same, once it answers")
			if err != nil {
				return err
			}
			if !use {
				return configure.Misused(errors.New("it is not used; expected another address, or none"))
			}
			return s.setModel(chosen)
		}
		s.good("model", "%s answers", chosen)
		return s.setModel(chosen)
	})
}

// useModel uses a language model, whether it answers or not.
func (s *session) useModel(ctx context.Context, endpoint string) error {
	if err := s.setModel(endpoint); err != nil {
		return err
	}
	if err := offers(ctx, endpoint); err != nil {
		s.poor("model", "%s: %v", endpoint, err)
		return nil
	}
	s.good("model", "%s answers", endpoint)
	return nil
}

func (s *session) setModel(endpoint string) error {
	changes := []configure.Change{{Key: "ai.base_url", Value: endpoint}}
	if s.now.AI.Enabled == "false" {
		changes = append(changes, configure.Change{Key: "ai.enabled", Value: "auto"})
	}
	if ollama := endpoints()[0]; endpoint != ollama && s.now.AI.Profile == "ollama" && slices.Contains(endpoints(), endpoint) {
		changes = append(changes, configure.Change{Key: "ai.profile", Value: "custom"})
	}
	return s.set(changes...)
}

// offers asks an address whether it offers language models.
func offers(ctx context.Context, endpoint string) error {
	return doctor.OffersModels(ctx, endpoint, "", probing)
}

// listen finds ports that are free for the page and for our own broker.
func (s *session) listen(ctx context.Context) error {
	if s.Listen != "" {
		s.good("page", "http://%s", s.Listen)
		return s.set(configure.Change{Key: "http.listen", Value: s.Listen})
	}
	if s.runs {
		s.good("page", "http://%s", s.now.HTTP.Listen)
		return nil
	}
	ports := []struct{ part, key, now, scheme string }{{"page", "http.listen", s.now.HTTP.Listen, "http://"}}
	if s.now.MQTT.URL == "" {
		ports = append(ports, struct{ part, key, now, scheme string }{"own broker", "mqtt.embedded.listen", s.now.MQTT.Embedded.Listen, "mqtt://"})
	}
	for _, p := range ports {
		free, err := doctor.FreePort(ctx, p.now)
		switch {
		case p.now == "":
			continue
		case err != nil:
			s.poor(p.part, "nothing can listen at %s: %v", p.now, err)
			continue
		case free != p.now:
			s.poor(p.part, "%s is taken by another program; %s is free", p.now, free)
			if err := s.set(configure.Change{Key: p.key, Value: free}); err != nil {
				return err
			}
		}
		s.good(p.part, "%s", p.scheme+free)
	}
	return nil
}
