package host

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

// faulty is a server that does one thing wrong for as long as the file mended
// does not exist; once it exists, every start is a good server. It is the test
// binary started as "fault MODE MENDED JOURNAL"; it writes what the test wants to
// know into the journal, a line each.
type faulty struct {
	mended, journal string
	in              *bufio.Reader
}

// message is what a client sends.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name   string `json:"name"`
		Cursor string `json:"cursor"`
	} `json:"params"`
}

// faults are the modes, each a way to go wrong.
var faults = map[string]func(f *faulty){
	"exit":        func(*faulty) { childExit(nil) },
	"exit-well":   func(*faulty) {},
	"mute":        func(f *faulty) { f.drain() },
	"prose":       func(f *faulty) { f.prose() },
	"endless":     func(f *faulty) { f.endless("initialize") },
	"endless-let": func(f *faulty) { f.endless("tools/list") },
	"refuses":     func(f *faulty) { f.serve(on("initialize", `!{"code":-32603,"message":"the stick is in use"}`)) },
	"malformed":   func(f *faulty) { f.serve(on("initialize", `[1,2]`)) },
	"no-list":     func(f *faulty) { f.serve(on("tools/list", `!{"code":-32603,"message":"not yet"}`)) },
	"odd-list":    func(f *faulty) { f.serve(on("tools/list", `{"tools":"none"}`)) },
	"string-ids":  func(f *faulty) { f.stringIDs() },
	"frames":      func(f *faulty) { f.frames() },
	"mark":        func(f *faulty) { f.writeAs(func(m string) string { return "\xef\xbb\xbf" + m + "\n" }) },
	"indented":    func(f *faulty) { f.writeAs(indent) },
	"batches": func(f *faulty) {
		f.writeAs(func(m string) string { return `[{"jsonrpc":"2.0","method":"x"},` + m + "]\n" })
	},
	"half-line":  func(*faulty) { fmt.Print(`{"jsonrpc":"2.0","id":`); childExit(nil) },
	"crash-loop": func(f *faulty) { f.crashLoop() },
	"hang-call":  func(f *faulty) { f.hangInCall() },
	"hang":       func(f *faulty) { f.serve(func(m message) string { return f.stopAt(m, "tools/call") }) },
	"orphan":     func(f *faulty) { f.orphan(false) },
	"escapee":    func(f *faulty) { f.orphan(true) },
	"deaf":       func(f *faulty) { f.deaf() },
	"hangup":     func(f *faulty) { f.hangUp() },
	"die":        func(f *faulty) { f.serve(f.dieIn("tools/call")) },
	"late":       func(f *faulty) { f.late() },
	"huge":       func(f *faulty) { f.serve(on("tools/call", text(strings.Repeat("x", 50<<20)))) },
	"big":        func(f *faulty) { f.serve(on("tools/call", text(strings.Repeat("x", 5<<20)))) },
	"odd-result": func(f *faulty) { f.serve(on("tools/call", `{"content":"no list"}`)) },
	"flood":      func(f *faulty) { f.flood() },
	"storm":      func(f *faulty) { f.storm() },
	"noise":      func(f *faulty) { f.noise() },
	"asks-back":  func(f *faulty) { f.asksBack() },
	"cursors":    func(f *faulty) { f.cursors() },
	"many":       func(f *faulty) { f.many(5000) },
	"bad-tools":  func(f *faulty) { f.serve(on("tools/list", badTools)) },
	"same-names": func(f *faulty) { f.serve(on("tools/list", sameNames)) },
	"stubborn":   func(f *faulty) { f.stubborn() },
	"era": func(f *faulty) {
		f.serve(on("initialize", `{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"old","version":"0"}}`))
	},
	"terse":       func(f *faulty) { f.serve(on("initialize", `{"protocolVersion":"2025-11-25"}`)) },
	"die-let":     func(f *faulty) { f.serve(f.dieIn("tools/list")) },
	"hangup-once": func(*faulty) { _ = os.Stdout.Close(); waitForEver() },
	"no-input":    func(f *faulty) { f.noInput() },
	"fat-pages":   func(f *faulty) { f.fatPages() },
	"crlf":        func(f *faulty) { f.crlf() },
	"shouts":      func(f *faulty) { f.shouts() },
}

// faultServer runs the fault that args name.
func faultServer(args []string) {
	f := &faulty{mended: args[1], journal: args[2], in: bufio.NewReader(os.Stdin)}
	f.note("start " + strconv.Itoa(os.Getpid()))
	if _, err := os.Stat(f.mended); err == nil {
		serveGood()
		return
	}
	faults[args[0]](f)
}

// note writes a line for the test into the journal.
func (f *faulty) note(line string) {
	file, err := os.OpenFile(f.journal, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(9)
	}
	_, _ = fmt.Fprintln(file, line)
	_ = file.Close()
}

// next returns the client's next message; at the end of the input it ends the
// process.
func (f *faulty) next() message {
	for {
		line, err := f.in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var m message
		if json.Unmarshal(line, &m) == nil {
			return m
		}
	}
}

// serve answers as a good server with one tool would, except where wrong returns
// something: a result, an error after a "!", or "-" for no answer.
func (f *faulty) serve(wrong func(m message) string) {
	for {
		m := f.next()
		if m.ID == nil {
			f.note(m.Method)
			continue
		}
		result := wrong(m)
		if result == "" {
			result = right(m.Method)
		}
		f.reply(string(m.ID), result)
	}
}

func (f *faulty) reply(id, result string) {
	result = strings.NewReplacer("\n", "", "\t", "").Replace(result)
	switch {
	case result == "-":
	case strings.HasPrefix(result, "!"):
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":%s}`+"\n", id, result[1:])
	default:
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
	}
}

// right returns the correct answer to a request.
func right(method string) string {
	switch method {
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"faulty","version":"0"}}`
	case "tools/list":
		return `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		return text("from the faulty one")
	default:
		return `{}`
	}
}

func text(s string) string {
	quoted, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(quoted) + `}]}`
}

// on returns a wrong answer to one method.
func on(method, result string) func(message) string {
	return func(m message) string {
		if m.Method == method {
			return result
		}
		return ""
	}
}

func (f *faulty) drain() {
	for {
		f.next()
	}
}

func (f *faulty) prose() {
	for range 1000 {
		fmt.Println("Listening on port 3000 … press h for help")
	}
	f.drain()
}

// endless answers a method with a line that never ends.
func (f *faulty) endless(method string) {
	f.serve(func(m message) string {
		if m.Method != method {
			return ""
		}
		part := []byte(strings.Repeat("x", 1<<20))
		for {
			if _, err := os.Stdout.Write(part); err != nil {
				os.Exit(1)
			}
		}
	})
}

// frames writes what a language server writes at its start.
func (f *faulty) frames() {
	fmt.Print("Content-Length: 52\r\n\r\n" + `{"jsonrpc":"2.0","method":"window/logMessage"}`)
	f.drain()
}

// writeAs answers rightly, in an unusual form.
func (f *faulty) writeAs(form func(message string) string) {
	for {
		if m := f.next(); m.ID != nil {
			fmt.Print(form(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, right(m.Method))))
		}
	}
}

func indent(message string) string {
	text, _ := json.MarshalIndent(json.RawMessage(message), "", "  ")
	return string(text) + "\n"
}

func (f *faulty) stringIDs() {
	for {
		if m := f.next(); m.ID != nil {
			f.reply(strconv.Quote(string(m.ID)), right(m.Method))
		}
	}
}

// crashLoop ends after each good handshake.
func (f *faulty) crashLoop() {
	f.serve(func(m message) string {
		if m.Method == "tools/list" {
			f.reply(string(m.ID), right(m.Method))
			fmt.Fprintln(os.Stderr, "out of memory")
			os.Exit(4)
		}
		return ""
	})
}

// hangInCall never ends a call; all else is answered.
func (f *faulty) hangInCall() { f.serve(on("tools/call", "-")) }

// stopAt answers nothing from the first request of a method on, and still reads.
func (f *faulty) stopAt(m message, method string) string {
	if m.Method == method {
		f.drain()
	}
	return ""
}

// dieIn ends in a method with the words and status of a crash.
func (f *faulty) dieIn(method string) func(message) string {
	return func(m message) string {
		if m.Method == method {
			fmt.Fprintln(os.Stderr, "panic: the stick is gone")
			os.Exit(5)
		}
		return ""
	}
}

// orphan dies in a call while a grandchild, deaf to SIGTERM, holds the pipes; it may
// be in a session of its own.
func (f *faulty) orphan(setsid bool) {
	f.serve(func(m message) string {
		if m.Method == "tools/call" {
			c := exec.Command("/bin/sh", "-c", "trap '' TERM HUP INT; sleep 1000 & wait; sleep 1000")
			c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: setsid}
			if c.Start() == nil {
				f.note("grandchild " + strconv.Itoa(c.Process.Pid))
			}
			os.Exit(5)
		}
		return ""
	})
}

// deaf stops reading after it has listed its tools.
func (f *faulty) deaf() {
	f.serve(func(m message) string {
		if m.Method == "tools/list" {
			f.reply(string(m.ID), right(m.Method))
			waitForEver()
		}
		return ""
	})
}

// hangUp closes its output in a call and lives on.
func (f *faulty) hangUp() {
	f.serve(func(m message) string {
		if m.Method == "tools/call" {
			_ = os.Stdout.Close()
			waitForEver()
		}
		return ""
	})
}

// late answers each call only after the next request, which is too late, and
// sends each answer twice.
func (f *faulty) late() {
	owed := ""
	f.serve(func(m message) string {
		if owed != "" {
			f.reply(owed, right("tools/call"))
			f.reply(owed, right("tools/call"))
			owed = ""
		}
		if m.Method == "tools/call" && m.Params.Name == "echo" {
			owed = string(m.ID)
			return "-"
		}
		return ""
	})
}

// flood logs 64 MB while it works.
func (f *faulty) flood() {
	line := []byte(strings.Repeat("the network is busy, trying again; ", 30) + "\n")
	go func() {
		for range 64 << 10 {
			_, _ = os.Stderr.Write(line)
		}
		f.note("flooded")
	}()
	f.serve(on("", ""))
}

// storm announces changed tools ten thousand times, and counts how often it is
// asked for them.
func (f *faulty) storm() {
	f.serve(func(m message) string {
		switch m.Method {
		case "tools/list":
			f.note("listed")
		case "tools/call":
			for range 10_000 {
				fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
		}
		return ""
	})
}

// noise surrounds every answer with what a client has to skip.
func (f *faulty) noise() {
	f.serve(func(m message) string {
		fmt.Println("Welcome!")
		fmt.Println("\n\n[]\n3\nnull\ntrue\n\"x\"\n{}\n{\"jsonrpc\":\"1.0\"}\n\xff\xfe\x00")
		fmt.Println(`{"jsonrpc":"2.0","id":987654,"result":{}}`)
		fmt.Println(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`)
		fmt.Println(`{"jsonrpc":"2.0","method":"notifications/nonsense","params":7}`)
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":`+"\n", m.ID)
		return ""
	})
}

// asksBack asks the client things before each answer, and notes its answers.
func (f *faulty) asksBack() {
	n := 0
	for {
		m := f.next()
		switch {
		case m.ID == nil:
		case m.Method == "":
			f.note("answered " + string(m.ID))
		default:
			for _, method := range []string{"ping", "roots/list", "sampling/createMessage", "elicitation/create", "dance"} {
				n++
				fmt.Printf(`{"jsonrpc":"2.0","id":"s%d","method":%q,"params":{}}`+"\n", n, method)
			}
			f.reply(string(m.ID), right(m.Method))
		}
	}
}

// cursors lists page after page for ever.
func (f *faulty) cursors() {
	n := 0
	f.serve(func(m message) string {
		if m.Method != "tools/list" {
			return ""
		}
		n++
		f.note("listed")
		return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"c%d"}`, n, n)
	})
}

// noInput closes its input after the list and lives on.
func (f *faulty) noInput() {
	f.serve(func(m message) string {
		if m.Method == "tools/list" {
			_ = os.Stdin.Close()
			f.reply(string(m.ID), right(m.Method))
			waitForEver()
		}
		return ""
	})
}

// fatPages lists page after page for ever, with one tool of a long description on
// each.
func (f *faulty) fatPages() {
	n := 0
	fat := strings.Repeat("x", 8<<20)
	f.serve(func(m message) string {
		if m.Method != "tools/list" {
			return ""
		}
		n++
		f.note("listed")
		return fmt.Sprintf(`{"tools":[{"name":"t%d","description":"%s","inputSchema":{"type":"object"}}],"nextCursor":"c%d"}`, n, fat, n)
	})
}

// many lists n tools at once.
func (f *faulty) many(n int) {
	list := make([]string, 0, n)
	for i := range n {
		list = append(list, fmt.Sprintf(`{"name":"tool_%d","description":"Does %d.","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i, i))
	}
	f.serve(on("tools/list", `{"tools":[`+strings.Join(list, ",")+`]}`))
}

const badTools = `{"tools":[
	{"name":"a","inputSchema":[]},{"name":"b"},{"name":"","inputSchema":{}},{"inputSchema":{}},17,null,"x",[],
	{"name":"c","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/nowhere"}}}},
	{"name":"d","inputSchema":{"type":17}},
	{"name":"e e!/ü","description":5,"inputSchema":{"type":"object"}},
	{"name":"f","inputSchema":{"type":"object","pattern":"("},"outputSchema":3},
	{"name":"echo","inputSchema":{"type":"object"}}]}`

const sameNames = `{"tools":[
	{"name":"echo","description":"one","inputSchema":{"type":"object"}},
	{"name":"echo","description":"two","inputSchema":{"type":"object"}},
	{"name":"echo.","inputSchema":{"type":"object"}},{"name":"echo!","inputSchema":{"type":"object"}}]}`

// stubborn serves well and ends at nothing but SIGKILL.
func (f *faulty) stubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	for {
		line, err := f.in.ReadBytes('\n')
		if err != nil {
			f.note("end of input")
			waitForEver()
		}
		var m message
		if json.Unmarshal(line, &m) == nil && m.ID != nil {
			f.reply(string(m.ID), right(m.Method))
		}
	}
}

// crlf ends its lines as another system does, and answers byte by byte.
func (f *faulty) crlf() {
	for {
		m := f.next()
		if m.ID == nil {
			continue
		}
		for _, b := range []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\r\n", m.ID, right(m.Method))) {
			_, _ = os.Stdout.Write([]byte{b})
		}
	}
}

// shouts refuses the handshake with harmful text that holds the secret it was
// given.
func (f *faulty) shouts() {
	words, _ := json.Marshal(shout(os.Getenv("API_TOKEN")))
	f.serve(on("initialize", `!{"code":-32603,"message":`+string(words)+`}`))
}
