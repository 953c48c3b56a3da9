package doors

import "context"

func hasGuide(p *Parts) bool { return p.Guide != nil }

// Sentences are sentences to say.
type Sentences struct {
	Sentences []string `json:"sentences"`
}

func suggest(_ context.Context, p *Parts, _ struct{}) (Sentences, error) {
	return Sentences{append([]string{}, p.Guide.Suggest()...)}, nil // an empty list, never null
}
