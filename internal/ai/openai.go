package ai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	openai "github.com/sashabaranov/go-openai"

	"voicegateway/internal/ai/wire"
)

// afterFinish is how long to wait for the end of a stream after the model has said
// that it is done. Reading to the end lets the connection be used again, which
// saves the next round a TLS handshake, but is not worth a longer wait.
const afterFinish = 200 * time.Millisecond

// The bounds of the calls in one completion.
const (
	maxCalls = wire.MaxCalls
	maxArgs  = wire.MaxArgs
)

// OpenAI is a Model behind any endpoint that speaks OpenAI's chat completions.
type OpenAI struct {
	client *openai.Client
	sender *sender
	newer  sync.Map // models that want the names of newer ones
}

// NewOpenAI makes the model of a configuration. The key may be empty. The
// transport is for tests and custom certificates; nil is the usual one.
func NewOpenAI(cfg Config, key string, transport http.RoundTripper) (*OpenAI, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	key = strings.TrimSpace(key)
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("ai.api_key_file: the key holds spaces or characters no key has; it must be one line")
	}
	s := newSender(profiles[cfg.Profile], key, transport)
	c := openai.DefaultConfig(key)
	c.BaseURL = cfg.Endpoint()
	c.HTTPClient = s
	// Lines without data are keep-alives while a model loads. Silence and the number
	// of bytes have limits of their own.
	c.EmptyMessagesLimit = 1 << 20
	return &OpenAI{client: openai.NewClientWithConfig(c), sender: s}, nil
}

// Models lists what the endpoint has.
func (o *OpenAI) Models(ctx context.Context) ([]string, error) {
	list, err := o.client.ListModels(ctx)
	if err != nil {
		return nil, asUnanswered(o.explain(err))
	}
	names := make([]string, 0, len(list.Models))
	for _, m := range list.Models {
		names = append(names, m.ID)
	}
	return names, nil
}

// Complete streams a completion.
func (o *OpenAI) Complete(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		stream, err := o.begin(ctx, req)
		if err != nil {
			yield(Delta{}, asUnanswered(err))
			return
		}
		defer func() { _ = stream.Close() }()
		var calls wire.Calls
		finish, err := o.receive(stream, &calls, yield)
		if err != nil {
			yield(Delta{}, o.explain(err))
			return
		}
		if finish == "" {
			return // the reader had enough
		}
		for _, c := range calls.List() {
			if !yield(Delta{Call: &c}, nil) {
				return
			}
		}
		yield(Delta{Finish: finish}, nil)
	}
}

// begin sends a request. A server that wants the names of newer models is asked once
// more with them.
func (o *OpenAI) begin(ctx context.Context, req Request) (*openai.ChatCompletionStream, error) {
	out := chatRequest(req)
	_, newer := o.newer.Load(req.Model)
	if newer {
		newerNames(&out)
	}
	stream, err := o.client.CreateChatCompletionStream(ctx, out)
	if err == nil {
		return stream, nil
	}
	err = o.explain(err)
	if newer || !wantsNewerNames(err) {
		return nil, err
	}
	o.newer.Store(req.Model, true)
	newerNames(&out)
	if stream, err = o.client.CreateChatCompletionStream(ctx, out); err != nil {
		return nil, o.explain(err)
	}
	return stream, nil
}

// wantsNewerNames reports whether a server refuses the older name of a limit, or a
// temperature.
func wantsNewerNames(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != Rejected {
		return false
	}
	said := e.Error()
	return strings.Contains(said, "max_completion_tokens") || strings.Contains(said, "temperature")
}

func newerNames(out *openai.ChatCompletionRequest) {
	older := out.MaxTokens //nolint:staticcheck // Ollama and others know only the older name.
	out.MaxCompletionTokens = max(out.MaxCompletionTokens, older)
	out.MaxTokens, out.Temperature = 0, 0 //nolint:staticcheck // The same.
}

// receive passes the stream on until its end. Without an error, an empty Finish
// means that the reader broke off.
func (o *OpenAI) receive(stream *openai.ChatCompletionStream, calls *wire.Calls, yield func(Delta, error) bool) (Finish, error) {
	var finish Finish
	for {
		chunk, err := stream.Recv()
		if err != nil && finish != "" {
			return finish, nil // an error after the end does not matter
		}
		if err != nil {
			return "", err
		}
		if len(chunk.Choices) == 0 {
			continue // usage figures
		}
		choice := chunk.Choices[0]
		for _, part := range choice.Delta.ToolCalls {
			if err := calls.Add(part); err != nil {
				return "", err
			}
		}
		text := choice.Delta.Content + choice.Delta.Refusal
		d := Delta{Text: text, Hidden: text == "" && len(choice.Delta.ToolCalls) == 0}
		if !yield(d, nil) {
			return "", nil
		}
		if choice.FinishReason != "" && finish == "" {
			finish = finishOf(choice.FinishReason)
			defer time.AfterFunc(afterFinish, func() { _ = stream.Close() }).Stop()
		}
	}
}

func finishOf(reason openai.FinishReason) Finish {
	switch reason {
	case openai.FinishReasonLength:
		return CutOff
	case openai.FinishReasonContentFilter:
		return Filtered
	case openai.FinishReasonStop, openai.FinishReasonFunctionCall, openai.FinishReasonToolCalls, openai.FinishReasonNull:
	}
	return Stopped // unknown reasons also mean the end
}

// chatRequest is a Request in the library's words.
func chatRequest(req Request) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: req.Model, Messages: make([]openai.ChatCompletionMessage, 0, len(req.Messages))}
	if reasoning(req.Model) {
		// Reasoning models refuse the older name and any temperature.
		out.MaxCompletionTokens = req.MaxTokens
	} else {
		out.MaxTokens = req.MaxTokens //nolint:staticcheck // Ollama and others know only the older name.
		out.Temperature = float32(req.Temperature)
	}
	for _, m := range req.Messages {
		message := openai.ChatCompletionMessage{Role: string(m.Role), Content: m.Text, ToolCallID: m.CallID}
		for _, c := range m.Calls {
			message.ToolCalls = append(message.ToolCalls, openai.ToolCall{
				ID: c.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: wireName(c.Tool), Arguments: string(c.Args)},
			})
		}
		out.Messages = append(out.Messages, message)
	}
	for _, spec := range req.Tools {
		out.Tools = append(out.Tools, openai.Tool{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
			Name: spec.Name, Description: spec.Description, Parameters: parameters(spec),
		}})
	}
	if req.NoCalls && len(req.Tools) > 0 {
		out.ToolChoice = "none"
	}
	return out
}

// wireName makes a name of what a model wrote as one, because servers refuse a
// whole conversation for a name of other characters.
func wireName(written string) string {
	name := strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return c
		}
		return '_'
	}, written)
	return cmp.Or(name[:min(len(name), 64)], "unknown")
}

// reasoning reports whether a model is one of OpenAI's that take other parameters;
// the library refuses the usual ones for them.
func reasoning(model string) bool {
	families := []string{"o1", "o3", "o4", "gpt-5", "gpt-6"}
	return slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(model, family) })
}

// explain turns an error of the library or the network into an *Error. It leaves errors
// of the context as they are, because the caller that ended it knows why.
func (o *OpenAI) explain(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if known := asSettingError(err); known != nil {
		return known
	}
	kind := Unavailable
	if told, ok := errors.AsType[*openai.APIError](err); ok {
		kind, err = toldKind(told), errors.New(o.sender.guard.Quote(err.Error(), saidShown))
	} else if syntax(err) {
		kind = Malformed
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		kind, err = Dropped, errors.New("the stream ended before the answer did")
	} else if errors.Is(err, wire.ErrEndless) {
		kind = TooLong
	} else if libraryRefusal(err) {
		kind = Rejected
	}
	return &Error{Kind: kind, Err: err}
}

// asUnanswered corrects the error of a request that got no answer at all: an answer that
// never began was not cut off.
func asUnanswered(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Dropped {
		return &Error{Kind: Unavailable, Err: errors.New("the connection was closed without an answer")}
	}
	return err
}

// toldKind reads a fault that the server told of within its answer. Its code may be
// a status.
func toldKind(told *openai.APIError) Kind {
	code := fmt.Sprint(told.Code)
	status, err := strconv.Atoi(code)
	if err != nil {
		status = 0
	}
	return kindOf(status, code+" "+told.Type, told.Message)
}

func syntax(err error) bool {
	_, bad := errors.AsType[*json.SyntaxError](err)
	_, wrong := errors.AsType[*json.UnmarshalTypeError](err)
	return bad || wrong
}

// libraryRefusal reports whether the library itself refuses the request, because it
// knows that the model cannot do it.
func libraryRefusal(err error) bool {
	refusals := []error{
		openai.ErrChatCompletionInvalidModel, openai.ErrReasoningToolsRequireResponses,
		openai.ErrReasoningEffortUnsupported, openai.ErrReasoningSamplingUnsupported,
	}
	return slices.ContainsFunc(refusals, func(refusal error) bool { return errors.Is(err, refusal) })
}
