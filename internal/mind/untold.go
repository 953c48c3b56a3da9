package mind

import (
	"cmp"
	"context"
	"slices"

	"voicegateway/internal/intent"
	"voicegateway/internal/intent/catalogue"
	"voicegateway/internal/keep/record"
)

// Houses knows which houses there should be.
type Houses interface {
	// Untold are the names of the houses that are not known yet while others are.
	Untold() []string
	// Others are the houses that are not reached, but for that of our own Z-Wave server. It may
	// ask their servers.
	Others(ctx context.Context) []AwayHouse
	// OwnServer is the house of our own Z-Wave server, and whether that server is connected.
	OwnServer() (h AwayHouse, connected bool)
	// Expects reports whether the house of our own Z-Wave server is wanted: the server runs also
	// where the configuration does not name it.
	Expects() bool
}

// AwayHouse is a house that is not reached.
type AwayHouse struct {
	Name    string // what people call it
	Waiting string // what its server waits for; "": not known
	Fault   string // why its server is not connected, in a word of mcpint.Fault; "": not known, or it is
}

// sayOthers says why other houses than that of our own Z-Wave server are not reached.
func (m *Mind) sayOthers(ctx context.Context) (said []string) {
	if m.Houses == nil {
		return nil
	}
	for _, h := range m.Houses.Others(ctx) {
		said = append(said, cmp.Or(m.phrases.NoHouse(h.Waiting), m.phrases.NoServer(h.Fault, h.Name), m.phrases.Phrase("house_untold", map[string]any{"house": h.Name})))
	}
	return said
}

// tellUntold says which houses an order has left out because nothing is known of them yet:
// who switches off all lights must hear that these were not all, and "all doors are locked" is
// true only of the doors that are known.
func (m *Mind) tellUntold(o *Order, rec *record.Record) {
	if m.Houses == nil || rec.Outcome == record.Asked || !slices.ContainsFunc(o.Meant.Actions, isAboutAll) {
		return
	}
	for _, name := range m.Houses.Untold() {
		said := m.phrases.Phrase("house_untold", map[string]any{"house": name})
		if slices.ContainsFunc(o.Meant.Actions, intent.Action.Changes) {
			rec.Partly(said, "nothing is known yet of the house "+name)
			continue
		}
		rec.Reply += " " + said
	}
}

// isAboutAll reports whether an action is about whatever there is of a kind or in a place,
// and not about things by their names.
func isAboutAll(a intent.Action) bool {
	switch catalogue.Of(a.Intent).Plan {
	case catalogue.Switch, catalogue.Command, catalogue.Adjust, catalogue.Question:
		return a.Slots["name"] == nil && a.Slots["state"] != "right" && (a.Slots["area"] != nil || a.Slots["floor"] != nil || a.Slots["ask"] != nil || len(a.Devices) > 1)
	case catalogue.List:
		return true
	case catalogue.Unknown, catalogue.Tool, catalogue.Words, catalogue.Before, catalogue.Lasting, catalogue.Ignored:
	}
	return false
}
