package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "voicegateway/internal/fake/bubble"
)

const module = "voicegateway/"

// anything marks the assembly, which wires every part.
const anything = "*"

// room is one folder of internal/: which rooms below it its packages may use, and for
// each of its packages which others of the room.
type room struct {
	name, about string
	uses        []string
	packages    map[string][]string
}

// rooms is the picture in docs/ARCHITECTURE.md as a table, from the ground up. A room
// uses only rooms that stand before it in the table. A package that is missing here fails
// the test, so a new one is a decision, and a new room a larger one. Names are below
// internal/.
var rooms = []room{
	{"language", "the words of each language, numbers, templates, and how texts are compared", []string{}, map[string][]string{
		"language":           {},
		"language/numbers":   {"language/sentences"},
		"language/sentences": {},
		"language/speech":    {},
		"language/template":  {"language/text"},
		"language/text":      {},
	}},
	{"ground", "pieces of the world that any part may need: processes, HTTP, MQTT, configuration", []string{"language"}, map[string][]string{
		"ground":           {},
		"ground/broker":    {"ground/httpguard"},
		"ground/config":    {"ground/secret"},
		"ground/httpguard": {"ground/order"},
		"ground/mqtt":      {"ground/httpguard", "ground/reconnect"},
		"ground/order":     {},
		"ground/process":   {},
		"ground/reconnect": {},
		"ground/secret":    {},
		"ground/systemd":   {},
		"ground/trust":     {},
		"ground/worker":    {"ground/process", "ground/reconnect"},
	}},
	{"audio", "sound: frames, clips, devices, short sounds, recordings", []string{"ground"}, map[string][]string{
		"audio":        {},
		"audio/device": {"audio"},
		"audio/earcon": {"audio"},
		"audio/file":   {"audio"},
	}},
	{"tools", "what can be called, what came of a call, and the tools that need no server", []string{"language", "ground"}, map[string][]string{
		"tools":       {},
		"tools/local": {"tools"},
	}},
	{"home", "areas, things, what is dangerous, what houses report, and the form in which they are offered", []string{"language", "tools"}, map[string][]string{
		"home":        {},
		"home/events": {"home"},
		"home/form":   {"home"},
	}},
	{"keep", "what is on disk, and what it is about: turns, timers, marks, recordings", []string{"language", "ground", "audio", "tools", "home"}, map[string][]string{
		"keep":          {},
		"keep/family":   {"keep", "keep/record"},
		"keep/record":   {},
		"keep/recorder": {"keep/record"},
		"keep/timers":   {},
	}},
	{"intent", "a text to what is meant, and what came of it to a sentence; no I/O", []string{"language", "tools", "home"}, map[string][]string{
		"intent":           {"intent/catalogue", "intent/mood", "intent/names"},
		"intent/catalogue": {},
		"intent/choosing":  {},
		"intent/doubt":     {"intent", "intent/catalogue", "intent/choosing", "intent/plan", "intent/reply"},
		"intent/grammar":   {"intent", "intent/catalogue", "intent/names"},
		"intent/learn":     {"intent", "intent/catalogue", "intent/reader"},
		"intent/mood":      {},
		"intent/names":     {},
		"intent/plan":      {"intent", "intent/catalogue"},
		"intent/reader":    {"intent", "intent/catalogue", "intent/mood", "intent/names"},
		"intent/reply":     {"intent", "intent/catalogue", "intent/plan"},
		"intent/smalltalk": {"intent", "intent/names"},
	}},
	{"mind", "what is meant to what is done and said", []string{"language", "ground", "tools", "home", "keep", "intent"}, map[string][]string{
		"mind":            {"mind/calling", "mind/dialogue", "mind/errand", "mind/followup", "mind/guard", "mind/past"},
		"mind/announce":   {},
		"mind/arrival":    {},
		"mind/calling":    {},
		"mind/dialogue":   {},
		"mind/errand":     {"mind/dialogue"},
		"mind/followup":   {"mind/past"},
		"mind/guard":      {},
		"mind/house":      {},
		"mind/lessons":    {"mind/followup"},
		"mind/past":       {},
		"mind/replay":     {"mind", "mind/dialogue", "mind/guard", "mind/house", "mind/lessons"},
		"mind/timekeeper": {"mind/guard"},
	}},
	{"mcpint", "MCP: our side of servers of others, and our own servers", []string{"ground", "tools", "home", "mind"}, map[string][]string{
		"mcpint":             {},
		"mcpint/client":      {"mcpint"},
		"mcpint/host":        {"mcpint", "mcpint/client"},
		"mcpint/houseserver": {"mcpint/serve"},
		"mcpint/reach":       {"mcpint", "mcpint/host"},
		"mcpint/serve":       {},
	}},
	{"zwave", "the Z-Wave house behind MQTT", []string{"language", "ground", "tools", "home", "mcpint"}, map[string][]string{
		"zwave":       {"zwave/wire"},
		"zwave/serve": {"zwave", "zwave/sim", "zwave/wire"},
		"zwave/sim":   {"zwave/wire"},
		"zwave/wire":  {},
	}},
	{"hass", "the house behind Home Assistant", []string{"language", "ground", "tools", "home", "mcpint"}, map[string][]string{
		"hass":        {"hass/socket"},
		"hass/serve":  {"hass", "hass/socket"},
		"hass/socket": {},
	}},
	{"ai", "the language model", []string{"language", "ground", "tools", "home", "keep", "mind"}, map[string][]string{
		"ai":          {"ai/filter", "ai/offer", "ai/sentence", "ai/wire"},
		"ai/filter":   {},
		"ai/offer":    {},
		"ai/sentence": {},
		"ai/wire":     {},
	}},
	{"ear", "sound to text, and text to sound", []string{"language", "ground", "audio", "tools", "home", "keep", "intent", "mind"}, map[string][]string{
		"ear":           {},
		"ear/denoise":   {},
		"ear/endpoint":  {},
		"ear/harness":   {"ear/stt"},
		"ear/micro":     {},
		"ear/moonshine": {},
		"ear/mute":      {},
		"ear/names":     {"ear/harness", "ear/rival", "ear/stt"},
		"ear/openai":    {},
		"ear/rival":     {},
		"ear/sphinx":    {},
		"ear/stt":       {"ear/denoise", "ear/endpoint", "ear/moonshine", "ear/openai", "ear/rival", "ear/sphinx", "ear/wyoming"},
		"ear/tts":       {"ear/openai", "ear/wyoming"},
		"ear/vad":       {"ear/micro"},
		"ear/wake":      {"ear/micro", "ear/sphinx", "ear/wyoming"},
		"ear/wakes":     {"ear/harness", "ear/micro", "ear/vad"},
		"ear/wyoming":   {},
	}},
	{"doors", "how other programs and pages reach the gateway: HTTP, MQTT, metrics, Home Assistant", []string{"language", "ground", "audio", "tools", "home", "keep", "mcpint", "ear"}, map[string][]string{
		"doors":           {},
		"doors/console":   {},
		"doors/discovery": {},
		"doors/display":   {"doors", "doors/httpapi", "doors/page"},
		"doors/httpapi":   {"doors"},
		"doors/metrics":   {},
		"doors/mqttapi":   {"doors"},
		"doors/page":      {"doors"},
	}},
	{"gateway", "builds all parts and runs them", []string{anything}, map[string][]string{
		"gateway": {},
	}},
	{"care", "set-up, doctor, configuration, laboratory and demonstration: used by day", []string{"configs", "language", "ground", "audio", "tools", "home", "keep", "intent", "mind", "mcpint", "zwave", "hass", "ear", "doors", "gateway"}, map[string][]string{
		"care":            {},
		"care/configure":  {},
		"care/demo":       {"care/stage"},
		"care/doctor":     {"care/configure"},
		"care/housecheck": {},
		"care/lab":        {"care/stage"},
		"care/models":     {},
		"care/packaging":  {},
		"care/setup":      {"care/configure", "care/doctor"},
		"care/stage":      {},
	}},
	{"cli", "commands: flags in, calls, words out", []string{anything}, map[string][]string{
		"cli": {},
	}},
}

// roomless are our packages that stand in no room, with the rooms and packages that they
// may import. They are above all rooms, but for the shipped configurations, which import
// nothing.
var roomless = map[string][]string{
	"configs":                       {},
	"cmd/voice-gateway":             {"cli"},
	"cmd/zwave-mcp-server":          {"zwave/serve"},
	"cmd/home-assistant-mcp-server": {"hass/serve"},
	"scripts/learn":                 {"intent", "intent/learn", "intent/reader"},
	"scripts/packaging":             {"care/packaging", "cli", "configs", "hass/serve", "zwave/serve"},
	"e2e/rig":                       {"fake", "ground/mqtt", "zwave/sim"},
	"fake":                          {anything},
	"fake/bubble":                   {},
}

// forTests are the packages that no program may contain: stand-ins, and what tests of
// whole programs stand on.
var forTests = []string{"e2e/rig", "fake", "fake/bubble"}

// pure are the packages without a part of the world in them: they import no package of
// ours but pure ones, and nothing of the system but what computes.
var pure = []string{
	"ai/filter", "ai/offer", "ai/sentence", "audio", "audio/earcon", "configs", "ear/rival",
	"ground/order", "ground/secret", "home", "home/form", "intent", "intent/catalogue", "intent/choosing", "intent/doubt",
	"intent/grammar", "intent/learn", "intent/mood", "intent/names", "intent/plan",
	"intent/reader", "intent/reply", "intent/smalltalk", "keep/record", "keep/timers", "language/numbers", "language/sentences",
	"language/speech", "language/template", "language/text", "mind/dialogue",
	"mind/errand", "mind/followup", "mind/guard", "mind/past", "tools",
}

// impure is what no pure package imports: files, processes, the network.
var impure = []string{"net", "net/http", "os", "os/exec", "os/signal", "syscall"}

// homes is the one place for each library; others reach it through
// that package's own interface. A path counts with everything below it.
var homes = map[string][]string{
	"github.com/eclipse/paho.mqtt.golang": {"ground/mqtt"},
	"github.com/mochi-mqtt/server":        {"ground/broker", "ground/mqtt"}, // mqtt: its packets of MQTT 5
	"github.com/mark3labs/mcp-go":         {"mcpint/client", "mcpint/serve"},
	"golang.org/x/oauth2":                 {"mcpint/client"},
	"github.com/gorilla/websocket":        {"hass/socket", "fake"},
	"github.com/golang-jwt/jwt":           {"mcpint/client"},
	"github.com/sashabaranov/go-openai":   {"ai", "ai/wire", "ear/openai"},
	"github.com/gordonklaus/portaudio":    {"audio/device"},
	"github.com/yalue/onnxruntime_go":     {"ear/moonshine"},
	"github.com/google/renameio":          {"keep"},
	"github.com/coreos/go-systemd":        {"ground/systemd"},
	"github.com/prometheus/client_golang": {"doors/metrics"},
	"github.com/hashicorp/mdns":           {"care/setup"},
	"github.com/nathan-osman/go-sunrise":  {"keep/timers"},
	"golang.org/x/term":                   {"doors/console", "care/setup"},
	"github.com/spf13/cobra":              {"cli", "care/packaging", "hass/serve", "mcpint/houseserver", "scripts/packaging", "zwave/serve"},
	"github.com/CycloneDX/cyclonedx-go":   {"care/packaging"},
	"C":                                   {"audio/device", "ear/moonshine", "ear/sphinx"},
	"os/exec":                             {"ground/process", "fake", "e2e/rig"}, /* tests build and start the programs */
	"testing":                             {"fake", "e2e/rig"},
}

type goPackage struct {
	ImportPath   string
	GoFiles      []string
	CgoFiles     []string
	Imports      []string // those of the program, not of its tests
	TestImports  []string // those of its tests
	XTestImports []string // those of its tests in a package of their own
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		if !isKnown(name) {
			t.Errorf("package %s is not in the table of internal/arch_test.go: decide in which room it stands, and add it", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if ours := short(imported); strings.HasPrefix(imported, module) && !mayImport(name, ours) {
				t.Errorf("%s imports %s, which the table of internal/arch_test.go does not allow", name, ours)
			}
			if slices.Contains(forTests, short(imported)) && !slices.Contains(forTests, name) {
				t.Errorf("%s imports %s, which is for tests alone", name, short(imported))
			}
			if library, places := homeOf(imported); places != nil && !slices.Contains(places, name) {
				t.Errorf("%s imports %s, whose home is %s", name, library, strings.Join(places, ", "))
			}
		}
	}
}

// TestPurePackagesStayPure finds a part of the world in a package that has none.
func TestPurePackagesStayPure(t *testing.T) {
	t.Parallel()
	found := 0
	for _, p := range packages(t) {
		name := short(p.ImportPath)
		if !slices.Contains(pure, name) {
			continue
		}
		found++
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) && !slices.Contains(pure, short(imported)) {
				t.Errorf("%s is pure and imports %s, which is not", name, short(imported))
			}
			if slices.Contains(impure, imported) {
				t.Errorf("%s is pure and imports %s", name, imported)
			}
		}
	}
	if found != len(pure) {
		t.Errorf("%d of the %d pure packages exist", found, len(pure))
	}
}

// TestVirtualTimeIsSafe finds tests in virtual time that can crash the race detector.
func TestVirtualTimeIsSafe(t *testing.T) {
	t.Parallel()
	const virtual, safe = "testing/synctest", module + "internal/fake/bubble"
	for _, p := range packages(t) {
		imported := slices.Concat(p.TestImports, p.XTestImports)
		if p.ImportPath != safe && slices.Contains(imported, virtual) && !slices.Contains(imported, safe) {
			t.Errorf("the tests of %s import %s, so one of their files has to import %s for its effect", p.ImportPath, virtual, safe)
		}
	}
}

// A table with an arrow that points up would make the picture a lie.
func TestTheTableItself(t *testing.T) {
	t.Parallel()
	below := []string{anything, "configs"}
	for _, r := range rooms {
		for _, used := range r.uses {
			if !slices.Contains(below, used) {
				t.Errorf("the table lets the room %s use %s, which does not stand below it", r.name, used)
			}
		}
		for name, others := range r.packages {
			for _, other := range slices.Concat([]string{name}, others) {
				if _, known := r.packages[other]; !known || roomOf(other) != r.name {
					t.Errorf("the table has %s in the room %s, where it does not stand", other, r.name)
				}
			}
		}
		below = append(below, r.name)
	}
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if f.IsDir() && f.Name() != "fake" && !slices.Contains(below, f.Name()) {
			t.Errorf("internal/%s is no room of the table", f.Name())
		}
	}
	for library, places := range homes {
		for _, place := range places {
			if !isKnown(place) {
				t.Errorf("the home %s of %s is not in the table", place, library)
			}
		}
	}
}

// roomOf names the room in which a package stands.
func roomOf(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// findRoom finds the room of a package; nil: it stands in none.
func findRoom(name string) *room {
	at := slices.IndexFunc(rooms, func(r room) bool { return r.name == roomOf(name) })
	if at < 0 {
		return nil
	}
	return &rooms[at]
}

func isKnown(name string) bool {
	if r := findRoom(name); r != nil {
		return r.packages[name] != nil
	}
	return roomless[name] != nil
}

// mayImport reports whether the table lets one package of ours import another.
func mayImport(name, imported string) bool {
	allowed := roomless[name]
	if r := findRoom(name); r != nil {
		if roomOf(imported) == r.name {
			return slices.Contains(r.packages[name], imported)
		}
		allowed = r.uses
	}
	return slices.Contains(allowed, anything) || slices.Contains(allowed, imported) || slices.Contains(allowed, roomOf(imported))
}

// The document shows the rooms as they stand in the table.
func TestThePictureIsTheTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, r := range slices.Backward(rooms) {
		line := fmt.Sprintf("%-9s", r.name)
		for _, name := range slices.Sorted(maps.Keys(r.packages)) {
			if name = strings.TrimPrefix(name, r.name+"/"); name == r.name {
				continue
			}
			if len(line)+len(name) > 110 {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = strings.Repeat(" ", 9)
			}
			line += "  " + name
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n" + strings.Repeat(" ", 11) + "(" + r.about + ")\n")
	}
	document, err := os.ReadFile("../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(document), "```text\n"+b.String()+"```\n") {
		t.Errorf("docs/ARCHITECTURE.md does not show the rooms of this table; they are:\n%s", b.String())
	}
}

// walkRow is a step of the walk in docs/ARCHITECTURE.md: its file and functions.
var walkRow = regexp.MustCompile("(?m)^\\| [0-9]+ \\| `([^`]+\\.go)` \\| (.*?) \\|")

// A walk through functions that are gone leads nowhere.
func TestTheWalkNamesFunctions(t *testing.T) {
	document, err := os.ReadFile("../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := walkRow.FindAllStringSubmatch(string(document), -1)
	if len(rows) < 15 {
		t.Fatalf("the walk has %d steps only", len(rows))
	}
	for _, row := range rows {
		code, err := os.ReadFile(filepath.Join("..", row[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range inlineCode.FindAllStringSubmatch(row[2], -1) {
			function := name[1][strings.LastIndex(name[1], ".")+1:]
			if !regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + regexp.QuoteMeta(function) + `[\[(]`).Match(code) {
				t.Errorf("%s has no function %s", row[1], function)
			}
		}
	}
}

// mostOfMain is how long a program's own file may be: it only hands over the process's
// world. Anything beyond that belongs where it can be tested.
const mostOfMain = 60

// The programs are nothing but their main files, and tests of whole programs stand
// in e2e, where no program can import them.
func TestProgramsAreShort(t *testing.T) {
	files, err := filepath.Glob("../cmd/*/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, name := range files {
		if filepath.Base(name) != "main.go" {
			t.Errorf("%s: a program is its main.go; tests of it belong in e2e, and the rest in internal", name)
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n > mostOfMain {
			t.Errorf("%s has %d lines, expected %d at most", name, n, mostOfMain)
		}
	}
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "internal/")
}

func homeOf(imported string) (library string, places []string) {
	for _, library := range slices.Sorted(maps.Keys(homes)) {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library, homes[library]
		}
	}
	return "", nil
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,GoFiles,CgoFiles,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles)+len(p.CgoFiles) > 0 {
			all = append(all, p)
		}
	}
	if len(all) < 10 {
		t.Fatalf("go list found %d packages only", len(all))
	}
	return all
}
