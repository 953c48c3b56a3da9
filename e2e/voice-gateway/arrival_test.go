package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"voicegateway/internal/record"
)

// slowHouse has a shutter that takes twelve seconds.
const slowHouse = `
home_id: 3237998099
nodes:
  - {id: 2, name: Kitchen Light, location: Kitchen, kind: switch}
  - {id: 3, name: Roller Shutter, location: Office, kind: shutter, values: {38-0-currentValue: 99}}
`

// TestWhatIsUnderWayIsToldAgain: a slow shutter is told as under way, and announced
// when it is down by its own report.
func TestWhatIsUnderWayIsToldAgain(t *testing.T) {
	t.Parallel()
	broker := mosquitto(t)
	file := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(file, []byte(slowHouse), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, environ(t), filepath.Join(bin, "zwave-mcp-server"), "simulate", "--broker", broker, "--house", file)
	_, http, _ := daemon(t, broker)
	stranger := listen(t, broker)
	eventually(t, "the light obeys", func() bool { return confirmed(ask(t, http, "turn on the kitchen light")) })
	r := ask(t, http, "close the roller shutter")
	if r.Outcome != record.Accepted || r.Reply != "The roller shutter is on its way." {
		t.Fatalf("it ends %s with %q (%s), %+v", r.Outcome, r.Reply, r.Error, r.Calls)
	}
	eventually(t, "the shutter is announced", func() bool {
		return stranger.has("voice/test/announce", `"id":"`+r.ID+`"`, `"kind":"arrived"`, `"device":"Roller Shutter"`, "The roller shutter is closed.")
	})
	if got := stranger.on("voice/test/announce"); len(got) != 1 {
		t.Errorf("announced %q", got)
	}
}
