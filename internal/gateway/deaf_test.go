package gateway

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	refuses  int // so many times, before it takes one
}

func (p *pupil) SetGrammar(_ context.Context, g speech.Grammar) ([]string, error) {
	if p.refuses > 0 {
		p.refuses--
		return nil, errors.New("its worker has ended")
	}
	p.grammars = append(p.grammars, g)
	return nil, nil
}

// TestADeafGatewayLearnsTheWordsToAnAlertAlone: a recogniser that does not know the language
// is taught once, nothing of the house, and nobody waits for more. One that refuses is asked again.
func TestADeafGatewayLearnsTheWordsToAnAlertAlone(t *testing.T) {
	t.Parallel()
	for deaf, knows := range map[bool]bool{true: false, false: true} {
		synctest.Test(t, func(t *testing.T) {
			h, err := house.New(intent.English(), nil, slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			h.Tell("a", []byte(`{"areas":[{"name":"Attic"}],"entities":[{"id":"light.1","name":"Lantern","domain":"light","areas":["Attic"]}]}`))
			p := &pupil{refuses: 2}
			e := &earParts{stt: p, deaf: deaf}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- e.teach(ctx, h) }()
			synctest.Wait()
			if told := e.alertTrouble(); (told != "") != deaf {
				t.Errorf("deaf %t: while it refuses, it is told %q", deaf, told)
			}
			<-time.After(time.Minute)
			if err := h.Learnt(ctx); err != nil {
				t.Error(err)
			}
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if told := e.alertTrouble(); told != "" {
				t.Errorf("deaf %t: it is still told that %s", deaf, told)
			}
			if len(p.grammars) != 1 || strings.Contains(p.grammars[0].JSGF, "lantern") != knows {
				t.Errorf("deaf %t: it was taught %d grammars, with the house %t", deaf, len(p.grammars), !knows)
			}
		})
	}
}
