package setup

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/term"

	"voicegateway/internal/doors/console"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/text"
)

// longestAnswer bounds one line that a person types.
const longestAnswer = 4 << 10

// asker asks a person at a terminal.
type asker struct {
	in       io.Reader
	lines    *bufio.Reader
	out      io.Writer
	paint    console.Paint
	terminal *term.Terminal // edits lines; nil for a terminal that cannot
}

// say prints for the user. Errors are dropped, because a terminal that is gone shows
// none.
func (a *asker) say(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// newAsker returns an asker. With edits, lines are edited with the keys of a terminal.
func newAsker(in io.Reader, out io.Writer, paint console.Paint, edits bool) *asker {
	a := &asker{in: in, lines: bufio.NewReaderSize(in, longestAnswer), out: out, paint: paint}
	if edits && Someone(in) {
		a.terminal = term.NewTerminal(keyboard{in, console.Unfiltered(out)}, "")
	}
	return a
}

// Someone reports whether standard input is a terminal with a person at it.
func Someone(in io.Reader) bool {
	_, ok := descriptor(in)
	return ok
}

// descriptor is the file descriptor of a terminal.
func descriptor(in io.Reader) (fd int, ok bool) {
	f, ok := in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// keyboard is the terminal that the line editor reads from and draws on.
type keyboard struct {
	io.Reader
	io.Writer
}

// Ways in which terminals send keys that the line editor knows otherwise.
var (
	keyHome  = regexp.MustCompile(`\x1b(\[1~|\[7~|OH)`)
	keyEnd   = regexp.MustCompile(`\x1b(\[4~|\[8~|OF)`)
	keyArrow = regexp.MustCompile(`\x1bO([A-D])`)
)

// errPressed means that Ctrl-C was pressed.
var errPressed = errors.New("Ctrl-C was pressed")

// Read implements io.Reader.
func (k keyboard) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	keys := p[:n]
	if bytes.IndexByte(keys, 0x03) >= 0 {
		return 0, errPressed
	}
	keys = keyHome.ReplaceAll(keys, []byte("\x1b[H"))
	keys = keyEnd.ReplaceAll(keys, []byte("\x1b[F"))
	keys = keyArrow.ReplaceAll(keys, []byte("\x1b[$1"))
	return copy(p, keys), err
}

// Write implements io.Writer. It leaves out the control characters of two bytes, which the
// editor shows as if they were letters.
func (k keyboard) Write(p []byte) (int, error) {
	shown := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		if p[i] == 0xc2 && i+1 < len(p) && p[i+1] >= 0x80 && p[i+1] < 0xa0 {
			i++
			continue
		}
		shown = append(shown, p[i])
	}
	if _, err := k.Writer.Write(shown); err != nil {
		return 0, err
	}
	return len(p), nil
}

// errAway means that the person has ended the input.
var errAway = errors.New("the input has ended before the last answer")

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
		return "", ctx.Err()
	case r := <-got:
		if errors.Is(r.err, io.EOF) && r.text == "" {
			return "", errAway
		}
		if r.err != nil && !errors.Is(r.err, io.EOF) && !errors.Is(r.err, term.ErrPasteIndicator) {
			return "", fmt.Errorf("reading the answer: %w", r.err)
		}
		return strings.TrimSpace(r.text), nil
	}
}

// read shows a prompt and reads a line, which is hidden if it is secret.
func (a *asker) read(ctx context.Context, prompt string, secret bool) (answer string, err error) {
	fd, isTerminal := descriptor(a.in)
	if a.terminal != nil {
		answer, err = a.editLine(ctx, fd, prompt, secret)
	} else {
		a.say("%s", prompt)
		answer, err = a.plain(ctx, fd, secret && isTerminal)
	}
	if err != nil {
		a.say("\n")
	}
	if errors.Is(err, errPressed) {
		// The editor takes the key from the terminal, which would have sent this signal.
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
			return "", fmt.Errorf("ending: %w", err)
		}
		<-ctx.Done()
		return "", ctx.Err()
	}
	return answer, err
}

// editLine reads a line with the line editor.
func (a *asker) editLine(ctx context.Context, fd int, prompt string, secret bool) (string, error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("reading keys: %w", err)
	}
	defer func() { _ = term.Restore(fd, before) }() // a terminal that is gone needs nothing
	if width, height, err := term.GetSize(fd); err == nil && width > 0 {
		_ = a.terminal.SetSize(width, height) // only where lines break
	}
	return a.line(ctx, func() (string, error) {
		if secret {
			return a.terminal.ReadPassword(prompt)
		}
		a.terminal.SetPrompt(prompt)
		return a.terminal.ReadLine()
	})
}

// plain reads a line as the terminal gives it.
func (a *asker) plain(ctx context.Context, fd int, hidden bool) (string, error) {
	if !hidden {
		return a.line(ctx, func() (string, error) {
			text, err := a.lines.ReadSlice('\n')
			return string(text), err
		})
	}
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("hiding the answer: %w", err)
	}
	answer, err := a.line(ctx, func() (string, error) {
		text, err := term.ReadPassword(fd)
		return string(text), err
	})
	if err != nil {
		_ = term.Restore(fd, before) // the first error says more
		return "", err
	}
	a.say("\n")
	return answer, nil
}

// answer reads an answer without control characters.
func (a *asker) answer(ctx context.Context, prompt string, secret bool) (string, error) {
	for {
		answer, err := a.read(ctx, prompt, secret)
		if err != nil || !strings.ContainsFunc(answer, unicode.IsControl) {
			return answer, err
		}
		a.say("  a control character stands in the answer; expected an answer without it\n")
	}
}

// text asks for a text; an empty answer is the one in brackets.
func (a *asker) text(ctx context.Context, prompt, otherwise string) (string, error) {
	shown := ""
	if otherwise != "" {
		shown = " " + a.paint.Dim("["+otherwise+"]")
	}
	answer, err := a.answer(ctx, a.paint.Bold(prompt)+shown+": ", false)
	return cmp.Or(answer, otherwise), err
}

// yes asks a question that an empty answer agrees to.
func (a *asker) yes(ctx context.Context, prompt string) (bool, error) {
	return a.confirm(ctx, prompt, "y")
}

// confirm asks a question; an empty answer is the one in brackets.
func (a *asker) confirm(ctx context.Context, prompt, otherwise string) (bool, error) {
	for {
		answer, err := a.text(ctx, prompt+" (y/n)", otherwise)
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
		a.say("  expected y for yes or n for no\n")
	}
}

// secret asks for a text that is not shown.
func (a *asker) secret(ctx context.Context, prompt string) (string, error) {
	return a.answer(ctx, a.paint.Bold(prompt)+": ", true)
}

// option is one of several answers.
type option struct {
	value string
	shown string   // "" shows the value
	also  []string // other names for it
}

// called reports whether a person means the option by a name.
func (o option) called(name string) bool {
	same := func(other string) bool { return text.Simple(strings.TrimSpace(other)) == text.Simple(name) }
	return same(o.value) || same(o.shown) || slices.ContainsFunc(o.also, same)
}

// options are the options of a list of names.
func options(names []string) (all []option) {
	for _, n := range names {
		all = append(all, option{value: n})
	}
	return all
}

// pick asks for one of several, by its number or a name. If none is meant, ok is false,
// and answer is what was typed.
func (a *asker) pick(ctx context.Context, prompt string, all []option, otherwise string) (answer string, ok bool, err error) {
	if answer, err = a.text(ctx, prompt, otherwise); err != nil {
		return "", false, err
	}
	if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(all) {
		return all[n-1].value, true, nil
	}
	if i := slices.IndexFunc(all, func(o option) bool { return o.called(answer) }); i >= 0 {
		return all[i].value, true, nil
	}
	return answer, answer == otherwise, nil
}

// list shows what there is to choose from.
func (a *asker) list(all []option) {
	for i, o := range all {
		a.say("  %d  %s\n", i+1, cmp.Or(o.shown, o.value))
	}
}

// choice asks until one of several is meant.
func (a *asker) choice(ctx context.Context, prompt string, all []option, otherwise string) (string, error) {
	a.list(all)
	for {
		answer, ok, err := a.pick(ctx, prompt, all, otherwise)
		if err != nil || ok {
			return answer, err
		}
		a.say("  %q is not in the list; expected a number from 1 to %d, or a name from the list\n", answer, len(all))
	}
}
