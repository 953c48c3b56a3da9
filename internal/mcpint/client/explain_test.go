package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
)

// TestExplain holds the words for errors of the system and of the client library.
func TestExplain(t *testing.T) {
	port := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 80}
	dial := func(err error) error {
		return fmt.Errorf("failed to send request: %w", &net.OpError{Op: "dial", Net: "tcp", Addr: port, Err: err})
	}
	refused := &HTTPError{Status: 503}
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"refused":         {dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)), "nothing listens at 10.0.0.7:80 (connection refused); start the server there, or check the address"},
		"no way":          {dial(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "there is no way to 10.0.0.7:80; check the network and the address"},
		"reset":           {dial(os.NewSyscallError("read", syscall.ECONNRESET)), "10.0.0.7:80 broke the connection off; the server's own log may say why"},
		"slow network":    {dial(os.ErrDeadlineExceeded), "10.0.0.7:80 did not answer in time; check whether the server runs and can be reached"},
		"no such name":    {dial(&net.DNSError{Name: "nas.lan", IsNotFound: true, Err: "no such host"}), "the network does not know the name nas.lan (no such host); check the address"},
		"late":            {context.DeadlineExceeded, "the server did not answer in time; check whether the server runs and can be reached"},
		"broken off":      {context.Canceled, "it was broken off"},
		"cut":             {fmt.Errorf("failed to decode response: %w", io.ErrUnexpectedEOF), "the server closed the connection before its answer was complete; its own log may say why"},
		"nothing":         {errors.New("unexpected nil response"), "the server ended its stream without an answer; its own log may say why"},
		"no JSON":         {json.Unmarshal([]byte("hello"), new(any)), "what the server answers is not MCP; check that the right program or address is configured"},
		"another content": {errors.New("unexpected content type: text/plain"), `the server answers with "text/plain" instead of MCP; check the url`},
		"another status":  {errors.New("request failed with status 204: "), `the server answers with "204" instead of MCP; check the url`},
		"too much":        {fmt.Errorf("failed to decode response: %w", &tooLongError{"an answer", 9}), "the server sends too much: an answer is longer than 9 bytes"},
		"words":           {errors.New("the stick is in use"), "the stick is in use"},
		"a refusal":       {fmt.Errorf("listing: %w", refused), "listing: " + refused.Error()},
	} {
		got := Explain(tt.err)
		if got.Error() != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if again := Explain(got); again.Error() != got.Error() {
			t.Errorf("%s: explained twice it is %q", name, again)
		}
	}
	if Explain(nil) != nil {
		t.Error("no error has become one")
	}
}
