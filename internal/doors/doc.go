// Package doors is the room of the ways in for other programs and people with a browser:
// HTTP, the page, MQTT verbs, Home Assistant discovery, metrics. A door reads a request,
// asks what is behind it, and writes the answer; it decides nothing about the house.
//
// This package has the table of everything that can be asked of a running gateway, and of
// the doors through which each can be asked: HTTP, MQTT, the command line, MCP. It exists
// so that an operation is stated once. From its entry here come the HTTP handler, the MQTT
// command, the command of the command line that only asks for it, and the request that the
// page sends; the description of the HTTP interface is checked against it.
//
// To add an operation, write its entry and its name in Table (table.go) and the function
// that does it (beside those of its subject), and describe its route in openapi.yaml. What
// it needs of the gateway is a part in Parts. A route whose answer is a stream or a page
// is a Handler: an entry here, and a handler in the HTTP interface.
package doors
