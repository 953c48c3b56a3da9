//go:build accept

package page

import (
	"os"
	"path/filepath"
	"testing"
)

// What a rehearsal of an earlier run found is shown: names that are confused, as text, each with
// what helps; those that are mended are not.
func TestAcceptPageOfNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := `{"time":"2026-01-02T03:04:05Z","names":4,"skipped":0,"growing":[],"voice":"it is not understood","confused":[
		{"id":"1","name":"Den <b>Light</b>","said":"","heard":"","with":["Ten Light"],"alike":true,"alias":"den lamp","known":false},
		{"id":"2","name":"Fan","said":"turn on the fan","heard":"turn on the van","with":["Van"],"alias":"","known":false},
		{"id":"3","name":"Mended","said":"","heard":"","with":["Amended"],"alike":true,"alias":"other","known":true}],
		"unknown":[{"word":"zelbo","names":["Zelbo Light"],"guess":"Z EH L B OW"}]}`
	if err := os.WriteFile(filepath.Join(dir, "rehearsal.json"), []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, _ := browser(t)
	g := run(t, "gateway: {id: home, state_dir: "+dir+"}\n", "")
	p := loaded(t, ctx, g.url+"/")
	p.eventually("all of them are there", `[...document.querySelectorAll("#names li strong")].map((e) => e.textContent).join("|") === "Den <b>Light</b>|Fan|zelbo"`)
	p.eventually("each with what is wrong", `[...document.querySelectorAll("#names li")].map((e) => e.children[1].textContent).join("|") === "sounds like Ten Light|was heard as “turn on the van”|this word of Zelbo Light is in no dictionary"`)
	p.eventually("and what helps", `document.querySelector("#names li").textContent.includes("“den lamp” would sound different") && ["voice-gateway doctor", "does not understand the gateway"].every((said) => document.querySelector("#names-state").textContent.includes(said))`)
}
