package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// raw is a JSON object whose values are read one by one, because servers differ in
// their types.
type raw = map[string]json.RawMessage

// objectIn reads an object, also as the only one of a list.
func objectIn(data []byte) raw {
	var object raw
	if json.Unmarshal(data, &object) == nil {
		return object
	}
	var list []raw
	if json.Unmarshal(data, &list) == nil && len(list) == 1 {
		return list[0]
	}
	return nil
}

// firstValue returns the value of the first key that has one.
func firstValue(object raw, keys ...string) json.RawMessage {
	for _, key := range keys {
		if value := bytes.TrimSpace(object[key]); len(value) > 0 && string(value) != "null" {
			return value
		}
	}
	return nil
}

// word reads a text, or a number as one.
func word(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String()
	}
	return ""
}

// fault is an error in a server's words, as the library reads it.
type fault struct {
	Message string `json:"message"`
	Type    string `json:"type,omitempty"`
	Code    string `json:"code,omitempty"`
}

// faultIn returns the error that stands where an answer was expected, or nil.
func faultIn(object raw, event string) *fault {
	told := firstValue(object, "error")
	if told == nil {
		alone := firstValue(object, "choices") == nil && (event == "error" || word(object["object"]) == "error" || firstValue(object, "detail") != nil)
		if !alone {
			return nil
		}
		told, _ = json.Marshal(object)
	}
	inner := objectIn(told)
	if inner == nil {
		return &fault{Message: cmp.Or(word(told), string(told))}
	}
	message := firstValue(inner, "message", "detail", "error")
	return &fault{
		Message: cmp.Or(word(message), string(message), "the server reports an error"),
		Type:    cmp.Or(word(firstValue(inner, "type")), word(firstValue(inner, "status"))),
		Code:    word(firstValue(inner, "code")),
	}
}

// firstChoice returns the first of several answers; we only ask for one.
func firstChoice(choices json.RawMessage) raw {
	var list []raw
	if json.Unmarshal(choices, &list) != nil {
		return objectIn(choices)
	}
	for _, choice := range list {
		if index := word(choice["index"]); index == "" || index == "0" {
			return choice
		}
	}
	return nil
}

// deltaIn reads what a choice brings. It is plain if it is the whole answer and not
// a piece of one.
func deltaIn(choice raw) (delta openai.ChatCompletionStreamChoiceDelta, plain bool) {
	inner := objectIn(choice["delta"])
	if inner == nil {
		inner = objectIn(choice["message"])
		plain = inner != nil
	}
	if inner == nil {
		return openai.ChatCompletionStreamChoiceDelta{Content: textIn(choice["text"])}, false
	}
	delta.Content = textIn(inner["content"]) + textIn(inner["refusal"])
	delta.ToolCalls = callsIn(firstValue(inner, "tool_calls"))
	if old := objectIn(inner["function_call"]); old != nil && len(delta.ToolCalls) == 0 {
		delta.ToolCalls = []openai.ToolCall{callIn(old)}
	}
	return delta, plain
}

// textIn reads a text in one piece or in parts. Parts of other types, such as
// thoughts and pictures, are not part of the answer.
func textIn(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		if part := objectIn(content); part != nil {
			parts = []json.RawMessage{content}
		}
	}
	var b strings.Builder
	for _, part := range parts {
		object := objectIn(part)
		if object == nil {
			b.WriteString(word(part))
			continue
		}
		switch word(object["type"]) {
		case "", "text", "output_text":
			b.WriteString(word(object["text"]))
		case "refusal":
			b.WriteString(word(object["refusal"]))
		}
	}
	return b.String()
}

// callsIn reads a list of calls or a single one.
func callsIn(calls json.RawMessage) []openai.ToolCall {
	var list []raw
	if json.Unmarshal(calls, &list) != nil {
		if one := objectIn(calls); one != nil {
			list = []raw{one}
		}
	}
	parts := make([]openai.ToolCall, 0, len(list))
	for _, call := range list {
		if call != nil {
			parts = append(parts, callIn(call))
		}
	}
	return parts
}

// callIn reads a call: {"function": {"name", "arguments"}} or its inside alone, the
// arguments as a text or as what the text should hold.
func callIn(call raw) openai.ToolCall {
	part := openai.ToolCall{Type: openai.ToolTypeFunction, ID: word(firstValue(call, "id", "tool_call_id"))}
	if index, err := strconv.Atoi(word(firstValue(call, "index"))); err == nil {
		part.Index = &index
	}
	function := objectIn(call["function"])
	if function == nil {
		function = call
	}
	part.Function.Name = word(firstValue(function, "name"))
	args := firstValue(function, "arguments", "parameters", "input", "args")
	if json.Unmarshal(args, &part.Function.Arguments) != nil {
		part.Function.Arguments = string(args)
	}
	return part
}

// broken stands for the end of an answer that its server gave up.
const broken openai.FinishReason = "error"

// finishIn reads why an answer ended; "" if it has not. An unknown reason is an end
// as well.
func finishIn(choice raw) openai.FinishReason {
	reason := strings.ToLower(word(firstValue(choice, "finish_reason", "stop_reason", "done_reason")))
	switch reason {
	case "", "null", "none":
		return ""
	case "length", "max_tokens", "max_output_tokens", "model_length", "incomplete":
		return openai.FinishReasonLength
	case "content_filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii":
		return openai.FinishReasonContentFilter
	case "error", "abort", "aborted", "cancelled", "canceled", "network_error", "malformed_function_call":
		return broken
	}
	return openai.FinishReasonStop
}
