package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

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
	return truncateResult(resultOf(answer, secrets), maxResult)
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
			switch r := c.Resource.(type) {
			case mcp.TextResourceContents:
				parts = append(parts, r.Text)
			case mcp.BlobResourceContents:
				parts = append(parts, "(a file: "+linkLine(r.URI)+")")
			}
		case mcp.ResourceLink:
			parts = append(parts, link(c))
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
		if at, ok := answer.Meta.AdditionalFields[tools.PublishedKey].(string); ok {
			// An unreadable time counts as none.
			result.PublishedAt, _ = time.Parse(time.RFC3339Nano, at)
		}
	}
	return result
}

// maxLink bounds each part of what is said of a linked resource, in bytes.
const maxLink = 200

// link names a resource that a result links to. It is not read: what it holds is not known.
func link(r mcp.ResourceLink) string {
	name, uri := linkLine(cmp.Or(r.Title, r.Name)), linkLine(r.URI)
	text := "(a link to " + cmp.Or(name, uri)
	if about := linkLine(r.Description); about != "" {
		text += ", " + about
	}
	if name != "" && uri != "" {
		text += ": " + uri
	}
	return text + ")"
}

// linkLine is a text of a link on one line, bounded and without control characters.
func linkLine(text string) string { return Secrets(nil).RedactLine(text, maxLink) }

// truncateResult cuts a result that is too big and says so in its text. The result
// is not a failure, because the tool has done its work.
func truncateResult(r tools.Result, limit int) tools.Result {
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
