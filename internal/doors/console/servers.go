package console

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"voicegateway/internal/mcpint"
)

// errorWidth is how much of a last error the table shows, in characters; the whole
// error is printed below the table.
const errorWidth = 60

// Servers prints the table for a person.
func Servers(out io.Writer, p Paint, list mcpint.StatusList, now time.Time) {
	fmt.Fprintf(out, "MCP servers: %s\n", p.Bold(string(list.Overall)))
	var rows [][]string
	for _, s := range list.Servers {
		name := s.ID
		if s.Essential {
			name += " *"
		}
		rows = append(rows, []string{
			name, string(s.Status), ToolCount(s), string(s.Health), string(s.Breaker), retries(s), NextTry(s, now), shorten(LastError(s)),
		})
	}
	Table(out, p, []string{"server", "state", "tools", "health", "breaker", "retries", "next try", "last error"}, rows)
	if slices.ContainsFunc(list.Servers, func(s mcpint.Status) bool { return s.Essential }) {
		fmt.Fprintln(out, p.Dim("  * essential"))
	}
	for _, s := range list.Servers {
		for _, text := range notes(s) {
			fmt.Fprintf(out, "\n  %s: %s\n", p.Bold(s.ID), text)
		}
	}
}

// notes returns what does not fit into the table.
func notes(s mcpint.Status) []string {
	var all []string
	if s.ImportedFrom != nil {
		all = append(all, "imported from "+*s.ImportedFrom)
	}
	if text := LastError(s); text != shorten(text) {
		all = append(all, text)
	}
	if s.Status == mcpint.Connected && s.HealthReason != nil {
		all = append(all, fmt.Sprintf("%s: %s", s.Health, *s.HealthReason))
	}
	return append(all, s.ExplainUnused()...)
}

// ToolCount is how many tools a server has.
func ToolCount(s mcpint.Status) string {
	if s.Tools == nil {
		return "-"
	}
	return strconv.Itoa(*s.Tools)
}

// retries is the number of retries and its limit; for a server that is retried
// beyond the limit only the number, and off if nothing is retried.
func retries(s mcpint.Status) string {
	if s.RetriesOff {
		return "off"
	}
	if s.RetryCount > s.MaxRetries {
		return strconv.Itoa(s.RetryCount)
	}
	return fmt.Sprintf("%d of %d", s.RetryCount, s.MaxRetries)
}

// NextTry is when the next attempt comes, in seconds from now.
func NextTry(s mcpint.Status, now time.Time) string {
	switch {
	case s.NextRetryTime == nil:
		return "-"
	case !s.NextRetryTime.After(now):
		return "now"
	}
	return fmt.Sprintf("in %.0f s", max(s.NextRetryTime.Sub(now).Seconds(), 1))
}

// LastError is the reason of the last failure on one line.
func LastError(s mcpint.Status) string {
	if s.ErrorMessage == nil {
		return "-"
	}
	text := strings.Join(strings.Fields(*s.ErrorMessage), " ")
	return strings.TrimPrefix(text, fmt.Sprintf("connection to %s server '%s' failed: ", s.Transport, s.ID))
}

func shorten(text string) string {
	if r := []rune(text); len(r) > errorWidth {
		return string(r[:errorWidth-1]) + "…"
	}
	return text
}
