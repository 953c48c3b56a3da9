package mood_test

import (
	"testing"

	"voicegateway/internal/intent/mood"
)

// may is a sentence of a language, and whether it may act.
type may struct {
	language, text string
	act            bool
}

func judge(t *testing.T, all []may) {
	t.Helper()
	for _, s := range all {
		if got := mood.For(s.language).Read(s.text, nil); got.MayAct() != s.act {
			t.Errorf("%s %q: %s, may act: want %t", s.language, s.text, got, s.act)
		}
	}
}

// TestFillers: what people say while they think changes nothing, and makes no order of
// half a sentence.
func TestFillers(t *testing.T) {
	t.Parallel()
	judge(t, []may{
		{"en", "can you uh turn the lamp off", true},
		{"en", "turn off the um the lamp", true},
		{"en", "could you, you know, close the blinds", true},
		{"en", "I mean turn the light off", true},
		{"en", "turn the uh", false},
		{"en", "the lamp um", false},
		{"en", "close the you know", false},
		{"de", "kannst du äh das Licht ausmachen", true},
		{"de", "mach irgendwie das Licht aus", true},
		{"de", "mach mal das äh", false},
		{"de", "die Lampe äh", false},
		{"es", "puedes eh apagar la luz", true},
		{"es", "o sea apaga la luz", true},
		{"es", "la luz eh", false},
		{"fr", "tu peux euh éteindre la lumière", true},
		{"fr", "bah du coup éteins la lumière", true},
		{"fr", "quel genre de lampe est allumée", false},
		{"fr", "éteins la euh", false},
	})
}

// TestWithoutApostrophes: words mean the same where the apostrophe is left out.
func TestWithoutApostrophes(t *testing.T) {
	t.Parallel()
	judge(t, []may{
		{"en", "lets turn the lights off", true},
		{"en", "id like the light on", true},
		{"en", "im freezing turn the heating up", true},
		{"en", "why dont you close the blinds", true},
		{"en", "cant you turn the light off", true},
		{"en", "dont turn the light off", false},
		{"en", "lets not turn the lights off", false},
		{"en", "theyll turn the lights off", false},
		{"en", "shes closing the blinds", false},
		{"en", "well see if the lamp is on", false},
		{"en", "the dog doesnt like the lights on", false},
		{"de", "mir wärs lieb wenn das Licht aus wäre", true},
		{"de", "wie wärs wenn du das Licht ausmachst", true},
		{"de", "gehts ein bisschen heller", true},
	})
}

// TestSuppositions: a guess at what a person would do is not a request.
func TestSuppositions(t *testing.T) {
	t.Parallel()
	judge(t, []may{
		{"en", "if you could you would certainly turn the lights off", false},
		{"en", "you could probably turn the heating up too", false},
		{"en", "could you possibly turn the lights off", true},
		{"de", "wenn du könntest würdest du bestimmt das Licht ausmachen", false},
		{"de", "du könntest wahrscheinlich sogar die Heizung hochdrehen", false},
		{"de", "wenn du kannst, würdest du bitte das Licht ausmachen", true},
		{"es", "seguramente podrías apagar la luz", false},
		{"es", "a lo mejor podrías abrir la puerta del garaje", false},
		{"es", "podrías apagar la luz", true},
		{"fr", "tu pourrais sûrement ouvrir la porte", false},
		{"fr", "tu pourrais ouvrir la porte", true},
	})
}

// TestHurriesAndFavours: orders that press, and those that are asked as a favour.
func TestHurriesAndFavours(t *testing.T) {
	t.Parallel()
	judge(t, []may{
		{"en", "coffee machine on pretty please", true},
		{"en", "hallway light off and make it quick", true},
		{"en", "someone please turn that fan off", true},
		{"en", "somebody please tell me who turned the lamp on", false},
		{"en", "somebody left the light on", false},
		{"en", "time to close the blinds", true},
		{"en", "there's no time to close the blinds", false},
		{"en", "it takes time to close the blinds", false},
		{"en", "could you like dim the lamp a bit", true},
		{"en", "he was like turn off the lights", false},
		{"de", "Licht aus im Flur aber flott", true},
		{"de", "Flurlicht an, aber ein bisschen plötzlich", true},
		{"de", "plötzlich ging das Licht aus", false},
		{"de", "mach mal bitte jemand das Licht an", true},
		{"de", "jemand macht das Licht aus", false},
		{"de", "jemand soll bitte das Licht ausmachen", true},
		{"de", "höchste Zeit, die Rollos runterzulassen", true},
		{"de", "ich habe keine Zeit das Licht auszumachen", false},
		{"de", "tätest du mir den Gefallen das Licht auszumachen", true},
		{"es", "luz del pasillo apagada y rapidito", true},
		{"es", "me harías el favor de bajar la persiana del salón", true}, //nolint:misspell // Spanish
		{"es", "si me haces el favor apaga la luz", true},                 //nolint:misspell // Spanish
		{"es", "no me haces el favor", false},                             //nolint:misspell // Spanish
		{"es", "ve apagando la luz del pasillo porfa", true},
		{"es", "ve a apagar la luz", true},
		{"es", "mi madre ve la luz encendida", false},
		{"es", "se va apagando la luz", false},
		{"fr", "lumière allumée dans la cuisine, vite fait", true},
		{"fr", "tu me ferais le plaisir de fermer le volet", true},
		{"fr", "que quelqu'un éteigne la lumière", true},
		{"fr", "quelqu'un éteint la lumière", false},
		{"fr", "c'est l'heure de fermer les volets", true},
		{"fr", "il n'est pas l'heure de fermer les volets", false},
	})
}
