package intent

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
)

// conditions reads requires_context or excludes_context: a value, a list of
// values, null, or {value: …, slot: true | name}.
func conditions(raw map[string]yaml.Node, exclude bool) ([]Condition, error) {
	what := "requires_context"
	if exclude {
		what = "excludes_context"
	}
	var out []Condition
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		n := raw[key]
		c, err := condition(&n)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", what, key, err)
		}
		c.Key, c.Exclude = key, exclude
		if c.Slot == fillOwn {
			c.Slot = key
		}
		out = append(out, c)
	}
	return out, nil
}

// fillOwn stands for "slot: true": the slot is called like the key.
const fillOwn = "\x00"

func condition(n *yaml.Node) (Condition, error) {
	if n.Kind != yaml.MappingNode {
		values, err := plainValues(n)
		return Condition{Values: values}, err
	}
	var raw struct {
		Value yaml.Node `yaml:"value"`
		Slot  any       `yaml:"slot"`
	}
	if err := n.Decode(&raw); err != nil {
		return Condition{}, err
	}
	values, err := plainValues(&raw.Value)
	c := Condition{Values: values}
	switch slot := raw.Slot.(type) {
	case nil:
	case bool:
		if slot {
			c.Slot = fillOwn
		}
	case string:
		c.Slot = slot
	default:
		return c, fmt.Errorf("slot is %v, expected true or a name", slot)
	}
	return c, err
}

// plainValues reads a scalar, a list of scalars or null.
func plainValues(n *yaml.Node) ([]any, error) {
	var v any
	if n.IsZero() {
		return nil, nil
	}
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	list, ok := v.([]any)
	if !ok {
		if v == nil {
			return nil, nil
		}
		list = []any{v}
	}
	for _, item := range list {
		if !isPlain(item) {
			return nil, fmt.Errorf("%v is neither text, number nor true or false", item)
		}
	}
	return list, nil
}

func isPlain(v any) bool {
	switch v := v.(type) {
	case string, bool, int:
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return false
}

// same compares two plain values, numbers by their amount.
func same(a, b any) bool {
	if n, ok := a.(int); ok {
		a = float64(n)
	}
	if n, ok := b.(int); ok {
		b = float64(n)
	}
	return a == b
}

// holds reports whether a value satisfies the condition.
func (c *Condition) holds(value any) bool {
	if len(c.Values) == 0 {
		return !c.Exclude // any value satisfies it; without values nothing is excluded
	}
	return slices.ContainsFunc(c.Values, func(v any) bool { return same(v, value) }) != c.Exclude
}

// clashes reports whether what is known so far already breaks a condition. A key
// that is missing may still be filled later.
func clashes(conditions []Condition, context map[string]any) bool {
	for i := range conditions {
		c := &conditions[i]
		if value, ok := context[c.Key]; ok && !c.holds(value) {
			return true
		}
	}
	return false
}

// actual returns the value of a key in the context of a match: the value of the
// last list that set it, else what was known before.
func (r *run) actual(p *parse, key string) (any, bool) {
	for i := p.n - 1; i >= 0; i-- {
		c := &p.captures[i]
		switch {
		case c.at.op == opName && key == "domain":
			for _, e := range c.items {
				if r.m.allowed[p.block.order][e] {
					return r.m.house.Entities[e].Domain, true
				}
			}
		case c.at.op == opValue:
			if value, ok := c.at.list.context(c.value)[key]; ok {
				return value, true
			}
		}
	}
	if key == "area" && r.area != "" {
		return r.area, true
	}
	return nil, false
}

// satisfied reports whether a parse meets the conditions of its block.
func (r *run) satisfied(p *parse) bool {
	for i := range p.block.Context {
		c := &p.block.Context[i]
		value, ok := r.actual(p, c.Key)
		if !ok && !c.Exclude || ok && !c.holds(value) {
			return false
		}
	}
	return true
}
