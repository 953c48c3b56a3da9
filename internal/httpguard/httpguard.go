// Package httpguard is what every HTTP server of ours obeys, in one place: who
// connects gets so much time and so many places and no more, with a token or
// without. It exists because two parts that do not know each other, the gateway's
// own interface and MCP over HTTP, have the same strangers at the door.
//
// Who may come in is the business of the part that serves. A new bound is a field
// of Door and its default.
package httpguard
