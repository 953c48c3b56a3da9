// Package httpguard holds the rules for every HTTP server and client of this
// project. It exists because parts that do not know each other meet the same
// kinds of strangers.
//
// For a server, a Door bounds connections and the time it waits for each of them, and
// a Token counts those who guess; the serving part decides who may come in. For a
// client, a Client sends the key only to its host and keeps it out of every
// message, bounds redirects and bodies and reads what a refusal says; the asking
// part decides what to tell the family or the log.
//
// A new bound is a field of Door or Config. A client of another library can use
// Redirects.Check, RetryAfter and WithoutURL alone.
package httpguard
