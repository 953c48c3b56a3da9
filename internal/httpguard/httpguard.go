// Package httpguard is what everything of ours that speaks HTTP obeys, in one
// place. It exists because parts do not know each other and yet have the same
// strangers before them.
//
// Where we serve, a Door bounds connections and the time each of them is waited
// for, with a token or without; who may come in is the business of the part that
// serves. Where we ask, a Client keeps the key on its host and out of every
// message, bounds redirects and bodies and reads what a refusal says; what to tell
// the family or the log about it is the business of the part that asks.
//
// A new bound is a field of Door or Config. A client of another library takes what
// fits: Redirects.Check, RetryAfter, WithoutURL.
package httpguard
