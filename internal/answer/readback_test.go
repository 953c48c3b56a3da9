package answer_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"voicegateway/internal/fake"
	"voicegateway/internal/record"
	"voicegateway/internal/tools"
)

// TestNumbersAreReadBack: who said a number hears the one that the device reports, so
// that fifty for fifteen is noticed.
func TestNumbersAreReadBack(t *testing.T) {
	t.Parallel()
	for language, said := range map[string][]string{
		"en": {
			"set the kitchen light to 40 percent", "set the lights in the office to 40 percent", "set the bedroom curtain to 40 percent",
			"set the kitchen blind and the bedroom curtain to 40 percent", "dim all the lights in the office to 40 percent",
		},
		"de": {
			"stelle das Küchenlicht auf 40 Prozent", "dimme die Lichter im Büro auf 40 Prozent", "fahre das Küchenrollo auf 40 Prozent",
		},
		"es": {"pon la luz de la cocina al 40 por ciento", "pon las luces de la oficina al 40 por ciento", "pon la persiana de la cocina al 40 por ciento"},
		"fr": {"mets la lumière de la cuisine à 40 pour cent", "mets les lumières du bureau à 40 pour cent", "mets le store de la cuisine à 40 pour cent"},
	} {
		f := move(t, language)
		for _, text := range said {
			rec := f.answer.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP})
			if rec.Outcome != record.Done || !strings.Contains(rec.Reply, "40") {
				t.Errorf("%s: %q is %s: %q", language, text, rec.Outcome, rec.Reply)
			}
		}
	}
	for language, said := range map[string][2]string{
		"en": {"set the volume to 40 percent", "The volume is at 40 percent."}, "de": {"stelle die Lautstärke auf 40 Prozent", "Die Lautstärke ist bei 40 Prozent."},
		"es": {"pon el volumen al 40 por ciento", "El volumen está al 40 por ciento."}, "fr": {"mets le volume à 40 pour cent", "Le volume est à 40 pour cent."},
	} {
		a := resident(t, language, fake.Villa(language), func(context.Context, tools.Call) (tools.Result, error) {
			return tools.Result{Text: "The volume is 40 percent.", Data: json.RawMessage(`{"level":40,"muted":false,"backend":"software"}`)}, nil
		})
		if rec := a.Turn(t.Context(), record.Request{Text: said[0], Source: record.FromHTTP}); rec.Reply != said[1] {
			t.Errorf("%s: %q says %q", language, said[0], rec.Reply)
		}
	}
	for language, text := range map[string]string{
		"en": "set the bedroom heating to 21 degrees", "de": "stelle die Schlafzimmerheizung auf 21 Grad",
		"es": "pon la calefacción del dormitorio a 21 grados", "fr": "mets le chauffage de la chambre à 21 degrés",
	} {
		f := move(t, language)
		if rec := f.answer.Turn(t.Context(), record.Request{Text: text, Source: record.FromHTTP}); !strings.Contains(rec.Reply, "21") {
			t.Errorf("%s: %q is %s: %q", language, text, rec.Outcome, rec.Reply)
		}
	}
}
