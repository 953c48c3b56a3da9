package console

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"voicegateway/internal/ear/names"
)

// Rehearsal prints what a rehearsal found, and what to do about it.
func Rehearsal(out io.Writer, p Paint, r names.Report) {
	open := 0
	if r.Voice != "" {
		fmt.Fprintf(out, "%s %s\n", p.Warn("!"), Clean(r.Voice))
	}
	for _, c := range r.Confused {
		what := "was heard as " + quote(c.Heard)
		switch with := Clean(strings.Join(c.With, " or ")); {
		case c.Alike:
			what = "sounds like " + with
		case with != "":
			what += ", which may be " + with
		}
		switch {
		case c.Mended():
			fmt.Fprintf(out, "%s %s %s; its other name %s is told apart\n", p.Good("✓"), Clean(c.Name), what, quote(c.Alias))
		case c.Alias != "":
			open++
			fmt.Fprintf(out, "%s %s %s; call it %s: %s\n", p.Warn("!"), Clean(c.Name), what, quote(c.Alias), Shell("voice-gateway config alias", cmp.Or(c.Key, c.Name), c.Alias))
		default:
			open++
			fmt.Fprintf(out, "%s %s %s; no other name tried was heard right: give it one that sounds different\n", p.Bad("✗"), Clean(c.Name), what)
		}
	}
	for _, w := range r.Unknown {
		if w.Guess == "" {
			fmt.Fprintf(out, "%s no dictionary has %s (%s); PocketSphinx cannot hear it until you give a pronunciation: %s\n", p.Warn("!"), quote(w.Word), Clean(strings.Join(w.Names, ", ")), Shell("voice-gateway config pronounce", w.Word, "PHONES"))
			continue
		}
		fmt.Fprintf(out, "%s no dictionary has %s (%s); it is taken to be pronounced so: %s\n",
			p.Warn("!"), quote(w.Word), Clean(strings.Join(w.Names, ", ")), Shell("voice-gateway config pronounce", w.Word, w.Guess))
	}
	if n := len(r.Growing); n > 0 {
		fmt.Fprintf(out, "%d sentences may go on, so the gateway waits a little longer after them: %s\n", n, Clean(strings.Join(r.Growing[:min(n, 5)], "; ")))
	}
	if r.Left > 0 {
		fmt.Fprintf(out, "%d things and rooms were not compared by their sound: there are too many.\n", r.Left)
	}
	if r.Voice != "" {
		fmt.Fprintf(out, "Nothing that was heard counts; of the names as they are pronounced, %d need another name.\n", open)
		return
	}
	fmt.Fprintf(out, "%d names were spoken and heard, %d of them need another name; %d things have no sentence here.\n", r.Names, open, r.Skipped)
}

// quote is a text of others between quotation marks; nothing is said so.
func quote(text string) string {
	if text == "" {
		return "nothing"
	}
	return "“" + Clean(text) + "”"
}
