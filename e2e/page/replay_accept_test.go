//go:build accept

package page

import (
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"voicegateway/e2e/rig"
	"voicegateway/internal/keep/record"
)

// spy is a stranger at the broker, who notes what is published.
type spy struct {
	mu     sync.Mutex
	topics []string
}

func spyOn(t *testing.T, broker string) *spy {
	t.Helper()
	s := &spy{}
	rig.Subscribe(t, broker, func(topic string, _ []byte, _ bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.topics = append(s.topics, topic)
	}, "#")
	return s
}

// ended returns how often something was published on topics that end so.
func (s *spy) ended(with string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, topic := range s.topics {
		if strings.HasSuffix(topic, with) {
			n++
		}
	}
	return n
}

// A turn is run once more from its waterfall: then and today stand beside each other,
// a marked one is judged, and nothing happens in the house. By keyboard, in the
// family's language, on a telephone and in the dark.
func TestAcceptPageReplays(t *testing.T) {
	t.Parallel()
	ctx, w := browser(t)
	first := house(t, "gateway: {id: en, area: Kitchen}\n")
	gateways := []string{first.url}
	for language, say := range map[string]struct{ lamp, same, other, planned, verdict string }{
		"en": {"turn on the hallway light", "turn on the hallway light", "turn off the hallway light", "(planned, not done)", "Wrong: it does the same as then."},
		"de": {"schalte hallway light ein", "schalte hallway light ein", "schalte hallway light aus", "(geplant, nicht getan)", "Falsch: es tut dasselbe wie damals."},
		"fr": {"allume hallway light", "allume hallway light", "éteins hallway light", "(prévu, non fait)", "Faux: cela fait la même chose qu'avant."},
		"es": {"enciende hallway light", "enciende hallway light", "apaga hallway light", "(previsto, sin hacer)", "Mal: hace lo mismo que entonces."},
	} {
		g := first
		if language != "en" {
			g = run(t, "gateway: {id: "+language+", area: Kitchen, language: "+language+"}\n", first.broker)
			gateways = append(gateways, g.url)
		}
		p := loaded(t, ctx, g.url+"/", chromedp.WithNewBrowserContext())
		p.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
		p.eventually("the house is shown", `document.querySelectorAll("#areas li").length > 40`)
		p.turnTo("talk")
		s := spyOn(t, g.broker)
		p.types("#ask-text", say.lamp+kb.Enter)
		p.reads("#turns summary", say.lamp)
		turn := g.lastTurn()
		if turn.Outcome != record.Done {
			t.Fatalf("%s: the lamp: %+v", language, turn)
		}
		const item = "#turns li:last-child "
		p.do(chromedp.Focus(chromedp.CSS(item+"summary")), chromedp.KeyEvent(kb.Enter))
		before, ended := s.ended("/writeValue/set"), s.ended("/turn")
		p.do(chromedp.Focus(chromedp.CSS(item+".replay button")), chromedp.KeyEvent(kb.Enter))
		p.reads(item+".beside td", say.planned)
		for _, line := range []string{say.same, turn.Intent.Name, turn.Calls[0].Tool, turn.Reply} {
			p.reads(item+".beside", line)
		}
		if p.holds(`document.querySelector(` + quoted(item+".replay p") + `).textContent === ""`) {
			t.Errorf("%s: nobody is told whether it is the same", language)
		}
		if !p.holds(`document.activeElement === document.querySelector(` + quoted(item+".replay button") + `)`) {
			t.Errorf("%s: the focus is lost", language)
		}
		p.types(item+"form input", say.other+kb.Enter)
		p.eventually("it is marked", `document.querySelector(`+quoted(item+"form ~ [role=status]")+`).textContent !== ""`)
		p.do(chromedp.Focus(chromedp.CSS(item+".replay button")), chromedp.KeyEvent(" "))
		p.reads(item+".replay [role=status]", say.verdict)
		if wide := value[int](p, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s: the page is %d wide on a telephone of 360: %q", language, wide,
				value[[]string](p, `[...document.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > 360).map((e) => e.tagName + "." + e.className + " " + e.textContent.slice(0, 30))`))
		}
		p.likesDark()
		p.picture("replay-" + language)
		if n := len(g.turns()); n != 1 {
			t.Errorf("%s: %d turns are remembered, after one and its replays", language, n)
		}
		// What comes after the replays shows that all before it has been seen.
		if err := g.post("/api/ask", map[string]string{"text": say.other}, new(any)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the next command is seen", func() bool { return s.ended("/turn") > ended })
		if writes, told := s.ended("/writeValue/set"), s.ended("/turn"); writes != before+1 || told != ended+1 {
			t.Errorf("%s: %d writes and %d turns were published beside one command", language, writes-before, told-ended)
		}
	}
	w.stayedHome(t, gateways...)
}

// turns are the turns that a gateway remembers, the newest first.
func (g gateway) turns() (all []record.Record) {
	g.t.Helper()
	if err := g.get("/api/turns", &all); err != nil {
		g.t.Fatal(err)
	}
	return all
}

func (g gateway) lastTurn() record.Record {
	g.t.Helper()
	all := g.turns()
	if len(all) == 0 {
		g.t.Fatalf("%s remembers no turn", g.url)
	}
	return all[0]
}
