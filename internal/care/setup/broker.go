package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	"voicegateway/internal/ground/httpguard"
)

// local is where a broker of this machine listens by default.
const local = "127.0.0.1:1883"

// broker finds the MQTT broker and connects to it, with a user and a password where it
// wants them.
func (s *session) broker(ctx context.Context) error {
	if s.Broker != "" && s.Broker != None {
		if err := s.usable(s.Broker); err != nil {
			return configure.AsUseError(fmt.Errorf("--broker: %w", err))
		}
	}
	if s.alone && !s.found && s.now.MQTT.URL == "" {
		s.good("broker", "the gateway brings its own, at %s; for another one: %s --broker mqtt://ADDRESS", s.now.MQTT.Embedded.Listen, s.again())
		return nil
	}
	chosen, err := s.chooseBroker(ctx)
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
			return configure.AsUseError(fmt.Errorf("%d is no broker; expected an address such as mqtt://192.168.1.10, or none", n))
		}
		if err := s.usable(answer); err != nil {
			return configure.AsUseError(err)
		}
		return nil
	})
	return chosen, err
}

// chooseBroker is the broker of a flag, of the configuration, or one that is found.
func (s *session) chooseBroker(ctx context.Context) (string, error) {
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
	for _, one := range discoverBrokers(ctx) {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// discoverBrokers are the brokers that tell of themselves by mDNS; none where the network
// does not carry it.
func discoverBrokers(ctx context.Context) []string {
	var all []string
	for _, e := range listAnnounced(ctx, "_mqtt._tcp", announcing, mostBrokers) {
		if ip, ok := netip.AddrFromSlice(e.AddrV4); ok && e.Port > 0 && e.Port < 1<<16 {
			all = append(all, "mqtt://"+net.JoinHostPort(ip.String(), strconv.Itoa(e.Port)))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listAnnounced lists the first services of a kind that tell of themselves by mDNS within a time.
func listAnnounced(ctx context.Context, service string, within time.Duration, most int) (all []*mdns.ServiceEntry) {
	entries := make(chan *mdns.ServiceEntry, most) // more are dropped by the library
	_ = mdns.QueryContext(ctx, &mdns.QueryParam{
		Service: service, Timeout: within, Entries: entries, Logger: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	})
	close(entries)
	for e := range entries {
		all = append(all, e)
	}
	return all
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
		var tried error
		open := s.open(broker, l)
		if tried, err = s.attempt(ctx, broker, l); err != nil {
			return false, err
		}
		if tried == nil && !open {
			return false, s.keepBroker(broker, l)
		}
		s.seen = nil
		if s.found {
			return false, s.settle(broker, l, tried)
		}
		s.tellBroker(broker, l, tried)
		if tried != nil && !doctor.Refused(tried) {
			return s.absent(ctx, broker, l)
		}
		var back bool
		if l, back, err = s.askLogin(ctx, l.user, open); err == nil && back {
			return true, nil
		}
	}
	return false, err
}

// open reports whether a broker must not be used with a login: it is on another machine,
// and nothing says who may switch things there.
func (s *session) open(broker string, l login) bool {
	return l.user == "" && !l.insecure && !here(broker)
}

// attempt is try, also without a password at a broker of another machine: whether it
// answers is worth knowing first.
func (s *session) attempt(ctx context.Context, broker string, l login) (tried, err error) {
	l.insecure = l.insecure || s.open(broker, l)
	return s.try(ctx, broker, l)
}

// settle keeps a broker that does not work yet where nobody can be asked. A wrong login
// is an error.
func (s *session) settle(broker string, l login, tried error) error {
	switch {
	case s.open(broker, l):
		return configure.AsUseError(fmt.Errorf("the broker %s is on another machine; name a user and a password: --broker-user NAME --broker-password-file FILE, or use --broker-insecure if everybody in that network may switch things", broker))
	case doctor.Refused(tried) && l.user != "" && l.password != "":
		return fmt.Errorf("the broker %s refuses the user %s: the name or the password is wrong; give the right ones: %s --broker-user NAME --broker-password-file FILE", broker, l.user, s.again())
	}
	s.tellBroker(broker, l, tried)
	return s.keepBroker(broker, l)
}

// absent asks whether a broker that does not answer is used when it does. One that is
// open needs a user and a password, or the word that it is used without.
func (s *session) absent(ctx context.Context, broker string, l login) (again bool, err error) {
	keep, err := s.asker.yes(ctx, "Use it all the same, once it answers")
	if err != nil || !keep {
		return true, err
	}
	if s.open(broker, l) {
		if l, again, err = s.askLogin(ctx, l.user, true); err != nil || again {
			return again, err
		}
	}
	if err := s.keepBroker(broker, l); err != nil {
		return false, err
	}
	s.poor("broker", "%s is used once it answers", broker)
	return false, nil
}

// tellBroker says why a broker cannot be used so. Without a reason it is one of another
// machine that lets everybody in.
func (s *session) tellBroker(broker string, l login, why error) {
	flags := ": " + s.again() + " --broker-user NAME --broker-password-file FILE"
	if !s.found {
		flags = ""
	}
	switch {
	case why == nil:
		s.poor("broker", "%s lets everybody in its network switch things; better name a user and a password%s", broker, flags)
	case !doctor.Refused(why):
		s.poor("broker", "%s does not answer: %v", broker, cause(why))
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
		return l, configure.AsUseError(fmt.Errorf("--broker-password-file: %w", err))
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
		s.draft.KeepLater("mqtt.password", l.password)
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
