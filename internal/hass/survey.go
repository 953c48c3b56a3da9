package hass

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/hass/socket"
)

// Survey is what one look at a Home Assistant has found, for people who set it up.
type Survey struct {
	Version  string
	Starting bool // it has not finished starting, so that things may be missing
	Admin    bool // the token is one of an administrator
	Shown    int  // things of known kinds that it shows to assistants: the house
	Hidden   int  // things of known kinds that it does not show
	// Ahead is how far its clock is ahead of ours, in whole seconds, if HasClock says that it
	// told the time.
	Ahead    time.Duration
	HasClock bool
}

// Look logs in once, looks around and leaves. The errors are those of socket.Dial, or say
// what could not be read.
func Look(ctx context.Context, at socket.Config, token string) (Survey, error) {
	cfg := DefaultConfig()
	cfg.Socket, cfg.Token = at, func() (string, error) { return token, nil }
	h, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return Survey{}, err
	}
	conn, err := socket.Dial(ctx, at, strings.TrimSpace(token))
	if err != nil {
		return Survey{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	ended := make(chan error, 1)
	wg.Go(func() { ended <- conn.Run(ctx) })
	if err := h.begin(ctx, conn); err != nil {
		select {
		case lost := <-ended: // says more than what it broke
			err = lost
		default:
		}
		return Survey{}, err
	}
	s := h.link.now()
	return Survey{
		Version: conn.Version, Starting: s.starts, Admin: s.house.admin, Shown: len(s.house.entities), Hidden: s.house.left,
		Ahead: conn.Ahead, HasClock: conn.HasClock,
	}, nil
}

// Oldest is the oldest release of Home Assistant that the gateway is tested with.
const Oldest = "2024.3"

// Old reports whether the release is older than Oldest. One that cannot be read is not.
func (s Survey) Old() bool {
	number := func(version string) int {
		year, rest, _ := strings.Cut(version, ".")
		month, _, _ := strings.Cut(rest, ".")
		y, yearErr := strconv.Atoi(year)
		m, monthErr := strconv.Atoi(month)
		if errors.Join(yearErr, monthErr) != nil {
			return 1 << 30
		}
		return y*100 + m
	}
	return number(s.Version) < number(Oldest)
}
