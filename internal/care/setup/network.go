package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/care/configure"
	"voicegateway/internal/care/doctor"
	"voicegateway/internal/doors/mqttapi"
	"voicegateway/internal/language/text"
)

// Bounds of looking around: probing for one address of this machine, announcing for
// answers to a question over mDNS, and mostBrokers for how many of these are looked at.
const (
	probing     = 2 * time.Second
	announcing  = time.Second
	mostBrokers = 10
)

// prefixKey is where the Z-Wave server learns the prefix of zwave-js-ui.
const prefixKey = "mcp.servers.zwave.env.ZWAVE_MQTT_TOPIC"

// prefix finds zwave-js-ui at the broker.
func (s *session) prefix(ctx context.Context) error {
	server, ours := s.now.MCP.Servers["zwave"]
	if !ours {
		return nil // another kind of house
	}
	if strings.ContainsAny(s.Prefix, "+#") {
		return configure.AsUseError(fmt.Errorf("--prefix %q is no prefix of topics; expected the one in the MQTT settings of zwave-js-ui, such as zwave", s.Prefix))
	}
	now := cmp.Or(server.Env["ZWAVE_MQTT_TOPIC"], "zwave")
	if err := s.lookAgain(ctx); err != nil {
		return err
	}
	up := s.prefixes()
	chosen, err := s.chosenPrefix(ctx, now, slices.Sorted(maps.Keys(up)))
	if err != nil {
		return err
	}
	if chosen != now {
		if err := s.set(configure.Change{Key: prefixKey, Value: chosen}); err != nil {
			return err
		}
	}
	s.tellPrefix(chosen, up)
	return nil
}

// chosenPrefix is the prefix of a flag, of the configuration, or one of those that are
// there.
func (s *session) chosenPrefix(ctx context.Context, now string, there []string) (string, error) {
	switch {
	case s.Prefix != "":
		return s.Prefix, nil
	case !s.found && len(there) > 1:
		return s.asker.choice(ctx, "Prefix of zwave-js-ui", options(there), now)
	case len(there) > 0 && !slices.Contains(there, now) && s.mayFill(now, "zwave"):
		return there[0], nil
	}
	return now, nil
}

// tellPrefix says what is at a prefix; up are those where a zwave-js-ui is, and whether it
// runs.
func (s *session) tellPrefix(chosen string, up map[string]bool) {
	runs, there := up[chosen]
	switch {
	case runs:
		s.good("house", "zwave-js-ui, at the prefix %s", chosen)
		return
	case there:
		s.poor("house", "zwave-js-ui, at the prefix %s, says that it is offline; start it: it is found when it comes", chosen)
		return
	case s.seen == nil && s.now.MQTT.URL != "":
		s.poor("house", "zwave-js-ui is looked for at the prefix %s once the broker answers", chosen)
	default:
		s.poor("house", "no zwave-js-ui is seen at the prefix %s; switch on its MQTT gateway, with this broker and retained messages: it is found when it comes", chosen)
	}
	for _, other := range slices.Sorted(maps.Keys(up)) {
		s.asker.say("  There is one at the prefix %s: %s --prefix %s\n", other, s.again(), other)
	}
	if len(up) == 0 {
		s.asker.say("  If its prefix is another one: %s --prefix NAME\n", s.again())
	}
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
					return configure.AsUseError(fmt.Errorf("another gateway at this broker is called %s; expected another name", answer))
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
	return s.askModel(ctx, found)
}

// askModel asks for a language model; found are the addresses of those that answer here.
func (s *session) askModel(ctx context.Context, found []string) error {
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
			return configure.AsUseError(fmt.Errorf("%q is no address of a language model; expected one such as %s, or none", chosen, endpoints()[0]))
		}
		if err := offers(ctx, chosen); err != nil {
			s.poor("model", "%s: %v", chosen, err)
			use, err := s.asker.yes(ctx, "Use it all the same, once it answers")
			if err != nil {
				return err
			}
			if !use {
				return configure.AsUseError(errors.New("it is not used; expected another address, or none"))
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
