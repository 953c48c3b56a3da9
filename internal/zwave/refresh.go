package zwave

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

const (
	// refreshPause is the least time between two getNodes calls: the answer is
	// hundreds of kilobytes in a large house.
	refreshPause = 3 * time.Second
	// refreshAnyway finds what no message announced, such as a rename.
	refreshAnyway = 5 * time.Minute
	// announcePause debounces news of the structure (Z2).
	announcePause = time.Second
	// apiWait is how long a listening node or the gateway may take to answer.
	apiWait = 10 * time.Second
)

// follow refreshes the model whenever something asks for it, and retries while
// the gateway is not ready.
func (h *House) follow(ctx context.Context) {
	retry := 500 * time.Millisecond
	for {
		wait := refreshAnyway
		if err := h.refresh(ctx); err == nil {
			retry = 500 * time.Millisecond
			if !sleep(ctx, refreshPause) {
				return
			}
		} else {
			if ctx.Err() != nil {
				return
			}
			h.log.Debug("the Z-Wave house cannot be read yet", "err", err)
			wait, retry = retry, min(2*retry, 10*time.Second)
		}
		t := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-h.kick:
		case <-t.C:
		}
		t.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// refresh reads the whole house once.
func (h *House) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*apiWait)
	defer cancel()
	info, err := h.link.call(ctx, "getInfo")
	if err != nil {
		return err
	}
	var in struct {
		HomeID uint32 `json:"homeid"`
	}
	if err := json.Unmarshal(info.result, &in); err != nil {
		return fmt.Errorf("reading the answer of getInfo: %w", err)
	}
	answer, err := h.link.call(ctx, "getNodes")
	if err != nil {
		return err
	}
	nodes, skipped, err := decodeNodes(answer.result)
	if err != nil {
		return err
	}
	if len(skipped) > 0 {
		h.log.Warn("some Z-Wave nodes or values could not be read and are left out", "count", len(skipped), "err", skipped[0])
	}
	seen := h.link.seenTopics()
	h.adopt(newModel(in.HomeID, nodes, chooseScheme(nodes, seen), h.cfg.Aliases), answer.seq)
	h.link.looked(seen)
	return nil
}

// adopt makes a model the current one; seq is when its states were true.
func (h *House) adopt(m *model, seq uint64) {
	h.ledger.load(m.nodes, seq)
	before := h.current()
	h.mu.Lock()
	h.model = m
	h.mu.Unlock()
	close(before.replaced)
	select {
	case <-h.loaded:
	default:
		close(h.loaded)
		h.log.Info("the Z-Wave house is known", "nodes", len(m.nodes), "entities", len(m.entities))
	}
	was, _ := json.Marshal(before.home)
	is, _ := json.Marshal(m.home)
	if !bytes.Equal(was, is) {
		poke(h.news)
	}
}

// announce hands news of the structure to Changed's reader, debounced.
func (h *House) announce(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.news:
		}
		poke(h.changed)
		if !sleep(ctx, announcePause) {
			return
		}
	}
}
