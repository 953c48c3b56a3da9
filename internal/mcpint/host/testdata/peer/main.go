// Peer does with our MCP host what scripts/langchain/client.mjs does with
// LangChain's client, and is the server that both of them work with. It is a
// program of its own because a test binary spends a start on the tables of its
// tests, which would be counted as ours. It is also the client that the MCP
// conformance suite judges.
//
//	peer serve   an MCP server over stdio
//	peer WORK    does the work, which is JSON, and prints the figures
//	peer URL     connects to the suite's server and uses what it offers
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
	"voicegateway/internal/mcpint/host"
	"voicegateway/internal/mcpint/serve"
	"voicegateway/internal/tools"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: peer serve|WORK|URL")
		os.Exit(2)
	}
	var err error
	switch what := os.Args[1]; {
	case what == "serve":
		err = answer()
	case strings.HasPrefix(what, "http://"):
		err = use(what)
	default:
		err = connect(what)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answer is the server: seventeen tools, one of which returns its argument.
func answer() error {
	type text struct {
		Text string `json:"text"`
	}
	var list []tools.Tool
	for i := range 17 {
		name := "echo"
		if i > 0 {
			name += strconv.Itoa(i)
		}
		list = append(list, tools.New(tools.Spec{
			Name: name, Description: "Says it back.", Risk: tools.Read,
			Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`),
		}, func(_ context.Context, a text) (tools.Result, error) { return tools.Result{Text: a.Text}, nil }))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return serve.Run(ctx, serve.Config{Name: "peer", Version: "1", Tools: list, In: os.Stdin, Out: os.Stdout}, slog.New(slog.DiscardHandler))
}

// use connects to the server of a conformance scenario, and calls its tools once.
func use(url string) error {
	reg := tools.NewRegistry()
	server := mcpint.Server{ID: "suite", Trust: mcpint.TrustFull, Transport: "http", URL: url, ConnectTimeout: 25 * time.Second, CallTimeout: 10 * time.Second}
	// Scenarios of the newest revision watch the first request, too; the others say
	// themselves what they speak.
	if version := os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION"); version == "2026-07-28" {
		server.Protocol = version
	}
	var err error
	if server.Auth, err = credentials(); err != nil {
		return err
	}
	retry := host.DefaultRetry()
	retry.Attempts = 2 // a scenario that refuses us keeps refusing
	h, err := host.New(host.Config{Servers: []mcpint.Server{server}, Retry: retry, Options: client.Options{Name: "voice-gateway", Version: "0"}}, reg, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 28*time.Second) // the suite gives 30 s, and starts fifty of us at once
	var running sync.WaitGroup
	running.Go(func() { _ = h.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if err := reg.Await(ctx); err != nil {
		return err
	}
	if h.Overall() != "full" {
		return errors.New("no connection")
	}
	schemas := map[string]json.RawMessage{}
	for _, spec := range reg.Specs() {
		schemas[spec.Name] = spec.Input
	}
	wanted, err := wantedCalls()
	if err != nil {
		return err
	}
	if wanted == nil {
		for name, schema := range schemas {
			wanted = append(wanted, wantedCall{name, filled(schema, schemas)})
		}
	}
	for _, call := range wanted {
		name, args := call.Name, call.Arguments
		r, err := reg.Call(ctx, tools.Call{Tool: name, Args: args})
		fmt.Fprintf(os.Stderr, "%s %s: %s %v\n", name, args, r.Text, err)
	}
	return nil
}

// credentials returns what a scenario gives a client that needs no person; other scenarios
// with a secret want a browser.
func credentials() (mcpint.Auth, error) {
	var scenario struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
		Key    string `json:"private_key_pem"`
	}
	if !strings.HasPrefix(os.Getenv("MCP_CONFORMANCE_SCENARIO"), "auth/client-credentials") {
		return mcpint.Auth{}, nil
	}
	if err := json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &scenario); err != nil {
		return mcpint.Auth{}, fmt.Errorf("reading the scenario: %w", err)
	}
	return mcpint.Auth{ClientID: scenario.ID, ClientSecret: scenario.Secret, PrivateKey: scenario.Key}, nil
}

// wantedCall is a call that a scenario wants.
type wantedCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// wantedCalls returns the calls that the scenario lists, nil if it lists none.
func wantedCalls() ([]wantedCall, error) {
	var scenario struct {
		ToolCalls []wantedCall `json:"toolCalls"`
	}
	text := os.Getenv("MCP_CONFORMANCE_CONTEXT")
	if text == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(text), &scenario); err != nil {
		return nil, fmt.Errorf("reading the scenario: %w", err)
	}
	return scenario.ToolCalls, nil
}

// filled returns arguments with all that a schema demands. A schema is demanded by
// the suite's echo alone, which wants that of its other tool.
func filled(schema json.RawMessage, schemas map[string]json.RawMessage) json.RawMessage {
	var object struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(schema, &object) // a schema that is not an object demands nothing
	args := map[string]any{}
	for _, name := range object.Required {
		switch object.Properties[name].Type {
		case "number", "integer":
			args[name] = 5
		case "boolean":
			args[name] = true
		case "object":
			args[name] = schemas["json_schema_2020_12_tool"]
		default:
			args[name] = "text"
		}
	}
	text, _ := json.Marshal(args) // of what can be written
	return text
}

// work says what a measured MCP client has to do with a server over stdio.
type work struct {
	Command   string          `json:"command"`
	Args      []string        `json:"args"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Warm      int             `json:"warm"`  // calls that are not measured
	Calls     int             `json:"calls"` // one after the other
	Parallel  int             `json:"parallel"`
	Together  int             `json:"together"` // calls, so many at once
}

// figures are the measurements of one client's work: times in nanoseconds, memory
// in bytes.
type figures struct {
	Cold     float64 `json:"-"` // from the start of the client's process to the tools
	Connect  float64 `json:"connect"`
	P50      float64 `json:"p50"`
	P99      float64 `json:"p99"`
	Parallel float64 `json:"parallel"` // one of those made together
	Idle     float64 `json:"idle"`
	After    float64 `json:"after"`
}

// connect has our host do the work, and prints what client.mjs prints.
func connect(text string) error {
	var w work
	if err := json.Unmarshal([]byte(text), &w); err != nil {
		return err
	}
	var f figures
	begin := time.Now()
	reg := tools.NewRegistry()
	server := mcpint.Server{ID: "s", Trust: mcpint.TrustFull, Command: w.Command, Args: w.Args}
	h, err := host.New(host.Config{Servers: []mcpint.Server{server}, Retry: host.DefaultRetry(), Options: client.Options{Name: "bench", Version: "0"}}, reg, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = h.Run(ctx) })
	defer running.Wait()
	defer cancel()
	if err := reg.Await(ctx); err != nil {
		return err
	}
	f.Connect = float64(time.Since(begin))
	fmt.Printf("tools %d\n", len(reg.Specs()))
	f.Idle = residentBytes()
	if err := w.calls(ctx, reg, &f); err != nil {
		return err
	}
	f.After = residentBytes()
	return json.NewEncoder(os.Stdout).Encode(f)
}

// calls makes the calls and measures them.
func (w work) calls(ctx context.Context, reg *tools.Registry, f *figures) error {
	call := func() error {
		r, err := reg.Call(ctx, tools.Call{Tool: w.Tool, Args: w.Arguments})
		if err == nil && r.Failed {
			err = errors.New(r.Text)
		}
		return err
	}
	var took []time.Duration
	for i := range w.Warm + w.Calls {
		begin := time.Now()
		if err := call(); err != nil {
			return err
		}
		if i >= w.Warm {
			took = append(took, time.Since(begin))
		}
	}
	slices.Sort(took)
	f.P50, f.P99 = float64(took[len(took)/2]), float64(took[len(took)*99/100])
	var left atomic.Int64
	left.Store(int64(w.Together))
	var calling sync.WaitGroup
	failed := make(chan error, w.Parallel)
	begin := time.Now()
	for range w.Parallel {
		calling.Go(func() {
			for left.Add(-1) >= 0 {
				if err := call(); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	calling.Wait()
	f.Parallel = float64(time.Since(begin)) / float64(w.Together)
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// residentBytes returns the resident memory of this process.
func residentBytes() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kb, _ := strconv.ParseFloat(strings.Fields(rest + " 0")[0], 64)
	return kb * 1024
}
