package reader_test

import (
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/intent/reader"
	"voicegateway/internal/language/sentences"
)

// known is what was learned, in the tests of what is written: one kind, with its share.
type known struct{ guess reader.Guess }

func (k known) Kind(string) reader.Guess            { return k.guess }
func (k known) Among(string, []reader.Kind) float64 { return k.guess.Share }
func (known) Marks(reader.Kind) reader.Marks        { return reader.Marks{Sure: 0.9, Nearly: 0.5} }
func sure(k reader.Kind) known                      { return known{reader.Guess{Kind: k, Share: 0.99}} }

func nearly(k reader.Kind) known { return known{reader.Guess{Kind: k, Share: 0.7}} }

func unlikely(k reader.Kind) known { return known{reader.Guess{Kind: k, Share: 0.3}} }

func cottage(tb testing.TB) (reader.Match, *home.House) {
	tb.Helper()
	thing := func(id, name, domain, area string, aliases ...string) home.Entity {
		return home.Entity{ID: id, Name: name, Aliases: aliases, Domain: domain, Area: area}
	}
	h := &home.House{
		Areas: []home.Area{{Name: "Kitchen"}, {Name: "Living Room"}, {Name: "Bathroom"}},
		Entities: []home.Entity{
			thing("light.kitchen", "Kitchen Light", "light", "Kitchen"),
			thing("light.sofa", "Sofa Lamp", "light", "Living Room"),
			thing("light.bath", "Bathroom Light", "light", "Bathroom"),
			thing("switch.coffee", "Coffee Machine", "switch", "Kitchen", "coffee maker"),
			thing("switch.robot", "Robot Vacuum", "switch", "Living Room", "roomba"),
			thing("switch.plug", "Smart Plug", "switch", "Living Room", "plug"),
			thing("lock.front", "Front Door", "lock", "Living Room"),
		},
	}
	m, err := intent.New(intent.English(), h)
	if err != nil {
		tb.Fatal(err)
	}
	return func(sentence string) intent.Decision { return m.Match(sentence, "Living Room") }, h
}

func TestRead(t *testing.T) {
	t.Parallel()
	match, h := cottage(t)
	words := reader.WordsOf("en")
	for _, tt := range []struct {
		text     string
		learned  known
		verdict  reader.Verdict
		sentence string
	}{
		// What is explained wholly is done.
		{"would you extinguish the lights in the kitchen", sure(reader.LightOff), reader.Do, "turn off the lights in the Kitchen"},
		{"give the sofa lamp a bit more light", sure(reader.LightUp), reader.Do, "brighten the Sofa Lamp a bit"},
		{"please intensify the lighting", sure(reader.LightUp), reader.Do, "brighten the lights"},
		{"let the light be green in the bathroom", sure(reader.LightChange), reader.Do, "set the lights in the Bathroom to green"},
		{"fix me a nice hot cup of coffee", sure(reader.Coffee), reader.Do, "turn on the Coffee Machine"},
		{"brew some coffee at seven am", sure(reader.Coffee), reader.Do, "turn on the Coffee Machine at seven am"},
		{"have the roomba sweep the floor", sure(reader.Clean), reader.Do, "start the Robot Vacuum"},
		{"stop powering the smart plug", sure(reader.PlugOff), reader.Do, "turn off the Smart Plug"},
		{"get the speakers much louder", sure(reader.VolumeUp), reader.Do, "turn the volume up"},
		{"schedule my alarm for friday at half past six", sure(reader.AlarmSet), reader.Do, "set an alarm for friday at half past six"},
		{"let me see my alarms", sure(reader.AlarmQuery), reader.Do, "what alarms do i have"},
		// The words say the direction, whatever the kind.
		{"bring the light down in the kitchen", sure(reader.LightUp), reader.Do, "dim the lights in the Kitchen"},
		// Dark is said of a room that is to be brighter, and of one that is to be dark.
		{"all dark in here please", sure(reader.LightUp), reader.Do, "turn off the lights"},
		{"make everything dark in the kitchen", sure(reader.LightUp), reader.Do, "turn off the lights in the Kitchen"},
		{"please get the kitchen light dark", sure(reader.LightUp), reader.Leave, ""},
		{"it's too dark in here", sure(reader.LightUp), reader.Do, "brighten the lights"},
		{"please make sure it's dark in here", sure(reader.LightUp), reader.Leave, ""},
		{"make it very dark in here", sure(reader.LightUp), reader.Leave, ""},
		{"it is so dark in the kitchen", sure(reader.LightUp), reader.Do, "brighten the lights in the Kitchen"},
		{"the light in the kitchen is dark", sure(reader.LightUp), reader.Leave, ""},
		// Less of it is the other direction.
		{"make it less dark in here please", sure(reader.LightDown), reader.Do, "brighten the lights"},
		{"get the lights less dim", sure(reader.LightDown), reader.Do, "brighten the lights"},
		{"get the lights less bright", sure(reader.LightUp), reader.Do, "dim the lights"},
		{"please get less quiet", sure(reader.VolumeDown), reader.Do, "turn the volume up"},
		{"please get less loud", sure(reader.VolumeUp), reader.Do, "turn the volume down"},
		// All of here are those of this room.
		{"would you extinguish all the lights in here", sure(reader.LightOff), reader.Do, "turn off the lights"},
		{"would you extinguish all the lights", sure(reader.LightOff), reader.Do, "turn off all the lights"},
		// What is stopped is not started.
		{"stop brewing the coffee", sure(reader.Coffee), reader.Do, "turn off the Coffee Machine"},
		{"please stop hoovering", sure(reader.Clean), reader.Do, "stop the Robot Vacuum"},
		{"stop", sure(reader.Coffee), reader.Leave, ""},
		{"stop drinking that much coffee", sure(reader.Coffee), reader.Leave, ""},
		{"don't stop the coffee", sure(reader.Coffee), reader.Leave, ""},
		{"no more coffee brewing please", sure(reader.Coffee), reader.Leave, ""},
		// A word in the place of others, and an hour as a clock shows it.
		{"i want my alarm at six am everyday", sure(reader.AlarmSet), reader.Do, "set an alarm for six am every day"},
		{"fix an alarm for five hundred and thirty", sure(reader.AlarmSet), reader.Do, "set an alarm for five thirty"},
		{"fix an alarm for eight hundred pm", sure(reader.AlarmSet), reader.Do, "set an alarm for eight pm"},
		// A thing is told what to do, and nobody else is.
		{"tell the roomba to clean", sure(reader.Clean), reader.Do, "start the Robot Vacuum"},
		{"tell my brother to clean", sure(reader.Clean), reader.Leave, ""},
		{"ask my brother to extinguish the lights", sure(reader.LightOff), reader.Leave, ""},
		// Two parts of one order, and two orders.
		{"switch on the coffee maker and start to brew", sure(reader.Coffee), reader.Do, "turn on the Coffee Machine"},
		{"extinguish the lights and brighten the lights", sure(reader.LightOff), reader.Leave, ""},
		{"wake me up at six and at seven", sure(reader.AlarmSet), reader.Do, "set an alarm for six and at seven"},
		{"delete the alarm and set a new one", sure(reader.AlarmRemove), reader.Leave, ""},
		{"switch on the coffee maker and the sauna", sure(reader.Coffee), reader.Leave, ""},
		// By how much, and to what.
		{"would you dim the sofa lamp by half", sure(reader.LightDown), reader.Do, "make the Sofa Lamp half as bright"},
		{"please get the sound higher by ten", sure(reader.VolumeUp), reader.Do, "turn the volume up by ten percent"},
		{"set the music volume to ninety", sure(reader.VolumeUp), reader.Do, "set the volume to ninety percent"},
		{"set the music volume to nine", sure(reader.VolumeUp), reader.Leave, ""},
		{"turn on a blue light", sure(reader.LightOn), reader.Do, "set the lights to blue"},
		// A sentence of ours, said to an assistant of another name.
		{"olly turn off the light in the kitchen", sure(reader.LightOff), reader.Do, "turn off the light in the kitchen"},
		{"olly don't turn off the light in the kitchen", sure(reader.LightOff), reader.Leave, ""},
		// A question of the clock, whatever it was taken for.
		{"report the time in miami", sure(reader.None), reader.Do, "what time is it in miami"},
		// An order that was taken for nothing, and not surely.
		{"make me an espresso please", known{reader.Guess{Kind: reader.None, Share: 0.6}}, reader.Do, "turn on the Coffee Machine"},
		{"make me an espresso please", sure(reader.None), reader.Leave, ""},
		{"make me an espresso cake please", known{reader.Guess{Kind: reader.None, Share: 0.6}}, reader.Leave, ""},
		{"is it time for the news", sure(reader.None), reader.Leave, ""},
		// Nearly sure, or a word that nothing explains: asked.
		{"would you extinguish the lights", nearly(reader.LightOff), reader.Ask, "turn off the lights"},
		{"extinguish the purple chandelier lights", sure(reader.LightOff), reader.Ask, "turn off the lights"},
		{"a cup of coffee", sure(reader.Coffee), reader.Ask, "turn on the Coffee Machine"},
		{"vacuum the bathroom with the roomba", sure(reader.Clean), reader.Ask, "start the Robot Vacuum"},
		// What forbids, tells, waits or means another time is left.
		{"don't extinguish the lights", sure(reader.LightOff), reader.Leave, ""},
		{"extinguish the lights when i leave", sure(reader.LightOff), reader.Leave, ""},
		{"extinguish the lights unless it is dark", sure(reader.LightOff), reader.Leave, ""},
		{"he said extinguish the lights", sure(reader.LightOff), reader.Leave, ""},
		{"i adore the lights in the kitchen", sure(reader.LightOff), reader.Leave, ""},
		{"the coffee is ready", sure(reader.Coffee), reader.Leave, ""},
		{"brew some coffee and unlock the front door", sure(reader.Coffee), reader.Leave, ""},
		{"extinguish the lights in the kitchen not in the bathroom", sure(reader.LightOff), reader.Leave, ""},
		{"brew coffee on the eleventh of never at some time in the evening", sure(reader.Coffee), reader.Leave, ""},
		{"would you extinguish the lights", unlikely(reader.LightOff), reader.Leave, ""},
		{"play some jazz", sure(reader.None), reader.Leave, ""},
		// A thing that the house does not have.
		{"stop powering the aquarium", sure(reader.PlugOff), reader.Leave, ""},
	} {
		r := words.Read(reader.Text{Words: tt.text, Act: match(tt.text).Act}, tt.learned, h, match)
		if r.Verdict != tt.verdict || tt.verdict != reader.Leave && r.Sentence != tt.sentence {
			t.Errorf("%q: %s %q (%s, rest %q), want %s %q", tt.text, r.Verdict, r.Sentence, r.Doubt, r.Rest, tt.verdict, tt.sentence)
		}
	}
}

// Nothing that lets somebody in is done for words that only the reader understands.
func TestReadWritesNothingDangerous(t *testing.T) {
	t.Parallel()
	match, h := cottage(t)
	for _, text := range []string{"power down the front door", "switch on the front door", "front door off"} {
		for _, kind := range reader.Kinds() {
			r := reader.WordsOf("en").Read(reader.Text{Words: text, Act: match(text).Act}, sure(kind), h, match)
			for _, a := range r.Means.Actions {
				if slices.Contains(a.Devices, "lock.front") && r.Verdict != reader.Leave && intent.Dangerous(a, h.Entity("lock.front")) {
					t.Errorf("%q as %s is %s: %q", text, kind, r.Verdict, r.Sentence)
				}
			}
		}
	}
}

// Every language's words can be loaded.
func TestWordsOf(t *testing.T) {
	t.Parallel()
	for _, language := range sentences.Languages() {
		if _, err := sentences.Rewriting(language); (err == nil) != (reader.WordsOf(language) != nil) {
			t.Errorf("the words of %s: there is a file: %v, and they are loaded: %v", language, err == nil, reader.WordsOf(language) != nil)
		}
	}
}

// The reader takes any text.
func FuzzRewrite(f *testing.F) {
	match, h := cottage(f)
	for _, text := range []string{"turn off the lights", "", ". . .", "to to to ten percent by by", "at at five", "from now from now", "é'ß's the"} {
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, kind int) {
		kinds := reader.Kinds()
		k := kinds[(kind%len(kinds)+len(kinds))%len(kinds)]
		r := reader.WordsOf("en").Read(reader.Text{Words: text, Act: match(text).Act}, sure(k), h, match)
		if r.Verdict != reader.Leave && strings.TrimSpace(r.Sentence) == "" {
			t.Errorf("%q is %s without a sentence", text, r.Verdict)
		}
	})
}

// BenchmarkRewrite reads a text that fits no sentence, with the weights of the program.
func BenchmarkRewrite(b *testing.B) {
	match, h := cottage(b)
	model, err := reader.Load("en")
	if err != nil {
		b.Fatal(err)
	}
	words := reader.WordsOf("en")
	for name, text := range map[string]string{
		"done":      "would you extinguish the lights in the kitchen",
		"at a time": "brew some coffee tomorrow at seven am",
		"left":      "please play me some music from the nineties",
	} {
		t := reader.Text{Words: text, Act: match(text).Act}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				words.Read(t, model, h, match)
			}
		})
	}
}
