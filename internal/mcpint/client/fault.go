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
	"voicegateway/internal/mcpint"
)

// FaultOf sorts the error of a Dial, or of the end of a Session.
func FaultOf(err error) mcpint.Fault {
	if _, ended := errors.AsType[*EndError](err); ended {
		return mcpint.FaultEnded
	}
	if dial, ok := errors.AsType[*DialError](err); ok && dial.Exit != "" {
		return mcpint.FaultEnded
	}
	if _, strange := errors.AsType[*outputError](err); strange {
		return mcpint.FaultNotMCP
	}
	if web, ok := errors.AsType[*HTTPError](err); ok {
		return web.fault()
	}
	if isTLS(err) {
		return mcpint.FaultTLS
	}
	return faultOfStart(err)
}

// faultOfStart sorts the error of a program that was not started, or of a connection that was
// not made.
func faultOfStart(err error) mcpint.Fault {
	name, unknown := errors.AsType[*net.DNSError](err)
	network, isNetwork := errors.AsType[net.Error](err)
	_, reaches := errors.AsType[*net.OpError](err) // over a network there is no file
	switch {
	case unknown && name.IsNotFound:
		return mcpint.FaultNoName
	case errors.Is(err, syscall.ECONNREFUSED):
		return mcpint.FaultRefused
	case errors.Is(err, process.ErrNotFound), !reaches && errors.Is(err, fs.ErrNotExist):
		return mcpint.FaultNotFound
	case !reaches && errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return mcpint.FaultNotExecutable
	case errors.Is(err, context.DeadlineExceeded), isNetwork && network.Timeout():
		return mcpint.FaultSlow
	case answerExplanation(err) != "":
		return mcpint.FaultNotMCP
	}
	return mcpint.FaultOther
}

func (e *HTTPError) fault() mcpint.Fault {
	switch {
	case e.Page:
		return mcpint.FaultNotMCP
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return mcpint.FaultKey
	case e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed:
		return mcpint.FaultNoPage
	}
	return mcpint.FaultOther
}

func isTLS(err error) bool {
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, header := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	return authority || name || invalid || header || alert || errors.Is(err, http.ErrSchemeMismatch)
}
