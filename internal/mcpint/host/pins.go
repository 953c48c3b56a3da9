package host

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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

// pins are what the tools of one server looked like when they were accepted: at first
// sight, or by a person. They belong to the server's offer.
type pins struct {
	server mcpint.Server
	store  PinStore // nil: they are kept in memory only
	log    *slog.Logger
	byName map[string]pin // nil before the first connection
}

// pin is what is remembered of a tool's description and schemas, as hashes.
type pin struct {
	First string `json:"first"`          // as it was accepted; "" for a tool that was not accepted
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

// hashOf returns a hash of everything a server says about a tool that a model, or we,
// might believe.
func hashOf(spec tools.Spec) string {
	h := sha256.New()
	said := fmt.Sprintf("%s %t %t", spec.Risk, spec.Idempotent, spec.OpenWorld) // its annotations
	for _, part := range [][]byte{[]byte(spec.Title), []byte(spec.Description), spec.Input, spec.Output, []byte(said)} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// check returns the names of the tools that differ from what was seen first (REQUIREMENTS
// S5), in a form that is fit to be shown: all of them, and those not reported before.
// They rest until a person accepts them, because only a person can say whether a change
// is an attack or an update. Tools that appear after the first list rest too. The tools
// of our own program change with the program and never rest.
func (p *pins) check(specs []tools.Spec) (changed, untold []string) {
	p.load()
	if p.server.Own {
		p.accept(specs)
		return nil, nil
	}
	changed, untold, save := comparePins(p.byName, specs)
	secrets := client.SecretsOf(p.server)
	for _, names := range [][]string{changed, untold} {
		for i, name := range names {
			names[i] = secrets.RedactLine(name, maxPinned)
		}
	}
	if save {
		p.save()
	}
	if len(untold) > 0 {
		p.log.Warn("tools of an MCP server are not what they were at first sight; look at their descriptions", "tools", untold)
	}
	return changed, untold
}

// rests reports whether a tool, as its server tells of it, waits to be accepted.
func (p *pins) rests(spec tools.Spec) bool {
	pinned, known := p.byName[spec.Name]
	return !known || pinned.First != hashOf(spec)
}

// changed reports whether a tool was accepted before, as something else.
func (p *pins) changed(spec tools.Spec) bool {
	pinned, known := p.byName[spec.Name]
	return known && pinned.First != ""
}

// accept pins tools as their server tells of them.
func (p *pins) accept(specs []tools.Spec) {
	save := false
	for _, spec := range specs {
		now := pin{First: hashOf(spec)}
		if _, known := p.byName[spec.Name]; p.byName[spec.Name] == now || !known && len(p.byName) >= maxPins || len(spec.Name) > maxPinned {
			continue
		}
		p.byName[spec.Name], save = now, true
	}
	if save {
		p.save()
	}
}

func (p *pins) save() {
	if p.store == nil {
		return
	}
	if err := p.store.Save(pinsName(p.server.ID), p.byName); err != nil {
		p.log.Warn("what the tools look like cannot be kept", "err", err)
	}
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

// comparePins compares tools with the pins. It pins the tools of the first list, and
// notes later ones as not accepted. It returns the names of all tools that differ from
// what was accepted, the names among them that were not reported before, and whether the
// pins have to be saved.
func comparePins(pins map[string]pin, specs []tools.Spec) (changed, untold []string, save bool) {
	first := len(pins) == 0
	for _, spec := range specs {
		if len(spec.Name) > maxPinned {
			continue
		}
		hash := hashOf(spec)
		p, known := pins[spec.Name]
		switch {
		case !known && len(pins) >= maxPins:
		case !known && first:
			pins[spec.Name], save = pin{First: hash}, true
		case !known:
			pins[spec.Name], save = pin{}, true
		case p.First == hash && p.Told != "":
			pins[spec.Name], save = pin{First: hash}, true
		case p.First != "" && p.First != hash:
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
