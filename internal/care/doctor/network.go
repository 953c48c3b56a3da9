package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/zwave/wire"
)

// patience bounds one attempt to reach something, gathering how long retained messages
// are waited for at least after a connection.
const (
	patience  = 4 * time.Second
	gathering = time.Second
)

// broker is the MQTT broker, what is seen there of the house, and whether our id is
// free.
func (v *visit) broker(ctx context.Context) []Finding {
	cfg := v.MQTT.Config
	cfg.Password = v.Secrets.MQTTPassword
	if cfg.URL == "" {
		cfg.URL = "mqtt://" + v.MQTT.Embedded.Listen
		if !v.runs {
			return v.port(ctx, "mqtt.embedded.listen", v.MQTT.Embedded.Listen, "the gateway's own broker can serve at")
		}
	}
	seen, err := Gather(ctx, cfg, v.Gateway.ID, v.Log)
	if err != nil {
		return []Finding{v.unreachable(cfg, err)}
	}
	all := well("%s answers", seen.Broker)
	if u, err := url.Parse(cfg.URL); err == nil && cfg.Username != "" && slices.Contains([]string{"mqtt", "tcp", "ws"}, u.Scheme) && !httpguard.Loopback(u.Hostname()) {
		all = append(all, Finding{State: Poor, Text: "the password goes over the network as plain text", Do: "Use mqtts:// in mqtt.broker where the broker offers it."})
	}
	if v.refusesLarge(ctx, cfg) {
		all[0] = Finding{
			State: Ill, Text: fmt.Sprintf("%s answers, and refuses messages of %d kB: the list of the devices of a house never arrives", seen.Broker, large>>10),
			Do: "Raise message_size_limit and max_packet_size in mosquitto, or the limit of your broker, to at least 10 MB, and restart the broker.",
		}
	}
	return append(all, v.onTheBroker(seen)...)
}

// large is the size of a message, in bytes, that every broker of a house must take: the
// list of the devices of zwave-js-ui has some thousand bytes for each device.
const large = 256 << 10

// refusesLarge sends a small message to itself and, when that arrives, a large one. The
// broker refuses large messages if the second one does not arrive. Nothing is retained.
func (v *visit) refusesLarge(ctx context.Context, cfg mqtt.Config) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cfg.ClientID, cfg.Will = "", nil
	bus, err := mqtt.New(cfg, v.Log)
	if err != nil {
		return false
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = bus.Run(running) }() // its error is that of the messages
	defer func() { stop(); <-ended }()
	topic := mqttapi.Base(v.Gateway.ID) + "/probe/" + rand.Text()
	arrived := make(chan int, 4)
	if bus.Subscribe(ctx, topic, func(_ string, payload []byte, _ bool) { arrived <- len(payload) }) != nil || bus.AwaitConnected(ctx) != nil {
		return false
	}
	arrives := func(size int) bool {
		if err := bus.Publish(ctx, topic, make([]byte, size)); err != nil && size == 1 {
			return false
		}
		for {
			select {
			case got := <-arrived:
				if got == size {
					return true
				}
			case <-ctx.Done():
				return false
			}
		}
	}
	return arrives(1) && !arrives(large)
}

// prefixOf returns the topic prefix of zwave-js-ui from the server's environment.
func prefixOf(env map[string]string) string { return cmp.Or(env["ZWAVE_MQTT_TOPIC"], "zwave") }

// rightsList is the list of rights for mosquitto that comes with the gateway.
const rightsList = "mosquitto-acl.conf (in configs, or /usr/share/doc/voice-gateway/examples)"

// strangers checks whether a client without a password, or any user with one, may
// publish where zwave-js-ui takes orders or where its answers are expected. It asks the
// broker which rights it grants for topics of a client that does not exist, so that
// nothing acts on them.
func (v *visit) strangers(ctx context.Context) []Finding {
	server, ours := v.MCP.Servers["zwave"]
	if !ours || v.MQTT.URL == "" {
		return nil // the embedded broker is for this machine alone
	}
	prefix := prefixOf(server.Env)
	topics := []string{prefix + "/_CLIENTS/nobody/api/none/set", prefix + "/_CLIENTS/nobody/api/none"} // an order, an answer
	cfg := v.MQTT.Config
	cfg.Username, cfg.Password = "", ""
	if u, err := url.Parse(cfg.URL); err == nil {
		u.User = nil
		cfg.URL = u.String()
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	granted, err := mqtt.Granted(ctx, cfg, topics...)
	switch {
	case errors.Is(err, mqtt.ErrRefused):
		return append(well("nobody comes in without a password"), v.checkForgery(ctx, prefix, topics)...)
	case err != nil && unreached(err):
		return nil // that is told of the broker
	case err != nil:
		return []Finding{{State: Poor, Text: "whether a stranger may write under " + prefix + " cannot be told: " + err.Error(), Do: "Look into the broker's own configuration."}}
	case slices.Contains(granted, true):
		return []Finding{{
			State: Poor, Text: "everybody who reaches the broker may write under " + prefix + ", where zwave-js-ui obeys: he can open a door, or say that it is locked",
			Do: "Give the broker passwords and a list of rights: " + rightsList + " says how.",
		}}
	}
	return append(well("nobody without a password may write under %s", prefix), v.checkForgery(ctx, prefix, topics)...)
}

// checkForgery checks whether our own user may answer in the place of zwave-js-ui. A broker
// that grants that has no list of rights, so every user may.
func (v *visit) checkForgery(ctx context.Context, prefix string, topics []string) []Finding {
	cfg := v.MQTT.Config
	cfg.Password = v.Secrets.MQTTPassword
	granted, err := mqtt.Granted(ctx, cfg, topics...)
	if err != nil || !granted[1] {
		return nil
	}
	return []Finding{{
		State: Poor, Text: "our own user may answer in the place of zwave-js-ui under " + prefix + ": the broker has no list of rights, so everybody with a password can open a door",
		Do: "Give the broker a list of rights: " + rightsList + " says how.",
	}}
}

// unreached reports whether an error is one of the network.
func unreached(err error) bool {
	_, network := errors.AsType[net.Error](err)
	return network
}

// unreachable says why the broker cannot be used.
func (v *visit) unreachable(cfg mqtt.Config, err error) Finding {
	f := Finding{State: Ill, Text: "the broker cannot be used: " + err.Error()}
	u, _ := url.Parse(cfg.URL)
	switch {
	case Refused(err):
		f.Mend = v.Command + " config secret mqtt.password"
	case u != nil && httpguard.Loopback(u.Hostname()):
		f.Mend = "sudo systemctl start mosquitto"
	default:
		f.Do = "Look whether it runs there, and whether mqtt.broker names it."
	}
	return f
}

// Refused reports whether a broker is there and wants other credentials.
func Refused(err error) bool {
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "not authori") || strings.Contains(text, "bad user") || strings.Contains(text, "password")
}

// Retained is what a broker keeps of gateways.
type Retained struct {
	Broker string          // its address without credentials
	Twin   bool            // a gateway with our id is there
	Houses map[string]Site // each zwave-js-ui, by prefix and name
}

// Site is what a zwave-js-ui publishes about itself.
type Site struct {
	Version string
	Away    bool // it says that it is offline
}

// client matches what a zwave-js-ui says of itself: its prefix, its name and what it is.
var client = regexp.MustCompile(`^([^/]+)/_CLIENTS/` + wire.GatewayPrefix + `([^/]+)/(version|status)$`)

// note notes a message of a zwave-js-ui.
func (r *Retained) note(topic string, payload []byte) {
	m := client.FindStringSubmatch(topic)
	if m == nil {
		return
	}
	key := m[1] + "/" + m[2]
	one, known := r.Houses[key]
	if !known && len(r.Houses) >= mostHouses {
		return
	}
	if m[3] == "version" {
		var said struct {
			Value any `json:"value"`
		}
		if json.Unmarshal(payload, &said) != nil {
			return
		}
		one.Version = wire.Text(said.Value)
	} else {
		status, ok := wire.ParseNodeStatus(payload)
		if !ok {
			return // an unreadable message says nothing about the gateway
		}
		one.Away = !status.Available
	}
	r.Houses[key] = one
}

// mostHouses bounds what is noted of a broker with many.
const mostHouses = 20

// Gather connects to a broker and takes what it keeps of gateways; id is ours.
func Gather(ctx context.Context, cfg mqtt.Config, id string, log *slog.Logger) (Retained, error) {
	bus, err := mqtt.New(cfg, log)
	if err != nil {
		return Retained{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var mu sync.Mutex
	seen := Retained{Broker: bus.Broker(), Houses: map[string]Site{}}
	arrived, ended := make(chan struct{}, 1), make(chan struct{})
	go func() { defer close(ended); _ = bus.Run(ctx) }() // its error is that of AwaitConnected
	defer func() { cancel(); <-ended }()
	err = bus.Subscribe(ctx, mqttapi.Availability(id), func(_ string, payload []byte, _ bool) {
		mu.Lock()
		defer mu.Unlock()
		seen.Twin = string(payload) == "online"
	})
	for _, filter := range []string{"+/_CLIENTS/+/version", "+/_CLIENTS/+/status"} {
		err = errors.Join(err, bus.Subscribe(ctx, filter, func(topic string, payload []byte, _ bool) {
			mu.Lock()
			defer mu.Unlock()
			seen.note(topic, payload)
			if len(seen.Houses) > 0 {
				select {
				case arrived <- struct{}{}:
				default:
				}
			}
		}))
	}
	if err != nil && ctx.Err() == nil {
		return Retained{}, err
	}
	if err := bus.AwaitConnected(ctx); err != nil {
		return Retained{}, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(gathering):
	}
	mu.Lock()
	none := len(seen.Houses) == 0
	mu.Unlock()
	if none { // a busy machine is given the rest of our patience
		select {
		case <-ctx.Done():
		case <-arrived:
		}
	}
	mu.Lock()
	defer mu.Unlock()
	return Retained{seen.Broker, seen.Twin, maps.Clone(seen.Houses)}, nil
}

// Taken reports whether a gateway with this id is online at a broker.
func Taken(ctx context.Context, cfg mqtt.Config, id string, log *slog.Logger) (bool, error) {
	bus, err := mqtt.New(cfg, log)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var taken atomic.Bool
	ended := make(chan struct{})
	go func() { defer close(ended); _ = bus.Run(ctx) }() // its error is that of AwaitConnected
	defer func() { cancel(); <-ended }()
	err = bus.Subscribe(ctx, mqttapi.Availability(id), func(_ string, payload []byte, _ bool) {
		taken.Store(string(payload) == "online")
	})
	if err != nil && ctx.Err() == nil {
		return false, err
	}
	if err := bus.AwaitConnected(ctx); err != nil {
		return false, err
	}
	select {
	case <-ctx.Done():
	case <-time.After(gathering):
	}
	return taken.Load(), nil
}

// oldestTried is the oldest major version of zwave-js-ui whose topics are known here
// (docs/facts/zwave-js-ui.md is about 11.22.2; 9 was the first with this name's topics).
const oldestTried = 9

// onTheBroker is what is said of the gateways that the broker keeps.
func (v *visit) onTheBroker(seen Retained) []Finding {
	var all []Finding
	if seen.Twin && !v.runs {
		all = append(all, Finding{
			Part: "id", State: Ill, Text: "another gateway with the id " + v.Gateway.ID + " is at this broker: the two would throw each other out",
			Mend: v.set("gateway.id", v.Gateway.ID+"-2"),
		})
	}
	server, ours := v.MCP.Servers["zwave"]
	if !ours {
		return all
	}
	prefix := prefixOf(server.Env)
	found := false
	others := map[string]bool{}
	for _, house := range slices.Sorted(maps.Keys(seen.Houses)) {
		at, name, _ := strings.Cut(house, "/")
		if at != prefix {
			others[at] = true
			continue
		}
		found = true
		version := seen.Houses[house].Version
		if seen.Houses[house].Away {
			all = append(all, Finding{Part: "zwave-js-ui", State: Ill, Text: name + " says that it is offline", Do: "Start zwave-js-ui, and look at its own log."})
			continue
		}
		major, _, _ := strings.Cut(version, ".")
		if n, err := strconv.Atoi(major); err == nil && n < oldestTried {
			all = append(all, Finding{
				Part: "zwave-js-ui", State: Ill, Text: fmt.Sprintf("%s is version %s; what it says is understood from version %d on", name, version, oldestTried),
				Do: "Update zwave-js-ui.",
			})
			continue
		}
		all = append(all, Finding{Part: "zwave-js-ui", State: Well, Text: name + ", version " + version})
	}
	switch {
	case found:
	case len(others) == 1:
		for other := range others {
			all = append(all, Finding{
				Part: "zwave-js-ui", State: Ill, Text: "it is seen under the prefix " + other + ", and not under " + prefix,
				Mend: v.set("mcp.servers.zwave.env.ZWAVE_MQTT_TOPIC", other),
			})
		}
	default:
		all = append(all, Finding{
			Part: "zwave-js-ui", State: Poor, Text: "none is seen at this broker under the prefix " + prefix,
			Do: "In zwave-js-ui, switch on the MQTT gateway with this broker, that prefix and retained messages.",
		})
	}
	return all
}

// http is the port of the HTTP interface and of the page.
func (v *visit) http(ctx context.Context) []Finding {
	if v.HTTP.Listen == "" {
		return []Finding{{State: Poor, Text: "the HTTP interface is off: no page, and commands cannot ask a gateway that runs", Mend: v.set("http.listen", "127.0.0.1:8765")}}
	}
	if v.runs {
		return well("%s", v.HTTP.Listen)
	}
	if !errors.Is(v.alive, v.NoDaemon) {
		return []Finding{v.findFreePort(ctx, "http.listen", v.HTTP.Listen)}
	}
	return v.port(ctx, "http.listen", v.HTTP.Listen, "the page can be served at")
}

// port tries to listen at an address.
func (v *visit) port(ctx context.Context, key, addr, can string) []Finding {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		_ = l.Close()
		return well("%s %s", can, addr)
	case errors.Is(err, syscall.EADDRINUSE):
		return []Finding{v.findFreePort(ctx, key, addr)}
	}
	return []Finding{{State: Ill, Text: "nothing can listen at " + addr + ": " + err.Error(), Do: "Name an address of this machine in " + key + "."}}
}

// findFreePort names the next port that is free.
func (v *visit) findFreePort(ctx context.Context, key, addr string) Finding {
	f := Finding{State: Ill, Text: addr + " is taken by another program", Do: "Name another one in " + key + "."}
	if free, err := FreePort(ctx, addr); err == nil {
		f.Mend = v.set(key, free)
	}
	return f
}

// FreePort is an address or the same with the next port that is free.
func FreePort(ctx context.Context, address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return "", err
	}
	for next := n; next < min(n+50, 1<<16); next++ {
		at := net.JoinHostPort(host, strconv.Itoa(next))
		l, lErr := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
		if lErr == nil {
			return at, l.Close()
		}
		err = lErr
	}
	return "", err
}

// model is the language model.
func (v *visit) model(ctx context.Context) []Finding {
	if v.AI.Enabled == "false" {
		return well("none is used (ai.enabled)")
	}
	endpoint := v.AI.Endpoint()
	if wrong := v.wrongProfile(ctx, endpoint); len(wrong) > 0 {
		return wrong
	}
	err := OffersModels(ctx, endpoint, v.Secrets.AIKey, patience)
	status, refused := errors.AsType[*httpguard.StatusError](err)
	switch {
	case refused && (status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden):
		return []Finding{{State: Ill, Text: endpoint + " refuses the key", Mend: v.Command + " config secret ai.api_key"}}
	case refused:
		return []Finding{{State: Poor, Text: fmt.Sprintf("%s answers with status %d", endpoint, status.Code), Do: "Look whether ai.base_url is right."}}
	case err != nil && v.AI.Enabled == "auto":
		return well("none answers at %s: sentences that the gateway does not know are refused, all else works", endpoint)
	case err != nil:
		return []Finding{{State: Poor, Text: endpoint + ": " + err.Error() + "; sentences that the gateway does not know are refused", Mend: v.set("ai.enabled", "auto")}}
	}
	return well("%s answers", endpoint)
}

// wrongProfile finds an address that belongs to another profile than the one that is set:
// Ollama's behind the name of another provider, or the other way round.
func (v *visit) wrongProfile(ctx context.Context, endpoint string) []Finding {
	if v.Origins.Of("ai.base_url") == "default" {
		return nil // the profile's own address is used
	}
	other := v.AI.OtherProfile()
	if other == "" && v.AI.Cloud() && isOllama(ctx, endpoint) {
		other = "ollama"
	}
	if other == "" {
		return nil
	}
	text := fmt.Sprintf("ai.base_url is the address of %s, and ai.profile is %s", other, v.AI.Profile)
	if endpoint != strings.TrimRight(v.AI.BaseURL, "/") {
		text += ": requests go to " + endpoint
	}
	return []Finding{{State: Ill, Text: text, Mend: v.set("ai.profile", other)}}
}

// isOllama asks an address whether an Ollama answers there, which says its version.
func isOllama(ctx context.Context, endpoint string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(strings.TrimRight(endpoint, "/"), "/v1")+"/api/version", nil)
	if err != nil {
		return false
	}
	resp, err := httpguard.NewClient(httpguard.Config{MaxBody: 1 << 16}).Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	var told struct {
		Version string `json:"version"`
	}
	return json.NewDecoder(resp.Body).Decode(&told) == nil && told.Version != ""
}

// OffersModels asks an address for its list of language models.
func OffersModels(ctx context.Context, endpoint, key string, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(endpoint, "/")+"/models", nil)
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := httpguard.NewClient(httpguard.Config{Key: key, MaxBody: 4 << 20}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
		return fmt.Errorf("what answers offers no models: %w", err)
	}
	if list.Data == nil {
		return errors.New("what answers offers no models")
	}
	return nil
}

// servers are the MCP servers: whether their programs are there and their addresses
// answer, and of a gateway that runs whether they are connected.
func (v *visit) servers(ctx context.Context) []Finding {
	if v.runs {
		return v.checkServers(ctx)
	}
	var all []Finding
	for _, id := range slices.Sorted(maps.Keys(v.MCP.Servers)) {
		s := v.MCP.Servers[id]
		var err error
		if s.Transport == "stdio" {
			_, err = process.Find(s.Command, filepath.Dir(v.Executable))
		} else {
			err = dial(ctx, s.URL)
		}
		if err != nil {
			all = append(all, Finding{Part: "server " + id, State: Ill, Text: err.Error(), Mend: v.set("mcp.servers."+id, "null")})
			continue
		}
		all = append(all, Finding{Part: "server " + id, State: Well, Text: "it can be started or reached"})
	}
	return all
}

// dial reaches the host of an address.
func dial(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%q is no address", address)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", u.Host, err)
	}
	return conn.Close()
}
