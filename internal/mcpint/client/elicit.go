package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicegateway/internal/ground/secret"
	"voicegateway/internal/tools"
)

// Bounds of a question that a server asks a person.
const (
	maxQuestion = 200 // bytes
	maxOption   = 60  // bytes
	mostOptions = 8   // more cannot be remembered when they are heard
	// askTime is less than the 30 s after which the library drops an answer over HTTP.
	askTime = 25 * time.Second
)

// elicited is the answer to elicitation/create.
type elicited struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content,omitempty"`
}

// declined is the answer to what is not asked, or not answered.
var declined = elicited{Action: "decline"}

// elicit asks the person for whom the call under way is made. It declines what no person
// can answer with a sentence, what asks for a secret, and everything where there is no
// person to ask.
func (s *session) elicit(ctx context.Context, params any) elicited {
	f, why := s.readForm(params)
	if why == "" {
		var answer tools.Answer
		if answer, why = s.ask(ctx, f.question); why == "" {
			return f.filled(answer)
		}
	}
	s.log.Info("a question of an MCP server was declined", "why", why)
	return declined
}

// ask asks the person for whom the call under way is made. why says why there is no answer.
func (s *session) ask(ctx context.Context, q tools.Question) (_ tools.Answer, why string) {
	call := s.calls.asker(ctx)
	if call == nil {
		return tools.Answer{}, "there is no person to ask"
	}
	defer call.asking.Done()
	if !s.asking.TryLock() {
		return tools.Answer{}, "another of its questions is open"
	}
	defer s.asking.Unlock()
	release := call.hold()
	defer release()
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	stop := call.whenOver(cancel) // the server may answer the call without waiting
	defer stop()
	a := call.talk().Ask(ctx, q)
	if !a.Given {
		return a, "it was not answered"
	}
	return a, ""
}

// form is what a server asks: one field that a person answers, and the defaults of others.
type form struct {
	question tools.Question
	field    string // "" for a form without fields: only yes or no
	values   []any  // OneOf: of the options
	rest     map[string]any
}

// field is a property of the schema of a form.
type field struct {
	Type      string   `json:"type"`
	Title     string   `json:"title"`
	About     string   `json:"description"`
	Format    string   `json:"format"`
	WriteOnly bool     `json:"writeOnly"`
	Enum      []any    `json:"enum"`
	EnumNames []string `json:"enumNames"`
	OneOf     []struct {
		Const any    `json:"const"`
		Title string `json:"title"`
	} `json:"oneOf"`
	Least   *float64 `json:"minimum"`
	Most    *float64 `json:"maximum"`
	Default any      `json:"default"`
}

// readForm reads the parameters of elicitation/create. why says why the question is not
// asked; "" if it can be.
func (s *session) readForm(params any) (f form, why string) {
	var p struct {
		Mode    string `json:"mode"`
		Message string `json:"message"`
		Schema  struct {
			Properties map[string]field `json:"properties"`
			Required   []string         `json:"required"`
		} `json:"requestedSchema"`
	}
	raw, err := json.Marshal(params)
	if err != nil || json.Unmarshal(raw, &p) != nil {
		return f, "it cannot be read"
	}
	if p.Mode != "" && p.Mode != "form" {
		return f, "it wants an address to be opened"
	}
	f.question.Server, f.rest = s.id, map[string]any{}
	name, ok := openField(p.Schema.Properties, p.Schema.Required)
	if !ok {
		return f, "it asks for several things at once"
	}
	for other, about := range p.Schema.Properties {
		if other != name && about.Default != nil {
			f.rest[other] = about.Default
		}
	}
	one := p.Schema.Properties[name]
	if one.isSecret(name) {
		return f, "it asks for a secret"
	}
	f.field, f.question.Field = name, s.secrets.RedactLine(name+" "+one.Title+" "+one.About, maxQuestion)
	f.question.Text = s.secrets.RedactLine(cmp.Or(p.Message, one.Title, one.About), maxQuestion)
	if f.question.Text == "" {
		return f, "it says nothing"
	}
	return f, f.choose(s, one)
}

// isSecret reports whether a field is for a secret, as far as its name and form say.
func (f field) isSecret(name string) bool {
	return secret.Telling(name) || secret.Telling(f.Title) || f.Format == "password" || f.WriteOnly
}

// choose decides how the question is answered. It returns why the question is not asked.
func (f *form) choose(s *session, one field) (why string) {
	switch {
	case f.field == "" || one.Type == "boolean":
		f.question.Kind = tools.YesOrNo
	case one.Type == "integer" || one.Type == "number":
		f.question.Kind, f.question.Whole, f.question.Least, f.question.Most = tools.ANumber, one.Type == "integer", one.Least, one.Most
	default:
		return f.offer(s, one)
	}
	return ""
}

// openField returns the one field that a person is asked for; "" where a form has none.
func openField(fields map[string]field, required []string) (name string, ok bool) {
	var open []string
	for name, about := range fields {
		if len(fields) == 1 || slices.Contains(required, name) && about.Default == nil {
			open = append(open, name)
		}
	}
	switch {
	case len(open) == 1:
		return open[0], true
	case len(fields) == 0:
		return "", true
	}
	return "", false
}

// offer notes what can be chosen. It returns why the question is not asked.
func (f *form) offer(s *session, one field) (why string) {
	f.question.Kind = tools.OneOf
	var titles []string
	for i, v := range one.Enum {
		title := fmt.Sprint(v)
		if i < len(one.EnumNames) {
			title = one.EnumNames[i]
		}
		f.values, titles = append(f.values, v), append(titles, title)
	}
	for _, o := range one.OneOf {
		f.values, titles = append(f.values, o.Const), append(titles, cmp.Or(o.Title, fmt.Sprint(o.Const)))
	}
	if len(titles) < 2 || len(titles) > mostOptions {
		return "it is answered neither with yes or no, nor with a number, nor with one of a few things"
	}
	for _, title := range titles {
		title = strings.TrimSpace(s.secrets.RedactLine(title, maxOption))
		if title == "" || slices.Contains(f.question.Options, title) {
			return "what can be chosen cannot be told apart"
		}
		f.question.Options = append(f.question.Options, title)
	}
	return ""
}

// filled is the form with the answer of a person.
func (f *form) filled(a tools.Answer) elicited {
	content := f.rest
	switch {
	case f.field == "" && !a.Yes:
		return declined
	case f.field == "":
	case f.question.Kind == tools.YesOrNo:
		content[f.field] = a.Yes
	case f.question.Kind == tools.OneOf:
		if a.Option < 0 || a.Option >= len(f.values) {
			return declined
		}
		content[f.field] = f.values[a.Option]
	default:
		content[f.field] = a.Number
	}
	return elicited{"accept", content}
}
