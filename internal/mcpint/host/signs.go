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

	"voicegateway/internal/ground/process"
	"voicegateway/internal/mcpint"
)

// lookEvery is the pause between two looks for signs that a server which failed can
// be reached again, and lookLater the one after quickFor.
const (
	lookEvery = 2 * time.Second
	lookLater = 5 * time.Second
	quickFor  = 2 * time.Minute
)

// Watched is a server whose signs are looked for.
type Watched struct {
	Server  mcpint.Server
	ExecDir string                                       // where our own executable lies; see process.Find
	Probe   func(ctx context.Context, need string) error // whether an address is there; see Probe
}

// sign is something that can be seen from here and tells whether a server can be
// reached. look returns what it looks like, "" when it is not there.
type sign struct {
	name string
	look func(ctx context.Context) string
}

// signs lists the signs of a server: the addresses it needs or is reached at, and the
// files it is started from. The gateway's own connection to the broker is not among them,
// because the gateway reports it itself.
func (w Watched) signs() []sign {
	var list []sign
	address := func(need string) {
		list = append(list, sign{mcpint.BareAddress(need), func(ctx context.Context) string {
			if w.Probe(ctx, need) != nil {
				return ""
			}
			return "there"
		}})
	}
	for _, need := range w.Server.Requires {
		if need != mcpint.RequireMQTT {
			address(need)
		}
	}
	for _, held := range []string{w.Server.URL, w.Server.Env["MQTT_BROKER_URL"]} {
		if port := portOf(held); port != "" {
			address(port)
		}
	}
	if w.Server.Transport != "stdio" {
		return list
	}
	list = append(list, sign{w.Server.Command, func(context.Context) string {
		path, err := process.Find(w.Server.Command, w.ExecDir)
		if err != nil {
			return ""
		}
		return shapeOf(path)
	}})
	for _, path := range append([]string{w.Server.Dir}, w.Server.Args...) {
		if path = inDir(w.Server.Dir, path); path != "" {
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

// Watch looks again and again, until ctx ends, and calls come with the name of a sign
// that appears or changes. A sign that was there from the beginning is not reported.
func (w Watched) Watch(ctx context.Context, come func(what string)) {
	list := w.signs()
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
				come(list[i].name)
			}
		}
		seen = now
		if time.Since(begin) > quickFor {
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
