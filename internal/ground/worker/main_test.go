package worker_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"voicegateway/internal/ground/worker"
)

// These are the kinds of requests that the tests' child answers.
const (
	echo      byte = iota + 1 // answers with the payload
	pid                       // answers with its process number
	crash                     // panics
	hang                      // never answers, while everything else still runs
	spin                      // never returns from the handler
	refuse                    // refuses
	babble                    // writes garbage to the pipe
	shout                     // writes the payload's number of lines to stderr, then exits
	events                    // sends the payload's number of events, then answers
	offspring                 // starts a child of its own and answers with its number
)

// TestMain makes the test binary its own worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		if err := child(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func child(mode string) error {
	in, out, err := worker.Pipes()
	if err != nil {
		return err
	}
	outlet := worker.NewOutlet(out)
	switch mode {
	case "refusing":
		return worker.Serve(context.Background(), in, outlet, worker.Refuse(errors.New("not built in; install it")))
	case "dying":
		return errors.New("cannot start: the library is broken")
	case "stubborn": // does not mind its closed stdin
		select {}
	}
	fmt.Println("a library prints to stdout") // must not disturb the protocol
	return worker.Serve(context.Background(), in, outlet, func(ctx context.Context, r worker.Request) error {
		switch r.Kind {
		case echo:
			return r.Reply(r.Payload)
		case pid:
			return r.Reply(fmt.Append(nil, os.Getpid()))
		case crash:
			panic("the library has aborted")
		case hang:
			return nil
		case spin:
			for ctx.Err() == nil || ctx.Err() != nil {
			}
		case refuse:
			return r.Fail(errors.New("the word is not in the dictionary"))
		case babble:
			_, err := out.WriteString("hello, world; this is no frame")
			return err
		case shout:
			for i := range binary.LittleEndian.Uint32(r.Payload) {
				fmt.Fprintf(os.Stderr, "line %d %s\n", i, strings.Repeat("x", 1000))
			}
			os.Exit(3)
		case events:
			for i := range binary.LittleEndian.Uint32(r.Payload) {
				if err := outlet.Emit(7, fmt.Append(nil, i)); err != nil {
					return err
				}
			}
			return r.Reply(nil)
		case offspring:
			cmd := exec.Command("sleep", "600")
			if err := cmd.Start(); err != nil {
				return r.Fail(err)
			}
			return r.Reply(fmt.Append(nil, cmd.Process.Pid))
		}
		return nil
	})
}
