package template_test

import (
	"fmt"
	"reflect"
	"testing"

	"voicegateway/internal/language/template"
)

// A pool changes no template, whatever has been parsed before it.
func TestAPoolKeepsEqualPartsOnce(t *testing.T) {
	t.Parallel()
	texts := []string{
		"turn on [the] {name}", "(turn|switch) on [the] {name}", "turn on [the] {area} (light|lamp)", "[the] {name}", "set {name} to {0..100:brightness} percent",
		"set {name} to {0..100,5:brightness} percent", "<please> turn on [the] {name}", "{area:@room} lights", "{area:room} lights", "a (b;c)", "(a|b|)", "", "a|b", "ab", "{name}s", "{name} s",
		"turn on [the] {name}",
	}
	pool := template.NewPool()
	var parsed []*template.Node
	for _, text := range texts {
		alone, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := pool.Parse(text)
		if err != nil || describe(shared) != describe(alone) {
			t.Errorf("%q became %s, %v; want %s", text, describe(shared), err, describe(alone))
		}
		parsed = append(parsed, shared)
	}
	for i, n := range parsed {
		if alone, _ := template.Parse(texts[i]); describe(n) != describe(alone) {
			t.Errorf("%q was changed by a later one: %s", texts[i], describe(n))
		}
	}
	if parsed[0] != parsed[len(parsed)-1] {
		t.Error("the same template is kept twice")
	}
	if _, err := pool.Parse("[turn on"); err == nil {
		t.Error("a template without its end is accepted")
	}
	var none *template.Pool
	if n, err := none.Parse("turn on {name}"); err != nil || n == nil {
		t.Errorf("no pool: %v", err)
	}
}

// describe writes a node and all below it, whatever pool it is in.
func describe(n *template.Node) string {
	v := reflect.ValueOf(*n)
	text := "("
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Name != "Items" && !v.Field(i).IsZero() {
			text += fmt.Sprint(f.Name, "=", v.Field(i).Interface(), " ")
		}
	}
	for _, item := range n.Items {
		text += describe(item)
	}
	return text + ")"
}
