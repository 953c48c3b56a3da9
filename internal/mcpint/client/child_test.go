package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/tools"
)

// TestMain lets the test binary be the server processes of the tests, too:
// "child MODE" runs one of children.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		if refusal, newest := newestRefusals[os.Args[2]]; newest {
			childNewest(refusal)
		} else {
			children[os.Args[2]]()
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// children are the server processes a test can start by mode, well-behaved ones
// and faulty ones.
var children = map[string]func(){
	"exit":      childExit,
	"garbage":   childGarbage,
	"orphan":    childOrphan,
	"wait":      waitForEver,
	"deaf":      childDeaf,
	"stubborn":  childStubborn,
	"schemas":   childSchemas,
	"pages":     childPages,
	"hangup":    childHangup,
	"gateway":   childGateway,
	"long-uris": childLongURIs,
	"announces": childAnnounces,
	"talks":     childTalks,
	"slow":      childSlow,
}

// child returns the settings of a server whose process runs the given mode of
// children.
func child(t *testing.T, id, mode string) mcpint.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpint.Server{ID: id, Command: self, Args: []string{"child", mode}, ConnectTimeout: 20 * time.Second}
}

func childGarbage() {
	fmt.Println("Welcome to the server!")
	fmt.Println(`{"jsonrpc":"2.0","id":77,"result":{}}`)
	fmt.Println("\n\n[]\n3\nnull\n\xff\xfe")
	echo := tools.New(tools.Spec{Name: "echo", Description: "Says it back."}, func(_ context.Context, a struct {
		Text string `json:"text"`
	},
	) (tools.Result, error) {
		return tools.Result{Text: a.Text}, nil
	})
	cfg := serve.Config{Name: "good", Version: "0", Tools: []tools.Tool{echo}, In: os.Stdin, Out: os.Stdout}
	if err := serve.Run(context.Background(), cfg, slog.New(slog.DiscardHandler)); err != nil {
		os.Exit(1)
	}
}

func childExit() {
	fmt.Fprintln(os.Stderr, "the MQTT broker at 127.0.0.1:1883 cannot be reached")
	os.Exit(3)
}

// answer speaks the protocol by hand: it answers the handshake itself, and every
// other request with the result that on returns.
func answer(on func(method string, id int64) (result string)) {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     int64  `json:"id"`
			Method string `json:"method"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == 0 {
			continue
		}
		result := `{}`
		if m.Method == "initialize" {
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"hand","version":"0"}}`
		} else if r := on(m.Method, m.ID); r != "" {
			result = r
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", m.ID, strings.NewReplacer("\n", "", "\t", "").Replace(result))
	}
}

const oneTool = `{"tools":[{"name":"act","inputSchema":{"type":"object"}}]}`

func listOne(method string) string {
	if method == "tools/list" {
		return oneTool
	}
	return ""
}

func waitForEver() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	<-c
}

// childOrphan dies in a call while a grandchild holds its pipes.
func childOrphan() {
	answer(func(method string, _ int64) string {
		if method == "tools/call" {
			self, _ := os.Executable()
			c := exec.Command(self, "child", "wait")
			c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
			if c.Start() == nil {
				os.Exit(5)
			}
		}
		return listOne(method)
	})
}

// childDeaf stops reading after the list, without ending.
func childDeaf() {
	answer(func(method string, id int64) string {
		if method == "tools/list" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", id, oneTool)
			waitForEver()
		}
		return ""
	})
}

func childStubborn() {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	answer(func(method string, _ int64) string { return listOne(method) })
	waitForEver()
}

func childSchemas() {
	answer(func(method string, _ int64) string {
		if method != "tools/list" {
			return `{"content":[{"type":"text","text":"ok"}]}`
		}
		return `{"tools":[
			{"name":"bad","inputSchema":[]},
			{"description":"no name"}, 17, null,
			{"name":"odd","description":5,"title":{},"annotations":"x","inputSchema":{"type":"object"}},
			{"name":"good","title":"Good","description":"A good one.","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}},
			 "annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}},
			{"name":"reader","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
			{"name":"bad","description":"another"}
		]}`
	})
}

func childPages() {
	n := 0
	answer(func(string, int64) string {
		n++
		return fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"c%d"}`, n, n)
	})
}

// childGateway is a host with a stubborn server, to be killed.
func childGateway() {
	self, _ := os.Executable()
	session, err := Dial(context.Background(), mcpint.Server{ID: "s", Command: self, Args: []string{"child", "stubborn"}}, Options{})
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(session.(Identified).PID())
	waitForEver()
}

// childHangup closes its output after the list and stays alive.
func childHangup() {
	answer(func(method string, id int64) string {
		if method == "tools/list" {
			fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", id, oneTool)
			_ = os.Stdout.Close()
			waitForEver()
		}
		return ""
	})
}

// patience returns a context with a time limit far beyond what anything here
// takes, even on a busy machine.
func patience(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute) // used in cleanups, too
	t.Cleanup(cancel)
	return ctx
}

// until polls until a condition holds that no event announces.
func until(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not reached", what)
		}
	}
}

// gone demands that no process of a group is left, not even a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	if pid == 0 {
		t.Error("no process id to look for")
		return
	}
	until(patience(t), t, fmt.Sprintf("the end of process group %d", pid), func() bool {
		return errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) || onlyForeignZombies(t, pid)
	})
}

// onlyForeignZombies reports whether all processes left in a group are zombies
// that are not our children: init reaps such orphans, which may take a while.
func onlyForeignZombies(t *testing.T, group int) bool {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // ended meanwhile
		}
		// After the name in brackets: state, parent, group.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) && (fields[0] != "Z" || fields[1] == strconv.Itoa(os.Getpid())) {
			return false
		}
	}
	return true
}

// childAnnounces announces without an end, once a call has come.
func childAnnounces() {
	answer(func(method string, _ int64) string {
		if method != "tools/call" {
			return ""
		}
		for {
			if _, err := fmt.Println(changedNotice); err != nil {
				os.Exit(1)
			}
		}
	})
}

const changedNotice = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// childLongURIs lists resources with short and with very long addresses, and
// announces changes of some of them during a call.
func childLongURIs() {
	answer(func(method string, _ int64) string {
		switch method {
		case "resources/list":
			list := []string{`{"uri":"test://` + strings.Repeat("x", 1<<20) + `"}`}
			for i := range 5000 {
				list = append(list, fmt.Sprintf(`{"uri":"test://%d"}`, i))
			}
			return `{"resources":[` + strings.Join(list, ",") + `]}`
		case "tools/call":
			for _, uri := range []string{strings.Repeat("x", 1<<20), "short"} {
				fmt.Printf(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://%s"}}`+"\n", uri)
			}
			return `{"content":[{"type":"text","text":"announced"}]}`
		}
		return ""
	})
}
