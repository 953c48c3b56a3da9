package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// New makes a Tool of a Spec and a function over typed arguments. Arguments that do
// not decode into A (wrong types, unknown names, no JSON) never reach do: the call
// returns a failed Result whose text tells a model what to correct.
func New[A any](spec Spec, do func(context.Context, A) (Result, error)) Tool {
	return &typed[A]{spec: spec, do: do}
}

type typed[A any] struct {
	spec Spec
	do   func(context.Context, A) (Result, error)
}

func (t *typed[A]) Spec() Spec { return t.spec }

func (t *typed[A]) Call(ctx context.Context, args json.RawMessage) (Result, error) {
	var a A
	if err := decode(args, &a); err != nil {
		return Result{Failed: true, Text: complaint(t.spec.Name, err)}, nil
	}
	return t.do(ctx, a)
}

// decode reads exactly one JSON value; empty data counts as an empty object.
func decode(args json.RawMessage, into any) error {
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more after the object")
	}
	return nil
}

// complaint says in a sentence what is wrong with the arguments.
func complaint(tool string, err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := wrong.Field
		if field == "" {
			return fmt.Sprintf("The arguments of %s must be a JSON object, not a %s.", tool, wrong.Value)
		}
		return fmt.Sprintf("The argument %q of %s must be a %s, not a %s.", field, tool, kindName(wrong.Type.Kind().String()), wrong.Value)
	}
	// The decoder has no error type for an unknown name; its text is stable and tested
	// here.
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Sprintf("The tool %s has no argument %s.", tool, name)
	}
	return fmt.Sprintf("The arguments of %s are not a valid JSON object: %s.", tool, strings.TrimPrefix(err.Error(), "json: "))
}

// kindName turns a Go kind into the word a JSON Schema uses.
func kindName(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "whole number"
	case strings.HasPrefix(kind, "float"):
		return "number"
	case kind == "bool":
		return "boolean"
	case kind == "slice", kind == "array":
		return "list"
	case kind == "struct", kind == "map":
		return "object"
	}
	return kind
}
