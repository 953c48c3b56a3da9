package client

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/mcpint"
)

// HTTPError says that the server answered over HTTP with something that is not
// MCP.
type HTTPError struct {
	Status     int
	RetryAfter time.Duration // what a server that has too much to do asks for; 0: it does not say
	Session    bool          // the request belonged to a session
	Page       bool          // a web page came instead of an answer
	Text       string        // what the server says, cleaned and bounded
	Scopes     string        // what a token would have to permit for this request; "": it does not say
	versions   []string      // the revisions of the protocol that it names when it refuses another one
	home       bool          // it came from where Home Assistant has its own MCP server
}

// loginPause is how long Home Assistant is left alone after it has refused us: each refusal
// warns its owner as a failed login, and may ban this machine.
const loginPause = 5 * time.Minute

// LeastPause is how long at least the server is to be left alone; home says that it is Home
// Assistant's own.
func (e *HTTPError) LeastPause(home bool) time.Duration {
	if home && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) {
		return loginPause
	}
	return 0
}

// maxErrorBody bounds what is read of a refusal.
const maxErrorBody = 4 << 10

// refusalOf turns an answer that is not MCP into an error; nil for an answer that
// may be MCP.
func refusalOf(answer *http.Response, session bool, secrets Secrets) *HTTPError {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	page := kind == "text/html" || kind == "application/xhtml+xml"
	if answer.StatusCode < http.StatusBadRequest && !page {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxErrorBody)) // the status says enough without
	e := &HTTPError{Status: answer.StatusCode, RetryAfter: httpguard.RetryAfter(answer.Header.Get("Retry-After"), time.Now()), Session: session, Page: page}
	e.home = answer.Request != nil && mcpint.IsHomeAssistantPath(answer.Request.URL.Path)
	if c := challengeOf(answer.Header); c.code == insufficientScope {
		e.Scopes = strings.Join(c.scopes, " ")
	}
	if !page {
		var text string
		text, e.versions = errorIn(body)
		e.Text = secrets.RedactTail([]byte(text))
	}
	return e
}

// errorIn returns the message in the body of a refusal: that of a JSON-RPC error, or else
// the whole body; and the revisions of the protocol that it names.
func errorIn(body []byte) (message string, versions []string) {
	var answer struct {
		Error mcp.JSONRPCErrorDetails `json:"error"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Error.Message != "" {
		unsupported, _ := errors.AsType[mcp.UnsupportedProtocolVersionError](answer.Error.AsError())
		return answer.Error.Message, unsupported.Supported
	}
	return strings.TrimSpace(string(body)), nil
}

func (e *HTTPError) Error() string {
	status := strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)))
	text := ""
	if e.Text != "" {
		text = ": " + strings.ReplaceAll(e.Text, "\n", " ")
	}
	switch {
	case e.Page:
		return fmt.Sprintf("a web page came instead of an MCP answer (%s); check the url, and whether a proxy or a log-in page stands in between", status)
	case e.lostSession():
		return fmt.Sprintf("the server has forgotten the session (%d)", e.Status)
	case e.Status == http.StatusUnauthorized:
		return fmt.Sprintf("%s (%s); check the headers or auth set for it%s", mcpint.KeyWanted, status, text)
	case e.Status == http.StatusForbidden && e.Scopes != "":
		return fmt.Sprintf("the server wants a token with the scope %q for this (%s); check auth.scopes and what the server of tokens gives us%s", e.Scopes, status, text)
	case e.Status == http.StatusForbidden:
		return fmt.Sprintf("%s (%s); check the headers or auth set for it%s", mcpint.KeyRefused, status, text)
	case e.Status == http.StatusNotFound:
		return e.sayMissing(status)
	case e.Status == http.StatusMethodNotAllowed:
		return fmt.Sprintf("the address takes no MCP requests (%s); check the url, or for an old server set transport: sse", status)
	case e.Status == http.StatusTooManyRequests && e.RetryAfter > 0:
		return fmt.Sprintf("the server has too much to do (%s) and asks to wait %v", status, e.RetryAfter)
	case e.Status == http.StatusTooManyRequests:
		return fmt.Sprintf("the server has too much to do (%s)", status)
	case e.Status >= http.StatusInternalServerError:
		return fmt.Sprintf("the server has trouble of its own (%s)%s", status, text)
	}
	return fmt.Sprintf("the server refuses the request (%s)%s", status, text)
}

// sayMissing says that there is no MCP server at the address, and what to do about it.
func (e *HTTPError) sayMissing(status string) string {
	const add = "in Home Assistant, under Settings, Devices & services, add the integration Model Context Protocol Server"
	switch {
	case !e.home:
		return fmt.Sprintf("there is no MCP server at this address (%s); check the url", status)
	case strings.Contains(e.Text, "is not configured"):
		return fmt.Sprintf("the MCP server of Home Assistant is not set up, or is still starting (%s); %s", status, add)
	case strings.Contains(e.Text, "Unknown LLM API"):
		return fmt.Sprintf("Home Assistant does not offer this API to models (%s): %s; check the end of the url, such as /api/mcp/assist", status, e.Text)
	}
	return fmt.Sprintf("this Home Assistant has no MCP server at this address (%s); %s; releases before /api/mcp have it at /mcp_server/sse, with transport: sse", status, add)
}

// lostSession reports whether the server does not know the session any more. 404
// is what the protocol wants; some servers say 400 and name the session in words.
func (e *HTTPError) lostSession() bool {
	return e.Session && !e.Page && (e.Status == http.StatusNotFound ||
		e.Status == http.StatusBadRequest && strings.Contains(strings.ToLower(e.Text), "session"))
}

// endsSession reports whether the server will answer nothing until a new
// connection is made. A token that permits too little for one request may do for others.
func (e *HTTPError) endsSession() bool {
	return e.lostSession() || e.Page || e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden && e.Scopes == ""
}

// mayBeDone reports whether a refused call may have been carried out all the
// same. A page in place of an answer may come from a proxy before the call
// reached the server, or after it.
func (e *HTTPError) mayBeDone() bool {
	return e.Status >= http.StatusInternalServerError || e.Page && e.Status < http.StatusBadRequest
}

// explainTLS says in words what is wrong with a connection that TLS refuses.
func explainTLS(err error) error {
	var (
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		header    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return fmt.Errorf("the server's certificate is signed by nobody we know; add its authority to the system's or name it in SSL_CERT_FILE: %w", err)
	case errors.As(err, &name):
		return fmt.Errorf("the server's certificate is for another name; check the url: %w", err)
	case errors.As(err, &invalid):
		return fmt.Errorf("the server's certificate is not valid; renew it or check the clock: %w", err)
	case errors.As(err, &header), errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("the server does not speak TLS; check whether its url begins with http: %w", err)
	}
	return err
}
