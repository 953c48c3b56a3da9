package page

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicegateway/internal/doors"
	"voicegateway/internal/language/sentences"
)

// languages are those a family may speak with the gateway.
var languages = sentences.Languages()

func made(t *testing.T, language string) *Page {
	t.Helper()
	p, err := New(Config{Language: language, Name: `<img src=x onerror="alert(1)">`})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var hole = regexp.MustCompile(`\{\w+\}`)

// TestEveryLanguageHasEveryWord checks that no language lacks a word, or a value in
// one, and that no word is the English one by oversight.
func TestEveryLanguageHasEveryWord(t *testing.T) {
	english, _, err := wordsOf("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range languages {
		words, found, err := wordsOf(language)
		if err != nil || found != language {
			t.Fatalf("%s: %q, %v", language, found, err)
		}
		if got, want := slices.Sorted(maps.Keys(words)), slices.Sorted(maps.Keys(english)); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", language, got, want)
		}
		same := 0
		for name, text := range words {
			if got, want := hole.FindAllString(text, -1), hole.FindAllString(english[name], -1); !slices.Equal(got, want) {
				t.Errorf("%s: %s has the values %q, want %q", language, name, got, want)
			}
			if (text == "") != (english[name] == "") {
				t.Errorf("%s: %s is %q, in English %q", language, name, text, english[name])
			}
			if text == english[name] {
				same++
			}
		}
		if language != "en" && same > len(english)/10 {
			t.Errorf("%s: %d of %d words are English", language, same, len(english))
		}
	}
	if _, found, err := wordsOf("../words/de"); err != nil || found != "en" {
		t.Errorf("an odd language got %q, %v", found, err)
	}
}

// usedWord is a word that a module or a document names.
var usedWord = regexp.MustCompile("\\bword\\(\"(\\w+)\"|\\.Words\\.(\\w+)|\\buntil\\(\"(\\w+)\"")

// TestEveryWordThatIsUsedExists holds modules and documents to the words.
func TestEveryWordThatIsUsedExists(t *testing.T) {
	words, _, err := wordsOf("en")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for name, text := range sources(t) {
		for _, m := range usedWord.FindAllStringSubmatch(text, -1) {
			found++
			if _, known := words[m[1]+m[2]+m[3]]; !known {
				t.Errorf("%s uses the word %s, which there is not", name, m[1]+m[2]+m[3])
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d uses were found", found)
	}
}

// askedFor is an operation that a module asks for, and the members it gives.
var askedFor = regexp.MustCompile(`\b(?:ask|offered)\((?:routes, )?"(\w+)"(?:, \{ ([^}]*) \})?`)

// TestEveryOperationThatIsAskedForExists holds the modules to the table of operations, and
// checks that they ask for everything by it.
func TestEveryOperationThatIsAskedForExists(t *testing.T) {
	operations := map[string]doors.Doable{}
	for _, op := range doors.Doables() {
		operations[op.Describe().Name] = op
	}
	found := 0
	for name, text := range sources(t) {
		for _, m := range askedFor.FindAllStringSubmatch(text, -1) {
			found++
			op := operations[m[1]]
			if op == nil {
				t.Errorf("%s asks for the operation %s, which there is not", name, m[1])
				continue
			}
			members := doors.Members(op.Input())
			doors.Fill(op.Input(), func(name string) string { members[name] = reflect.StructField{}; return "" }, func(name string) string { members[name] = reflect.StructField{}; return "" })
			for member := range strings.SplitSeq(m[2], ",") {
				member, _, _ = strings.Cut(strings.TrimSpace(member), ":")
				if _, known := members[member]; !known && !strings.HasPrefix(member, "...") && member != "" {
					t.Errorf("%s asks for %s with the member %s, which it does not take", name, m[1], member)
				}
			}
		}
		if paths := regexp.MustCompile("[\"`]/(api|mcp|readyz)\\b[^\"`]*").FindAllString(text, -1); len(paths) > 0 && name != "feed.js" {
			t.Errorf("%s has the paths %q; ask for the operation by its name", name, paths)
		}
	}
	if found < 20 {
		t.Errorf("only %d requests were found", found)
	}
	if table := string(made(t, "en").File("operations.js")); !strings.Contains(table, `"replay":"POST /api/turns/{id}/replay"`) {
		t.Errorf("operations.js is %s", table)
	}
}

func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := fs.ReadDir(bundle, "files")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := bundle.ReadFile("files/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(text)
	}
	return all
}

var (
	imported = regexp.MustCompile(`(?:from|import) "([^"]+)"|(?:src|href)="([^"#]+)"`)
	address  = regexp.MustCompile(`https?://[^"\s]+`)
	// markup are the ways in which text would become markup or code.
	markup = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|srcdoc|createContextualFragment|setHTML`)
	inline = regexp.MustCompile(`(?i)<script(?:[^>]*)>[^<]|<style|\son\w+="|\sstyle="|javascript:`)
)

// sided are properties of styles that mean a side of the screen and not of a line of text.
var sided = regexp.MustCompile(`(?:^|[;{\s])(?:(?:margin|padding|border)-(?:left|right)|left|right)\s*:|text-align:\s*(?:left|right)`)

// TestStylesAreReadyForRightToLeft checks that the styles name no side of the screen, so that
// a language that is written from the right needs no styles of its own.
func TestStylesAreReadyForRightToLeft(t *testing.T) {
	for name, text := range sources(t) {
		if path.Ext(name) != ".css" && path.Ext(name) != ".js" {
			continue
		}
		if path.Ext(name) == ".js" {
			if found := regexp.MustCompile(`style\.(?:left|right|margin(?:Left|Right)|padding(?:Left|Right))\b`).FindAllString(text, -1); found != nil {
				t.Errorf("%s has %q", name, found)
			}
		} else if found := sided.FindAllString(text, -1); found != nil {
			t.Errorf("%s has %q", name, found)
		}
	}
}

// mostBytes is how large the page may be before compression.
const mostBytes = 150_000

// TestThePageIsSmall holds everything that a browser loads to its budget.
func TestThePageIsSmall(t *testing.T) {
	for _, language := range languages {
		p, whole := made(t, language), 0
		for _, content := range p.files {
			whole += len(content)
		}
		whole += len(p.Main(true))
		t.Logf("%s: the page has %d bytes (budget %d)", language, whole, mostBytes)
		if whole > mostBytes {
			t.Errorf("%s: the page has %d bytes, over %d", language, whole, mostBytes)
		}
	}
}

// TestModulesAreServedWithoutComments: of a module goes out what a browser needs, line by line, which
// no text may go over.
func TestModulesAreServedWithoutComments(t *testing.T) {
	for name, text := range sources(t) {
		if path.Ext(name) != ".js" {
			continue
		}
		for line := range strings.Lines(text) {
			if strings.Count(line, "`")%2 != 0 {
				t.Errorf("%s has a text of several lines: %s", name, line)
			}
		}
	}
	got := string(slim("a.js", []byte("// why\nif (x) {\n  // because\n\n  say(\"// no comment\"); // of no use\n}\n")))
	if want := "if (x) {\nsay(\"// no comment\");\n}\n"; got != want {
		t.Errorf("a module is served as %q, want %q", got, want)
	}
	if got := string(slim("a.svg", []byte(" // kept\n"))); got != " // kept\n" {
		t.Errorf("a picture is served as %q", got)
	}
}

// TestTheBundleStaysAtHome checks that every file that another file names exists, that
// no file is fetched from outside, and that no text becomes markup or code in a
// document.
func TestTheBundleStaysAtHome(t *testing.T) {
	p := made(t, "en")
	named := 0
	for name, text := range sources(t) {
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			named++
			file, ours := strings.CutPrefix(m[1]+m[2], "/page/")
			if !ours || p.File(file) == nil {
				t.Errorf("%s names %s, which there is not", name, m[1]+m[2])
			}
		}
		for _, outside := range address.FindAllString(text, -1) {
			if outside != "http://www.w3.org/2000/svg" { // the name of an XML namespace, which is never fetched
				t.Errorf("%s has the address %s", name, outside)
			}
		}
		if found := markup.FindAllString(text, -1); found != nil {
			t.Errorf("%s makes markup of text: %q", name, found)
		}
		if path.Ext(name) == ".html" {
			if found := inline.FindAllString(text, -1); found != nil {
				t.Errorf("%s has code or styles inside: %q", name, found)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d names of files were found", named)
	}
	var app struct {
		Name  string
		Icons []struct{ Src string }
	}
	if err := json.Unmarshal(p.File("manifest.webmanifest"), &app); err != nil || len(app.Icons) < 4 || !strings.HasPrefix(app.Name, "<img") {
		t.Errorf("the manifest is %+v, %v", app, err)
	}
	for _, icon := range app.Icons {
		if p.File(strings.TrimPrefix(icon.Src, "/page/")) == nil {
			t.Errorf("the manifest names %s, which there is not", icon.Src)
		}
	}
	for _, name := range []string{"main.html", "login.html", "", "..", "../page.go"} {
		if p.File(name) != nil {
			t.Errorf("the file %q is served", name)
		}
	}
}

func TestDocumentsAreInTheFamilysLanguage(t *testing.T) {
	for language, want := range map[string][]string{"en": {"Log out", "not the token"}, "de": {"Abmelden", "nicht das Token"}, "fr": {"Se déconnecter", "pas le jeton"}, "es": {"Cerrar sesión", "no es el token"}, "xx": {"Log out", "not the token"}} {
		p := made(t, language)
		shown := language
		if language == "xx" {
			shown = "en"
		}
		main, login := string(p.Main(true)), string(p.Login("wrong"))
		for document, word := range map[string]string{main: want[0], login: want[1]} {
			if !strings.Contains(document, `<html lang="`+shown+`">`) || !strings.Contains(document, word) {
				t.Errorf("%s: no %q in\n%s", language, word, document)
			}
			if strings.Contains(document, "<img") {
				t.Errorf("%s: a name became markup:\n%s", language, document)
			}
		}
		if strings.Contains(string(p.Main(false)), "/logout") || !strings.Contains(main, "/logout") {
			t.Errorf("%s: a log-out without a log-in, or the other way round", language)
		}
		if strings.Contains(string(p.Login("")), "role=\"alert\"") || !strings.Contains(login, "role=\"alert\"") {
			t.Errorf("%s: trouble where there is none, or none where there is", language)
		}
		if !strings.Contains(string(p.File("words.js")), `export const language = "`+shown+`"`) {
			t.Errorf("%s: its words are of another language", language)
		}
	}
}

func TestWhatABrowserMayDo(t *testing.T) {
	w := httptest.NewRecorder()
	Show(w, http.StatusUnauthorized, "login.html", []byte("<p>"))
	if w.Code != http.StatusUnauthorized || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Body.String() != "<p>" {
		t.Errorf("%d, %s, %s", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
	policy := w.Header().Get("Content-Security-Policy")
	for rule := range strings.SplitSeq(policy, "; ") {
		if _, allowed, _ := strings.Cut(rule, " "); allowed != "'self'" && allowed != "'none'" {
			t.Errorf("the policy has the rule %q", rule)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || w.Header().Get("Referrer-Policy") != "same-origin" {
		t.Errorf("policy %q, referrer %q", policy, w.Header().Get("Referrer-Policy"))
	}
	w = httptest.NewRecorder()
	if Show(w, http.StatusOK, "manifest.webmanifest", []byte("{}")); w.Header().Get("Content-Type") != "application/manifest+json" {
		t.Errorf("a manifest is %s", w.Header().Get("Content-Type"))
	}
	if len(made(t, "de").File("words.js")) == 0 {
		t.Error("there are no words")
	}
}

// TestACommentBehindCodeIsLeftOut: what stands within a text is no comment.
func TestACommentBehindCodeIsLeftOut(t *testing.T) {
	for line, want := range map[string]string{
		"// all of it":                    "",
		"let a = 1; // of things":         "let a = 1;",
		"if (a) { // or so":               "if (a) {",
		`say("no; // comment");`:          `say("no; // comment");`,
		"say(`no; // comment`);":          "say(`no; // comment`);",
		`ask("http://here");`:             `ask("http://here");`,
		`say("a"); // the "b" is another`: `say("a");`,
	} {
		if got := string(uncomment([]byte(line))); got != want {
			t.Errorf("%q is served as %q, want %q", line, got, want)
		}
	}
}
