package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"syscall"

	"voicegateway/internal/ground/process"
)

// Cause sorts the reasons why a server could not be reached by what a person has to check.
type Cause int

// The causes. Others need no check beyond the words of the error.
const (
	CauseOther         Cause = iota
	CauseNotFound            // there is no such program
	CauseNotExecutable       // there is a file, and it cannot be started
	CauseEnded               // the process ended before it answered
	CauseSlow                // no answer in time
	CauseNotMCP              // an answer, and not one of an MCP server
	CauseUnauthorized        // it wants to know who we are, or does not let us in
	CauseNoPage              // there is nothing at the address's path
	CauseNoName              // the network does not know the name
	CauseRefused             // nothing listens at the address
	CauseTLS                 // no secure connection
)

// CauseOf sorts the error of a Dial.
func CauseOf(err error) Cause {
	if dial, ok := errors.AsType[*DialError](err); ok && dial.Exit != "" {
		return CauseEnded
	}
	if _, strange := errors.AsType[*outputError](err); strange {
		return CauseNotMCP
	}
	if web, ok := errors.AsType[*HTTPError](err); ok {
		return web.cause()
	}
	if isTLS(err) {
		return CauseTLS
	}
	name, unknown := errors.AsType[*net.DNSError](err)
	network, isNetwork := errors.AsType[net.Error](err)
	switch {
	case unknown && name.IsNotFound:
		return CauseNoName
	case errors.Is(err, syscall.ECONNREFUSED):
		return CauseRefused
	case errors.Is(err, process.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return CauseNotFound
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return CauseNotExecutable
	case errors.Is(err, context.DeadlineExceeded), isNetwork && network.Timeout():
		return CauseSlow
	case answerExplanation(err) != "":
		return CauseNotMCP
	}
	return CauseOther
}

func (e *HTTPError) cause() Cause {
	switch {
	case e.Page:
		return CauseNotMCP
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return CauseUnauthorized
	case e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed:
		return CauseNoPage
	}
	return CauseOther
}

func isTLS(err error) bool {
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, header := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	return authority || name || invalid || header || alert || errors.Is(err, http.ErrSchemeMismatch)
}
