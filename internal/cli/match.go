package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/console"
	"voicegateway/internal/ground/process"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/names"
	"voicegateway/internal/language/sentences"
)

// matching is the work of match, with its flags.
type matching struct {
	app                  *app
	home, pack, language string
	names                bool
}

// matchCommand runs the local matcher alone over lines of JSON.
func (a *app) matchCommand() *cobra.Command {
	m := matching{app: a}
	c := &cobra.Command{
		Use: "match", Short: "Run the local matcher alone: JSON Lines in, JSON Lines out",
		Long: `Reads one JSON object a line on standard input,
  {"id":"1","text":"turn on the kitchen light","context":{"area":"Kitchen"}}
and writes what the matcher makes of it,
  {"id":"1","text":"…","route":"local","reason":"sentence","actions":[…],"us":31.4}
Nothing is done, so actions are printed whatever their risk. A line that cannot
be read is reported on standard error with its number; the others still count.`,
		Args: exactly(0, "lines on standard input instead of arguments"),
		RunE: func(c *cobra.Command, _ []string) error { return m.run(c.Context()) },
	}
	c.Flags().StringVar(&m.home, "home", "", "a file with the house (default: that of the running gateway)")
	c.Flags().StringVar(&m.pack, "pack", "", "a directory with Home Assistant's sentences (default: our own)")
	c.Flags().StringVar(&m.language, "lang", sentences.OfTools, "the language of the sentences")
	c.Flags().BoolVar(&m.names, "names", false, "resolve names instead: {\"id\",\"heard\",\"devices\":[{\"name\",\"aliases\"}]}")
	return c
}

func (m matching) run(ctx context.Context) error {
	lines := console.Lines{In: m.app.In, Out: m.app.Out, Err: m.app.Err}
	if m.names {
		return lines.Answer(ctx, func(line []byte) (any, error) { return resolveName(m.language, line) })
	}
	pack, err := loadPack(m.pack, m.language)
	if err != nil {
		return err
	}
	houses, err := m.houses(ctx)
	if err != nil {
		return err
	}
	b := bench{pack: pack, houses: houses, matchers: make(map[*home.House]*intent.Matcher)}
	if _, err := b.matcher(""); err != nil {
		return err
	}
	return lines.Answer(ctx, b.match)
}

// loadPack loads the pack that --pack and --lang name.
func loadPack(dir, language string) (*intent.Pack, error) {
	if dir == "" {
		return intent.Ours(language)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--pack %s is no directory; it must hold sentences/%s as Home Assistant publishes it", dir, language)
	}
	return intent.LoadDir(os.DirFS(dir), language)
}

// houses reads the house file. Without one it asks the running gateway, and without
// a gateway there is no house.
func (m matching) houses(ctx context.Context) (*home.File, error) {
	if name := m.home; name != "" {
		data, err := process.ReadUntil(ctx, func() ([]byte, error) { return os.ReadFile(name) })
		if err != nil {
			return nil, fmt.Errorf("reading the house: %w", err)
		}
		file, err := home.LoadFile(data)
		if err != nil {
			return nil, fmt.Errorf("reading the house %s: %w", name, err)
		}
		return file, nil
	}
	l, err := m.app.load(ctx)
	if err != nil {
		return nil, err
	}
	var house home.House
	err = l.daemon().ask(ctx, doors.House.Method(), doors.House.Path(), nil, &house)
	if errors.Is(err, errNoDaemon) {
		fmt.Fprintln(m.app.Err, "voice-gateway: no gateway runs and no --home FILE is given: matching without a house")
		return &home.File{Main: &home.House{}}, nil
	}
	if err != nil {
		return nil, err
	}
	return &home.File{Main: &house}, nil
}

// bench matches lines, each in the house it names.
type bench struct {
	pack     *intent.Pack
	houses   *home.File
	matchers map[*home.House]*intent.Matcher
}

func (b *bench) matcher(fixture string) (*intent.Matcher, error) {
	house := b.houses.House(fixture)
	if m, ok := b.matchers[house]; ok {
		return m, nil
	}
	m, err := intent.New(b.pack, house)
	if err != nil {
		return nil, err
	}
	b.matchers[house] = m
	return m, nil
}

// matchLine is a line of the input; matched is a line of the output.
type matchLine struct {
	ID      json.RawMessage `json:"id"`
	Text    *string         `json:"text"`
	Context struct {
		Area string `json:"area"`
	} `json:"context"`
	Fixture string `json:"fixture"`
}

type matched struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Text    string          `json:"text"`
	Route   intent.Route    `json:"route"`
	Reason  intent.Reason   `json:"reason"`
	Actions []intent.Action `json:"actions"`
	Micros  float64         `json:"us"`
}

func (b *bench) match(line []byte) (any, error) {
	var in matchLine
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, err
	}
	if in.Text == nil {
		return nil, errors.New(`no "text"`)
	}
	m, err := b.matcher(in.Fixture)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	d := m.Match(*in.Text, in.Context.Area)
	took := time.Since(began)
	out := matched{
		ID: in.ID, Text: *in.Text, Route: d.Route, Reason: d.Reason,
		Actions: make([]intent.Action, len(d.Actions)), Micros: math.Round(float64(took)/100) / 10,
	}
	for i, action := range d.Actions {
		if action.Devices == nil {
			action.Devices = []string{}
		}
		out.Actions[i] = action
	}
	return out, nil
}

// resolveName answers one line of --names: the device that was meant, or null and
// the candidates that a question would name.
func resolveName(language string, line []byte) (any, error) {
	var in struct {
		ID      json.RawMessage `json:"id"`
		Heard   *string         `json:"heard"`
		Devices []struct {
			Name    string   `json:"name"`
			Aliases []string `json:"aliases"`
		} `json:"devices"`
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return nil, err
	}
	if in.Heard == nil {
		return nil, errors.New(`no "heard"`)
	}
	entries := make([]names.Entry, len(in.Devices))
	for i, d := range in.Devices {
		entries[i] = names.Entry{Name: d.Name, Aliases: d.Aliases}
	}
	out := struct {
		ID         json.RawMessage `json:"id,omitempty"`
		Match      *string         `json:"match"`
		Candidates []string        `json:"candidates"`
	}{ID: in.ID, Candidates: []string{}}
	r := names.NewFor(language, entries).Resolve(*in.Heard, nil)
	switch r.Verdict {
	case names.Exact, names.Fuzzy:
		out.Match = &in.Devices[r.Items[0]].Name
	case names.Many, names.Unsure:
		for _, i := range r.Items[:min(len(r.Items), names.MaxCandidates)] {
			out.Candidates = append(out.Candidates, in.Devices[i].Name)
		}
	case names.None:
	}
	return out, nil
}
