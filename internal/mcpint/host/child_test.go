package host

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"voicegateway/internal/ground/order"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/tools"
)

// TestMain lets the test binary be the server processes of the tests, too:
// "child MODE [ARGS]" runs one of children.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		children[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	if len(os.Args) > 4 && os.Args[1] == "fault" {
		faultServer(os.Args[2:])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// children are the server processes a test can start by mode, well-behaved ones
// and faulty ones.
var children = map[string]func(args []string){
	"good":     func([]string) { serveGood() },
	"exit":     childExit,
	"talks":    func([]string) { fmt.Fprintln(os.Stderr, "\x1b[1mhello\nthe house is known"); serveGood() },
	"flaky":    childFlaky,
	"slow":     childSlow,
	"mute":     func([]string) { _, _ = io.Copy(io.Discard, os.Stdin) },
	"stubborn": childStubborn,
	"endless":  childEndless,
	"counts":   func([]string) { serveCounts(serve.Config{In: os.Stdin, Out: os.Stdout}) },
	"web":      func(args []string) { serveCounts(serve.Config{HTTPAddr: args[0]}) },
}

// child returns the settings of a server whose process runs the given mode of
// children.
func child(t *testing.T, id, mode string, args ...string) mcpint.Server {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpint.Server{ID: id, Trust: mcpint.TrustFull, Command: self, Args: append([]string{"child", mode}, args...), ConnectTimeout: 20 * time.Second}
}

// serveCounts is a server whose tool answers how many calls came before this one.
func serveCounts(cfg serve.Config) {
	count := 0
	cfg.Name, cfg.Version = "counts", "1"
	cfg.Tools = []tools.Tool{tools.New(tools.Spec{Name: "count", Description: "Counts.", Risk: tools.Reversible}, func(ctx context.Context, _ struct{}) (tools.Result, error) {
		if err := order.From(ctx).Await(ctx); err != nil {
			return tools.Result{}, err
		}
		count++
		return tools.Result{Text: strconv.Itoa(count)}, nil
	})}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := serve.Run(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, nil))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serveGood is a complete server of our own.
func serveGood() {
	changed := make(chan struct{}, 1)
	version := 1
	type text struct {
		Text string `json:"text"`
	}
	list := []tools.Tool{
		tools.New(tools.Spec{
			Name: "echo", Description: "Says it back.", Risk: tools.Read,
			Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`),
		}, func(_ context.Context, a text) (tools.Result, error) {
			return tools.Result{Text: a.Text, Data: json.RawMessage(`{"said":` + strconv.Quote(a.Text) + `}`), PublishedAt: publishTime}, nil
		}),
		tools.New(tools.Spec{Name: "change", Description: "Changes the house.", Risk: tools.Reversible}, func(context.Context, struct{}) (tools.Result, error) {
			version++
			changed <- struct{}{}
			return tools.Result{Text: "changed"}, nil
		}),
		tools.New(tools.Spec{Name: "environment", Description: "Lists its environment."}, func(context.Context, struct{}) (tools.Result, error) {
			return tools.Result{Text: strings.Join(os.Environ(), "\n")}, nil
		}),
		tools.New(tools.Spec{Name: "wait", Description: "Waits until it is cancelled."}, func(ctx context.Context, _ struct{}) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}),
		tools.New(tools.Spec{Name: "die", Description: "Ends the process."}, func(context.Context, struct{}) (tools.Result, error) {
			fmt.Fprintln(os.Stderr, "\x1b[31mfatal:\x1b[0m out of luck")
			os.Exit(7)
			return tools.Result{}, nil
		}),
	}
	house := serve.Resource{URI: "test://home", Name: "the house", MIMEType: "application/json", Changed: changed, Read: func(context.Context) ([]byte, error) {
		return fmt.Appendf(nil, `{"version":%d}`, version), nil
	}}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := serve.Run(ctx, serve.Config{Name: "good", Version: "1.2.3", Tools: list, Resources: []serve.Resource{house}, In: os.Stdin, Out: os.Stdout}, log)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var publishTime = time.Date(2025, 1, 2, 3, 4, 5, 678901000, time.UTC)

func childExit([]string) {
	fmt.Fprintln(os.Stderr, "the MQTT broker at 127.0.0.1:1883 cannot be reached")
	os.Exit(3)
}

// childFlaky exits at each start before the nth; a file counts the starts.
func childFlaky(args []string) {
	starts, _ := os.ReadFile(args[0])
	if err := os.WriteFile(args[0], append(starts, '.'), 0o600); err != nil {
		os.Exit(9)
	}
	if n, _ := strconv.Atoi(args[1]); len(starts)+1 < n {
		childExit(nil)
	}
	serveGood()
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
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"hand","version":"0"}}`
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

func childStubborn([]string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	answer(func(method string, _ int64) string { return listOne(method) })
	waitForEver()
}

func childEndless([]string) {
	answer(func(method string, _ int64) string {
		if method == "tools/list" {
			flood := []byte(strings.Repeat("x", 1<<20))
			for {
				if _, err := os.Stdout.Write(flood); err != nil {
					os.Exit(1)
				}
			}
		}
		return ""
	})
}

// served is a server with a dimmer.
func served() serve.Config {
	type dim struct {
		Level int `json:"level"`
	}
	spec := tools.Spec{
		Name: "dim", Title: "DIM", Description: "Does dim.", Risk: tools.Reversible, Idempotent: true,
		Input: json.RawMessage(`{"type":"object","properties":{"level":{"type":"integer","minimum":0,"maximum":99}},"required":["level"],"additionalProperties":false}`),
	}
	return serve.Config{
		Name: "test", Version: "1.0",
		Tools: []tools.Tool{tools.New(spec, func(_ context.Context, d dim) (tools.Result, error) {
			return tools.Result{Text: fmt.Sprintf("Level %d.", d.Level), Data: json.RawMessage(`{"outcome":"confirmed"}`), PublishedAt: publishTime}, nil
		})},
	}
}
