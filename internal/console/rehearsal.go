package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"voicegateway/internal/rehearsal"
)

// Rehearsal prints what a rehearsal found, and what to do about it.
func Rehearsal(out io.Writer, p Paint, r rehearsal.Report) {
	open := 0
	for _, c := range r.Confused {
		what := "was heard as " + quoted(c.Heard)
		if len(c.With) > 0 {
			what += ", which may be " + Clean(strings.Join(c.With, " or "))
		}
		switch {
		case c.Mended():
			fmt.Fprintf(out, "%s %s %s; its other name %s is heard right\n", p.Good("✓"), Clean(c.Name), what, quoted(c.Alias))
		case c.Alias != "":
			open++
			fmt.Fprintf(out, "%s %s %s; call it %s: home.aliases: {%q: [%s]}\n", p.Warn("!"), Clean(c.Name), what, quoted(c.Alias), Clean(c.Name), Clean(c.Alias))
		default:
			open++
			fmt.Fprintf(out, "%s %s %s; no other name tried was heard right: give it one that sounds different\n", p.Bad("✗"), Clean(c.Name), what)
		}
	}
	for _, w := range r.Unknown {
		fmt.Fprintf(out, "%s no dictionary has %s (%s); it is taken for %s, which stt.pronunciations changes\n",
			p.Warn("!"), quoted(w.Word), Clean(strings.Join(w.Names, ", ")), cmp.Or(Clean(w.Guess), "nothing, and not heard by PocketSphinx"))
	}
	if n := len(r.Growing); n > 0 {
		fmt.Fprintf(out, "%d sentences may go on, so the gateway waits a little longer after them: %s\n", n, Clean(strings.Join(r.Growing[:min(n, 5)], "; ")))
	}
	fmt.Fprintf(out, "%d names were spoken and heard, %d of them need another name; %d things have no sentence here.\n", r.Names, open, r.Skipped)
}

// quoted is a text of others between quotation marks; nothing is said so.
func quoted(text string) string {
	if text == "" {
		return "nothing"
	}
	return "“" + Clean(text) + "”"
}
