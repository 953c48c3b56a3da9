package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	// maxRounds bounds how often a call is made again because its result asks for more.
	maxRounds = 4
	// roundPause is the wait before a call is made again whose result asks for nothing:
	// the server has too much to do.
	roundPause = 500 * time.Millisecond
)

// question is a result of the newest era that is not complete: the same call has to be
// made again, with answers and with the state that the server gave.
type question struct {
	ResultType    string          `json:"resultType"`
	RequestState  json.RawMessage `json:"requestState"`
	InputRequests map[string]struct {
		Method mcp.MCPMethod `json:"method"`
		Params any           `json:"params"`
	} `json:"inputRequests"`
}

// callAnswering calls a tool. In the newest era a result may ask for more; a question for
// the person is asked as one that comes during a call.
func (s *session) callAnswering(ctx context.Context, call callParams) (json.RawMessage, error) {
	for range maxRounds {
		raw, err := s.request(ctx, string(mcp.MethodToolsCall), call)
		if err != nil || s.stateless == "" {
			return raw, err
		}
		var asked question
		if json.Unmarshal(raw, &asked) != nil || asked.ResultType != string(mcp.ResultTypeInputRequired) {
			return raw, nil
		}
		call.RequestState, call.InputResponses = asked.RequestState, nil
		if string(call.RequestState) == "null" {
			call.RequestState = nil
		}
		if len(asked.InputRequests) == 0 {
			if err := waitFor(ctx, roundPause); err != nil {
				return nil, err
			}
			continue
		}
		call.InputResponses = map[string]any{}
		for id, ask := range asked.InputRequests {
			if ask.Method != mcp.MethodElicitationCreate {
				return nil, rpcError{text: fmt.Sprintf("the tool asks for %s, which the gateway does not offer to servers", s.secrets.RedactLine(string(ask.Method), MaxQuote)), code: mcp.METHOD_NOT_FOUND}
			}
			call.InputResponses[id] = s.elicit(ctx, ask.Params)
		}
	}
	return nil, rpcError{text: "the tool asks again and again instead of giving its result", code: mcp.INTERNAL_ERROR}
}

// waitFor waits for some time, or until ctx ends.
func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return noAnswerIn(ctx, "", time.Now())
	}
}
