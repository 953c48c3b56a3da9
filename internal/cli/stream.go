package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
)

// longestEvent bounds one line of the event stream in bytes; a turn's record is a
// few kilobytes.
const longestEvent = 1 << 20

// stream follows the daemon's events until ctx ends (nil). The end of the stream
// itself is an error, because the daemon does not end it.
func (d daemon) stream(ctx context.Context, path string, event func(kind string, data []byte)) error {
	if d.listen == "" {
		return errNoDaemon
	}
	addr := d.addr()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, http.NoBody)
	if err != nil {
		return fmt.Errorf("preparing the request: %w", err)
	}
	resp, err := d.send(req, 0) // a stream; each line has its own bound
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	err = events(resp.Body, event)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("listening to the daemon at %s: %w", addr, err)
	}
	return fmt.Errorf("the gateway at %s has stopped, or could not wait for this program", addr)
}

// events takes a stream of server-sent events apart.
func events(r io.Reader, event func(kind string, data []byte)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestEvent)
	kind := ""
	for lines.Scan() {
		line := lines.Bytes()
		if k, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
			kind = string(k)
		}
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			event(kind, bytes.Clone(data))
		}
	}
	return lines.Err()
}
