package offer_test

import (
	"fmt"
	"strings"
	"testing"

	"voicegateway/internal/ai/offer"
	"voicegateway/internal/tools"
)

func strange(*tools.Spec) bool { return true }

// TestADescriptionIsCutAtItsBound: one that fits stays as it is.
func TestADescriptionIsCutAtItsBound(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{
		0: "", 1: "é", offer.MaxDescription: strings.Repeat("é", offer.MaxDescription),
		offer.MaxDescription + 1: strings.Repeat("é", offer.MaxDescription-1) + "…", 100_000: strings.Repeat("é", offer.MaxDescription-1) + "…",
	} {
		if got := offer.Shorten([]tools.Spec{{Description: strings.Repeat("é", n)}}, strange)[0].Description; got != want {
			t.Errorf("of %d characters %d are left", n, len([]rune(got)))
		}
	}
}

// TestTheBestFitIsChosen: of more tools that fit than there is room for, those stay
// that share the rarest words, in whatever order their writers put words together.
func TestTheBestFitIsChosen(t *testing.T) {
	t.Parallel()
	var all []tools.Spec
	for n := range 50 {
		all = append(all, tools.Spec{Name: fmt.Sprintf("note_%02d", n)})
	}
	all = append(all, tools.Spec{Name: "sendMailNow"}, tools.Spec{Name: "x", Description: "Einkaufslisten und Rezepte"}, tools.Spec{Name: "y", Description: "météo de demain"})
	for said, want := range map[string]string{
		"send a note by mail": "sendMailNow", "lies die Einkaufsliste vor, Notiz und note": "x", "quelle est la météo": "y", "": "note_03",
	} {
		got := offer.Choose(all, strange, said, 4)
		if len(got) != 4 || got[3].Name != want {
			t.Errorf("%q: %v, want %s", said, got, want)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	var all []tools.Spec
	for n := range 304 {
		all = append(all, tools.Spec{Name: fmt.Sprintf("thing_%03d", n), Description: strings.Repeat("tell more. ", 10_000), Server: "notes"})
	}
	said := strings.Repeat("which note tells more of the market ", 10)
	b.ReportAllocs()
	for b.Loop() {
		specs := append([]tools.Spec(nil), all...)
		if len(offer.Choose(offer.Shorten(specs, strange), strange, said, 64)) != 64 {
			b.Fatal("too many")
		}
	}
}
