package setup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/language/sentences"
)

// longestAnswer bounds one line that a person types.
const longestAnswer = 4 << 10

// asker asks a person at a terminal.
type asker struct {
	in    io.Reader
	lines *bufio.Reader
	out   io.Writer
	paint console.Paint
}

// say prints for the user. Errors are dropped, because a terminal that is gone shows
// none.
func (a *asker) say(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

func newAsker(in io.Reader, out io.Writer, paint console.Paint) *asker {
	return &asker{in: in, lines: bufio.NewReaderSize(in, longestAnswer), out: out, paint: paint}
}

// Someone reports whether standard input is a terminal with a person at it.
func Someone(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// errAway means that the person has ended the input.
var errAway = errors.New("the input has ended; what was answered so far is kept, and setup can be run again")

// line reads one line. A read from a terminal cannot be interrupted, so that it is left
// behind where the program ends.
func (a *asker) line(ctx context.Context, read func() (string, error)) (string, error) {
	type read1 struct {
		text string
		err  error
	}
	got := make(chan read1, 1)
	go func() {
		text, err := read()
		got <- read1{text, err}
	}()
	select {
	case <-ctx.Done():
		a.say("\n")
		return "", ctx.Err()
	case r := <-got:
		if errors.Is(r.err, io.EOF) && r.text == "" {
			a.say("\n")
			return "", errAway
		}
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return "", fmt.Errorf("reading the answer: %w", r.err)
		}
		return strings.TrimSpace(r.text), nil
	}
}

func (a *asker) typed() (string, error) {
	text, err := a.lines.ReadSlice('\n')
	return string(text), err
}

// text asks for a text; an empty answer is the one in brackets.
func (a *asker) text(ctx context.Context, prompt, otherwise string) (string, error) {
	shown := ""
	if otherwise != "" {
		shown = " " + a.paint.Dim("["+otherwise+"]")
	}
	a.say("%s%s: ", a.paint.Bold(prompt), shown)
	answer, err := a.line(ctx, a.typed)
	return cmp.Or(answer, otherwise), err
}

// yes asks a question that an empty answer agrees to.
func (a *asker) yes(ctx context.Context, prompt string) (bool, error) {
	for {
		answer, err := a.text(ctx, prompt+" (y/n)", "y")
		if err != nil {
			return false, err
		}
		typed := strings.ToLower(answer)
		for _, w := range sentences.EveryWords() {
			if slices.Contains(w.Typed.Yes, typed) {
				return true, nil
			}
			if slices.Contains(w.Typed.No, typed) {
				return false, nil
			}
		}
	}
}

// secret asks for a text that is not shown.
func (a *asker) secret(ctx context.Context, prompt string) (string, error) {
	a.say("%s: ", a.paint.Bold(prompt))
	f, ok := a.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return a.line(ctx, a.typed)
	}
	before, err := term.GetState(int(f.Fd()))
	if err != nil {
		return "", fmt.Errorf("hiding the answer: %w", err)
	}
	answer, err := a.line(ctx, func() (string, error) {
		text, err := term.ReadPassword(int(f.Fd()))
		return string(text), err
	})
	if err != nil {
		_ = term.Restore(int(f.Fd()), before) // the first error says more
		return "", err
	}
	a.say("\n")
	return answer, nil
}

// choice asks for one of several, by its number or its name.
func (a *asker) choice(ctx context.Context, prompt string, all []string, otherwise string) (string, error) {
	for i, one := range all {
		a.say("  %d  %s\n", i+1, one)
	}
	for {
		answer, err := a.text(ctx, prompt, otherwise)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(all) {
			return all[n-1], nil
		}
		if i := slices.IndexFunc(all, func(one string) bool { return strings.EqualFold(one, answer) }); i >= 0 {
			return all[i], nil
		}
		if answer == otherwise {
			return answer, nil
		}
		a.say("  expected a number up to %d, or a name as it stands there\n", len(all))
	}
}
