//go:build soak && accept

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// stroke is one thing that a person does: a tap on something, at some part of its width, or what
// is typed into it.
type stroke struct {
	on   string  // an expression that finds it
	at   float64 // how far along it; 0: the middle
	keys string  // what is done by keys instead of a tap; "": Enter
	text string  // what is typed after the tap
}

// control is an expression that finds the button, link or field whose name for a screen reader,
// or whose text, begins with a name.
func control(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("main button, main a, main input, main select, #ringing button, .tabs button")].find((e) => e.checkVisibility() && e.ariaDisabled !== "true" && (e.getAttribute("aria-label") ?? (e.innerText || e.labels?.[0]?.innerText || "")).trim().startsWith(%s))`, quoted(name))
}

// face is an expression that finds what is tapped to switch a thing.
func face(name string) string { return tile(name) + `?.querySelector("button.face")` }

// chore is one of the tasks of a family.
type chore struct {
	name    string
	prepare func(g gateway)
	strokes []stroke
	done    string // holds in the page when it is done
}

// startTimer returns a preparation that starts a timer of a kind.
func startTimer(kind string, more map[string]any) func(g gateway) {
	return func(g gateway) {
		g.t.Helper()
		more["action"], more["kind"] = "start", kind
		if err := g.post("/api/timers", more, new(any)); err != nil {
			g.t.Fatal(err)
		}
	}
}

// act returns a preparation that controls a thing in the house.
func act(thing, do string, value any) func(g gateway) {
	return func(g gateway) {
		g.t.Helper()
		if err := g.post("/api/control", map[string]any{"thing": thing, "do": do, "value": value}, new(any)); err != nil {
			g.t.Fatal(err)
		}
	}
}

// talk are the strokes that say something.
func talk(text string) []stroke {
	return []stroke{{on: `document.querySelector(".tabs [data-tab=talk]")`}, {on: control("Say or ask"), text: text}, {on: `document.getElementById("ask-go")`}}
}

// replies is an expression that holds when the last reply fits a regular expression.
func replies(text string) string {
	return fmt.Sprintf(`new RegExp(%s).test(document.getElementById("reply").textContent)`, quoted(text))
}

// hasState is an expression that holds when the state of a thing begins with these words.
func hasState(name, words string) string {
	return fmt.Sprintf(`%s?.startsWith(%s)`, stateOf(name), quoted(words))
}

// glances is an expression that holds when a line above the house has this text.
func glances(text string) string {
	return fmt.Sprintf(`[...document.querySelectorAll("#glance a")].some((e) => e.checkVisibility() && e.textContent === %s)`, quoted(text))
}

// chores are carried out in this order. At first the house is as the simulation begins it: the
// front door is unlocked, and the blinds are open.
var chores = []chore{
	{"dim the office", nil, []stroke{{on: control("Brightness of Office Light"), at: 0.3, keys: strings.Repeat(kb.ArrowRight, 6)}}, `/^on · [23][05] %/.test(` + stateOf("Office Light") + `)`},
	{"close all blinds", nil, []stroke{{on: control("Close all blinds")}}, hasState("Bedroom Curtains", "closed") + " && " + hasState("Living Room Blinds", "closed")},
	{"is the door locked", nil, nil, glances("Front Door: unlocked")},
	{"lock it", nil, []stroke{{on: face("Front Door")}}, hasState("Front Door", "locked")},
	{"stop the alarm", startTimer("timer", map[string]any{"name": "egg", "seconds": 1}), []stroke{{on: `document.getElementById("ringing-stop")`}}, `document.getElementById("ringing").hidden`},
	{
		"five more minutes for the pasta", startTimer("timer", map[string]any{"name": "pasta", "seconds": 540}),
		[]stroke{{on: `document.querySelector(".tabs [data-tab=timers]")`}, {on: control("+5 minutes: pasta")}},
		`/1[34]:\d\d/.test(document.querySelector("#timers .dial").innerText)`,
	},
	{
		"seven minutes for the eggs", nil,
		[]stroke{{on: `document.querySelector(".tabs [data-tab=timers]")`}, {on: `document.getElementById("timer-minutes")`, text: "7"}, {on: `document.querySelector("#timer-new button")`}},
		`/[67]:\d\d/.test(document.getElementById("timers").innerText)`,
	},
	{"coffee", nil, []stroke{{on: face("Coffee Machine")}}, hasState("Coffee Machine", "on")},
	{"a degree warmer", nil, []stroke{{on: control("Thermostat: warmer")}, {on: control("Thermostat: warmer")}}, hasState("Thermostat", "20.5° · set to 22°")},
	{"how warm is it in the bedroom", nil, nil, `document.querySelector('[aria-label="Bedroom"] .measured').innerText === "18.5°"`},
	{"orange light for the guests", nil, []stroke{{on: control("Colour of Mood Light")}, {on: control("Orange: Mood Light")}}, hasState("Mood Light", "on") + ` && ` + control("Orange: Mood Light") + `.getAttribute("aria-pressed") === "true"`},
	{"why is the light on", act("Hallway Light", "on", nil), talk("why is the hallway light on"), replies("asked for it")},
	{"take that back", nil, talk("undo"), replies("off again")},
	{"what happened in the last hour", nil, talk("what happened in the last hour"), replies("^These are the last of \\d+\\. At ")},
	{
		"what happened at seven", func(g gateway) { g.fault(`{"op":"change","node":"Front Door","key":"98-0-currentMode","value":0}`) },
		[]stroke{{on: `document.querySelector(".tabs [data-tab=happened]")`}},
		`[...document.querySelectorAll("#happened-list > li")].some((e) => e.checkVisibility() && /\d:\d\d.*Front Door: unlocked.*by hand/s.test(e.innerText))`,
	},
	{"which thing in the cellar does not answer", func(g gateway) { g.fault(`{"op":"dead","node":"Water Valve"}`); act("Water Valve", "close", nil)(g) }, []stroke{{on: control("Water Valve (Cellar): does not answer")}}, `document.activeElement.closest(".tile")?.querySelector(".value").textContent.startsWith("does not answer")`},
	{"everything off", act("Attic Light", "on", nil), []stroke{{on: "(" + hasState("Attic Light", "on") + " ? " + control("All lights off") + " : null)"}}, `[...document.querySelectorAll("#glance a")].every((e) => !/^\d+ lights on/.test(e.textContent)) && ` + hasState("Attic Light", "off")},
}

// taps carries a task out by taps, and returns how many there were, and whether the finger had to
// scroll.
func (p *tab) taps(strokes []stroke) (count int, scrolled bool) {
	p.t.Helper()
	for _, s := range strokes {
		p.eventually(s.on, s.on+"?.checkVisibility()")
		box := value[[]float64](p, fmt.Sprintf(`(() => {
			const e = %s, box = e.getBoundingClientRect(), seen = box.top >= 0 && box.bottom <= innerHeight - (e.closest(".tabs") ? 0 : 60);
			if (!seen) scrollBy(0, box.top - innerHeight / 2);
			const { left, top, width, height } = e.getBoundingClientRect();
			return [left + width * %v, top + height / 2, Number(seen)];
		})()`, s.on, cmp.Or(s.at, 0.5)))
		scrolled = scrolled || box[2] == 0
		p.do(chromedp.MouseClickXY(box[0], box[1]))
		count++
		if s.text != "" {
			p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.select(); undefined`), chromedp.KeyEvent(s.text))
		}
	}
	return count, scrolled
}

// strikes carries a task out by keys alone, and returns how many were pressed beside what was
// typed, and what a screen reader reads on the way.
func (p *tab) strikes(strokes []stroke) (count int, read []string) {
	p.t.Helper()
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".skip").focus(); scrollTo(0, 0); undefined`))
	press := func(keys string) { p.do(chromedp.KeyEvent(keys)); count++ }
	for _, s := range strokes {
		if strings.Contains(s.on, ".tabs [") {
			continue // a wide screen shows all parts at once
		}
		p.eventually(s.on, s.on+"?.checkVisibility()")
		if p.holds(s.on+`.closest("#side")`) && !p.holds(`document.activeElement.closest("#side")`) {
			press(kb.Tab)
			press(kb.Enter) // past the house
		}
		if p.holds(s.on+`.closest("#areas")`) && !p.holds(`document.activeElement.closest("#areas")`) {
			for _, key := range []string{kb.Tab, kb.Tab, kb.Enter} { // to the rooms
				press(key)
			}
			name := value[string](p, s.on+`.closest(".room").ariaLabel`)
			for range 4 {
				press(strings.ToLower(name[:1]))
				if p.holds(`document.activeElement.textContent === ` + quoted(name)) {
					break
				}
			}
			press(kb.Enter)
		}
		for range 150 {
			if p.holds(`document.activeElement === ` + s.on) {
				break
			}
			press(kb.Tab)
		}
		if !p.holds(`document.activeElement === ` + s.on) {
			p.t.Fatalf("the tabulator never comes to %s", s.on)
		}
		read = append(read, p.focusedName())
		switch {
		case s.text != "":
			p.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.select(); undefined`), chromedp.KeyEvent(s.text))
		case s.keys != "":
			for _, key := range s.keys {
				press(string(key))
			}
		default:
			press(kb.Enter)
		}
	}
	return count, read
}

// focusedName is what a screen reader reads of what has the focus: its role and its name.
func (p *tab) focusedName() string {
	p.t.Helper()
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		p.t.Fatal(err)
	}
	name := ""
	for _, node := range tree.Nodes {
		if node.Role == nil || node.Name == nil || strings.Contains(string(node.Role.Value), "RootWebArea") {
			continue
		}
		if slices.ContainsFunc(node.Properties, func(one *accessibility.Property) bool {
			return one.Name == accessibility.PropertyNameFocused && string(one.Value.Value) == "true"
		}) {
			name = strings.Trim(string(node.Role.Value), `"`) + " " + strings.Trim(string(node.Name.Value), `"`)
		}
	}
	if _, said, _ := strings.Cut(name, " "); said == "" {
		p.t.Errorf("what has the focus is read as %q", name)
	}
	return name
}

// What a family does takes at most three taps on a telephone, and works by keys alone. The taps,
// keys, names and times are printed.
func TestSoakPageOfAFamily(t *testing.T) {
	t.Parallel()
	ctx, _ := browser(t)
	table := "\ntask | taps | seconds | scrolled | keys | read\n"
	rows := make([]string, len(chores))
	for _, byKeys := range []bool{false, true} {
		g := house(t, "gateway: {id: home, area: Kitchen}\n")
		p := loaded(t, ctx, g.url+"/")
		if _, err := chromedp.Call(p.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
			t.Fatal(err)
		}
		if !byKeys {
			p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		}
		p.eventually("the house is shown", stateOf("Front Door")+` === "unlocked"`)
		for i, task := range chores {
			if task.prepare != nil {
				task.prepare(g)
			}
			if !byKeys && value[string](p, `document.body.dataset.tab`) != "house" {
				p.turnTo("house")
			}
			p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("reply").textContent = ""; scrollTo(0, 0); undefined`))
			if len(task.strokes) > 0 && (!byKeys || !strings.Contains(task.strokes[0].on, ".tabs [")) {
				p.eventually(task.name+" can be begun", task.strokes[0].on+"?.checkVisibility()")
			}
			began := time.Now()
			if byKeys {
				count, read := p.strikes(task.strokes)
				p.eventually(task.name, task.done)
				rows[i] += fmt.Sprintf(" | %d | %s", count, strings.Join(read, "; "))
				continue
			}
			count, scrolled := p.taps(task.strokes)
			p.eventually(task.name, task.done)
			rows[i] = fmt.Sprintf("%s | %d | %.1f | %t", task.name, count, time.Since(began).Seconds(), scrolled)
			if count > 3 {
				t.Errorf("%s takes %d taps", task.name, count)
			}
		}
	}
	t.Log(table + strings.Join(rows, "\n"))
}
