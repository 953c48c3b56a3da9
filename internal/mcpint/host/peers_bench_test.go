package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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

// timed has a program do the work.
func timed(ctx context.Context, w work, program string, args ...string) (figures, error) {
	var f figures
	text, err := json.Marshal(w)
	if err != nil {
		return f, err
	}
	cmd := exec.CommandContext(ctx, program, append(args, string(text))...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return f, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return f, err
	}
	lines := bufio.NewReader(stdout)
	first, err := lines.ReadString('\n')
	f.Cold = float64(time.Since(begin))
	rest, _ := io.ReadAll(lines) // a missing figure shows below
	if err := errors.Join(err, cmd.Wait(), json.Unmarshal(rest, &f)); err != nil {
		return f, fmt.Errorf("%s: %w\n%s%s%s", program, err, first, rest, errs.String())
	}
	if first != "tools 17\n" {
		return f, fmt.Errorf("%s found %q, expected 17 tools", program, first)
	}
	return f, nil
}

// langchain installs LangChain's client if it is not there, and returns how it is
// run. Without npm the benchmark is not run.
func langchain(b *testing.B) (node, script string) {
	b.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		b.Skip("not run: node is missing")
	}
	cmd := exec.CommandContext(b.Context(), "../../../scripts/peers.sh", "langchain")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Skipf("not run: LangChain's client cannot be installed: %v", err)
	}
	dir := strings.TrimSpace(string(out))
	return filepath.Join(dir, "node_modules", ".bin", "peer-node"), filepath.Join(dir, "client.mjs")
}

// peerProgram builds our side of the comparison, and the server of both.
func peerProgram(b *testing.B) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "peer")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-trimpath", "-o", path, "./testdata/peer").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return path
}

// BenchmarkPeer has LangChain's MultiServerMCPClient and our host do the same
// work with the same server, in turns, nine times. A ratio above one is in our
// favour; the range over the rounds shows how reliable it is.
func BenchmarkPeer(b *testing.B) {
	const rounds = 9
	node, script := langchain(b)
	peer := peerProgram(b)
	w := work{
		Command: peer, Args: []string{"serve"}, Tool: "echo", Arguments: json.RawMessage(`{"text":"hello"}`),
		Warm: 50, Calls: 1000, Parallel: 16, Together: 4000,
	}
	var ours, theirs []figures
	for b.Loop() {
		ours, theirs = nil, nil
		for range rounds {
			f, err := timed(b.Context(), w, peer)
			if err != nil {
				b.Fatal(err)
			}
			ours = append(ours, f)
			if f, err = timed(b.Context(), w, node, script); err != nil {
				b.Fatal(err)
			}
			theirs = append(theirs, f)
		}
	}
	for name, of := range map[string]func(figures) float64{
		"cold": func(f figures) float64 { return f.Cold }, "connect": func(f figures) float64 { return f.Connect },
		"call-p50": func(f figures) float64 { return f.P50 }, "call-p99": func(f figures) float64 { return f.P99 },
		"parallel": func(f figures) float64 { return f.Parallel },
		"idle":     func(f figures) float64 { return f.Idle }, "after": func(f figures) float64 { return f.After },
	} {
		var mine, other, ratio []float64
		for i := range ours {
			mine, other = append(mine, of(ours[i])), append(other, of(theirs[i]))
			ratio = append(ratio, other[i]/mine[i])
		}
		b.ReportMetric(middle(mine), name+"-ours")
		b.ReportMetric(middle(other), name+"-langchain")
		b.ReportMetric(middle(ratio), name+"-ratio")
		b.ReportMetric(slices.Min(ratio), name+"-ratio-low")
		b.ReportMetric(slices.Max(ratio), name+"-ratio-high")
	}
	b.ReportMetric(0, "ns/op") // how long it took in all says nothing
}

// middle returns the median.
func middle(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }
