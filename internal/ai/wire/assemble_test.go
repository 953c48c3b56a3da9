package wire_test

import (
	"runtime"
	"testing"

	openai "github.com/sashabaranov/go-openai"

	"voicegateway/internal/ai/wire"
)

// TestPuttingACallTogetherGrowsWithItsPieces demands that four times as many pieces
// of a call allocate about four times the memory, and not sixteen times. Every piece
// repeats the name, so that each might begin another call.
func TestPuttingACallTogetherGrowsWithItsPieces(t *testing.T) {
	allocated := func(pieces int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var calls wire.Calls
		for i := range pieces {
			piece := "1"
			if i == 0 {
				piece = `{"a":`
			}
			if err := calls.Add(openai.ToolCall{Function: openai.FunctionCall{Name: "tool", Arguments: piece}}); err != nil {
				t.Fatal(err)
			}
		}
		done := calls.List()
		runtime.ReadMemStats(&after)
		if len(done) != 1 || len(done[0].Args) != pieces+4 {
			t.Fatalf("%d calls came of %d pieces of one", len(done), pieces)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(1000), allocated(4000)
	if many > 8*few {
		t.Errorf("1,000 pieces allocate %d bytes and 4,000 allocate %d, over eight times as many", few, many)
	}
}
