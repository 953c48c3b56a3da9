//go:build oracle

package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// normal makes what real programs say independent of the moment and the machine.
type normal struct {
	known []string // pairs of a text and what stands for it
	ids   map[string]string
	exact bool // lengths of time are kept: they are told of the program, not of the moment
}

// What changes from run to run, and what stands for it.
var (
	moments = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?`)
	spans   = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)? ?(ms|µs|s)\b`)
	dates   = regexp.MustCompile(`([A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d`)
	gaps    = regexp.MustCompile(` {2,}`)
	lasting = regexp.MustCompile(`(\d+ (hours?|minutes?|seconds?),? ?)+left`)
	ids     = regexp.MustCompile(`\b(t-)?([0-9a-f]{12,64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`)
	ports   = regexp.MustCompile(`\b(127\.0\.0\.1|localhost|\[::1\]):\d{4,5}\b`)
	temps   = regexp.MustCompile(`/tmp/[^\s"',:;)]*`)
	pids    = regexp.MustCompile(`\b(pid[ =]|process )\d+`)
)

// timed are the members of objects whose numbers are times, sizes and the like.
var timed = []string{
	"ms", "us", "pid", "uptime", "age_seconds", "age", "left", "seq", "uptime_seconds", "bytes", "size", "rss", "goroutines",
	"speech_end", "endpoint", "transcript", "first_publish", "confirmed", "first_audio", "total",
}

// of makes a text normal.
func (n *normal) of(text string) string {
	for i := 0; i+1 < len(n.known); i += 2 {
		text = strings.ReplaceAll(text, n.known[i], n.known[i+1])
	}
	text = temps.ReplaceAllString(text, "<file>")
	text = moments.ReplaceAllString(text, "<time>")
	text = dates.ReplaceAllString(text, "<time>")
	text = lasting.ReplaceAllString(text, "<span> left")
	text = ids.ReplaceAllStringFunc(text, n.id)
	text = ports.ReplaceAllString(text, "<address>")
	text = pids.ReplaceAllString(text, "${1}<pid>")
	if n.exact {
		return text
	}
	text = gaps.ReplaceAllString(text, "  ") // columns are as wide as what stands in them
	return spans.ReplaceAllString(text, "<span>")
}

// id numbers the ids of an entry in the order in which they come.
func (n *normal) id(id string) string {
	if n.ids[id] == "" {
		n.ids[id] = fmt.Sprintf("<id %d>", len(n.ids)+1)
	}
	return n.ids[id]
}

// body makes the body of an answer normal, JSON as JSON, several documents as a list.
func (n *normal) body(text string) any {
	n.ids = map[string]string{}
	var all []any
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF) && len(all) == 1:
			return all[0]
		case errors.Is(err, io.EOF) && len(all) > 1:
			return all
		case err != nil:
			n.ids = map[string]string{}
			return n.of(text)
		}
		all = append(all, n.value("", v))
	}
}

func (n *normal) value(member string, v any) any {
	switch v := v.(type) {
	case object:
		for _, key := range sortedKeys(v) {
			v[key] = n.value(key, v[key])
		}
		return v
	case []any:
		for i := range v {
			v[i] = n.value(member, v[i])
		}
		return v
	case string:
		return n.of(v)
	case float64:
		if slices.Contains(timed, member) || strings.HasSuffix(member, "_ms") || strings.HasSuffix(member, "_seconds") || strings.HasSuffix(member, "_bytes") {
			return "<number>"
		}
	}
	return v
}

func sortedKeys(o object) (keys []string) {
	for key := range o {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
