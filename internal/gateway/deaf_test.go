package gateway

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"voicegateway/internal/ear/stt"
	_ "voicegateway/internal/fake/bubble"
	"voicegateway/internal/intent"
	"voicegateway/internal/language/speech"
	"voicegateway/internal/mind/house"
)

// pupil is a recogniser that notes what it is taught.
type pupil struct {
	stt.Engine
	grammars []speech.Grammar
}

func (p *pupil) SetGrammar(_ context.Context, g speech.Grammar) ([]string, error) {
	p.grammars = append(p.grammars, g)
	return nil, nil
}

// TestADeafGatewayLearnsTheWordsToAnAlertAlone: a recogniser that does not know the language
// is taught once, nothing of the house, and nobody waits for more.
func TestADeafGatewayLearnsTheWordsToAnAlertAlone(t *testing.T) {
	t.Parallel()
	for deaf, knows := range map[bool]bool{true: false, false: true} {
		synctest.Test(t, func(t *testing.T) {
			h, err := house.New(intent.English(), nil, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			h.Tell("a", []byte(`{"areas":[{"name":"Attic"}],"entities":[{"id":"light.1","name":"Lantern","domain":"light","areas":["Attic"]}]}`))
			p := &pupil{}
			e := &earParts{stt: p, deaf: deaf}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- e.teach(ctx, h) }()
			if err := h.Learnt(ctx); err != nil {
				t.Error(err)
			}
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if len(p.grammars) != 1 || strings.Contains(p.grammars[0].JSGF, "lantern") != knows {
				t.Errorf("deaf %t: it was taught %d grammars, with the house %t", deaf, len(p.grammars), !knows)
			}
		})
	}
}
