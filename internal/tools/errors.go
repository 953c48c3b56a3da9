package tools

import "errors"

// The two ways in which a call gets no answer. Code that reaches tools over a connection
// wraps its errors in them, so that the code that reports the call to the user need not
// know the connection.
var (
	// ErrNotConnected means that a call was not sent: nothing has been done.
	ErrNotConnected = errors.New("not connected")
	// ErrNoAnswer means that a call was sent and no answer came: it may or may not
	// have been carried out.
	ErrNoAnswer = errors.New("no answer; it is not known whether the call was carried out")
	// ErrNotAsked means that a reading was not made, because others took all the
	// time: nothing speaks against its thing.
	ErrNotAsked = errors.New("there was no time to ask")
)
