package gateway

import (
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"

	"voicegateway/internal/ai"
	"voicegateway/internal/audio"
	"voicegateway/internal/doors"
	"voicegateway/internal/ear"
	"voicegateway/internal/ground/secret"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/mind/house"
)

// passedOn are the variables that give our own server the broker and its topics. Their
// values are not secrets, except for a password in an address.
var passedOn = []string{"MQTT_BROKER_URL", "MQTT_USERNAME", "MQTT_CA_FILE", "ZWAVE_MQTT_TOPIC", "ZWAVE_GATEWAY_NAME", "LOG_LEVEL"}

// secretsOf finds everything that must not be shown (REQUIREMENTS S7): the secrets
// beside the configuration, what its addresses hold, and what servers are given. A
// name of the house may be shown, unless its key says that it is a secret.
func secretsOf(cfg Config, beside Secrets, house func() *home.House) *secret.Set {
	all := secret.Of(beside.MQTTPassword, beside.AIKey, beside.HTTPToken, beside.SearchKey, beside.STTKey, cfg.TTS.OpenAI.Key)
	addresses(reflect.ValueOf(cfg), all)
	for _, id := range slices.Sorted(maps.Keys(cfg.MCP.Servers)) {
		server := cfg.MCP.Servers[id]
		if id == zwaveServer {
			server.Env = maps.Clone(server.Env)
			maps.DeleteFunc(server.Env, func(name, _ string) bool { return slices.Contains(passedOn, name) })
		}
		all = secret.Join(all, client.SecretsIn(server))
	}
	all.Spare(func(value string) bool { return isName(house(), value) })
	return all
}

// SecretsOf finds what must not be shown of a configuration before any house is known.
func SecretsOf(cfg Config, beside Secrets) *secret.Set {
	return secretsOf(cfg, beside, func() *home.House { return &home.House{} })
}

// addresses adds what stands in the addresses of a configuration.
func addresses(v reflect.Value, to *secret.Set) {
	switch v.Kind() { //nolint:exhaustive // the others hold no text
	case reflect.String:
		to.AddAddresses(v.String())
	case reflect.Struct:
		for _, field := range v.Fields() {
			addresses(field, to)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			addresses(v.Index(i), to)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			addresses(v.MapIndex(key), to)
		}
	}
}

// isName reports whether something in the house is called so.
func isName(house *home.House, value string) bool {
	same := func(name string) bool { return strings.EqualFold(name, value) }
	called := func(name string, aliases []string) bool { return same(name) || slices.ContainsFunc(aliases, same) }
	return slices.ContainsFunc(house.Entities, func(e home.Entity) bool { return called(e.Name, e.Aliases) || same(e.ID) }) ||
		slices.ContainsFunc(house.Areas, func(a home.Area) bool { return called(a.Name, a.Aliases) }) ||
		slices.ContainsFunc(house.Floors, func(f home.Floor) bool { return called(f.Name, f.Aliases) })
}

// discreetModel is a language model whose requests contain no secrets.
type discreetModel struct {
	*ai.OpenAI
	secrets *secret.Set
}

// Complete completes a conversation without its secrets.
func (m discreetModel) Complete(ctx context.Context, req ai.Request) iter.Seq2[ai.Delta, error] {
	req.Messages = slices.Clone(req.Messages)
	for i := range req.Messages {
		message := &req.Messages[i]
		message.Text = m.secrets.Hide(message.Text)
		message.Calls = slices.Clone(message.Calls)
		for j := range message.Calls {
			message.Calls[j].Args = m.secrets.HideJSON(message.Calls[j].Args)
		}
	}
	req.Tools = slices.Clone(req.Tools)
	for i := range req.Tools {
		tool := &req.Tools[i]
		tool.Description, tool.Input = m.secrets.Hide(tool.Description), m.secrets.HideJSON(tool.Input)
	}
	return m.OpenAI.Complete(ctx, req)
}

// discreet makes records and states fit to be shown.
type discreet struct{ secrets *secret.Set }

// text hides the secrets in a text that the family says or hears. Short secrets are not
// hidden: they could be ordinary words.
func (d discreet) text(text string) string { return d.secrets.Long().Hide(text) }

// record returns a turn's record without secrets. The record itself is not changed.
func (d discreet) record(r record.Record) record.Record {
	d.secrets = d.secrets.Long()
	if r.Transcript != nil {
		heard := *r.Transcript
		heard.Text = d.secrets.Hide(heard.Text)
		r.Transcript = &heard
	}
	r.Area = d.secrets.Hide(r.Area)
	r.Reply, r.Error = d.secrets.Hide(r.Reply), d.secrets.Hide(r.Error)
	if r.Intent != nil {
		meant := d.intent(*r.Intent)
		r.Intent = &meant
	}
	r.Intents = slices.Clone(r.Intents)
	for i, meant := range r.Intents {
		r.Intents[i] = d.intent(meant)
	}
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i] = d.call(r.Calls[i])
	}
	r.Judgements = slices.Clone(r.Judgements)
	for i := range r.Judgements {
		r.Judgements[i].Reason = d.secrets.Hide(r.Judgements[i].Reason)
	}
	return r
}

func (d discreet) intent(meant record.Intent) record.Intent {
	if meant.Slots != nil {
		slots := make(map[string]any, len(meant.Slots))
		for name, value := range meant.Slots {
			slots[name], _ = d.secrets.HideIn(value)
		}
		meant.Slots = slots
	}
	return meant
}

func (d discreet) call(made record.CallMade) record.CallMade {
	made.Args = d.secrets.HideJSON(made.Args)
	if made.Receipt != nil {
		receipt := *made.Receipt
		receipt.Device, receipt.Property = d.secrets.Hide(receipt.Device), d.secrets.Hide(receipt.Property)
		receipt.Value, _ = d.secrets.HideIn(receipt.Value)
		made.Receipt = &receipt
	}
	return made
}

// parts returns the states of the parts without secrets.
func (d discreet) parts(parts []doors.Part) []doors.Part {
	for i := range parts {
		parts[i].Why = d.secrets.Hide(parts[i].Why)
	}
	return parts
}

// hideSecrets gives the servers of a configuration what must not be shown of them.
func (d discreet) hideSecrets(servers []mcpint.Server) {
	for i := range servers {
		servers[i].Secrets = d.secrets
	}
}

// discreetKeeper keeps sound with records that hold no secrets.
type discreetKeeper struct {
	ear.Keeper
	discreet
}

// Keep keeps the sound of a turn.
func (k discreetKeeper) Keep(r record.Record, utterance audio.Clip) {
	k.Keeper.Keep(k.record(r), utterance)
}

// knownHouse is the house as far as it is known.
func knownHouse(rooms *house.House) *home.House {
	if rooms == nil {
		return &home.House{}
	}
	return rooms.House()
}
