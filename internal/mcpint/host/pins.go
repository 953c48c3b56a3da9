package host

import (
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"slices"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// PinStore keeps small values by name; Load leaves v as it is when nothing was
// saved under the name.
type PinStore interface {
	Load(name string, v any) error
	Save(name string, v any) error
}

// pins are what the tools of one server looked like at first sight. They belong
// to the goroutine that follows the server's announcements.
type pins struct {
	server mcpint.Server
	store  PinStore // nil: they are kept in memory only
	log    *slog.Logger
	byName map[string]pin // nil before the first connection
}

// pin is what is remembered of a tool's description and schemas, as hashes.
type pin struct {
	First string `json:"first"`          // at first sight
	Told  string `json:"told,omitempty"` // the change that was told last
}

// maxPins and maxPinned bound what one server can make us remember: tools, and
// the bytes of their names. No real name is longer.
const (
	maxPins   = 4 * client.MaxTools
	maxPinned = 128
)

// pinsName is the name under which a server's pins are kept.
func pinsName(server string) string {
	sum := sha256.Sum256([]byte(server))
	return "mcp-tools-" + hex.EncodeToString(sum[:8])
}

// hashOf returns a hash of everything a server says about a tool that a model
// might believe.
func hashOf(spec tools.Spec) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(spec.Title), []byte(spec.Description), spec.Input, spec.Output} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// check returns the tools that are not what they were at first sight
// (REQUIREMENTS S5), as names fit to be shown: all of them, and those whose
// change was not told before. They are still offered, because only a person can
// say whether a change is an attack or an update.
func (p *pins) check(specs []tools.Spec) (changed, untold []string) {
	p.load()
	changed, untold, save := comparePins(p.byName, specs)
	secrets := client.SecretsOf(p.server)
	for _, names := range [][]string{changed, untold} {
		for i, name := range names {
			names[i] = secrets.RedactLine(name, maxPinned)
		}
	}
	if save && p.store != nil {
		if err := p.store.Save(pinsName(p.server.ID), p.byName); err != nil {
			p.log.Warn("what the tools look like cannot be kept", "err", err)
		}
	}
	if len(untold) > 0 {
		p.log.Warn("tools of an MCP server are not what they were at first sight; look at their descriptions", "tools", untold)
	}
	return changed, untold
}

// load reads the pins at first use.
func (p *pins) load() {
	if p.byName != nil {
		return
	}
	p.byName = map[string]pin{}
	if p.store == nil {
		return
	}
	if err := p.store.Load(pinsName(p.server.ID), &p.byName); err != nil {
		p.log.Warn("what the tools looked like at first sight cannot be read; they are taken as they are", "err", err)
	}
	if p.byName == nil { // the file says null
		p.byName = map[string]pin{}
	}
}

// comparePins compares tools with the pins and pins those that are new. It
// returns the names of the tools that changed since first sight, those among them
// whose change was not told before, and whether the pins have to be saved.
func comparePins(pins map[string]pin, specs []tools.Spec) (changed, untold []string, save bool) {
	for _, spec := range specs {
		if len(spec.Name) > maxPinned {
			continue
		}
		hash := hashOf(spec)
		p, known := pins[spec.Name]
		switch {
		case !known && len(pins) < maxPins:
			pins[spec.Name], save = pin{First: hash}, true
		case known && p.First == hash && p.Told != "":
			pins[spec.Name], save = pin{First: hash}, true
		case known && p.First != hash:
			changed = append(changed, spec.Name)
			if p.Told != hash {
				p.Told = hash
				pins[spec.Name], save = p, true
				untold = append(untold, spec.Name)
			}
		}
	}
	slices.Sort(changed)
	slices.Sort(untold)
	return changed, untold, save
}
