package form

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schemaFile is the form as a JSON Schema: the document of the house, and in $defs
// everything else that a server answers with.
//
//go:embed schema.json
var schemaFile []byte

// Schema returns the form as a JSON Schema, for those who write a house server.
func Schema() []byte { return bytes.Clone(schemaFile) }

// Parts of the schema.
const (
	partHouse   = "house"
	partEvents  = "events"
	partList    = "list"
	partState   = "state"
	partReading = "reading"
	partHealth  = "health"
	partReceipt = "receipt"
)

// schemas are the compiled parts, by name.
var schemas = sync.OnceValue(func() map[string]*jsonschema.Schema {
	const at = "urn:voice-gateway:house"
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaFile))
	if err != nil {
		panic(fmt.Sprintf("the schema of a house is no JSON: %v", err)) // it is part of the program
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(at, doc); err != nil {
		panic(fmt.Sprintf("the schema of a house: %v", err))
	}
	all := map[string]*jsonschema.Schema{}
	for _, part := range []string{partHouse, partEvents, partList, partState, partReading, partHealth, partReceipt} {
		all[part] = compiler.MustCompile(at + "#/$defs/" + part)
	}
	return all
})

// mostComplaints bounds what is said about one text.
const mostComplaints = 8

// compare returns what does not fit a part of the schema, in words, each with where it is.
func compare(part string, body []byte) []string {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return []string{"it is not valid JSON: " + err.Error()}
	}
	err = schemas()[part].Validate(value)
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return nil
	}
	printer := message.NewPrinter(language.English)
	var all []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		text := e.ErrorKind.LocalizedString(printer)
		if len(e.InstanceLocation) > 0 {
			text = place(value, e.InstanceLocation) + ": " + text
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	walk(invalid)
	slices.Sort(all)
	if more := len(all) - mostComplaints; more > 0 {
		all = append(all[:mostComplaints], fmt.Sprintf("and %d more", more))
	}
	return all
}

// place says where in a document something is: "entities[3] (Kitchen Light).name".
func place(value any, path []string) string {
	var b strings.Builder
	for _, step := range path {
		switch v := value.(type) {
		case map[string]any:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return strings.Join(path, ".")
			}
			fmt.Fprintf(&b, "[%d]", i)
			value = v[i]
			if object, ok := value.(map[string]any); ok {
				if name, _ := object["name"].(string); name != "" {
					fmt.Fprintf(&b, " (%s)", oneLine(name))
				}
			}
		}
	}
	return b.String()
}

// longest is how much of a text of a server is shown, in runes.
const longest = 60

// oneLine is a text of a server, fit to be shown.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strconv.IsGraphic(r) {
			return r
		}
		return ' '
	}, text)), " ")
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

// quote is a name of a server's in a sentence.
func quote(name string) string { return strconv.Quote(oneLine(name)) }

// marshal is JSON of what is known to be JSON.
func marshal(v any) json.RawMessage {
	body, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return body
}
