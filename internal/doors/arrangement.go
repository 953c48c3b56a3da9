package doors

import (
	"context"

	"voicegateway/internal/keep/family"
)

func hasArranger(p *Parts) bool { return p.Arranger != nil }

func showArrangement(_ context.Context, p *Parts, _ struct{}) (family.Arrangement, error) {
	return p.Arranger.Arrangement(), nil
}

// fitArrangement says what is not kept.
func fitArrangement(in *family.Arrangement) error {
	if err := in.Check(); err != nil {
		return Refuse(ErrMisasked, "%s", err)
	}
	return nil
}

func arrange(_ context.Context, p *Parts, in family.Arrangement) (family.Arrangement, error) {
	err := p.Arranger.Arrange(in)
	return p.Arranger.Arrangement(), err
}
