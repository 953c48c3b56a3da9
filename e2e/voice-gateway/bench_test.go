package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"voicegateway/internal/fake"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
	"voicegateway/internal/mcpint/client"
)

// commands are spoken to the built-in house, one of each kind of sentence.
var commands = []string{
	"turn on the kitchen light", "turn off the hallway light", "dim the bedroom lamp to forty percent",
	"close the living room blinds", "lock the front door", "set the thermostat to nineteen degrees",
	"turn on the ceiling fan", "turn on the coffee machine", "turn on the reading lamp", "turn on the office light",
}

// slow are devices that move: how long a bolt or a blind travels is their time,
// not ours.
var slow = []string{"Living Room Blinds", "Front Door"}

// recorded makes recordings of the wake word and a command in one breath. The
// speakers take turns, so that all together speak n commands.
func recorded(b *testing.B, n int) []string {
	b.Helper()
	dir := b.TempDir()
	voices := []string{"slt", "rms", "awb", "kal16"}
	var files []string
	for i := range n {
		name := filepath.Join(dir, strconv.Itoa(i)+".wav")
		// Each round of the commands begins with another voice.
		voice := voices[(i+i/len(commands))%len(voices)]
		cmd := exec.CommandContext(b.Context(), "flite", "-voice", voice, "-o", name)
		cmd.Stdin = strings.NewReader("hey jarvis, " + commands[i%len(commands)] + ".")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("flite: %v\n%s", err, out)
		}
		files = append(files, name)
	}
	return files
}

// live plays recordings at the pace of a microphone. busy is the processor time that
// the program and its children took.
func live(ctx context.Context, env, files []string) (all []record.Record, busy time.Duration, err error) {
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "voice-gateway"), append([]string{"hear", "--json", "--realtime"}, files...)...)
	var errs bytes.Buffer
	cmd.Env, cmd.Stderr = env, &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("hear: %w\n%s", err, errs.String())
	}
	for line := range bytes.Lines(out) {
		var r record.Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, 0, fmt.Errorf("%w in %s", err, line)
		}
		all = append(all, r)
	}
	return all, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// waits are times from the end of speech, by what was waited for.
type waits map[string][]time.Duration

func (w waits) add(name string, ms *float64) {
	if ms != nil {
		w[name] = append(w[name], time.Duration(*ms*float64(time.Millisecond)))
	}
}

// BenchmarkSpokenCommand measures how long a user waits: synthetic voices speak a command
// at the pace of real time into the whole pipeline with its real wake word, recogniser
// and child server and the simulated house. All times count from the end of speech in the
// sound. Two gateways hear at once, to halve the time of the benchmark; both together use
// a fraction of one core.
func BenchmarkSpokenCommand(b *testing.B) { spokenCommand(b, 2) }

// BenchmarkSpokenCommandNeural is the same with the neural recogniser, one gateway
// alone: two would wait for each other's readings.
func BenchmarkSpokenCommandNeural(b *testing.B) {
	spokenCommand(b, 1, "VOICE_GATEWAY_WAKE_MODELS_DIR="+fake.Models(b))
}

func spokenCommand(b *testing.B, gateways int, more ...string) {
	b.Helper()
	const each = 10
	files := recorded(b, gateways*each)
	took, began := waits{}, time.Now()
	done, busy := 0, time.Duration(0)
	for b.Loop() {
		records, group := make([][]record.Record, gateways), new(errgroup.Group)
		cpu := make([]time.Duration, gateways)
		for i := range gateways {
			env := environ(b, more...)
			group.Go(func() (err error) {
				records[i], cpu[i], err = live(b.Context(), env, files[i*each:(i+1)*each])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			b.Fatal(err)
		}
		for _, c := range cpu {
			busy += c
		}
		for _, r := range slices.Concat(records...) {
			if r.Outcome != record.Done || len(r.Calls) != 1 || r.Calls[0].Receipt == nil {
				b.Logf("%s: heard %+v, %s (%s)", filepath.Base(r.File), r.Transcript, r.Outcome, r.Error)
				continue
			}
			done++
			took.add("endpoint", r.Timings.Endpoint)
			took.add("transcript", r.Timings.Transcript)
			took.add("publish", r.Timings.FirstPublish)
			if !slices.Contains(slow, r.Calls[0].Receipt.Device) {
				took.add("confirmed", r.Timings.Confirmed)
			}
		}
	}
	for _, name := range []string{"endpoint", "transcript", "publish", "confirmed"} {
		fake.Spread(b, name, took[name], 50, 95)
	}
	b.ReportMetric(float64(done)/float64(b.N*len(files)), "understood")
	b.ReportMetric(busy.Seconds()/time.Since(began).Seconds()/float64(gateways), "core-share")
}

// BenchmarkServerStart is the way from nothing to the tools of the real Z-Wave
// server, and further to its first command, confirmed by the simulated device.
func BenchmarkServerStart(b *testing.B) {
	broker := mosquitto(b)
	simulate(b, broker)
	server := mcpint.Server{
		ID: "zwave", Command: filepath.Join(bin, "zwave-mcp-server"), ConnectTimeout: patience,
		Env: map[string]string{"MQTT_BROKER_URL": broker},
	}
	ask := func(b *testing.B, act bool) (listed, acted time.Duration) {
		b.Helper()
		began := time.Now()
		session, err := client.Dial(b.Context(), server, client.Options{Name: "bench", Version: "0"})
		if err != nil {
			b.Fatal(err)
		}
		list, err := session.ListTools(b.Context())
		if err != nil || len(list.Tools) == 0 {
			b.Fatal(list, err)
		}
		listed = time.Since(began)
		if act {
			r, err := session.CallTool(b.Context(), "control_zwave_device", json.RawMessage(`{"device_name":"Hallway Light","action":"toggle"}`))
			if err != nil || !strings.Contains(string(r.Data), `"outcome":"confirmed"`) {
				b.Fatal(r.Text, err)
			}
			acted = time.Since(began)
		}
		b.StopTimer()
		if err := session.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		return listed, acted
	}
	ask(b, true) // the house is there and has been read once
	b.Run("listed", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			listed, _ := ask(b, false)
			took = append(took, listed)
		}
		fake.Spread(b, "", took, 50, 95)
	})
	b.Run("control", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			_, acted := ask(b, true)
			took = append(took, acted)
		}
		fake.Spread(b, "", took, 50, 95)
	})
}

// silentRoom returns what makes a simulated card the only one: a microphone in a silent room.
func silentRoom(tb testing.TB) string {
	tb.Helper()
	setting, _ := fake.SoundCard(tb, fmt.Sprintf("wav %q", spoken(tb, "ah."))) // the card is silent after its recording
	return setting
}

// resident is one process of the daemon's family and what it holds, in MB: all
// of its pages, and with those it shares counted in parts.
type resident struct {
	pid      int
	name     string // the worker's, or the program's
	rss, pss float64
}

// megabytes reads a figure of a file in /proc; 0 when the process has ended.
func megabytes(path, key string) float64 {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		if kb, ok := strings.CutPrefix(line, key+":"); ok {
			n, _ := strconv.ParseFloat(strings.Fields(kb)[0], 64)
			return n / 1024
		}
	}
	return 0
}

// family lists a process and everything below it.
func family(pid int) []resident {
	one := resident{
		pid: pid, rss: megabytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS"),
		pss: megabytes(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Pss"),
	}
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	words := strings.Split(strings.TrimRight(string(command), "\x00"), "\x00")
	one.name = filepath.Base(words[0])
	if len(words) > 2 && words[1] == "worker" {
		one.name = words[2]
	}
	all := []resident{one}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for child := range strings.FieldsSeq(string(children)) {
			if n, err := strconv.Atoi(child); err == nil {
				all = append(all, family(n)...)
			}
		}
	}
	return all
}

// BenchmarkIdleMemory measures the memory of the daemon and its children while the house
// is quiet: with a sound card, listening for the wake word, the house known. Without a
// model, the wake word has its own recogniser.
func BenchmarkIdleMemory(b *testing.B) { idleMemory(b, 2) }

// BenchmarkIdleMemoryMicro is the same with a model for the wake word.
func BenchmarkIdleMemoryMicro(b *testing.B) {
	idleMemory(b, 1, "VOICE_GATEWAY_WAKE_ENGINE=micro", "VOICE_GATEWAY_WAKE_MODELS_DIR="+fake.Shared(b, "speech", "models"))
}

// BenchmarkIdleMemoryFour is the same with models for four wake words.
func BenchmarkIdleMemoryFour(b *testing.B) {
	idleMemory(b, 1, "VOICE_GATEWAY_WAKE_ENGINE=micro", "VOICE_GATEWAY_WAKE_MODELS_DIR="+fake.Shared(b, "speech", "models"),
		"VOICE_GATEWAY_WAKE_WORDS=hey jarvis, okay nabu, hey mycroft, alexa")
}

// BenchmarkIdleMemoryNeural is the same with the neural recogniser.
func BenchmarkIdleMemoryNeural(b *testing.B) {
	idleMemory(b, 2, "VOICE_GATEWAY_WAKE_MODELS_DIR="+fake.Models(b))
}

func idleMemory(b *testing.B, recognisers int, more ...string) {
	b.Helper()
	evict(b, "voice-gateway")
	card := silentRoom(b)
	broker := mosquitto(b)
	simulate(b, broker)
	c, http, _ := daemon(b, broker, append(more, card)...)
	var sum map[string]resident
	for b.Loop() {
		sum = settled(b, c.Process.Pid, http, recognisers)
	}
	b.ReportMetric(sum["voice-gateway"].rss, "daemon-MB")
	b.ReportMetric(sum["audio"].rss, "audio-MB")
	b.ReportMetric(sum["voice-gateway"].rss+sum["audio"].rss, "both-MB")
	b.ReportMetric(sum["voice-gateway"].pss+sum["audio"].pss, "both-pss-MB")
	b.ReportMetric(sum["stt"].rss, "recognisers-MB")
	b.ReportMetric(sum["stt-moonshine"].rss, "neural-MB")
	b.ReportMetric(sum["zwave-mcp-server"].rss, "server-MB")
	b.ReportMetric(0, "ns/op") // the time to settle is not a time that a user waits
}

// evict takes a program out of the kernel's memory, so that it is read from the disk
// as it is after a boot. What the linker has just written lies there in pieces of two
// megabytes, and each is mapped whole.
func evict(b *testing.B, program string) {
	b.Helper()
	out, err := exec.CommandContext(b.Context(), "dd", "of="+filepath.Join(bin, program), "oflag=nocache", "conv=notrunc,fdatasync", "count=0").CombinedOutput()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// settled waits until the family is complete and its memory has stopped growing,
// and returns what it holds, by name.
func settled(b *testing.B, pid int, http string, workers int) map[string]resident {
	b.Helper()
	var sum map[string]resident
	last, still := 0.0, 0
	eventually(b, "the daemon is ready and its memory is steady", func() bool {
		var ready struct{ Ready bool }
		if get(b, http, "/readyz", &ready) != nil || !ready.Ready {
			return false
		}
		sum = map[string]resident{}
		total, recognisers := 0.0, 0
		for _, p := range family(pid) {
			sum[p.name] = resident{p.pid, p.name, sum[p.name].rss + p.rss, sum[p.name].pss + p.pss}
			total += p.rss
			if p.name == "stt" {
				recognisers++
			}
		}
		complete := recognisers == workers && sum["audio"].rss > 0 && sum["zwave-mcp-server"].rss > 0
		if !complete || math.Abs(total-last) > 0.5 {
			last, still = total, 0
			return false
		}
		still++
		return still >= 300 // six seconds of eventually's ticks: what the start left over is given back after four
	})
	return sum
}
