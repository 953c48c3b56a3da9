package client

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// answering answers each line of requests with the same result, over pipes.
func answering(result string) (toUs io.Reader, fromUs io.WriteCloser) {
	read, fromUs := io.Pipe()
	toUs, write := io.Pipe()
	go func() {
		lines := bufio.NewReader(read)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				_ = write.Close()
				return
			}
			var head struct {
				ID int64 `json:"id"`
			}
			_ = json.Unmarshal(line, &head)
			_, _ = io.WriteString(write, `{"jsonrpc":"2.0","id":`+strconv.FormatInt(head.ID, 10)+`,"result":`+result+"}\n")
		}
	}()
	return toUs, fromUs
}

// codec is the smallest client of JSON-RPC by lines: what one of our own would cost.
type codec struct {
	mu      sync.Mutex
	out     io.Writer
	last    atomic.Int64
	waiting map[int64]chan json.RawMessage
}

func (c *codec) read(in io.Reader) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var answer struct {
			ID     int64           `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
		}
		if json.Unmarshal(line, &answer) != nil || answer.Method != "" {
			continue
		}
		c.mu.Lock()
		ch := c.waiting[answer.ID]
		delete(c.waiting, answer.ID)
		c.mu.Unlock()
		if ch != nil {
			ch <- answer.Result
		}
	}
}

func (c *codec) request(method string, params any) (json.RawMessage, error) {
	id, ch := c.last.Add(1), make(chan json.RawMessage, 1)
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.waiting[id] = ch
	_, err = c.out.Write(append(line, '\n'))
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return <-ch, nil
}

// BenchmarkCodec compares a request through the library's transport with one
// through the smallest codec of our own, over the same pipes.
func BenchmarkCodec(b *testing.B) {
	for name, result := range map[string]string{
		"small": `{"content":[{"type":"text","text":"hello"}]}`,
		"64KB":  `{"content":[{"type":"text","text":"` + strings.Repeat("x", 64<<10) + `"}]}`,
	} {
		params := callParams{Name: "echo", Arguments: json.RawMessage(`{"text":"hello"}`), Meta: callMeta{1}}
		b.Run("library/"+name, func(b *testing.B) {
			in, out := answering(result)
			defer out.Close()
			t := transport.NewIO(in, out, io.NopCloser(strings.NewReader("")))
			if err := t.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			var id int64
			b.ReportAllocs()
			for b.Loop() {
				id++
				if _, err := t.SendRequest(b.Context(), transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Method: "tools/call", Params: params}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("own/"+name, func(b *testing.B) {
			in, out := answering(result)
			defer out.Close()
			c := &codec{out: out, waiting: map[int64]chan json.RawMessage{}}
			go c.read(in)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.request("tools/call", params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
