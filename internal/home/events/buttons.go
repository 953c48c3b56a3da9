package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"voicegateway/internal/home"
	"voicegateway/internal/language/text"
)

// waitingPresses is how many presses of one thing may wait for their turns. Further presses
// are dropped: a person who presses that often no longer means each press.
const waitingPresses = 4

// Button is what a press of a button says.
type Button struct {
	Thing    string `yaml:"thing"`    // its name, with or without its room before it, or its id
	Press    string `yaml:"press"`    // one of Presses
	Sentence string `yaml:"sentence"` // as a person would say it in that room
}

// Config is the list of buttons.
type Config []Button

// Validate reports everything that is wrong with the buttons, each with its key and
// what was expected.
func (c Config) Validate() error {
	var errs []error
	for i, b := range c {
		key := fmt.Sprintf("buttons[%d]", i)
		if strings.TrimSpace(b.Thing) == "" {
			errs = append(errs, fmt.Errorf("%s.thing: it is empty; expected the name of a button, such as Hall Remote Button 1, as voice-gateway home lists it", key))
		}
		if !slices.Contains(Presses(), b.Press) {
			errs = append(errs, fmt.Errorf("%s.press: %q is unknown; expected %s", key, b.Press, strings.Join(Presses(), ", ")))
		}
		if strings.TrimSpace(b.Sentence) == "" {
			errs = append(errs, fmt.Errorf("%s.sentence: it is empty; expected a sentence, such as turn off all the lights", key))
		}
		for j, other := range c[:i] {
			if same(other.Thing, b.Thing) && other.Press == b.Press {
				errs = append(errs, fmt.Errorf("%s: %s %s has a sentence already in buttons[%d]; expected one for each press", key, b.Thing, b.Press, j))
			}
		}
	}
	return errors.Join(errs...)
}

// Said is a sentence that a button says.
type Said struct {
	Sentence string
	Event    home.Event // the press
}

// Buttons makes sentences of presses.
type Buttons struct {
	cfg    Config
	log    *slog.Logger
	lanes  map[string]chan Said // by thing, so that its presses keep their order
	warned []string             // things of the configuration that the house did not know; one goroutine at a time
	mu     sync.Mutex
}

// NewButtons makes the buttons of a valid configuration and starts nothing.
func NewButtons(cfg Config, log *slog.Logger) *Buttons {
	b := &Buttons{cfg: cfg, log: log.With("part", "buttons"), lanes: map[string]chan Said{}}
	for _, one := range cfg {
		b.lanes[text.Fold(one.Thing)] = make(chan Said, waitingPresses)
	}
	return b
}

// Reported takes an event; a press that has a sentence is put in line. It does not block.
func (b *Buttons) Reported(e home.Event) {
	if e.Kind != home.Pressed {
		return
	}
	for _, one := range b.cfg {
		if one.Press != e.Press || !one.names(e.Thing, e.Area, e.Entity) {
			continue
		}
		select {
		case b.lanes[text.Fold(one.Thing)] <- Said{one.Sentence, e}:
		default:
			b.log.Warn("a press was dropped: too many are waiting", "thing", e.Thing, "press", e.Press)
		}
	}
}

// Run has the sentences carried out until ctx ends: those of one thing one after the
// other, those of several side by side.
func (b *Buttons) Run(ctx context.Context, say func(context.Context, Said)) error {
	var all sync.WaitGroup
	for _, lane := range b.lanes {
		all.Go(func() {
			for {
				select {
				case s := <-lane:
					b.log.Info("a button was pressed", "thing", s.Event.Thing, "press", s.Event.Press)
					say(ctx, s)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	all.Wait()
	<-ctx.Done()
	return nil
}

// Check warns of configured buttons that a house does not have, once for each, and
// names those that it has.
func (b *Buttons) Check(h *home.House) {
	var missing, have []string
	for i := range h.Entities {
		if e := &h.Entities[i]; e.DeviceClass() == "button" {
			have = append(have, e.Name)
		}
	}
	for _, one := range b.cfg {
		known := slices.ContainsFunc(h.Entities, func(e home.Entity) bool {
			return e.DeviceClass() == "button" && one.names(e.Name, e.Area, e.ID)
		})
		if !known && !slices.Contains(missing, one.Thing) {
			missing = append(missing, one.Thing)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(missing) > 0 && !slices.Equal(missing, b.warned) {
		b.log.Warn("the house has no such buttons; check buttons in the configuration", "things", missing, "expected", have)
	}
	b.warned = missing
}

// names reports whether a button is the one of that name, room and id.
func (b *Button) names(thing, area, id string) bool {
	return same(b.Thing, thing) || same(b.Thing, area+" "+thing) || id != "" && b.Thing == id
}

func same(a, b string) bool { return text.Fold(a) == text.Fold(b) }
