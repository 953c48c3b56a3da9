package zwave

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	// refreshPause is the least time between two getNodes calls, because the
	// answer has hundreds of kilobytes in a large house.
	refreshPause = 3 * time.Second
	// hurriedPause is that time when the list is known to be wrong.
	hurriedPause = 200 * time.Millisecond
	// refreshAnyway is how often the list is refreshed unasked, to find what no
	// message announced, such as a rename.
	refreshAnyway = 5 * time.Minute
	// announcePause debounces changes of the structure (Z2).
	announcePause = time.Second
	// refreshSoon is the pause before the next refresh while the gateway is still
	// reading its nodes.
	refreshSoon = 5 * time.Second
	// firstRetry is the first pause while the gateway does not answer.
	firstRetry = 500 * time.Millisecond
	// apiWait is how long a listening node or the gateway may take to answer.
	apiWait = 10 * time.Second
)

// keepFresh refreshes the model whenever something asks for it, and retries while
// the gateway is not ready. It logs once what it is waiting for.
func (h *House) keepFresh(ctx context.Context) {
	retry, told := firstRetry, ""
	for {
		wait := refreshAnyway
		complete, err := h.refresh(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if reason := h.link.trouble(err); reason != told {
				told = reason
				h.log.Warn("waiting for the Z-Wave house", "reason", reason, "err", err)
			}
			wait, retry = retry, min(2*retry, 10*time.Second)
		default:
			if told != "" {
				told = ""
				h.log.Info("the Z-Wave house answers")
			}
			retry = firstRetry
			if !complete {
				wait = refreshSoon
			}
			if !h.directory.rest(ctx) {
				return
			}
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-h.directory.refreshAsked:
		case <-h.directory.hurried:
		case <-t.C:
		}
		t.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// refresh reads the whole house once; complete is false while the gateway itself
// does not know every node yet.
func (h *House) refresh(ctx context.Context) (complete bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 4*apiWait)
	defer cancel()
	info, err := h.link.info(ctx)
	if err != nil {
		return false, err
	}
	asked := h.ledger.now()
	answer, err := h.link.list(ctx)
	if err != nil {
		return false, err
	}
	read, err := readList(answer.result)
	if err != nil {
		return false, err
	}
	nodes := read.nodes
	if read.odd > 0 {
		h.log.Warn("some Z-Wave nodes or values could not be read and are left out", "count", read.odd, "err", read.skipped[0])
	}
	before := h.directory.current()
	if before.homeID == info.HomeID {
		keepUnread(nodes, before.nodes)
	}
	seen := h.link.topicsInSight()
	m := newModel(info.HomeID, nodes, chooseScheme(nodes, seen), h.cfg.Aliases, h.link.foreignNodes(ctx)...)
	m.controller, m.asked = info.Controller, asked
	m.left = append(read.left, m.left...)
	if len(m.left) > 0 && !slices.Equal(m.left, before.left) {
		h.log.Warn("the Z-Wave house is larger than a network can be; a part of it is left out", "left_out", strings.Join(m.left, "; "))
	}
	h.adopt(m, answer.seq)
	h.link.examinedTopics(seen)
	for _, n := range nodes {
		if !n.Ready && n.Status != "Dead" && n.Status != "Asleep" {
			return false, nil
		}
	}
	return true, nil
}

// keepUnread keeps the values of nodes that the gateway, after its start or in a new
// interview, has not read yet: the devices have not changed.
func keepUnread(nodes, before map[int]*node) {
	for id, n := range nodes {
		old := before[id]
		if old == nil || n.Ready || len(n.values) >= len(old.values) {
			continue
		}
		n.Kept = true
		for vid, v := range old.values {
			if n.values[vid] == nil && len(n.values) < maxNodeValues {
				n.values[vid] = v
			}
		}
		n.Endpoints, n.Class, n.Product, n.Listening = old.Endpoints, old.Class, old.Product, old.Listening
	}
}

// adopt makes a model the current one; seq is the place in the order of messages at which
// its states were true.
func (h *House) adopt(m *model, seq uint64) {
	h.chronicle.adopt(m)
	h.ledger.load(m.nodes, seq)
	before, first := h.directory.replace(m)
	if first {
		h.log.Info("the Z-Wave house is known", "nodes", len(m.nodes), "entities", len(m.entities))
	}
	was, _ := json.Marshal(before.home)
	is, _ := json.Marshal(m.home)
	if !bytes.Equal(was, is) {
		poke(h.restructured)
	}
}

// announce passes changes of the structure on to the reader of Changed,
// debounced.
func (h *House) announce(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.restructured:
		}
		poke(h.changed)
		if !sleep(ctx, announcePause) {
			return
		}
	}
}
