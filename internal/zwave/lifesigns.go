package zwave

import (
	"context"
)

// lookAfter looks for a lost stick until ctx ends.
func (h *House) lookAfter(ctx context.Context) {
	for sleep(ctx, stickRecheck) {
		if h.link.stickGone() {
			h.devices.stickAway(ctx, 0)
		}
	}
}
