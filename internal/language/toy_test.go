package language_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"unicode"

	"go.yaml.in/yaml/v3"

	"voicegateway/internal/doors/discovery"
	"voicegateway/internal/doors/page"
	"voicegateway/internal/fake"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/grammar"
	"voicegateway/internal/intent/reply"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/language/numbers"
	"voicegateway/internal/language/sentences"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/language/text"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
	"voicegateway/internal/tools"
)

// toy is the code of a language that nobody speaks: the English one, letter by letter
// exchanged for others.
const toy = "xx"

// exchanged writes a letter of the toy language for each English one.
var exchanged = func() map[rune]rune {
	out := map[rune]rune{}
	for _, group := range []string{"aeiou", "bcdfghjklmnpqrstvwxyz"} {
		for i := range group {
			from, to := rune(group[i]), rune(group[(i+len(group)/2)%len(group)])
			out[from], out[unicode.ToUpper(from)] = to, unicode.ToUpper(to)
		}
	}
	return out
}()

// back writes a text of the toy language in English, for what a test prints.
func back(said string) string {
	english := map[rune]rune{}
	for from, to := range exchanged {
		english[to] = from
	}
	return strings.Map(func(r rune) rune {
		if from, ok := english[r]; ok {
			return from
		}
		return r
	}, said)
}

// kept is what stays in a text: places, lists and rules of templates, classes of numbers,
// escapes of regular expressions.
var kept = regexp.MustCompile(`\{[^}]*\}|<[^>]*>|#\w*|\\.|\(\?[:i]`)

// exchange writes a text in the toy language.
func exchange(said string) string {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if to, ok := exchanged[r]; ok {
				return to
			}
			return r
		}, s)
	}
	var out strings.Builder
	at := 0
	for _, m := range kept.FindAllStringIndex(said, -1) {
		out.WriteString(letters(said[at:m[0]]) + said[m[0]:m[1]])
		at = m[1]
	}
	return out.String() + letters(said[at:])
}

// Parts of the files that are no words, wherever they stand: codes that the program gives
// to what is said.
var codes = []string{"language", "slots", "metadata", "requires_context", "excludes_context", "out", "range", "response", "zones", "loose"}

// Mappings whose keys are words, and those whose values are none.
var (
	worded = []string{
		"names.heard_as", "names.also", "sounds.together", "numbers.more", "numbers.percents", "numbers.counts", "numbers.alike",
		"numbers.durations", "numbers.shorter", "claims.short", "cities", "countries", "rehearsal.others", "single",
	}
	coded = []string{"sounds.together", "cities", "countries"}
)

// translate writes the words of a node of a file in the toy language.
func translate(n *yaml.Node, path string) {
	switch n.Kind { //nolint:exhaustive // there are no others in these files
	case yaml.DocumentNode, yaml.SequenceNode:
		for i, c := range n.Content {
			if values := strings.HasSuffix(path, ".values"); values && c.Kind == yaml.ScalarNode && strings.Contains(path, "lists.") {
				word := *c // what is said is also what is meant: the one changes, the other stays
				translate(c, path)
				n.Content[i] = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
					{Kind: yaml.ScalarNode, Value: "in"}, c, {Kind: yaml.ScalarNode, Value: "out"}, &word,
				}}
				continue
			}
			translate(c, path)
		}
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if key == "language" {
				n.Content[i+1].Value = toy
			}
			if slices.Contains(worded, path) {
				translate(n.Content[i], "")
			}
			if !slices.Contains(codes, key) && !slices.Contains(coded, path) {
				translate(n.Content[i+1], strings.TrimPrefix(path+"."+key, "."))
			}
		}
	case yaml.ScalarNode:
		if n.Tag == "!!str" || n.Tag == "" {
			n.Value, n.Style = exchange(n.Value), yaml.DoubleQuotedStyle
		}
	}
}

// english reads one of the English files.
func english(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("sentences/en" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// toyFiles are the files of the toy language.
func toyFiles(t *testing.T) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for _, name := range []string{".yaml", "_replies.yaml", "_words.yaml", "_talk.yaml"} {
		var root yaml.Node
		if err := yaml.Unmarshal(english(t, name), &root); err != nil {
			t.Fatal(err)
		}
		translate(&root, "")
		data, err := yaml.Marshal(&root)
		if err != nil {
			t.Fatal(err)
		}
		out[toy+name] = &fstest.MapFile{Data: data}
	}
	var words map[string]string
	if err := json.Unmarshal(english(t, "_page.json"), &words); err != nil {
		t.Fatal(err)
	}
	for name, said := range words {
		words[name] = exchange(said)
	}
	data, err := json.Marshal(words)
	if err != nil {
		t.Fatal(err)
	}
	out[toy+"_page.json"] = &fstest.MapFile{Data: data}
	out[toy+"_numbers.txt"] = &fstest.MapFile{Data: toyNumbers(t)}
	return out
}

// toyNumbers are the numbers of the toy language.
func toyNumbers(t *testing.T) []byte {
	t.Helper()
	archive, err := zip.OpenReader("numbers/spellings.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	file, err := archive.Open("en.txt")
	if err != nil {
		t.Fatal(err)
	}
	table, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for line := range strings.Lines(string(table)) {
		number, forms, _ := strings.Cut(line, "\t")
		out.WriteString(number + "\t" + exchange(forms))
	}
	return out.Bytes()
}

// toyHouse is a house whose family speaks the toy language.
func toyHouse() *home.House {
	h := fake.Villa("en")
	for i := range h.Areas {
		h.Areas[i].Name = exchange(h.Areas[i].Name)
	}
	for i := range h.Entities {
		h.Entities[i].Name, h.Entities[i].Area = exchange(h.Entities[i].Name), exchange(h.Entities[i].Area)
	}
	return h
}

// strangers finds the English words in what was said. Words of both languages do not count.
type strangers struct{ english, toy map[string]bool }

// scalars calls each for every text of a file that is no key.
func scalars(node any, each func(string)) {
	switch n := node.(type) {
	case string:
		each(n)
	case []any:
		for _, v := range n {
			scalars(v, each)
		}
	case map[string]any:
		for key, v := range n {
			if !slices.Contains(codes, key) {
				scalars(v, each)
			}
		}
	}
}

func knowStrangers(t *testing.T) strangers {
	t.Helper()
	s := strangers{map[string]bool{}, map[string]bool{}}
	for _, name := range []string{".yaml", "_replies.yaml", "_words.yaml", "_talk.yaml", "_page.json"} {
		var root any
		if err := yaml.Unmarshal(english(t, name), &root); err != nil {
			t.Fatal(err)
		}
		scalars(root, func(said string) {
			for _, w := range text.Words(kept.ReplaceAllString(said, " ")) {
				s.english[w], s.toy[exchange(w)] = true, true
			}
		})
	}
	return s
}

// in returns the words of a text that are English alone.
func (s strangers) in(said string) []string {
	return slices.DeleteFunc(text.Words(said), func(w string) bool {
		return len(w) < 2 || !s.english[w] || s.toy[w] || strings.ContainsFunc(w, unicode.IsDigit)
	})
}

// listener understands sentences of a house.
type listener struct {
	intent.Short
	grammar *grammar.Grammar
	home    *home.House
}

func (l listener) House() *home.House                       { return l.home }
func (l listener) Judge(partial string) speech.Completeness { return l.grammar.Judge(partial) }

// converse says sentences, given in English, in the toy language to a house that speaks it,
// and compares the answers, given in English as well.
func converse(t *testing.T, strange strangers, lines [][2]string) {
	t.Helper()
	h := toyHouse()
	pack, err := intent.Ours(toy)
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := intent.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	heard, err := grammar.New(pack, h)
	if err != nil {
		t.Fatal(err)
	}
	phrases, err := reply.Ours(toy)
	if err != nil {
		t.Fatal(err)
	}
	world, b := fake.NewWorldOf(h), fake.NewTimers()
	own := map[string]tools.Tool{}
	for _, tool := range timers.Tools(b) {
		own[tool.Spec().Name] = tool
	}
	call := func(ctx context.Context, c tools.Call) (tools.Result, error) {
		if tool := own[c.Tool]; tool != nil {
			return tool.Call(ctx, c.Args)
		}
		return world.Call(ctx, c)
	}
	a, err := mind.New(listener{intent.Short{Matcher: matcher}, heard, h}, &fake.Caller{CallFunc: call}, &fake.Assistant{}, phrases,
		guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		rec := a.Turn(t.Context(), record.Request{Text: exchange(l[0]), Area: exchange("Kitchen"), Source: record.FromHTTP})
		if want := exchange(l[1]); rec.Reply != want {
			t.Errorf("%q is answered %q (%s), want %q: %s", exchange(l[0]), rec.Reply, back(rec.Reply), want, rec.Error)
		}
		if found := strange.in(rec.Reply); len(found) > 0 {
			t.Errorf("%q is answered %q, in which %q are English", exchange(l[0]), rec.Reply, found)
		}
	}
}

// bus is a broker that keeps what was published.
type bus struct {
	mu   sync.Mutex
	kept map[string]string
}

func (b *bus) PublishRetained(_ context.Context, topic string, payload []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept[topic] = string(payload)
	return nil
}

func (b *bus) Subscribe(context.Context, string, func(string, []byte, bool)) error { return nil }
func (b *bus) OnConnection(changed func(up bool))                                  { changed(true) }

// shown are the names that Home Assistant is told.
func shown(t *testing.T) []string {
	t.Helper()
	b := &bus{kept: map[string]string{}}
	synctest.Test(t, func(t *testing.T) {
		device, err := discovery.New(discovery.Default(), discovery.Identity{ID: "1", Language: toy, Base: "voice/1"}, b, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- device.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	var names []string
	for topic, payload := range b.kept {
		var told struct {
			Name   string
			Device struct{ Name string }
		}
		if err := json.Unmarshal([]byte(payload), &told); err != nil || told.Name == "" || told.Device.Name == "" {
			t.Errorf("%s: %s, %v", topic, payload, err)
		}
		names = append(names, told.Name, told.Device.Name)
	}
	return names
}

// TestALanguageIsItsFiles: a language that nobody has heard of is understood, answered,
// shown on the page and told to Home Assistant, as soon as its files are there.
func TestALanguageIsItsFiles(t *testing.T) { //nolint:paralleltest // it adds a language before any is read
	sentences.Add(toyFiles(t))
	if !slices.Contains(sentences.Languages(), toy) {
		t.Fatalf("the languages are %q", sentences.Languages())
	}
	strange := knowStrangers(t)
	if len(strange.in("the light is on")) == 0 {
		t.Fatal("English is not found")
	}
	if l, ok := numbers.For(toy); !ok || l.Say(21) != exchange("twenty one") {
		t.Errorf("twenty one is %q", l.Say(21))
	}
	converse(t, strange, [][2]string{
		{"turn on the kitchen light", "The kitchen light is on."},
		{"is the kitchen light on", "Yes, the kitchen light is on."},
		{"turn it off", "The kitchen light is off."},
		{"undo that", "The kitchen light is on again."},
		{"the desk lamp too", "The desk lamp is off."},
		{"dim the kitchen light to thirty percent", "Dimmed the kitchen light to 30 percent."},
		{"open the garage door", "Opening the garage door is switched off here."},
		{"how warm is it in the office", "The office temperature is 19.5 degrees."},
		{"set a timer for twenty one minutes", "Twenty one minutes."},
		{"what timers do i have", "Twenty one minutes left on the timer for twenty one minutes."},
		{"cancel it", "Cancelled: the timer for twenty one minutes."},
		{"what timers do i have", "No timer is running."},
		{"turn on the dishwasher", "I can't find a dishwasher."},
		{"thank you", "You're welcome."},
	})
	p, err := page.New(page.Config{Language: toy})
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range [][]byte{p.Main(true), p.Login("wrong")} {
		seen := regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^>]*>`).ReplaceAllString(string(document), " ")
		seen = strings.ReplaceAll(seen, "voice-gateway", "")
		if found := strange.in(seen); len(found) > 0 || len(text.Words(seen)) == 0 {
			t.Errorf("on the page %q are English: %s", found, seen)
		}
	}
	names := shown(t)
	if found := strange.in(strings.Join(names, " ")); len(found) > 0 || len(names) == 0 {
		t.Errorf("for Home Assistant %q are English of %q", found, names)
	}
}
