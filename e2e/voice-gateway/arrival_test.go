package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// slowHouse has a shutter that takes twelve seconds, and a lamp that says that it is on and
// is not.
const slowHouse = `
home_id: 3237998099
nodes:
  - {id: 2, name: Kitchen Light, location: Kitchen, kind: switch}
  - {id: 3, name: Roller Shutter, location: Office, kind: shutter, values: {38-0-currentValue: 99}}
  - {id: 4, name: Bathroom Light, location: Bathroom, kind: switch, liar: true}
`

// TestWhatIsUnderWayIsToldAgain: a slow shutter is reported as moving. When its own report
// says that it is down, that is announced, and spoken in the room that asked. A lamp that
// was reported as done and is not is announced once, and its report is not trusted again.
func TestWhatIsUnderWayIsToldAgain(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	file := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(file, []byte(slowHouse), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, environ(t), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", broker, "--house", file)
	_, http, _ := daemon(t, broker, "VOICE_GATEWAY_GATEWAY_AREA=Office")
	stranger := listen(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	if err := stranger.Publish(t.Context(), "voice/test/cmd/ask", []byte(`{"id":"a1","text":"close the roller shutter","area":"office"}`)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the turn is told as under way", func() bool {
		return stranger.has("voice/test/turn", `"id":"a1"`, `"reason":"on_its_way"`, `"outcome":"accepted"`, "The roller shutter is on its way.")
	})
	if stranger.has("voice/test/state", "speaking") {
		t.Error("it speaks before the shutter is there")
	}
	eventually(t, "the shutter is announced", func() bool {
		return stranger.has("voice/test/announce", `"id":"a1"`, `"kind":"arrived"`, `"device":"Roller Shutter"`, "The roller shutter is closed.")
	})
	eventually(t, "it is spoken in the room", func() bool { return stranger.has("voice/test/state", "speaking") })
	if got := stranger.on("voice/test/announce"); len(got) != 1 {
		t.Errorf("announced %q", got)
	}
	if err := stranger.Publish(t.Context(), "voice/test/cmd/ask", []byte(`{"id":"a2","text":"turn on the bathroom light"}`)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "what was told as done is corrected", func() bool {
		return stranger.has("voice/test/turn", `"id":"a2"`, `"outcome":"done"`, "The bathroom light is on.") &&
			stranger.has("voice/test/announce", `"id":"a2"`, `"kind":"belied"`, `"device":"Bathroom Light"`, "The bathroom light did not come on after all.")
	})
	eventually(t, "its record is published anew", func() bool {
		return stranger.has("voice/test/turn", `"id":"a2"`, `"outcome":"failed"`, "The bathroom light did not come on after all.", `"reason":"unchanged"`)
	})
	if got := slices.DeleteFunc(stranger.on("voice/test/turn"), func(r string) bool { return !strings.Contains(r, `"id":"a2"`) }); len(got) != 2 {
		t.Errorf("the turn is published as %q", got)
	}
	if again := ask(t, http, "turn on the bathroom light"); confirmed(again) {
		t.Errorf("it is believed again: %q", again.Reply)
	}
	if reply := ask(t, http, "is the bathroom light on").Reply; reply != "No, the bathroom light is off." {
		t.Errorf("the answer was %q", reply)
	}
	if got := stranger.on("voice/test/announce"); len(got) != 2 {
		t.Errorf("announced %q", got)
	}
}
