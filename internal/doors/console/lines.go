package console

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// maxLine bounds one line of input. A line with a house's devices in it (match
// --names) has some ten kilobytes.
const maxLine = 1 << 20

// Lines says where lines of JSON are read, where their answers are written, and where
// mistakes in a line are reported.
type Lines struct {
	In       io.Reader
	Out, Err io.Writer
}

// Answer answers every line of JSON with a line. Lines that cannot be answered are
// reported with their number, and make the command fail at the end.
func (l Lines) Answer(ctx context.Context, answer func(line []byte) (any, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := json.NewEncoder(l.Out)
	out.SetEscapeHTML(false)
	lines := linesOf(ctx, l.In)
	for number, bad := 1, 0; ; number++ {
		var in inputLine
		select {
		case in = <-lines:
		case <-ctx.Done():
			return ctx.Err()
		}
		if number == 1 {
			in.text = bytes.TrimSpace(bytes.TrimPrefix(in.text, []byte(byteOrderMark)))
		}
		switch {
		case errors.Is(in.err, io.EOF) && bad > 0:
			return fmt.Errorf("%d of the lines could not be answered; each must be one JSON object", bad)
		case errors.Is(in.err, io.EOF):
			return nil
		case in.err != nil && !errors.Is(in.err, errLongLine):
			return fmt.Errorf("reading standard input: %w", in.err)
		case len(in.text) == 0 && in.err == nil:
			continue
		}
		var reply any
		if in.err == nil {
			reply, in.err = answer(in.text)
		}
		if in.err != nil {
			bad++
			fmt.Fprintf(l.Err, "voice-gateway: line %d: %v\n", number, inOurWords(in.err))
			continue
		}
		if err := out.Encode(reply); err != nil {
			return fmt.Errorf("printing the answer to line %d: %w", number, err)
		}
	}
}

// byteOrderMark is what some editors put in front of a text in UTF-8.
const byteOrderMark = "\ufeff"

// inOurWords says what is wrong with a line without naming Go types.
func inOurWords(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	want, known := map[reflect.Kind]string{
		reflect.String: "a string", reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "a list", reflect.Bool: "true or false",
	}[wrong.Type.Kind()]
	if !known {
		want = "a number"
	}
	field := cmp.Or(wrong.Field, "the line")
	return fmt.Errorf("%s must be %s, not %s %s", field, want, article(wrong.Value), wrong.Value)
}

func article(noun string) string {
	if noun != "" && strings.Contains("aeiou", noun[:1]) {
		return "an"
	}
	return "a"
}

type inputLine struct {
	text []byte
	err  error
}

// linesOf reads standard input in a goroutine, because a read from a terminal
// cannot be interrupted and Ctrl-C must end the command at once.
func linesOf(ctx context.Context, input io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	in := bufio.NewReaderSize(input, 64<<10)
	go func() {
		for {
			text, err := readLine(in)
			select {
			case lines <- inputLine{text, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, errLongLine) {
				return
			}
		}
	}()
	return lines
}

var errLongLine = fmt.Errorf("longer than %d bytes", maxLine)

// readLine reads one line without the spaces around it. The rest of a line that is
// too long is skipped. At the end it returns io.EOF.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && (!errors.Is(err, io.EOF) || len(part) == 0 && len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errLongLine
		}
		return bytes.TrimSpace(line), nil
	}
}
