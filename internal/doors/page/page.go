// Package page is what a browser shows: one bundle of plain modules, styles and templates
// inside the program. It exists so that a family sees and does what the gateway can,
// without another program, a build step or the internet. Its modules ask the HTTP interface for
// everything, by the names of the operations in the table of package doors.
//
// To add words, add them to the page's file of every language in language/sentences; a test
// compares these files. To add a module, add a file to files and import it from another one.
package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"voicegateway/internal/doors"
	"voicegateway/internal/language/sentences"
)

//go:embed files
var bundle embed.FS

// Policy is what a browser may load for the page: files of this gateway and nothing
// else, and no script or style inside a document.
const Policy = "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Config says who uses the page.
type Config struct {
	Language string // of the family; English if there are no words for it
	Name     string // of the gateway
}

// Page is the page of one gateway. Everything it shows is made by New.
type Page struct {
	main, guarded []byte
	login         map[string][]byte // by what was wrong
	files         map[string][]byte
}

// Words are the words of a language, by their names.
type Words map[string]string

// New makes the page's documents; it fails only on a mistake in the bundle.
func New(cfg Config) (*Page, error) {
	words, language, err := wordsOf(cfg.Language)
	if err != nil {
		return nil, err
	}
	p := &Page{login: map[string][]byte{}, files: map[string][]byte{}}
	entries, err := fs.ReadDir(bundle, "files")
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	for _, e := range entries {
		content, err := bundle.ReadFile("files/" + e.Name())
		if err != nil {
			return nil, fmt.Errorf("page: %w", err)
		}
		p.files[e.Name()] = slim(e.Name(), content)
	}
	routes := map[string]string{}
	for _, op := range doors.Doables() {
		if p.names(op.Describe().Name) {
			routes[op.Describe().Name] = op.Describe().Route
		}
	}
	operations, err := json.Marshal(routes)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	own := maps.Clone(words)
	maps.DeleteFunc(own, func(name, _ string) bool { return p.shows(name) && !p.names(name) })
	list, err := json.Marshal(own)
	if err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	p.files["operations.js"] = fmt.Appendf(nil, "export default %s;\n", operations)
	p.files["words.js"] = fmt.Appendf(nil, "export const language = %q;\nexport default %s;\n", language, list)
	if p.files["manifest.webmanifest"], err = json.Marshal(appOf(cfg.Name, language)); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	made := func(file, trouble string, guarded bool) []byte {
		document, failed := document(p.files[file], map[string]any{
			"Language": language, "Name": cfg.Name, "Words": words, "Trouble": words["login_"+trouble], "Guarded": guarded,
		})
		if failed != nil {
			err = fmt.Errorf("page: %s: %w", file, failed)
		}
		return document
	}
	p.main, p.guarded = made("main.html", "", false), made("main.html", "", true)
	for _, trouble := range []string{"", "wrong", "too_many"} {
		p.login[trouble] = made("login.html", trouble, true)
	}
	delete(p.files, "main.html")
	delete(p.files, "login.html")
	return p, err
}

// names reports whether a module names a word or an operation.
func (p *Page) names(word string) bool {
	quoted := []byte(strconv.Quote(word))
	for name, text := range p.files {
		if path.Ext(name) == ".js" && bytes.Contains(text, quoted) {
			return true
		}
	}
	return false
}

// shows reports whether a document has a word in it already.
func (p *Page) shows(word string) bool {
	hole := []byte("{{.Words." + word + "}}")
	return bytes.Contains(p.files["main.html"], hole) || bytes.Contains(p.files["login.html"], hole)
}

// tight writes styles without the blanks that only people need.
var tight = strings.NewReplacer(" {", "{", "{ ", "{", " }", "}", ": ", ":", "; ", ";", ", ", ",")

// slim leaves out of a module or of the styles what a browser does not need: indentation,
// comments, and blanks within styles. No text of theirs goes over a line.
func slim(name string, content []byte) []byte {
	kind := path.Ext(name)
	if kind != ".js" && kind != ".css" {
		return content
	}
	var slimmed bytes.Buffer
	for line := range bytes.Lines(content) {
		line = bytes.TrimSpace(line)
		if kind == ".js" {
			line = uncomment(line)
		}
		if len(line) > 0 {
			slimmed.Write(line)
			slimmed.WriteByte('\n')
		}
	}
	if kind == ".css" {
		return []byte(tight.Replace(slimmed.String()))
	}
	return slimmed.Bytes()
}

// uncomment leaves the comment out of a line of a module: the whole line, or what stands behind
// the end of a statement and outside of a text.
func uncomment(line []byte) []byte {
	if bytes.HasPrefix(line, []byte("//")) {
		return nil
	}
	at := bytes.LastIndex(line, []byte(" // "))
	if at < 0 {
		return line
	}
	code := bytes.TrimSpace(line[:at])
	if !bytes.ContainsAny(code[len(code)-1:], ";,{}") || bytes.Count(code, []byte(`"`))%2 != 0 || bytes.Count(code, []byte("`"))%2 != 0 {
		return line
	}
	return code
}

// app is the manifest from which a phone or a computer installs the page like a program.
type app struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	ShortName  string    `json:"short_name"`
	Language   string    `json:"lang"`
	Start      string    `json:"start_url"`
	Scope      string    `json:"scope"`
	Display    string    `json:"display"`
	Background string    `json:"background_color"`
	Theme      string    `json:"theme_color"`
	Icons      []appIcon `json:"icons"`
}

// appIcon is a picture of the installed page.
type appIcon struct {
	File    string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose"` // maskable: a phone may cut its own shape from it
}

// appOf returns the manifest of the page of a gateway. Its colours are those of the styles by day.
func appOf(name, language string) app {
	picture := func(size, file, purpose string) appIcon {
		return appIcon{"/page/" + file, size, "image/png", purpose}
	}
	return app{
		ID: "/", Name: name + " · voice-gateway", ShortName: name, Language: language, Start: "/", Scope: "/",
		Display: "standalone", Background: "#f6f7f9", Theme: "#ffffff",
		Icons: []appIcon{
			{"/page/icon.svg", "any", "image/svg+xml", "any"},
			picture("192x192", "icon-192.png", "any"), picture("512x512", "icon-512.png", "any"), picture("512x512", "icon-full.png", "maskable"),
		},
	}
}

// wordsOf returns the words of a language, and which language that is.
func wordsOf(language string) (words Words, found string, err error) {
	if words, err = sentences.Page(language); err != nil {
		language = sentences.OfTools
		words, err = sentences.Page(language)
	}
	if err != nil {
		return nil, "", fmt.Errorf("page: %w", err)
	}
	return words, language, nil
}

// document makes a document of a template.
func document(text []byte, values map[string]any) ([]byte, error) {
	t, err := template.New("").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var made bytes.Buffer
	err = t.Execute(&made, values)
	return made.Bytes(), err
}

// Main returns the page; guarded means that there is a log-in, and so a log-out.
func (p *Page) Main(guarded bool) []byte {
	if guarded {
		return p.guarded
	}
	return p.main
}

// Login returns the page that asks for the token, with what was wrong: nothing, wrong or
// too_many.
func (p *Page) Login(trouble string) []byte { return p.login[trouble] }

// File returns one of the files of the page; nil if there is none of that name.
func (p *Page) File(name string) []byte { return p.files[name] }

// Show answers with a document or a file of the page, and with what a browser may do
// with it.
func Show(w http.ResponseWriter, status int, name string, content []byte) {
	h := w.Header()
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".webmanifest" { // which few systems know
		kind = "application/manifest+json"
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", Policy)
	// Without an origin, a form could not be told from another site's.
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	_, _ = w.Write(content) // an error means that the client is gone
}
