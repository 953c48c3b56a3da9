package host

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/tools"
)

// PinStore keeps small things by name; a Load of what was never saved leaves v as
// it is.
type PinStore interface {
	Load(name string, v any) error
	Save(name string, v any) error
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

// hashOf stands for all that a server says about a tool and a model believes.
func hashOf(spec tools.Spec) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(spec.Title), []byte(spec.Description), spec.Input, spec.Output} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// compare holds tools against the pins and pins those that are new. It returns
// the names of the tools that changed since first sight, those among them whose
// change is news, and whether pins has to be saved.
func compare(pins map[string]pin, specs []tools.Spec) (changed, news []string, save bool) {
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
				news = append(news, spec.Name)
			}
		}
	}
	slices.Sort(changed)
	slices.Sort(news)
	return changed, news, save
}

// checkPins tells of tools that are not what they were at first sight
// (REQUIREMENTS S5). They are offered all the same: whether a change is an
// attack or an update is for a person to say.
func (s *supervisor) checkPins(specs []tools.Spec) {
	store := s.host.cfg.Pins
	if s.pins == nil {
		s.pins = map[string]pin{}
		if store != nil {
			if err := store.Load(pinsName(s.srv.ID), &s.pins); err != nil {
				s.log.Warn("what the tools looked like at first sight cannot be read; they are taken as they are", "err", err)
			}
		}
		if s.pins == nil { // the file says null
			s.pins = map[string]pin{}
		}
	}
	changed, news, save := compare(s.pins, specs)
	for _, names := range [][]string{changed, news} {
		for i, name := range names {
			names[i] = s.redact(name)
		}
	}
	if save && store != nil {
		if err := store.Save(pinsName(s.srv.ID), s.pins); err != nil {
			s.log.Warn("what the tools look like cannot be kept", "err", err)
		}
	}
	s.view.mu.Lock()
	s.view.status.ToolsChanged = changed
	s.view.mu.Unlock()
	if len(news) == 0 {
		return
	}
	s.log.Warn("tools of an MCP server are not what they were at first sight; look at their descriptions", "tools", news)
	if tell := s.host.cfg.Observer.ToolsChanged; tell != nil {
		tell(s.srv.ID, news)
	}
}
