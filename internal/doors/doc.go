// Package doors is the room of the ways in for other programs and people with a browser:
// HTTP, the page, MQTT verbs, Home Assistant discovery, metrics. A door reads a request,
// asks what is behind it through a small interface of its own, and writes the answer; it
// decides nothing about the house.
package doors
