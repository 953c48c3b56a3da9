package setup

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/mdns"
	"go.uber.org/goleak"

	"voicegateway/internal/fake"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A broker that listens on this machine comes first, and one that announces itself in
// the network is found as well.
func TestAround(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	attic, err := mdns.NewMDNSService("attic", "_mqtt._tcp", "", "attic.local.", 1885, []net.IP{net.ParseIP("192.0.2.7")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := mdns.NewServer(&mdns.Config{Zone: attic, Logger: log.New(io.Discard, "", 0)})
	if err != nil {
		fake.Lack(t, "this machine's network carries no mDNS: %v", err)
	}
	t.Cleanup(func() { _ = server.Shutdown() })
	here := "mqtt://" + l.Addr().String()
	if got := around(t.Context(), l.Addr().String()); len(got) < 2 || got[0] != here || !slices.Contains(got, "mqtt://192.0.2.7:1885") {
		t.Errorf("%q", got)
	}
	_ = l.Close()
	if got := around(t.Context(), l.Addr().String()); slices.Contains(got, here) {
		t.Errorf("a broker that is gone: %q", got)
	}
}

// Whatever listens at the port of a language model counts as one only if it offers
// models.
func TestOffers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind, body string
		want       bool
	}{
		"models":         {"application/json", `{"object":"list","data":[{"id":"llama"}]}`, true},
		"none loaded":    {"application/json", `{"data":[]}`, true},
		"something else": {"application/json", `{"status":"ok"}`, false},
		"a web page":     {"text/html", `<html></html>`, false},
		"no text":        {"application/json", "\x00", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/models" {
					w.WriteHeader(http.StatusNotFound)
					return
				}
				w.Header().Set("Content-Type", tt.kind)
				_, _ = w.Write([]byte(tt.body))
			}))
			defer server.Close()
			if err := offers(t.Context(), server.URL+"/v1"); (err == nil) != tt.want {
				t.Errorf("%v", err)
			}
		})
	}
}

// A user's answers: an empty answer takes the value in brackets, an invalid one is asked
// again, and the end of the input is an error.
func TestAsker(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	a := newAsker(strings.NewReader("\n9\n2\nDE\nHa\x1b[2Jll\nHall\n\nnein\nmaybe\ny\nlast"), &out, false, false)
	all := []string{"en", "de", "fr"}
	for i, want := range []string{"fr", "de", "de"} {
		if got, err := a.choice(t.Context(), "Language", options(all), "fr"); err != nil || got != want {
			t.Fatalf("choice %d: %q, %v", i, got, err)
		}
	}
	if got, err := a.text(t.Context(), "Room", "x"); err != nil || got != "Hall" {
		t.Fatalf("a room with a control character: %q, %v", got, err)
	}
	for i, want := range []bool{true, false, true} {
		if got, err := a.yes(t.Context(), "Well"); err != nil || got != want {
			t.Fatalf("yes %d: %v, %v", i, got, err)
		}
	}
	if got, err := a.secret(t.Context(), "Password"); err != nil || got != "last" {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := a.text(t.Context(), "More", "x"); !errors.Is(err, errAway) {
		t.Errorf("%v", err)
	}
	if strings.Count(out.String(), "a control character") != 1 {
		t.Errorf("%s", out.String())
	}
	if strings.Count(out.String(), "expected a number from 1 to 3") != 1 || strings.Count(out.String(), "Well (y/n)") != 4 {
		t.Errorf("%s", out.String())
	}
}

// A language is called by its code or by its name in one of the languages.
func TestLanguagesByName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"en": "en", "DE": "de", "Deutsch": "de", "GERMAN": "de", "allemand": "de", "alemán": "de", "aleman": "de",
		"english": "en", "Englisch": "en", "anglais": "en", "inglés": "en", "Français": "fr", "francais": "fr", "französisch": "fr", "French": "fr",
		"español": "es", "spanish": "es", "espagnol": "es", "klingon": "", "": "", "d": "",
	} {
		got := ""
		for _, o := range languages() {
			if o.called(name) {
				got = o.value
			}
		}
		if got != want {
			t.Errorf("%q is %q, expected %q", name, got, want)
		}
	}
}

// The name of a gateway is made of its room.
func TestPlainName(t *testing.T) {
	t.Parallel()
	for room, want := range map[string]string{"Living Room": "living-room", "Küche": "kueche", "Salle à manger": "salle-a-manger", "Büro 2": "buero-2", "厨房": ""} {
		if got := plainName(room); got != want {
			t.Errorf("%q is %q, expected %q", room, got, want)
		}
	}
}
