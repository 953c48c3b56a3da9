package metrics

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.yaml.in/yaml/v3"

	"voicegateway/internal/keep/record"
	"voicegateway/internal/mcpint"
)

const (
	dashboardFile = "../../../configs/grafana-dashboard.json"
	rulesFile     = "../../../configs/prometheus-rules.yaml"
	alertsFile    = "testdata/alerts.yaml"
)

// everything has counted one of each, and has a state of each.
func everything() (*Metrics, Snapshot) {
	m, ms := New("v1"), 200.0
	m.Expect("zwave")
	m.Connected("zwave", time.Second)
	m.Call("zwave", "ok", time.Millisecond)
	m.Turn(ended("mic", "local", "done", record.Timings{FirstPublish: &ms}))
	return m, Snapshot{
		Overall: "full", Servers: []mcpint.Status{{ID: "zwave", Status: mcpint.Connected}}, Parts: map[string]string{"tts": "ready"}, Sound: &Sound{Frames: 1},
	}
}

func TestMetricsKeepToPrometheusConventions(t *testing.T) {
	t.Parallel()
	m, now := everything()
	faults, err := promlint.New(strings.NewReader(scrape(t, m, now))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Errorf("%s: %s", fault.Metric, fault.Text)
	}
	badly, err := promlint.New(strings.NewReader("# TYPE voice_gateway_tookMs counter\nvoice_gateway_tookMs 1\n")).Lint()
	if err != nil || len(badly) == 0 {
		t.Errorf("a badly named metric is found fine: %v", err)
	}
}

// names of metrics in a query: words that are not functions, labels or keywords begin
// like this.
var metricName = regexp.MustCompile(`\b(?:voice_gateway_|process_|go_)[a-z0-9_]+`)

// offered lists the metrics of a scrape by the names that queries use.
func offered(t *testing.T) map[string]bool {
	t.Helper()
	m, now := everything()
	names := map[string]bool{}
	for line := range strings.Lines(scrape(t, m, now)) {
		if name := metricName.FindString(line); name != "" && !strings.HasPrefix(line, "#") {
			names[name] = true
		}
	}
	return names
}

// unknown lists what a query names and the gateway does not offer. A query that names
// nothing of ours asks for nothing.
func unknown(query string, offered map[string]bool) []string {
	found := metricName.FindAllString(query, -1)
	if len(found) == 0 && !strings.Contains(query, "up{") {
		return []string{"(names no metric)"}
	}
	return slices.DeleteFunc(found, func(name string) bool { return offered[name] })
}

// grafana is a dashboard, as far as it asks Prometheus.
type grafana struct {
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Type, Definition string }
	}
}

// rules is a file of Prometheus's rules.
type rules struct {
	Groups []struct {
		Name  string
		Rules []map[string]any
	}
}

// queries are those of the dashboard and of the rules, by what they are for.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	var dashboard grafana
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".+")
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			all["panel "+p.Title+": "+target.Expr] = variables.Replace(target.Expr)
		}
	}
	for _, v := range dashboard.Templating.List {
		if values, ok := strings.CutPrefix(v.Definition, "label_values("); ok {
			all["variable "+v.Name], _, _ = strings.Cut(values, ",")
		}
	}
	var file rules
	if text, err = os.ReadFile(rulesFile); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			all["alert "+r["alert"].(string)], _ = r["expr"].(string)
		}
	}
	if len(all) < 40 {
		t.Fatalf("%d queries only", len(all))
	}
	return all
}

// TestWatchersAskForWhatThereIs checks that each metric which the dashboard and the
// alerts name exists.
func TestWatchersAskForWhatThereIs(t *testing.T) {
	t.Parallel()
	there := offered(t)
	for what, query := range queries(t) {
		if lacking := unknown(query, there); len(lacking) > 0 {
			t.Errorf("%s asks for %q", what, lacking)
		}
	}
	if got := unknown("rate(voice_gateway_gone_total[5m]) + voice_gateway_turns_total", there); !slices.Equal(got, []string{"voice_gateway_gone_total"}) {
		t.Errorf("of a query for a metric that does not exist this is noticed: %q", got)
	}
}

// promtool runs Prometheus's own checker.
func promtool(t *testing.T, args ...string) (said string, fine bool) {
	t.Helper()
	program, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatal("promtool is missing: scripts/setup.sh installs it with Debian's package prometheus")
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	return string(out), err == nil
}

// TestAlertsFire plays series of a sick gateway and of a healthy one to the rules.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	if said, fine := promtool(t, "check", "rules", rulesFile); !fine {
		t.Error(said)
	}
	if said, fine := promtool(t, "test", "rules", alertsFile); !fine {
		t.Error(said)
	}
}

// TestQueriesParse has Prometheus read every query of the dashboard.
func TestQueriesParse(t *testing.T) {
	t.Parallel()
	check := func(name string, queries []string) (string, bool) {
		var list []map[string]any
		for _, query := range queries {
			list = append(list, map[string]any{"record": "query", "expr": query})
		}
		text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "queries", "rules": list}}})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return promtool(t, "check", "rules", file)
	}
	all := queries(t)
	if said, fine := check("queries.yaml", slices.Sorted(maps.Values(all))); !fine {
		t.Error(said)
	}
	if said, fine := check("broken.yaml", []string{"rate(voice_gateway_turns_total[5m]"}); fine {
		t.Errorf("a broken query is found fine: %s", said)
	}
}
