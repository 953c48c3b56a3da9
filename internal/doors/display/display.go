// Package display puts together what a page is shown and what the parts know. It exists
// so that the page, the HTTP interface, the house and the tools need not know each
// other. What a page is to see goes onto the feed (httpapi.Feed), or behind a route of
// the HTTP interface.
package display

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"voicegateway/internal/doors"
	"voicegateway/internal/doors/httpapi"
	"voicegateway/internal/doors/page"
	"voicegateway/internal/tools"
)

// Page is the page as the HTTP interface shows it.
type Page struct{ bundle *page.Page }

// NewPage makes the page of a gateway with a name, in a language.
func NewPage(language, name string) (Page, error) {
	p, err := page.New(page.Config{Language: language, Name: name})
	return Page{p}, err
}

// Main shows the page.
func (p Page) Main(w http.ResponseWriter, guarded bool) {
	page.Show(w, http.StatusOK, "main.html", p.bundle.Main(guarded))
}

// loginStatus is the status of each answer of the log-in page.
var loginStatus = map[httpapi.LoginTrouble]int{
	httpapi.LoginFine: http.StatusOK, httpapi.LoginWrong: http.StatusUnauthorized, httpapi.LoginTooMany: http.StatusTooManyRequests,
}

// Login asks for the token.
func (p Page) Login(w http.ResponseWriter, trouble httpapi.LoginTrouble) {
	page.Show(w, loginStatus[trouble], "login.html", p.bundle.Login(string(trouble)))
}

// File shows one of the files that the page is made of.
func (p Page) File(w http.ResponseWriter, _ *http.Request, name string) bool {
	content := p.bundle.File(name)
	if content != nil {
		page.Show(w, http.StatusOK, name, content)
	}
	return content != nil
}

// Volume is the volume as the tool for it knows it.
type Volume struct {
	Tools *tools.Registry
	// Unheard is why the speaker is not to be heard, "" if it is; nil: that is not asked.
	Unheard func() string
}

// Volume is how loud the speaker is.
func (v Volume) Volume(ctx context.Context) (level doors.Level, err error) {
	res, err := v.call(ctx, `{"action":"get"}`)
	if err == nil {
		err = json.Unmarshal(res.Data, &level)
	}
	if v.Unheard != nil {
		level.Unheard = v.Unheard()
	}
	return level, err
}

// SetVolume sets the volume in percent.
func (v Volume) SetVolume(ctx context.Context, level int) error {
	_, err := v.call(ctx, `{"action":"set","level":`+strconv.Itoa(level)+`}`)
	return err
}

func (v Volume) call(ctx context.Context, args string) (tools.Result, error) {
	res, err := v.Tools.Call(ctx, tools.Call{Tool: "set_volume", Args: []byte(args)})
	switch {
	case err != nil:
		return res, fmt.Errorf("asking for the volume: %w", err)
	case res.Failed:
		return res, errors.New(res.Text)
	}
	return res, nil
}
