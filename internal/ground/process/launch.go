package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

const (
	// maxLaunch bounds a message between a gateway and a launcher, in bytes: a socket
	// of the kernel takes about 200 KiB at once.
	maxLaunch = 128 << 10
	// launchPatience is how long a launcher may take to start a program. It may itself
	// be started for it, on a busy machine.
	launchPatience = 20 * time.Second
	// lookPatience is how long it may take to say whether a program is ending.
	lookPatience = time.Second
)

// order is a message to a launcher. The first of a connection says what to start, and
// carries the ends of three pipes; each later one is a signal or the question whether the
// program is ending.
type order struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Env     []string `json:"env,omitempty"`

	Signal syscall.Signal `json:"signal,omitempty"`
	Note   bool           `json:"note,omitempty"` // note what it has started so far
	Look   bool           `json:"look,omitempty"`
}

// report is a message of a launcher.
type report struct {
	Pid     int    `json:"pid,omitempty"`     // it runs
	Refused string `json:"refused,omitempty"` // it could not be started
	Looked  bool   `json:"looked,omitempty"`  // the answer to Look is in Exiting
	Exiting bool   `json:"exiting,omitempty"`
	State   string `json:"state,omitempty"` // it has ended like this, and nothing it started is left
	Failed  bool   `json:"failed,omitempty"`
}

// Launch starts a child as Start does, but by a launcher: a service that listens on a
// socket and has other rights than we have. Path, Dir and the variables beside p.Env are
// looked up there, and p.Path is a command as of Find. The child ends with us.
func Launch(ctx context.Context, socket string, p Program, words io.Writer) (*Child, error) {
	return start(words, func(ends [3]*os.File) (runner, error) { return startThere(ctx, socket, p, ends) })
}

// there is a process that a launcher has started.
type there struct {
	conn   *net.UnixConn
	pid    int
	looked chan bool     // answers to Look
	exited chan struct{} // closed when the launcher has reported the end, or is gone itself
	state  string        // valid, like err, once exited is closed
	err    error

	mu sync.Mutex // held while a question is asked
}

func startThere(ctx context.Context, socket string, p Program, ends [3]*os.File) (_ *there, err error) {
	ctx, cancel := context.WithTimeout(ctx, launchPatience)
	defer cancel()
	dialled, err := (&net.Dialer{}).DialContext(ctx, "unixpacket", socket)
	if err != nil {
		return nil, fmt.Errorf("the service that starts the servers of others cannot be reached (%w); start it: systemctl start voice-gateway-servers.socket", err)
	}
	conn := dialled.(*net.UnixConn) //nolint:forcetypeassert // of this network it is one
	defer func() {
		if err != nil {
			_ = conn.Close()
		}
	}()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	message, err := json.Marshal(order{Command: p.Path, Args: p.Args, Dir: p.Dir, Env: p.Env})
	if err != nil || len(message) > maxLaunch {
		return nil, fmt.Errorf("arguments and environment of %s are too large: %d bytes, at most %d", p.Path, len(message), maxLaunch)
	}
	rights := syscall.UnixRights(int(ends[0].Fd()), int(ends[1].Fd()), int(ends[2].Fd()))
	if _, _, err := conn.WriteMsgUnix(message, rights, nil); err != nil {
		return nil, fmt.Errorf("asking for the start of %s: %w", p.Path, err)
	}
	var answer report
	if err := receive(conn, &answer); err != nil {
		return nil, fmt.Errorf("the service that starts the servers of others did not start %s (%w); its own log says why: journalctl -u voice-gateway-servers", p.Path, err)
	}
	if answer.Refused != "" {
		return nil, errors.New(answer.Refused)
	}
	t := &there{conn: conn, pid: answer.Pid, looked: make(chan bool, 1), exited: make(chan struct{})}
	go t.read()
	return t, nil
}

// receive reads one message.
func receive(conn *net.UnixConn, into any) error {
	b := make([]byte, maxLaunch)
	n, err := conn.Read(b)
	if err != nil {
		return err
	}
	return json.Unmarshal(b[:n], into)
}

// read takes the reports of the launcher until the end.
func (t *there) read() {
	defer func() { _ = t.conn.Close() }()
	defer close(t.exited)
	for {
		var r report
		if err := receive(t.conn, &r); err != nil {
			t.err = fmt.Errorf("the service that started it has ended: %w", err)
			t.state = "its service has ended"
			return
		}
		switch {
		case r.Looked:
			select {
			case t.looked <- r.Exiting:
			default:
			}
		case r.State != "":
			if t.state = r.State; r.Failed {
				t.err = errors.New(r.State)
			}
			return
		}
	}
}

// send sends an order. Its error is dropped: it means that the process has ended.
func (t *there) send(o order) {
	message, err := json.Marshal(o)
	if err == nil {
		_, _ = t.conn.Write(message)
	}
}

func (t *there) Pid() int      { return t.pid }
func (t *there) State() string { return t.state }

func (t *there) wait() error {
	<-t.exited
	return t.err
}

func (t *there) signal(s syscall.Signal) { t.send(order{Signal: s}) }
func (t *there) noteFamily()             { t.send(order{Note: true}) }

func (t *there) exiting() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.looked: // a late answer to an earlier question
	default:
	}
	t.send(order{Look: true})
	timer := time.NewTimer(lookPatience)
	defer timer.Stop()
	select {
	case exiting := <-t.looked:
		return exiting
	case <-t.exited:
		return true
	case <-timer.C:
		return false
	}
}

// ServeLaunches is a launcher: it starts the programs that clients of the listener ask
// for by Launch, each with the environment of base and what the client adds, until ctx
// ends. dir is where a command without a slash is looked up first. A program ends when
// its client is gone.
func ServeLaunches(ctx context.Context, l *net.UnixListener, dir string, base []string) error {
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	var serving sync.WaitGroup
	defer serving.Wait()
	for {
		conn, err := l.AcceptUnix()
		if ctx.Err() != nil {
			if err == nil {
				_ = conn.Close()
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for a gateway: %w", err)
		}
		serving.Go(func() { serveLaunch(ctx, conn, dir, base) })
	}
}

// serveLaunch starts the program of one connection, and owns it until it has ended.
func serveLaunch(ctx context.Context, conn *net.UnixConn, dir string, base []string) {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var sending sync.Mutex
	send := func(r report) {
		sending.Lock()
		defer sending.Unlock()
		if message, err := json.Marshal(r); err == nil {
			_, _ = conn.Write(message) // an error is dropped: a client that is gone ends the program below
		}
	}
	h, err := takeLaunch(conn, dir, base)
	if err != nil {
		send(report{Refused: err.Error()})
		return
	}
	send(report{Pid: h.Pid()})
	var obeying sync.WaitGroup
	obeying.Go(func() { h.obey(conn, send) })
	failure := h.wait()
	send(report{State: h.State(), Failed: failure != nil})
	obeying.Wait() // the client closes the connection: were it closed here, the report could be lost
}

// takeLaunch reads the first order of a connection and starts its program.
func takeLaunch(conn *net.UnixConn, dir string, base []string) (*here, error) {
	message, rights := make([]byte, maxLaunch), make([]byte, syscall.CmsgSpace(3*4))
	n, held, _, _, err := conn.ReadMsgUnix(message, rights)
	if err != nil {
		return nil, fmt.Errorf("reading what to start: %w", err)
	}
	files, err := passedFiles(rights[:held])
	defer func() { closeAll(files) }()
	if err != nil {
		return nil, err
	}
	var o order
	if err := json.Unmarshal(message[:n], &o); err != nil || len(files) != 3 {
		return nil, fmt.Errorf("what to start cannot be read: %d files, %w", len(files), err)
	}
	path, err := Find(o.Command, dir)
	if err != nil {
		return nil, err
	}
	env := append(append([]string{}, base...), o.Env...)
	return startHere(Program{Path: path, Args: o.Args, Dir: o.Dir, Env: env}, [3]*os.File(files))
}

// passedFiles returns the files that came with a message.
func passedFiles(rights []byte) ([]*os.File, error) {
	var files []*os.File
	messages, err := syscall.ParseSocketControlMessage(rights)
	if err != nil {
		return nil, fmt.Errorf("reading the pipes of a program: %w", err)
	}
	for _, m := range messages {
		numbers, err := syscall.ParseUnixRights(&m)
		if err != nil {
			return files, fmt.Errorf("reading the pipes of a program: %w", err)
		}
		for _, number := range numbers {
			files = append(files, os.NewFile(uintptr(number), "pipe"))
		}
	}
	return files, nil
}

// obey carries out the orders of a client, and ends the process when the client is gone.
func (h *here) obey(conn *net.UnixConn, send func(report)) {
	for {
		var o order
		if err := receive(conn, &o); err != nil {
			h.noteFamily()
			h.signal(syscall.SIGKILL)
			return
		}
		switch {
		case o.Signal != 0:
			h.signal(o.Signal)
		case o.Note:
			h.noteFamily()
		case o.Look:
			send(report{Looked: true, Exiting: h.exiting()})
		}
	}
}
