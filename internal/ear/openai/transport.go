package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"voicegateway/internal/ground/httpguard"
)

// maxAnswer bounds an answer in bytes: six minutes of speech at 22.05 kHz.
const maxAnswer = 16 << 20

// Bounds of what an error quotes of the server, in characters.
const (
	saidShown = 300
	kindShown = 60
)

// explain turns a failure into a sentence. The error of an ended context is returned as
// it is: the caller that ended it knows why.
func (c *Client) explain(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if status, ok := errors.AsType[*httpguard.StatusError](err); ok {
		return explainRefusal(status)
	}
	_, syntax := errors.AsType[*json.SyntaxError](err)
	_, wrong := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case errors.Is(err, httpguard.ErrTooLong):
		return fmt.Errorf("over %d bytes in one answer", maxAnswer)
	case errors.Is(err, httpguard.ErrWebPage):
		return errors.New("a web page came back; base_url usually ends in /v1")
	case errors.Is(err, httpguard.ErrElsewhere):
		return errors.New("the address redirects to another host, which is not followed because the key and what was said would go there; set base_url to it")
	case errors.Is(err, httpguard.ErrMethod):
		return errors.New("the address redirects in a way that loses the request; set base_url to where it leads")
	case errors.Is(err, httpguard.ErrCircles):
		return errors.New("the address redirects in circles")
	case syntax, wrong:
		return errors.New("the server's answer is not in the protocol; does base_url end in /v1?")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection ended before the answer did")
	}
	return fmt.Errorf("asking the server: %s", c.guard.Quote(err.Error(), saidShown))
}

// explainRefusal says what a refusal means, with the server's own words.
func explainRefusal(status *httpguard.StatusError) error {
	var text string
	switch {
	case status.Code == http.StatusUnauthorized || status.Code == http.StatusForbidden:
		text = "the server does not accept our key"
	case status.Code == http.StatusTooManyRequests:
		text = "the server is busy"
	case status.Code >= http.StatusInternalServerError:
		text = "the server has a problem"
	default:
		text = "the server does not accept the request"
	}
	text += fmt.Sprintf(" (status %d)", status.Code)
	if status.Said != "" {
		text += ": " + status.Said
	}
	return errors.New(text)
}
