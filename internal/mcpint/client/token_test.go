package client

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/mark3labs/mcp-go/server"

	"voicegateway/internal/mcpint"
)

// guarded is an MCP server that answers only with a token, and the server of these tokens,
// on one address.
type guarded struct {
	web     *httptest.Server
	mcp     http.Handler
	method  string           // how the client has to show that it is itself
	key     crypto.PublicKey // of the client
	silent  bool             // the server does not say where its tokens are
	astray  string           // where it says that they are, if that is somewhere else
	endless bool             // what it says of itself does not end
	deny    string           // the answer of the server of tokens in place of a token
	scopes  []string         // what a token has to permit: the first for any request, the second for a call
	gives   string           // the only scopes that are given; "": each that is asked for

	mu    sync.Mutex
	valid string   // the token
	bears []string // its scopes
	given int      // tokens
	forms []string // what the server of tokens was asked
}

const clientSecret = "Tr0ub4dor-and-3"

// newGuarded starts such a server.
func newGuarded(t *testing.T, method string, key crypto.PublicKey) *guarded {
	t.Helper()
	g := &guarded{method: method, key: key, mcp: server.NewStreamableHTTPServer(handmade(make(chan struct{}, 9)))}
	g.web = httptest.NewServer(g)
	t.Cleanup(g.web.Close)
	return g
}

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(status int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	g.mu.Lock()
	valid, bears := g.valid, g.bears
	g.mu.Unlock()
	switch r.URL.Path {
	case "/mcp":
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if valid != "" && r.Header.Get("Authorization") == "Bearer "+valid {
			if len(g.scopes) == 2 && bytes.Contains(body, []byte("tools/call")) && !slices.Contains(bears, g.scopes[1]) {
				w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+g.scopes[1]+`"`)
				answer(http.StatusForbidden, map[string]string{"error": "insufficient_scope"})
				return
			}
			g.mcp.ServeHTTP(w, r)
			return
		}
		if !g.silent {
			named := ""
			if len(g.scopes) > 0 {
				named = `, scope="` + g.scopes[0] + `"`
			}
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.web.URL+`/about"`+named)
		}
		answer(http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
	case "/about":
		for blanks := bytes.Repeat([]byte(" "), 1<<16); g.endless; {
			if _, err := w.Write(blanks); err != nil {
				return
			}
		}
		answer(http.StatusOK, map[string]any{"resource": g.web.URL + "/mcp", "authorization_servers": []string{g.web.URL}})
	case "/.well-known/oauth-authorization-server":
		if g.silent {
			http.NotFound(w, r)
			return
		}
		place := g.web.URL + "/tokens"
		if g.astray != "" {
			place = g.astray
		}
		answer(http.StatusOK, map[string]any{
			"issuer": g.web.URL, "token_endpoint": place, "authorization_endpoint": g.web.URL + "/login",
			"response_types_supported": []string{"code"}, "token_endpoint_auth_methods_supported": []string{g.method},
		})
	case "/tokens":
		g.give(r, answer)
	default:
		http.NotFound(w, r)
	}
}

// give gives a token, or says why not.
func (g *guarded) give(r *http.Request, answer func(int, any)) {
	_ = r.ParseForm()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.forms = append(g.forms, r.Form.Encode())
	if err := g.check(r); err != nil {
		answer(http.StatusUnauthorized, map[string]string{"error": "invalid_client", "error_description": err.Error()})
		return
	}
	if g.deny != "" {
		answer(http.StatusBadRequest, map[string]string{"error": g.deny})
		return
	}
	asked := strings.Fields(r.Form.Get("scope"))
	if slices.ContainsFunc(asked, func(scope string) bool { return g.gives != "" && !slices.Contains(strings.Fields(g.gives), scope) }) {
		answer(http.StatusBadRequest, map[string]string{"error": "invalid_scope"})
		return
	}
	g.given++
	g.bears = asked
	g.valid = fmt.Sprintf("token-%d-of-the-house", g.given)
	answer(http.StatusOK, map[string]any{"access_token": g.valid, "token_type": "bearer", "expires_in": 3600})
}

// check says why a client is not known.
func (g *guarded) check(r *http.Request) error {
	user, password, basic := r.BasicAuth()
	switch g.method {
	case "client_secret_basic":
		if !basic || user != "house" || password != clientSecret {
			return errors.New("who is " + user + " with " + password)
		}
	case "client_secret_post":
		if basic || r.Form.Get("client_id") != "house" || r.Form.Get("client_secret") != clientSecret {
			return errors.New("who are you")
		}
	case "private_key_jwt":
		claims, err := jwt.Parse(r.Form.Get("client_assertion"), func(signed *jwt.Token) (any, error) {
			if signed.Header["kid"] != "k1" {
				return nil, errors.New("which key")
			}
			return g.key, nil
		}, jwt.WithAudience(g.web.URL, g.web.URL+"/tokens"), jwt.WithIssuer("house"), jwt.WithSubject("house"), jwt.WithExpirationRequired(), jwt.WithIssuedAt())
		if err != nil || !claims.Valid || r.Form.Get("client_assertion_type") != assertionType || r.Form.Get("client_secret") != "" {
			return fmt.Errorf("no such signature: %w", err)
		}
	}
	return nil
}

// revoke makes the token worthless.
func (g *guarded) revoke() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.valid = "another"
}

// server is the entry of the configuration for it.
func (g *guarded) server(auth mcpint.Auth) mcpint.Server {
	return mcpint.Server{ID: "guarded", Transport: "http", URL: g.web.URL + "/mcp", Auth: auth}.WithDefaults()
}

// keys are private keys of each kind that servers of tokens take.
func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	all := map[string]crypto.Signer{}
	for name, curve := range map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()} {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = key
	}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, short, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	all["RSA"], all["Ed25519"] = key, short
	return all
}

// inPEM writes a private key as a file has it.
func inPEM(t *testing.T, key crypto.Signer) string {
	t.Helper()
	body, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: body}))
}

// TestTokens gets tokens with a secret in both places where it may stand and with each
// kind of key, where the server says where they are and where the configuration does; a
// token that is refused in the middle of a session is replaced without a word.
func TestTokens(t *testing.T) {
	withSecret := mcpint.Auth{ClientID: "house", ClientSecretFile: "f", ClientSecret: clientSecret, Scopes: []string{"read", "write"}}
	type client struct {
		method string
		auth   mcpint.Auth
		key    crypto.PublicKey
	}
	clients := map[string]client{
		"secret in the header": {"client_secret_basic", withSecret, nil},
		"secret in the form":   {"client_secret_post", withSecret, nil},
	}
	for kind, key := range keys(t) {
		auth := mcpint.Auth{ClientID: "house", PrivateKeyFile: "f", PrivateKey: inPEM(t, key), KeyID: "k1"}
		clients["key of kind "+kind] = client{"private_key_jwt", auth, key.Public()}
	}
	for name, c := range clients {
		for _, configured := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, place configured %v", name, configured), func(t *testing.T) {
				g := newGuarded(t, c.method, c.key)
				auth := c.auth
				if configured {
					g.silent, auth.TokenURL = true, g.web.URL+"/tokens"
				}
				session, err := Dial(patience(t), g.server(auth), Options{Name: "test", Version: "0"})
				if err != nil {
					t.Fatal(err)
				}
				defer session.Close()
				for range 2 {
					if r, err := session.CallTool(patience(t), "hello", nil); err != nil || r.Text != "hello" {
						t.Fatalf("got %+v, %v", r, err)
					}
					g.revoke()
				}
				g.mu.Lock()
				defer g.mu.Unlock()
				if g.given != 2 {
					t.Errorf("%d tokens were given; expected 2", g.given)
				}
				for _, form := range g.forms {
					if !strings.Contains(form, "grant_type=client_credentials") || strings.Contains(form, "resource=") == configured || len(auth.Scopes) > 0 != strings.Contains(form, "scope=read+write") {
						t.Errorf("asked with %s", form)
					}
				}
			})
		}
	}
}

// TestScopesThatAServerNames asks for the scopes that a server names at first, and for more
// once a call needs them. Those of the configuration are all that is asked for.
func TestScopesThatAServerNames(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scopes, configured []string
		gives              string
		asked              []string // the scopes of each question
		wrong              string   // what a call says; "": it is carried out
		silent             bool
	}{
		"none":                            {asked: []string{""}},
		"at first":                        {scopes: []string{"notes:read"}, asked: []string{"notes:read"}},
		"and more for a call":             {scopes: []string{"notes:read", "notes:write"}, asked: []string{"notes:read", "notes:read notes:write"}},
		"for a call alone":                {scopes: []string{"", "notes:write"}, asked: []string{"", "notes:write"}},
		"at a place that is configured":   {scopes: []string{"notes:read", "notes:write"}, silent: true, asked: []string{"", "notes:write"}},
		"what is not given":               {scopes: []string{"notes:all"}, gives: "notes:read", asked: []string{"notes:all", ""}},
		"what is not given, for a call":   {scopes: []string{"notes:read", "notes:write"}, gives: "notes:read", asked: []string{"notes:read", "notes:read notes:write", "notes:read notes:write"}, wrong: `the server wants a token with the scope "notes:write" for this (403 Forbidden); check auth.scopes`},
		"no more than what is configured": {scopes: []string{"notes:read", "notes:write"}, configured: []string{"notes:read"}, asked: []string{"notes:read"}, wrong: `the server wants a token with the scope "notes:write" for this (403 Forbidden); check auth.scopes`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGuarded(t, "client_secret_basic", nil)
			g.scopes, g.gives, g.silent = test.scopes, test.gives, test.silent
			auth := mcpint.Auth{ClientID: "house", ClientSecretFile: "f", ClientSecret: clientSecret, Scopes: test.configured}
			if test.silent {
				auth.TokenURL = g.web.URL + "/tokens"
			}
			session, err := Dial(patience(t), g.server(auth), Options{Name: "test", Version: "0"})
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			for range 2 {
				switch r, err := session.CallTool(patience(t), "hello", nil); {
				case test.wrong == "" && (err != nil || r.Text != "hello"):
					t.Errorf("got %+v, %v", r, err)
				case test.wrong != "" && !strings.Contains(fmt.Sprint(r.Text, err), test.wrong):
					t.Errorf("got %+v, %v; expected %s", r, err, test.wrong)
				}
			}
			if err := session.(Mortal).Err(); err != nil {
				t.Errorf("the connection is lost: %v", err)
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			var asked []string
			for _, form := range g.forms {
				values, _ := url.ParseQuery(form)
				asked = append(asked, values.Get("scope"))
			}
			if !slices.Equal(asked, test.asked) {
				t.Errorf("asked for %q, expected %q", asked, test.asked)
			}
		})
	}
}

// TestTokensThatAreRefused says in words what is wrong and what to change, and shows no
// secret.
func TestTokensThatAreRefused(t *testing.T) {
	auth := mcpint.Auth{ClientID: "house", ClientSecretFile: "f", ClientSecret: clientSecret}
	for name, tt := range map[string]struct {
		change func(*guarded, *mcpint.Auth)
		want   string
	}{
		"a wrong secret": {
			func(_ *guarded, a *mcpint.Auth) { a.ClientSecret = clientSecret + "4" },
			"does not let us in (invalid_client: who is house with ***); check auth.client_id and auth.client_secret_file",
		},
		"a wrong scope":        {func(g *guarded, _ *mcpint.Auth) { g.deny = "invalid_scope" }, "refuses what is asked for (invalid_scope); check auth.scopes"},
		"another refusal":      {func(g *guarded, _ *mcpint.Auth) { g.deny = "invalid_target" }, "gives none (invalid_target)"},
		"no word on the place": {func(g *guarded, _ *mcpint.Auth) { g.silent = true }, "the server does not say where its tokens are; expected auth.token_url"},
		"a word without end":   {func(g *guarded, _ *mcpint.Auth) { g.endless = true }, "the server does not say where its tokens are: "},
		"a place in the open": {
			func(g *guarded, _ *mcpint.Auth) { g.astray = "http://198.51.100.7/tokens" },
			"the server wants our secret at http://198.51.100.7, where others can read it; if that is right, set it as auth.token_url",
		},
		"no server of tokens": {func(_ *guarded, a *mcpint.Auth) { a.TokenURL = "http://127.0.0.1:1/tokens" }, "the server of tokens at 127.0.0.1:1 gives none: "},
		"not ours at all":     {func(_ *guarded, a *mcpint.Auth) { *a = mcpint.Auth{} }, "check the headers or auth set for it"},
	} {
		t.Run(name, func(t *testing.T) {
			g, auth := newGuarded(t, "client_secret_basic", nil), auth
			tt.change(g, &auth)
			_, err := Dial(patience(t), g.server(auth), Options{Name: "test", Version: "0"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, expected %s", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), clientSecret) {
				t.Errorf("the secret is shown: %v", err)
			}
		})
	}
}

// TestATokenIsNotShown: a server that says the token it was given is not repeated.
func TestATokenIsNotShown(t *testing.T) {
	g := newGuarded(t, "client_secret_basic", nil)
	next := g.mcp
	g.mcp = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if strings.Contains(string(body), "tools/call") {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, "cannot use "+r.Header.Get("Authorization"))
			return
		}
		next.ServeHTTP(w, r)
	})
	session, err := Dial(patience(t), g.server(mcpint.Auth{ClientID: "house", ClientSecretFile: "f", ClientSecret: clientSecret}), Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	r, err := session.CallTool(patience(t), "hello", nil)
	if said := fmt.Sprint(r.Text, err); !strings.Contains(said, "cannot use Bearer ***") {
		t.Errorf("it says %q", said)
	}
}

// TestOneTokenForManyRequests: requests that are refused at once wait for one new token.
func TestOneTokenForManyRequests(t *testing.T) {
	g := newGuarded(t, "client_secret_basic", nil)
	session, err := Dial(patience(t), g.server(mcpint.Auth{ClientID: "house", ClientSecretFile: "f", ClientSecret: clientSecret}), Options{Name: "test", Version: "0"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	g.revoke()
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			_, err := session.CallTool(patience(t), "hello", nil)
			errs <- err
		}()
	}
	var failed []error
	for range cap(errs) {
		failed = append(failed, <-errs)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.ContainsFunc(failed, func(err error) bool { return err != nil }) || g.given != 2 {
		t.Errorf("%d tokens were given; expected 2; %v", g.given, failed)
	}
}
