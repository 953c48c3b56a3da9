package ai

import (
	"errors"
	"regexp"
	"sync"
)

// habit is something to know about a model that it shows when it is asked.
type habit int

const (
	endsThoughts habit = iota // it ends its thoughts and does not begin them, because its template has begun them
	takesNoTools              // its server refuses a request with tools
)

// habits are the habits of the models that were asked. It is safe for concurrent
// use.
type habits struct {
	mu    sync.Mutex
	known map[trait]bool
	// refused are, by model, the names of the tools that its server refuses.
	refused map[string]map[string]bool
}

type trait struct {
	habit habit
	model string
}

func (h *habits) has(what habit, model string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known[trait{what, model}]
}

func (h *habits) learn(what habit, model string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[trait]bool{}
	}
	h.known[trait{what, model}] = true
}

// Refusals of tools as such, and complaints about one of them, which are not.
var (
	toolsRefused = regexp.MustCompile(`(?i)(support|enable|allow|require|no endpoints)[^.]*\btool|\btool[^.]*(support|enable|allow|require)`)
	toolWrong    = regexp.MustCompile(`(?i)schema|parameters|invalid|tools?[\[.]\d`)
)

// refusesTools reports whether a model cannot be asked with tools.
func refusesTools(err error) bool {
	said := rejection(err)
	return toolsRefused.MatchString(said) && !toolWrong.MatchString(said)
}

// rejection returns what a server says when it does not accept a request, "" for any
// other error.
func rejection(err error) string {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Rejected || e.Err == nil {
		return ""
	}
	return e.Err.Error()
}
