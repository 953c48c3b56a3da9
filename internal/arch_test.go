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

// layer is one floor of the house; what it holds may import.
type layer struct {
	name, about string
	imports     map[string][]string
}

// layers is the picture in docs/ARCHITECTURE.md as a table, from the ground up:
// what each package may import of ours, of its own layer or of one below. A package
// that is missing here fails the test, so a new one is a decision. Names are below
// internal/, except for cmd/, e2e/ and scripts/.
var layers = []layer{
	{"words", "pure: no I/O, no goroutines", map[string][]string{
		"audio":             {},
		"audio/earcon":      {"audio"},
		"speech":            {},
		"configs":           {},
		"edits":             {},
		"language/text":     {},
		"settings":          {},
		"speech/rival":      {"edits", "speech"},
		"home":              {"edits", "intent/sentences", "language/text"},
		"order":             {},
		"secret":            {},
		"tools":             {"edits"},
		"mcpint":            {"secret"},
		"ai/aloud":          {"tools"},
		"ai/sentence":       {"intent/sentences"},
		"ai/choice":         {"dialogue/taint", "tools"},
		"timers":            {"edits", "language/text"},
		"record":            {"tools"},
		"wakebudget":        {"intent/catalogue", "record"},
		"rehearsal":         {"home", "intent/numbers", "speech/rival"},
		"dialogue":          {"home", "tools"},
		"dialogue/taint":    {},
		"dialogue/queue":    {},
		"dialogue/moment":   {},
		"dialogue/past":     {"home", "tools", "record", "intent", "intent/catalogue", "intent/plan"},
		"dialogue/account":  {"dialogue/past", "home", "record", "intent", "intent/catalogue", "intent/reply"},
		"dialogue/safety":   {"tools", "record", "intent/catalogue", "intent/plan"},
		"dialogue/errand":   {"dialogue", "home", "tools", "intent", "intent/catalogue", "intent/choosing", "intent/plan", "intent/reply"},
		"dialogue/grounded": {"home", "tools", "intent/numbers", "intent/sentences", "language/text"},
		"intent":            {"edits", "home", "tools", "intent/names", "intent/numbers", "intent/sentences", "intent/template", "intent/catalogue", "intent/mood", "language/text"},
		"intent/mood":       {"intent/sentences", "intent/template", "language/text"},
		"intent/catalogue":  {"home", "tools"},
		"intent/numbers":    {"intent/sentences"},
		"intent/template":   {"intent/numbers", "language/text"},
		"intent/names":      {"edits", "home", "intent/numbers", "intent/sentences", "language/text"},
		"intent/sentences":  {},
		"intent/grammar":    {"home", "speech", "intent", "intent/catalogue", "intent/names", "intent/numbers", "intent/sentences", "intent/template"},
		"intent/plan":       {"home", "tools", "intent", "intent/catalogue", "intent/names", "intent/numbers"},
		"intent/examples":   {"home", "intent", "language/text"},
		"intent/smalltalk":  {"home", "intent", "intent/names", "intent/numbers", "intent/sentences"},
		"intent/choosing":   {"home", "intent/naming", "intent/sentences", "language/text"},
		"intent/naming":     {"home"},
		"intent/followup":   {"dialogue/past", "home", "intent", "intent/catalogue", "intent/names", "intent/plan", "intent/reply", "tools"},
		"intent/doubt":      {"home", "tools", "intent", "intent/catalogue", "intent/choosing", "intent/plan", "intent/reply"},
		"intent/due":        {"home", "tools", "intent/naming", "intent/numbers", "intent/plan", "language/text"},
		"intent/reply":      {"home", "speech", "tools", "intent", "intent/catalogue", "intent/due", "intent/names", "intent/naming", "intent/numbers", "intent/plan", "intent/sentences"},

		"dialogue/challenge": {"intent/sentences"},
	}},
	{"ground", "one piece of the world that several parts need; it knows none of ours", map[string][]string{
		"httpguard": {"order"},
		"interrupt": {},
		"live":      {},
		"process":   {},
		"reconnect": {},
		"trust":     {},
	}},
	{"parts", "each touches one piece of the world, and none knows another", map[string][]string{
		"worker":           {"process", "reconnect"},
		"audio/device":     {"audio", "worker", "reconnect"},
		"audio/file":       {"audio"},
		"audio/room":       {"audio"},
		"speech/sphinx":    {"audio", "speech", "worker"},
		"speech/moonshine": {"audio", "speech", "worker"},
		"speech/micro":     {"audio", "speech"},
		"speech/wyoming":   {"audio", "speech"},
		"speech/openai":    {"audio", "httpguard"},
		"speech/wake":      {"audio", "speech", "speech/micro", "speech/sphinx", "speech/wyoming", "worker", "reconnect"},
		"speech/vad":       {"audio", "speech", "speech/micro"},
		"speech/denoise":   {},
		"speech/endpoint":  {"audio", "speech"},
		"speech/stt":       {"audio", "edits", "speech", "intent/sentences", "speech/denoise", "speech/endpoint", "speech/moonshine", "speech/openai", "speech/rival", "speech/sphinx", "speech/wyoming", "process", "worker", "language/text"},
		"speech/tts":       {"audio", "speech", "speech/openai", "speech/wyoming", "process"},
		"tools/local":      {"tools", "timers", "store", "httpguard", "process", "intent/sentences"},
		"ai":               {"order", "ai/wire", "ai/aloud", "ai/choice", "ai/sentence", "ai/inventory", "tools", "home", "speech", "httpguard", "dialogue", "dialogue/grounded", "dialogue/taint", "record", "intent/sentences"},
		"ai/inventory":     {"dialogue/grounded", "dialogue/taint", "home"},
		"ai/wire":          {"httpguard", "tools"},
		"mcpint/client":    {"order", "mcpint", "secret", "tools", "httpguard", "process"},
		"mcpint/host":      {"mcpint", "mcpint/client", "mcpint/needs", "tools"},
		"mcpint/needs":     {"mcpint", "mcpint/client", "httpguard", "process"},
		"mcpint/serve":     {"mcpint", "order", "tools", "httpguard"},
		"zwave":            {"order", "tools", "edits", "home", "intent/numbers", "intent/sentences", "zwave/wire", "language/text"},
		"zwave/wire":       {},
		"zwave/sim":        {"home", "zwave/wire"},
		"mqtt":             {"reconnect", "httpguard"},
		"mqttapi":          {"order", "mcpint", "record", "timers", "wakebudget"},
		"broker":           {"httpguard"},
		"discovery":        {},
		"httpapi":          {"order", "audio", "home", "record", "httpguard", "live", "mcpint", "rehearsal", "timers", "wakebudget"},
		"metrics":          {"record", "mcpint"},
		"page":             {},
		"recorder":         {"audio", "record", "trust"},
		"store":            {"trust"},
		"systemd":          {},
		"config":           {"edits", "secret"},
	}},
	{"story", "what happens, in words alone", map[string][]string{
		"turn":           {"audio", "audio/earcon", "speech", "intent/catalogue", "tools", "record"},
		"announce":       {"home", "intent/reply", "record", "language/text"},
		"arrival":        {"home", "intent/plan", "intent/reply", "record", "tools"},
		"answer/calling": {"order", "dialogue/queue", "intent/catalogue", "intent/plan", "intent/reply", "record", "tools"},
		"answer":         {"order", "timers", "answer/calling", "answer/guard", "answer/teaching", "speech", "tools", "intent", "intent/catalogue", "intent/choosing", "intent/doubt", "intent/followup", "intent/plan", "intent/reply", "intent/smalltalk", "home", "record", "dialogue", "dialogue/account", "dialogue/errand", "dialogue/grounded", "dialogue/moment", "dialogue/past", "dialogue/queue", "dialogue/safety"},

		"answer/teaching": {"dialogue/errand", "intent", "intent/catalogue", "intent/plan", "intent/reply", "record", "speech"},

		"answer/guard": {"dialogue/challenge", "dialogue/safety", "home", "intent", "intent/plan", "intent/reply", "record", "tools"},
	}},
	{"assembly", "puts the parts into the two programs", map[string][]string{
		"zwave/serve":      {"tools", "home", "zwave", "zwave/sim", "zwave/wire", "mqtt", "mcpint/serve", "config", "broker"},
		"gateway":          {anything},
		"display":          {"audio", "home", "httpapi", "live", "mcpint", "mcpint/host", "page", "record", "speech", "tools", "turn"},
		"events":           {"home", "language/text"},
		"house":            {"home", "intent", "intent/catalogue", "intent/examples", "intent/grammar", "speech", "speech/stt", "tools", "language/text"},
		"reach":            {"answer", "dialogue", "house", "mcpint", "mcpint/host", "tools"},
		"mute":             {"store"},
		"loudness":         {"tools/local"},
		"rehearser":        {"audio", "home", "house", "intent", "rehearsal", "speech", "speech/stt", "store"},
		"wakekeeper":       {"intent/catalogue", "record", "speech", "store", "wakebudget"},
		"vitals":           {"audio", "audio/device", "home", "mcpint", "turn"},
		"tasks":            {"record", "store"},
		"marks":            {"home", "record", "store"},
		"wordings":         {"home", "intent", "intent/catalogue", "intent/plan", "record", "store", "tools"},
		"replay":           {"answer", "dialogue", "dialogue/safety", "home", "house", "intent", "intent/reply", "record", "tools", "wordings"},
		"lessons":          {"home", "httpapi", "intent", "intent/catalogue", "intent/followup", "marks", "record", "recorder", "replay", "speech", "wordings"},
		"timekeeper":       {"dialogue/safety", "record", "store", "timers"},
		"mcpint/selftools": {"dialogue/taint", "mcpint", "tools"},
	}},
	{"programs", "flags in, calls, words out", map[string][]string{
		"console":              {"mcpint", "record", "rehearsal", "timers", "wakebudget"},
		"earcheck":             {"configure", "console", "rehearsal", "wakebudget"},
		"stage":                {"broker", "gateway", "mqtt", "record", "turn", "process", "mcpint"},
		"demo":                 {"audio/room", "console", "gateway", "mcpint", "mcpint/host", "mqtt", "speech/tts", "stage", "record"},
		"lab":                  {"answer", "dialogue", "record", "audio", "audio/file", "audio/room", "console", "gateway", "home", "house", "intent", "speech", "speech/micro", "speech/stt", "speech/wake", "intent/reply", "stage", "tools", "turn"},
		"configure":            {"config", "gateway", "settings", "store", "trust", "language/text"},
		"setup":                {"audio", "audio/device", "audio/earcon", "configs", "configure", "console", "doctor", "gateway", "home", "httpguard", "intent", "intent/examples", "intent/sentences", "record", "speech/micro", "language/text"},
		"doctor":               {"audio", "configure", "console", "home", "httpguard", "mcpint", "mqtt", "mqttapi", "process", "rehearsal", "rehearser", "speech/micro", "speech/stt", "trust", "zwave/wire"},
		"packaging":            {},
		"models":               {"httpguard", "process", "speech/micro", "speech/moonshine", "store", "trust"},
		"waketest":             {"audio", "audio/file", "audio/room", "console", "interrupt", "speech/micro", "speech/vad"},
		"cli":                  {anything},
		"cli/upkeep":           {"audio", "config", "configure", "console", "doctor", "gateway", "home", "interrupt", "process", "setup", "language/text"},
		"cli/review":           {"audio", "audio/file", "configure", "console", "gateway", "home", "intent", "interrupt", "lab", "marks", "record", "recorder", "replay", "wordings"},
		"cmd/voice-gateway":    {"cli"},
		"cmd/zwave-mcp-server": {"zwave/serve"},
		"scripts/packaging":    {"cli", "packaging", "zwave/serve"},
	}},
	{"tests", "stand-ins, and what tests of whole programs stand on, for tests alone", map[string][]string{
		"e2e/rig":     {"fake", "mqtt", "zwave/sim"},
		"fake/bubble": {},
		"fake":        {"answer", "dialogue", "intent/reply", "audio", "process", "speech", "speech/wyoming", "tools", "record", "intent", "home", "turn"},
	}},
}

// imports is the table of all layers.
var imports = func() map[string][]string {
	all := map[string][]string{}
	for _, l := range layers {
		maps.Copy(all, l.imports)
	}
	return all
}()

// forTests is the layer that no program may contain.
var forTests = layers[len(layers)-1].imports

// homes is the one place for each outside dependency; others reach it through
// that package's own interface. A path counts with everything below it.
var homes = map[string][]string{
	"github.com/eclipse/paho.mqtt.golang": {"mqtt"},
	"github.com/mochi-mqtt/server":        {"broker", "mqtt"}, // mqtt: its packets of MQTT 5
	"github.com/mark3labs/mcp-go":         {"mcpint/client", "mcpint/serve"},
	"github.com/sashabaranov/go-openai":   {"ai", "ai/wire", "speech/openai"},
	"github.com/gordonklaus/portaudio":    {"audio/device"},
	"github.com/yalue/onnxruntime_go":     {"speech/moonshine"},
	"github.com/google/renameio":          {"store"},
	"github.com/coreos/go-systemd":        {"systemd"},
	"github.com/prometheus/client_golang": {"metrics"},
	"github.com/hashicorp/mdns":           {"setup"},
	"github.com/nathan-osman/go-sunrise":  {"timers"},
	"golang.org/x/term":                   {"console", "setup"},
	"github.com/spf13/cobra":              {"cli", "cli/review", "cli/upkeep", "packaging", "scripts/packaging", "zwave/serve"},
	"github.com/CycloneDX/cyclonedx-go":   {"packaging"},
	"C":                                   {"audio/device", "speech/sphinx"},
	"os/exec":                             {"process", "fake", "e2e/rig"}, /* tests build and start the programs */
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
		allowed, known := imports[name]
		if !known {
			t.Errorf("package %s is not in the table of internal/arch_test.go: decide what it may import, and add it", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, module) && !slices.Contains(allowed, anything) && !slices.Contains(allowed, short(imported)) {
				t.Errorf("%s imports %s, which the table of internal/arch_test.go does not allow", name, short(imported))
			}
			if forTests[short(imported)] != nil && forTests[name] == nil {
				t.Errorf("%s imports %s, which is for tests alone", name, short(imported))
			}
			if outside, places := homeOf(imported); places != nil && !slices.Contains(places, name) {
				t.Errorf("%s imports %s, whose home is %s", name, outside, strings.Join(places, ", "))
			}
		}
	}
}

// A table that lets an arrow point up would make the picture a lie. The story stands
// on words alone, and on its own parts.
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

func TestTheTableItself(t *testing.T) {
	floor := map[string]int{}
	for i, l := range layers {
		for name := range l.imports {
			floor[name] = i
		}
	}
	for _, l := range layers {
		for name, allowed := range l.imports {
			for _, a := range allowed {
				if a != anything && floor[a] > floor[name] {
					t.Errorf("the table lets %s of the layer %s import %s of the layer %s", name, l.name, a, layers[floor[a]].name)
				}
				if l.name == "story" && layers[floor[a]].name != "words" && !strings.HasPrefix(a, name+"/") {
					t.Errorf("the table lets %s of the story import %s, which is no word", name, a)
				}
			}
		}
	}
	for outside, places := range homes {
		for _, place := range places {
			if _, ok := imports[place]; !ok {
				t.Errorf("the home %s of %s is not in the table", place, outside)
			}
		}
	}
}

// The document shows the layers as they stand in the table.
func TestThePictureIsTheTable(t *testing.T) {
	var b strings.Builder
	for _, l := range slices.Backward(layers) {
		line := fmt.Sprintf("%-9s", l.name)
		for _, name := range slices.Sorted(maps.Keys(l.imports)) {
			if len(line)+len(name) > 110 {
				b.WriteString(strings.TrimRight(line, " ") + "\n")
				line = strings.Repeat(" ", 9)
			}
			line += "  " + name
		}
		b.WriteString(line + "\n" + strings.Repeat(" ", 10) + "(" + l.about + ")\n")
	}
	document, err := os.ReadFile("../docs/ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(document), "```text\n"+b.String()+"```\n") {
		t.Errorf("docs/ARCHITECTURE.md does not show the layers of this table; they are:\n%s", b.String())
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

func homeOf(imported string) (outside string, places []string) {
	for _, outside := range slices.Sorted(maps.Keys(homes)) {
		if imported == outside || strings.HasPrefix(imported, outside+"/") {
			return outside, homes[outside]
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
