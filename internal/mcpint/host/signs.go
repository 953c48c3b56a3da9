package host

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/process"
)

// lookEvery is the pause between two looks for signs that a server which failed can
// be reached again, and lookLater the one after lateWindow.
const (
	lookEvery = 2 * time.Second
	lookLater = 5 * time.Second
)

// sign is something that can be seen from here and tells whether a server can be
// reached. look returns what it looks like, "" when it is not there.
type sign struct {
	name string
	look func(ctx context.Context) string
}

// signs lists the signs of a server: the addresses it needs or is reached at, and the
// files it is started from. What is seen of the broker by the gateway itself comes
// through WakeAll.
func (s *supervisor) signs() []sign {
	var list []sign
	address := func(need string) {
		list = append(list, sign{bareAddress(need), func(ctx context.Context) string {
			if s.host.probe(ctx, need) != nil {
				return ""
			}
			return "there"
		}})
	}
	for _, need := range s.srv.Requires {
		if need != mcpint.RequireMQTT {
			address(need)
		}
	}
	for _, held := range []string{s.srv.URL, s.srv.Env["MQTT_BROKER_URL"]} {
		if port := portOf(held); port != "" {
			address(port)
		}
	}
	if s.srv.Transport != "stdio" {
		return list
	}
	list = append(list, sign{s.srv.Command, func(context.Context) string {
		path, err := process.Find(s.srv.Command, s.host.cfg.Options.ExecDir)
		if err != nil {
			return ""
		}
		return shapeOf(path)
	}})
	for _, path := range append([]string{s.srv.Dir}, s.srv.Args...) {
		if path = inDir(s.srv.Dir, path); path != "" {
			list = append(list, sign{path, func(context.Context) string {
				if _, err := os.Stat(path); err != nil {
					return ""
				}
				return "there"
			}})
		}
	}
	return list
}

// inDir returns the path that an argument names, "" if it names none.
func inDir(dir, argument string) string {
	switch {
	case !strings.Contains(argument, "/") || strings.Contains(argument, "://") || strings.HasPrefix(argument, "-"):
		return ""
	case filepath.IsAbs(argument):
		return argument
	}
	return filepath.Join(dir, argument)
}

// shapeOf tells one version of a program from another, "" when it is not there.
func shapeOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime())
}

// portOf returns the port of an address as a requirement, "" if it has none.
func portOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	usual := map[string]string{"http": "80", "https": "443", "mqtt": "1883", "tcp": "1883", "mqtts": "8883", "ssl": "8883", "tls": "8883"}
	port := cmp.Or(u.Port(), usual[u.Scheme])
	if port == "" {
		return ""
	}
	return "tcp://" + net.JoinHostPort(u.Hostname(), port)
}

// lookForSigns looks again and again, until ctx ends, and wakes the supervisor when
// one of the signs appears, or looks different. What is there from the beginning on
// says nothing.
func (s *supervisor) lookForSigns(ctx context.Context) {
	list := s.signs()
	if len(list) == 0 {
		return
	}
	begin := time.Now()
	seen := lookAt(ctx, list)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := lookAt(ctx, list)
		if ctx.Err() != nil {
			return
		}
		for i, look := range now {
			if look != "" && look != seen[i] {
				s.log.Info("something an MCP server needs has come", "what", shownName(s.srv, list[i].name))
				s.requests.wakeUp()
			}
		}
		seen = now
		if time.Since(begin) > lateWindow {
			tick.Reset(lookLater)
		}
	}
}

// lookAt looks at all signs at once.
func lookAt(ctx context.Context, list []sign) []string {
	looks := make([]string, len(list))
	var looking sync.WaitGroup
	for i, sign := range list {
		looking.Go(func() { looks[i] = sign.look(ctx) })
	}
	looking.Wait()
	return looks
}
