package grounded_test

import (
	"testing"

	"voicegateway/internal/mind/grounded"
)

// said is a sentence of a model after a turn in which nothing was done or read.
type said struct {
	language, asked, sentence string
	ordered, spoken           bool
}

// Turns after which models say much that cannot be proven.
const (
	order = "make it nicer in here"
	talk  = "what a day"
)

func judgeSaid(t *testing.T, all []said) {
	t.Helper()
	for _, s := range all {
		g := grounded.Know(houseOf(t, s.language), s.language).Turn(s.asked, s.ordered)
		if got := g.Spoken(s.sentence); got != s.spoken {
			t.Errorf("%s | %s | %s: spoken %t (%d)", s.language, s.asked, s.sentence, got, g.Judge(s.sentence))
		}
	}
}

// TestSaidToBeDoneAtLength: a saying for "done" may hold a pause or an "and", and what
// follows a pause changes nothing of what stands before it.
func TestSaidToBeDoneAtLength(t *testing.T) {
	t.Parallel()
	judgeSaid(t, []said{
		{"en", order, "Done and dusted, enjoy the glow.", true, false},
		{"en", order, "Signed, sealed, delivered.", true, false},
		{"en", order, "Done, my friend.", true, false},
		{"en", order, "Leave it to me!", true, false},
		{"en", talk, "Everything is locked, sleep tight.", false, false},
		{"en", order, "Which lamp do you mean?", true, true},
		{"de", order, "Zack, fertig ist die Laube.", true, false},
		{"de", order, "Fertig, mein Lieber.", true, false},
		{"de", order, "Verlass dich auf mich.", true, false},
		{"de", talk, "Alles ist abgeschlossen, schlaf gut.", false, false},
		{"de", talk, "Schlaf gut, mein Lieber.", false, true},
		{"es", order, "Dicho y hecho.", true, false},
		{"es", order, "Listo y servido.", true, false},
		{"es", talk, "La luz es una onda, amigo.", false, true},
		{"fr", order, "Aussitôt dit, aussitôt fait.", true, false},
		{"fr", order, "C'est comme si c'était fait.", true, false},
		{"fr", talk, "Dors bien, mon ami.", false, true},
	})
}

// TestCheers: after an order that nothing has carried out, what welcomes it is no better
// than what says that it is done.
func TestCheers(t *testing.T) {
	t.Parallel()
	judgeSaid(t, []said{
		{"en", order, "Enjoy the soft light.", true, false},
		{"en", order, "Cosy mode engaged.", true, false},
		{"en", order, "Boom, instant cosiness!", true, false},
		{"en", order, "Your evening ambience awaits.", true, false},
		{"en", order, "Say which lamp.", true, true},
		{"en", order, "Tell me which lamp you mean.", true, true},
		{"en", order, "I'm not sure what you mean.", true, true},
		{"en", order, "Sorry, no such lamp here.", true, true},
		{"en", talk, "Enjoy your evening.", false, true},
		{"de", order, "Genieß das sanfte Licht.", true, false},
		{"de", order, "Volle Gemütlichkeit voraus!", true, false},
		{"de", order, "Ich bin nicht sicher, was du meinst.", true, true},
		{"de", order, "Sag mir bitte, welche Lampe.", true, true},
		{"de", talk, "Genieß den Abend.", false, true},
		{"es", order, "Disfruta de la luz tenue.", true, false},
		{"es", order, "Dime qué lámpara.", true, true},
		{"es", talk, "Disfruta de la noche.", false, true},
		{"fr", order, "Profite de la lumière tamisée.", true, false},
		{"fr", order, "Dis-moi quelle lampe tu veux.", true, true},
		{"fr", talk, "Profite de ta soirée.", false, true},
		{"fr", order, "Précise la pièce.", true, true},
	})
}

// TestPromises: a model that keeps no time may not promise to speak later, in whatever
// short form.
func TestPromises(t *testing.T) {
	t.Parallel()
	judgeSaid(t, []said{
		{"en", talk, "I'll give you a shout in ten minutes.", false, false},
		{"en", talk, "I'll tell you a story.", false, true},
		{"en", talk, "Let me know if you need anything else.", false, true},
		{"de", talk, "Ich weck dich um sechs.", false, false},
		{"de", talk, "Ich merk's mir.", false, false},
		{"de", talk, "In zehn Minuten sag ich dir Bescheid.", false, false},
		{"de", talk, "Ich denk, das wird ein schöner Tag.", false, true},
		{"de", talk, "Ich hab dich gern.", false, true},
		{"de", talk, "Ich versteh das gut.", false, true},
		{"es", talk, "Te despierto a las siete.", false, false},
		{"es", talk, "El despertador sonará a las siete.", false, false},
		{"es", talk, "Te cuento un chiste.", false, true},
		{"fr", talk, "Le réveil sonnera à sept heures.", false, false},
		{"fr", talk, "Je te raconte une blague.", false, true},
	})
}

// TestServedWithoutAVerb: what only a servant does may be claimed without a verb, and
// "Anna knows" is a claim too, because the model would have had to tell her.
func TestServedWithoutAVerb(t *testing.T) {
	t.Parallel()
	judgeSaid(t, []said{
		{"en", talk, "Two pizzas ordered.", false, false},
		{"en", talk, "Anna has been informed.", false, false},
		{"en", talk, "Nobody knows.", false, true},
		{"en", "when was it built", "It was finished in 1889.", false, true},
		{"de", talk, "Anna weiß Bescheid.", false, false},
		{"de", talk, "Zwei Pizzen bestellt.", false, false},
		{"de", talk, "Das weiß ich nicht.", false, true},
		{"de", "wann wurde er gebaut", "Er wurde 1889 fertig.", false, true},
		{"es", talk, "Ana ya lo sabe.", false, false},
		{"es", talk, "Nadie lo sabe.", false, true},
		{"fr", talk, "Anne est au courant.", false, false},
		{"fr", talk, "Personne ne sait.", false, true},
	})
}
