package mind_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"voicegateway/internal/fake"
	"voicegateway/internal/home"
	"voicegateway/internal/intent"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/mind"
	"voicegateway/internal/mind/guard"
)

// typed are orders and questions to the villa; the test misspells their words.
var typed = map[string][]string{
	"en": {
		"turn on the kitchen light", "switch off the bedroom lamp", "close the kitchen blind", "set the kitchen heating to 20 degrees", "dim the desk lamp to 30 percent",
		"lock the front door", "turn off all the lights", "what is the temperature in the office", "is the kitchen window open", "set a timer for five minutes",
	},
	"de": {
		"schalte das Küchenlicht ein", "mach die Schlafzimmerlampe aus", "schließe das Küchenrollo", "stelle die Küchenheizung auf 20 Grad", "dimme die Schreibtischlampe auf 30 Prozent",
		"schließ die Haustür ab", "schalte alle Lichter aus", "wie warm ist es im Büro", "ist das Küchenfenster offen", "stelle einen Timer auf fünf Minuten",
	},
	"fr": {
		"allume la lumière de la cuisine", "éteins la lampe de la chambre", "ferme le store de la cuisine", "mets le chauffage de la cuisine à 20 degrés", "règle la lampe du bureau à 30 pour cent",
		"verrouille la porte d'entrée", "éteins toutes les lumières", "quelle est la température dans le bureau", "est-ce que la fenêtre de la cuisine est ouverte", "mets un minuteur de cinq minutes",
	},
	"es": {
		"enciende la luz de la cocina", "apaga la lámpara del dormitorio", "cierra la persiana de la cocina", "pon la calefacción de la cocina a 20 grados", "pon la lámpara del escritorio al 30 por ciento",
		"cierra con llave la puerta principal", "apaga todas las luces", "qué temperatura hace en la oficina", "está abierta la ventana de la cocina", "pon un temporizador de cinco minutos",
	},
}

// slips returns versions of a text with one misspelling each, two for each word of at
// least four letters. The three kinds take turns: two letters swapped, one lost, one
// doubled.
func slips(text string) (out []string) {
	words := strings.Fields(text)
	n := 0
	for i, w := range words {
		letters := []rune(w)
		if len(letters) < 4 || strings.ContainsAny(w, "0123456789'-") {
			continue
		}
		for range 2 {
			at := 1 + n%(len(letters)-2)
			wrong := slices.Clone(letters)
			switch n % 3 {
			case 0:
				wrong[at], wrong[at+1] = wrong[at+1], wrong[at]
			case 1:
				wrong = slices.Delete(wrong, at, at+1)
			default:
				wrong = slices.Insert(wrong, at, wrong[at])
			}
			n++
			if string(wrong) != w {
				out = append(out, strings.Join(slices.Concat(words[:i], []string{string(wrong)}, words[i+1:]), " "))
			}
		}
	}
	return out
}

// TestTypedSlips types orders with a misspelling in each of their words. Each does what
// the order without the misspelling does, or nothing.
func TestTypedSlips(t *testing.T) {
	t.Parallel()
	right, asked, missed, wrong := 0, 0, 0, 0
	for language, orders := range typed {
		for _, order := range orders {
			want, _ := move(t, language).say(order)
			for _, text := range slips(order) {
				calls, said := move(t, language).say(text)
				switch {
				case calls == want && (calls != "-" || said != ""):
					if calls == "-" && strings.HasSuffix(said, "?") {
						asked++
						break
					}
					right++
				case calls == "-" && strings.HasSuffix(said, "?"):
					asked++
					t.Logf("%s %q is asked: %s", language, text, said)
				case calls == "-":
					missed++
					t.Logf("%s %q is missed: %s", language, text, said)
				default:
					wrong++
					t.Errorf("%s %q does %s, expected %s", language, text, calls, want)
				}
			}
		}
	}
	all := right + asked + missed + wrong
	t.Logf("of %d texts with a slip %d are right, %d asked, %d missed, %d wrong", all, right, asked, missed, wrong)
	if all < 200 || right*100 < all*85 {
		t.Errorf("%d of %d are right, want at least 85 percent of 200 or more", right, all)
	}
}

// TestSlipsOfWhatMustNotBeGuessed types what is dangerous, what forbids or sets a
// condition, and what is as near to on as to off, with slips: nothing is done.
func TestSlipsOfWhatMustNotBeGuessed(t *testing.T) {
	t.Parallel()
	for language, texts := range map[string][]string{
		"en": {
			"unlokc the front door", "unlcok the back door", "opne the garage door", "open the garage doro please now opne", "swich of the kitchen light", "trun fo the kitchen light", "swich onn or off the kitchen light",
			"dont trun on the kitchen light", "do nto turn on the kitchen light", "dno't turn on the kitchen light", "nver turn on the kitchen light", "trun on the kitchen light unles it is dark", //nolint:misspell // slips are what it is about
			"trun on the kitchen light iff it is dark", "trun on the kitchen light whne it is dark", "i tunred on the kitchen light", "he swiched off the fan", "burn the kitchen light", "turn the kitchen light no",
		},
		"de": {
			"schalte das Küchenlicht nciht ein", "shcalte das Küchenlicht niht ein", "schlate kien Küchenlicht ein", "öfne das Garagentor", "oeffne das Garagentro", "schließ die Haustür afu",
			"schlate das Küchenlicht ein wnen es dunkel ist", "schlate das Küchenlicht auz", "schlate das Küchenlicht en", "Küchenlicht auschalten", "Küchenlicht asschalten",
			"bitte den Ventilator aumachen", "daktiviere die Kaffeemaschine",
		},
		"fr": {"n'alume pas la lumière de la cuisine", "n'allume aps la lumière de la cuisine", "ouvr la porte de garage", "déverouille la porte d'entrée", "alume la lumière de la cuisine is il fait nuit"},
		"es": {"no encinede la luz de la cocina", "nno enciende la luz de la cocina", "nnuca enciendas la luz de la cocina", "abr la puerta del garaje", "desbloqeua la puerta principal", "encinede la luz de la cocina si llueve"},
	} {
		for _, text := range texts {
			if calls, said := move(t, language).say(text); calls != "-" {
				t.Errorf("%s %q does %s: %s", language, text, calls, said)
			}
		}
	}
}

// TestSlipsActOnNothingElse types texts that are not orders, with and without
// misspellings: a text that does nothing must not become an order because it resembles a
// misspelt one.
func TestSlipsActOnNothingElse(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de", "fr", "es"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			all, acted := 0, 0
			for _, text := range noOrders(t, language) {
				plain, _ := move(t, language).say(text)
				if plain != "-" { // it acts without a slip
					continue
				}
				variants := slips(text)
				for _, slip := range variants[:min(len(variants), 1)] {
					all++
					if calls, said := move(t, language).say(slip); calls != "-" && !strings.HasPrefix(calls, "list_timers") {
						acted++
						t.Errorf("%q, from %q, does %s: %s", slip, text, calls, said)
					}
				}
			}
			t.Logf("%d of %d texts that are no orders act", acted, all)
		})
	}
}

// noOrders are the texts of the sets that must do nothing.
func noOrders(t *testing.T, language string) (out []string) {
	t.Helper()
	for _, file := range []string{"acts", "unseen", "television"} {
		data, err := os.ReadFile(fmt.Sprintf("../intent/testdata/%s_%s.txt", file, language))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			if file == "television" {
				out = append(out, line)
				continue
			}
			kind, text, _ := strings.Cut(line, ": ")
			switch kind {
			case "command", "request", "wish", "may":
			default:
				out = append(out, text)
			}
		}
	}
	return out
}

// A text that is spelt right has no other reading, and a word for on or off none either.
func TestRespeltLeavesWhatIsRight(t *testing.T) {
	t.Parallel()
	for language, orders := range typed {
		pack, err := intent.Ours(language)
		if err != nil {
			t.Fatal(err)
		}
		m, err := intent.New(pack, fake.Villa(language))
		if err != nil {
			t.Fatal(err)
		}
		for _, order := range append([]string{"on", "of", "off", "an", "aus", "auf"}, orders...) {
			for _, other := range m.Respelt(order) {
				if utf8.RuneCountInString(other) != utf8.RuneCountInString(order) { // more than an accent
					t.Errorf("%s %q may be %q", language, order, other)
				}
			}
		}
	}
}

// moving is a house that is published while the user types.
type moving struct {
	*fake.Matcher
	now *intent.Matcher
}

// Respelt puts slips right by the words of the house that is known.
func (m *moving) Respelt(text string) []string { return m.now.Respelt(text) }

func (m *moving) live(t *testing.T, h *home.House) {
	t.Helper()
	matcher, err := intent.New(intent.English(), h)
	if err != nil {
		t.Fatal(err)
	}
	m.now, m.MatchFunc, m.Home = matcher, matcher.Match, h
}

// TestSlipsWaitForTheHouse types an order with a slip before the house is known.
func TestSlipsWaitForTheHouse(t *testing.T) {
	t.Parallel()
	m := &moving{Matcher: &fake.Matcher{}}
	m.live(t, &home.House{})
	caller := &fake.Caller{AwaitFunc: func(context.Context, mind.Need) error {
		m.live(t, manyLamps(1))
		return nil
	}}
	a, err := mind.New(m, caller, &fake.Assistant{}, fake.English(), guard.Limits{FanOutLimit: 5}, mind.Recovery{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	rec := a.Turn(t.Context(), record.Request{Text: "swich on the lamp 0", Source: record.FromCLI, DryRun: true})
	if rec.Intent == nil || rec.Intent.Name != "HassTurnOn" {
		t.Errorf("%+v: %q", rec.Intent, rec.Reply)
	}
}
