// Package wire reads what servers that speak OpenAI's chat completions send, each in
// its own way, and rewrites it as the stream that the OpenAI library reads; the
// pieces of calls in that stream it puts together. It guesses nothing: what cannot
// be read comes out as an error of the library. A new way of a server is a case in
// chunk.go and a line in the tests of package ai.
package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"

	"voicegateway/internal/ground/httpguard"
)

// Reader rewrites the answer to a completion, as any server sends it, into the
// stream that the library reads: events of one line, each a chunk with one choice.
// It takes a plain answer for a stream too, and ends what a server forgets to end.
type Reader struct {
	body io.ReadCloser
	in   *bufio.Reader
	out  bytes.Buffer
	err  error // why nothing more comes

	begun    bool   // something other than spaces has come
	named    string // the name of the event that comes
	pending  []byte // lines that are no JSON yet
	bare     bool   // the answer comes without the marks of an event stream
	written  bool   // a text has been passed on
	called   bool   // a call has been passed on
	finished bool   // the reason of the end has been passed on
	ended    bool   // the server has said that this is all
	last     rune   // the last letter or mark of the text
}

// New makes a Reader of an answer's body.
func New(body io.ReadCloser) *Reader { return &Reader{body: body, in: bufio.NewReader(body)} }

// Close closes the server's answer.
func (w *Reader) Close() error { return w.body.Close() }

// Read reads on until there is something for the library.
func (w *Reader) Read(p []byte) (int, error) {
	for w.out.Len() == 0 {
		if w.err != nil {
			return 0, w.err
		}
		w.more()
	}
	return w.out.Read(p)
}

// more reads what the server has sent up to a line end. Lines may end in any of the
// ways that the standard of event streams knows.
func (w *Reader) more() {
	text, err := w.in.ReadBytes('\n')
	text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r"))
	if err == nil || len(text) > 0 {
		for line := range bytes.SplitSeq(text, []byte("\r")) {
			w.line(line)
		}
	}
	if err == nil || w.err != nil {
		return
	}
	if errors.Is(err, io.EOF) {
		w.event()
		w.eof()
	}
	w.err = err
}

// line takes one line: a field of an event, or a piece of a plain answer.
func (w *Reader) line(line []byte) {
	if !w.begun {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	trimmed := bytes.TrimSpace(line)
	switch {
	case w.ended:
	case len(trimmed) == 0:
		w.blank()
	case !w.begun && trimmed[0] == '<':
		w.err = httpguard.ErrWebPage
	default:
		w.begun = true
		w.field(trimmed)
	}
}

func (w *Reader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	switch string(name) {
	case "", "id", "retry": // comments are signs of life of the connection, not of the model
	case "event":
		w.named = string(value)
	case "data":
		if string(value) == "[DONE]" {
			w.passEnd()
			return
		}
		w.data(value)
	default:
		w.bare = true
		w.data(line)
	}
}

// data takes a line of data. If it is not valid JSON by itself, the next line continues
// it.
func (w *Reader) data(line []byte) {
	alone := json.Valid(line)
	if alone && len(w.pending) > 0 && line[0] == '{' && bytes.Contains(line, []byte(`"choices"`)) {
		w.event() // a chunk does not continue what was pending
	}
	if alone && len(w.pending) == 0 {
		w.chunk(line)
		return
	}
	w.pending = append(append(w.pending, line...), '\n')
}

// blank is an empty line. It ends an event; a bare answer continues.
func (w *Reader) blank() {
	if !w.bare {
		w.event()
	}
	w.named = ""
}

// event ends an event of several lines.
func (w *Reader) event() {
	if len(w.pending) == 0 {
		return
	}
	data := w.pending
	w.pending = nil
	w.chunk(data)
}

// passEnd passes on that this is all. The library knows no end without a reason.
func (w *Reader) passEnd() {
	w.event()
	w.finish("stop")
	w.send("[DONE]")
	w.ended = true
}

// eof is the end of the connection. If the server closes it after a whole sentence
// without saying that this is all, the answer counts as complete. If it closes it in the
// middle of something, the answer was cut off.
func (w *Reader) eof() {
	if w.err == nil && !w.ended && w.written && !w.called && unicode.IsPunct(w.last) && !strings.ContainsRune(",:;-", w.last) {
		w.passEnd()
	}
}

// finish passes on the reason of the end, once.
func (w *Reader) finish(reason openai.FinishReason) {
	if reason != "" && !w.finished {
		w.finished = true
		w.pass(openai.ChatCompletionStreamChoiceDelta{}, reason)
	}
}

func (w *Reader) pass(delta openai.ChatCompletionStreamChoiceDelta, reason openai.FinishReason) {
	chunk := openai.ChatCompletionStreamResponse{Choices: []openai.ChatCompletionStreamChoice{{Delta: delta, FinishReason: reason}}}
	if line, err := json.Marshal(chunk); err == nil {
		w.send(string(line))
	}
}

func (w *Reader) send(data string) { w.out.WriteString("data: " + data + "\n\n") }

// chunk rewrites one chunk, or a plain answer, which is one with everything in it.
func (w *Reader) chunk(data []byte) {
	object := objectIn(data)
	if object == nil {
		w.send("{") // the library calls it malformed
		return
	}
	if fault := faultIn(object, w.named); fault != nil {
		w.fail(fault)
		return
	}
	choice := firstChoice(object["choices"])
	if choice == nil {
		return // figures of use, and the like
	}
	delta, plain := deltaIn(choice)
	plain = plain && word(object["object"]) != "chat.completion.chunk"
	reason := finishIn(choice)
	if reason == broken {
		w.fail(&fault{Message: "the server gave up the answer"})
		return
	}
	if plain && (w.written || w.called) {
		delta = openai.ChatCompletionStreamChoiceDelta{} // all that came before, once more
	}
	w.remember(delta)
	if !w.finished {
		w.pass(delta, "")
	}
	if plain && reason == "" && word(object["object"]) == "chat.completion" {
		reason = "stop"
	}
	w.finish(reason)
}

// remember remembers what has been passed on.
func (w *Reader) remember(delta openai.ChatCompletionStreamChoiceDelta) {
	if text := strings.TrimSpace(delta.Content); text != "" {
		w.written = true
		w.last, _ = utf8.DecodeLastRuneInString(text)
	}
	w.called = w.called || len(delta.ToolCalls) > 0
}

// fail passes on a fault that the server told of within its answer.
func (w *Reader) fail(f *fault) {
	line, err := json.Marshal(map[string]*fault{"error": f})
	if err != nil {
		return
	}
	w.send(string(line))
	w.ended = true
}
