package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// SendJSON sends a request over HTTP with body as JSON, or without a body if it is nil, and
// decodes the JSON of the answer into a value. The headers are pairs of a name and a value.
// A status that is not 2xx is an error with the text of the answer.
func SendJSON(ctx context.Context, method, url string, body, into any, headers ...string) error {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, url, &text)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return errors.New(resp.Status + ": " + string(answer))
	}
	return json.Unmarshal(answer, into)
}
