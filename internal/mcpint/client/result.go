package client

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/tools"
)

// maxResult bounds the text and the structured content of one result, each, in
// bytes: no person and no language model has a use for more, and it is kept in
// memory and passed on.
const maxResult = 1 << 20

// readResult turns the answer to tools/call into the one result form. An answer
// in a wrong shape is a failed Result.
func readResult(raw json.RawMessage, secrets Secrets) tools.Result {
	answer, err := mcp.ParseCallToolResult(&raw)
	if err != nil {
		return unreadable(err)
	}
	return boundResult(resultOf(answer, secrets), maxResult)
}

// resultOf turns an answer into text and data, without secrets.
func resultOf(answer *mcp.CallToolResult, secrets Secrets) tools.Result {
	data := secrets.HideJSON(answer.RawStructuredContent)
	result := tools.Result{Failed: answer.IsError, Data: data, Receipt: tools.ReadReceipt(data)}
	var parts []string
	for _, content := range answer.Content {
		switch c := content.(type) {
		case mcp.TextContent:
			parts = append(parts, c.Text)
		case mcp.EmbeddedResource:
			if text, ok := c.Resource.(mcp.TextResourceContents); ok {
				parts = append(parts, text.Text)
			}
		case mcp.ImageContent:
			parts = append(parts, "(an image)")
		case mcp.AudioContent:
			parts = append(parts, "(a sound)")
		}
	}
	result.Text = secrets.Hide(strings.Join(parts, "\n"))
	if result.Text == "" {
		result.Text = string(result.Data)
	}
	if answer.Meta != nil {
		if at, ok := answer.Meta.AdditionalFields[mcpint.PublishedAt].(string); ok {
			// An unreadable time counts as none.
			result.PublishedAt, _ = time.Parse(time.RFC3339Nano, at)
		}
	}
	return result
}

// boundResult cuts a result that is too big and says so in its text. The result
// is not a failure, because the tool has done its work.
func boundResult(r tools.Result, limit int) tools.Result {
	data := len(r.Data)
	if data > limit {
		r.Data = nil
	}
	size := max(len(r.Text), data)
	if size <= limit {
		return r
	}
	note := fmt.Sprintf("\n(The answer has %d bytes, which is more than the limit of %d; the rest was left out. Ask for less at a time.)", size, limit)
	if len(r.Text) > limit {
		end := limit
		for end > 0 && !utf8.RuneStart(r.Text[end]) {
			end--
		}
		// A copy of the beginning lets the whole text be freed.
		r.Text = strings.Clone(r.Text[:end])
	}
	r.Text += note
	return r
}
