package numbers

import (
	"slices"
	"strings"
)

// word is a text that stands for a number.
type word struct {
	text  string
	value float64
}

// byHand is what people of one language say and CLDR does not list. Spaces in
// texts are borders, as in the table.
type byHand struct {
	more      []word   // further words for whole numbers
	halves    []string // behind a whole number: .5
	alone     []string // 0.5 without a number before it; only in front of a unit
	point     []string // further words for the decimal point
	minus     []string // further words for minus
	percents  []word   // in a range of percent only
	counts    []word   // in other ranges
	alike     []word   // sounds like a number; only in front of a unit
	compounds bool     // alike words also follow tens: "twenty won"
	units     []string // what alike words need behind them
	durations []word   // in minutes

	// variants adds forms of n to those of the table; say gives smaller numbers.
	variants func(n int, forms []string, say func(int) string) []string
}

func hand(code string) byHand {
	base, _, _ := strings.Cut(code, "-")
	switch base {
	case "en":
		return english()
	case "de":
		return german()
	case "es":
		return spanish()
	case "fr":
		return french()
	}
	return byHand{}
}

func english() byHand {
	return byHand{
		halves: []string{"and a half", "and one half"},
		alone:  []string{"half a", "half", "a half", "one half", "half an"},
		minus:  []string{"negative"},
		percents: []word{
			{"half", 50},
			{"a half", 50},
			{"one half", 50},
			{"halfway", 50},
			{"half way", 50},
			{"a quarter", 25},
			{"one quarter", 25},
			{"quarter", 25},
			{"three quarters", 75},
			{"three quarter", 75},
			{"a third", 33},
			{"one third", 33},
			{"two thirds", 67},
			{"full", 100},
			{"all the way", 100},
			{"max", 100},
			{"the max", 100},
			{"maximum", 100},
			{"the maximum", 100},
			{"min", 1},
			{"minimum", 1},
			{"the minimum", 1},
			{"lowest", 1},
			{"the lowest", 1},
		},
		counts: []word{
			{"a couple of", 2}, {"a couple", 2}, {"couple of", 2}, {"a dozen", 12}, {"one dozen", 12}, {"half a dozen", 6},
		},
		alike:     []word{{"to", 2}, {"too", 2}, {"for", 4}, {"fore", 4}, {"won", 1}, {"ate", 8}},
		compounds: true,
		units:     []string{"percent", "per cent", "degree", "minute", "second", "hour", "kelvin"},
		durations: []word{
			{"half an hour", 30},
			{"a half hour", 30},
			{"half hour", 30},
			{"one half hour", 30},
			{"an hour and a half", 90},
			{"one hour and a half", 90},
			{"a quarter of an hour", 15},
			{"quarter of an hour", 15},
			{"a quarter hour", 15},
			{"three quarters of an hour", 45},
			{"half a minute", 0.5},
			{"a minute and a half", 1.5},
		},
		variants: englishVariants,
	}
}

// englishVariants adds "a hundred" for "one hundred" and "twenty seven hundred".
func englishVariants(n int, forms []string, say func(int) string) []string {
	out := forms
	for _, form := range forms {
		for _, unit := range []string{"one hundred", "one thousand"} {
			if rest, ok := strings.CutPrefix(form, unit); ok {
				out = append(slices.Clip(out), "a "+strings.TrimPrefix(unit, "one ")+rest)
			}
		}
	}
	if n > 1000 && n < 10_000 && n%100 == 0 && n%1000 != 0 {
		out = append(slices.Clip(out), say(n/100)+" hundred")
	}
	return out
}

func german() byHand {
	return byHand{
		more:   []word{{"zwo", 2}},
		halves: []string{"einhalb", "ein halb", "und ein halb", "und einen halben"},
		alone:  []string{"ein halb", "einen halben", "ein halbes", "eine halbe"},
		point:  []string{"punkt"},
		percents: []word{
			{"halb", 50},
			{"die hälfte", 50},
			{"hälfte", 50},
			{"ein viertel", 25},
			{"ein drittel", 33},
			{"zwei drittel", 67},
			{"drei viertel", 75},
			{"voll", 100},
			{"max", 100},
			{"maximum", 100},
			{"maximal", 100},
			{"das maximum", 100},
			{"min", 1},
			{"minimum", 1},
			{"minimal", 1},
			{"das minimum", 1},
		},
		counts: []word{{"ein dutzend", 12}, {"ein halbes dutzend", 6}},
		units:  []string{"prozent", "grad", "minute", "sekunde", "stunde", "kelvin"},
		durations: []word{
			{"eine halbe stunde", 30},
			{"einer halben stunde", 30},
			{"anderthalb stunden", 90},
			{"eineinhalb stunden", 90},
			{"eine viertel stunde", 15},
			{"einer viertel stunde", 15},
			{"eine drei viertel stunde", 45},
			{"drei viertel stunde", 45},
			{"eine halbe minute", 0.5},
		},
		variants: func(_ int, forms []string, _ func(int) string) []string {
			out := forms
			for _, form := range forms {
				for _, unit := range []string{"ein\u00adhundert", "ein\u00adtausend"} {
					if rest, ok := strings.CutPrefix(form, unit); ok {
						out = append(slices.Clip(out), strings.TrimPrefix(unit, "ein\u00ad")+rest)
					}
				}
			}
			return out
		},
	}
}

func spanish() byHand {
	return byHand{
		more:   []word{{"ciento", 100}, {"veintiun", 21}, {"dieciseis", 16}, {"veintidos", 22}, {"veintitres", 23}, {"veintiseis", 26}},
		halves: []string{"y medio", "y media"},
		alone:  []string{"medio", "media"},
		point:  []string{"punto"},
		percents: []word{
			{"la mitad", 50},
			{"mitad", 50},
			{"medio", 50},
			{"un cuarto", 25},
			{"un tercio", 33},
			{"dos tercios", 67},
			{"tres cuartos", 75},
			{"tope", 100},
			{"máximo", 100},
			{"el máximo", 100},
			{"mínimo", 1},
			{"el mínimo", 1},
		},
		counts: []word{{"un par de", 2}, {"una docena de", 12}, {"media docena de", 6}},
		units:  []string{"por ciento", "grado", "minuto", "segundo", "hora", "kelvin"},
		durations: []word{
			{"media hora", 30},
			{"una media hora", 30},
			{"una hora y media", 90},
			{"hora y media", 90},
			{"un cuarto de hora", 15},
			{"tres cuartos de hora", 45},
			{"medio minuto", 0.5},
			{"un minuto y medio", 1.5},
		},
	}
}

func french() byHand {
	return byHand{
		halves: []string{"et demi", "et demie"},
		alone:  []string{"un demi", "une demi", "une demie", "demi"},
		point:  []string{"point"},
		percents: []word{
			{"la moitié", 50},
			{"moitié", 50},
			{"un quart", 25},
			{"un tiers", 33},
			{"deux tiers", 67},
			{"trois quarts", 75},
			{"max", 100},
			{"maximum", 100},
			{"le maximum", 100},
			{"minimum", 1},
			{"le minimum", 1},
			{"min", 1},
		},
		counts: []word{{"une dizaine de", 10}, {"une douzaine de", 12}, {"une demi douzaine de", 6}, {"une quinzaine de", 15}},
		units:  []string{"pour cent", "pourcent", "degré", "minute", "seconde", "heure", "kelvin"},
		durations: []word{
			{"une demi heure", 30},
			{"demi heure", 30},
			{"une heure et demie", 90},
			{"un quart d'heure", 15},
			{"trois quarts d'heure", 45},
			{"une minute et demie", 1.5},
			{"une demi minute", 0.5},
		},
	}
}
