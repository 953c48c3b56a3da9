// Package systemd tells the service manager the state of the daemon: that it is
// ready, one line of status, that it stops, and a sign of life for the watchdog.
// It exists so that "running" in the manager's eyes means that the house can be
// commanded, and that a daemon that hangs is restarted.
//
// The Daemon knows what to tell; this package only decides when. To tell the
// manager something else, add a method to Daemon and a line to (*Service).tell.
package systemd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Daemon supplies what is reported. Its methods are called from one goroutine.
type Daemon interface {
	// Ready reports whether everything the daemon needs is there, or known to be
	// missing and dispensable. It is not called again after it returned true.
	Ready(ctx context.Context) bool
	// Status is one line for a person.
	Status() string
	// Alive returns nil while the daemon does its work, else why it does not. It
	// may wait for an answer until ctx ends, which is before the next sign of
	// life is due.
	Alive(ctx context.Context) error
}

const (
	// look is how often readiness and status are checked.
	look = time.Second
	// beats is how many signs of life are due within the watchdog's time: one or
	// two may come late on a busy machine.
	beats = 3
)

// Service tells one service manager about one daemon.
type Service struct {
	daemon Daemon
	log    *slog.Logger
	notify func(state string) (bool, error)
	pause  time.Duration // between two signs of life; 0: the manager wants none

	ready  bool
	status string // as last told
	ill    string // why no sign of life was given, as last logged
}

// New reads what the service manager wants from the environment it has set
// (NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID). Without a service manager,
// Run has nothing to do.
func New(d Daemon, log *slog.Logger) (*Service, error) {
	if d == nil || log == nil {
		return nil, errors.New("systemd: a daemon to tell of and a logger are needed")
	}
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return nil, fmt.Errorf("systemd: reading the watchdog's time: %w", err)
	}
	return &Service{
		daemon: d, log: log, pause: watchdog / beats,
		notify: func(state string) (bool, error) { return daemon.SdNotify(false, state) },
	}, nil
}

// Run notifies the service manager until ctx ends, and then that the daemon stops. It
// returns an error if the manager's socket cannot be reached: the manager then gets no
// notice and will act on its own.
func (s *Service) Run(ctx context.Context) error {
	there, err := s.notify("STATUS=starting")
	if err != nil {
		return wrapError(err)
	}
	if !there {
		<-ctx.Done()
		return nil
	}
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	var due <-chan time.Time
	if s.pause > 0 {
		beat := time.NewTicker(s.pause)
		defer beat.Stop()
		due = beat.C
	}
	for {
		select {
		case <-ctx.Done():
			_, err = s.notify(daemon.SdNotifyStopping + "\nSTATUS=stopping")
			return wrapError(err)
		case <-ticks.C:
			err = s.tell(ctx)
		case <-due:
			err = s.beat(ctx)
		}
		if err != nil {
			return wrapError(err)
		}
	}
}

// wrapError wraps an error of the manager's socket.
func wrapError(err error) error {
	if err != nil {
		return fmt.Errorf("telling the service manager: %w", err)
	}
	return nil
}

// tell tells the manager what has changed.
func (s *Service) tell(ctx context.Context) error {
	state := ""
	if !s.ready {
		asking, cancel := context.WithTimeout(ctx, look)
		s.ready = s.daemon.Ready(asking)
		cancel()
		if s.ready {
			state = daemon.SdNotifyReady + "\n"
			s.log.Info("ready", "part", "systemd", "status", s.daemon.Status())
		}
	}
	// A line end would begin another field of the message.
	if now := strings.Join(strings.Fields(s.daemon.Status()), " "); now != s.status || state != "" {
		s.status = now
		state += "STATUS=" + now
	}
	if state == "" {
		return nil
	}
	_, err := s.notify(state)
	return err
}

// beat sends a sign of life if the daemon is alive.
func (s *Service) beat(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, s.pause)
	defer cancel()
	if err := s.daemon.Alive(asking); err != nil {
		if why := err.Error(); ctx.Err() == nil && why != s.ill {
			s.ill = why
			s.log.Error("no sign of life for the service manager; it starts the gateway anew if this lasts", "part", "systemd", "err", err)
		}
		return nil
	}
	s.ill = ""
	_, err := s.notify(daemon.SdNotifyWatchdog)
	return err
}
