package client

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/mark3labs/mcp-go/client/transport"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"voicegateway/internal/ground/httpguard"
	"voicegateway/internal/ground/secret"
	"voicegateway/internal/mcpint"
)

const (
	// tokenTimeout bounds one request to a server of tokens.
	tokenTimeout = 10 * time.Second
	// maxTokenAnswer bounds what is read of one answer about tokens, in bytes.
	maxTokenAnswer = 1 << 20
	// assertionLife is how long a signature in place of a secret is good for. Clocks may
	// differ by less than that.
	assertionLife = 5 * time.Minute
	// assertionType is the kind of a signature in place of a secret (RFC 7523, section 2.2).
	assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// tokenTransport gives requests to a server a token of OAuth, which it gets as a client of
// its own (RFC 6749, section 4.4). A server that refuses a token gets the request once
// more with a new one. Without a configured place of the tokens, the first refusal says
// where they are; without configured scopes, each refusal says which the token has to have.
type tokenTransport struct {
	next    http.RoundTripper
	auth    mcpint.Auth
	address string        // of the MCP server
	key     crypto.Signer // nil: the client has a secret
	place   *transport.OAuthHandler
	web     *http.Client // for the server of tokens
	secrets Secrets      // grows with each token

	current atomic.Pointer[oauth2.Token]
	asking  chan struct{} // holds an element while a token is asked for
	known   *tokenPlace   // whoever asks for a token uses it
	wanted  []string      // the scopes that the server has named; whoever asks for a token uses them
}

// tokenPlace is where tokens are given, and to whom.
type tokenPlace struct {
	url      string
	audience string // who a signature is for
	style    oauth2.AuthStyle
	resource string // for which server the token is to be; empty: not told
}

// newTokenTransport returns a transport for a server whose auth is set. It adds each token
// to secrets.
func newTokenTransport(s mcpint.Server, next http.RoundTripper, secrets Secrets) (*tokenTransport, error) {
	t := &tokenTransport{next: next, auth: s.Auth, address: s.URL, secrets: secrets, asking: make(chan struct{}, 1)}
	t.web = &http.Client{Transport: boundedTransport{next}, CheckRedirect: RedirectWithinHost, Timeout: tokenTimeout}
	if s.Auth.PrivateKey != "" {
		key, err := s.Auth.Key()
		if err != nil {
			return nil, err
		}
		t.key = key
	}
	address, err := url.Parse(s.URL)
	if err != nil {
		return nil, httpguard.WithoutURL(err)
	}
	address.RawQuery, address.Fragment = "", ""
	t.place = transport.NewOAuthHandler(transport.OAuthConfig{ClientID: s.Auth.ClientID, HTTPClient: t.web})
	t.place.SetBaseURL(address.String())
	if s.Auth.TokenURL != "" {
		t.known = &tokenPlace{url: s.Auth.TokenURL, audience: s.Auth.TokenURL}
		t.current.Store(&oauth2.Token{}) // no refusal need say where
	}
	return t, nil
}

// boundedTransport bounds the answers about tokens, because the library reads some of them
// to their end.
type boundedTransport struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = http.MaxBytesReader(nil, answer.Body, maxTokenAnswer)
	return answer, nil
}

// RoundTrip implements http.RoundTripper.
func (t *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	token := t.current.Load()
	if token != nil && !token.Valid() {
		var err error
		if token, err = t.renew(r.Context(), token, challenge{}); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	answer, err := t.send(r, token)
	if err != nil || r.Body != nil && r.GetBody == nil {
		return answer, err
	}
	other, err := t.replace(r.Context(), token, answer)
	if err != nil {
		return nil, err
	}
	if other == nil {
		return answer, nil
	}
	again := r.Clone(r.Context())
	if r.GetBody != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return t.send(again, other)
}

// replace returns another token for a request that the server has refused, and closes the
// answer then. It returns nil if the answer is final: no refusal, or one that no other token
// would change.
func (t *tokenTransport) replace(ctx context.Context, old *oauth2.Token, answer *http.Response) (*oauth2.Token, error) {
	c := challengeOf(answer.Header)
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		_ = answer.Body.Close()
		if t.auth.TokenURL == "" {
			t.place.HandleUnauthorizedResponse(answer)
		}
		return t.renew(ctx, old, challenge{scopes: c.scopes})
	case answer.StatusCode == http.StatusForbidden && c.code == insufficientScope:
		other, err := t.renew(ctx, old, c)
		if err != nil || other == old {
			return nil, nil //nolint:nilerr,nilnil // the refusal says more than why there is no other token
		}
		_ = answer.Body.Close()
		return other, nil
	}
	return nil, nil //nolint:nilnil // there is nothing to replace
}

// send sends a request with a token, if there is one.
func (t *tokenTransport) send(r *http.Request, token *oauth2.Token) (*http.Response, error) {
	if token != nil {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+token.AccessToken)
	}
	return t.next.RoundTrip(r)
}

// renew gets a token in place of an old one, unless another request has done so meanwhile.
// refused is why the server has refused the old one; the old one is returned if it lacks
// scopes and no more of them can be asked for.
func (t *tokenTransport) renew(ctx context.Context, old *oauth2.Token, refused challenge) (*oauth2.Token, error) {
	select {
	case t.asking <- struct{}{}:
		defer func() { <-t.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	scopes := t.scopesWith(refused.scopes)
	more := len(scopes) > len(t.wanted)
	switch now := t.current.Load(); {
	case now != old && now.Valid() && !more:
		return now, nil
	case refused.code == insufficientScope && !more:
		return old, nil
	}
	if t.known == nil {
		known, err := t.find(ctx)
		if err != nil {
			return nil, err
		}
		t.known = known
	}
	token, err := t.ask(ctx, *t.known, scopes)
	if errors.Is(err, errScope) && len(t.auth.Scopes) == 0 && refused.code != insufficientScope {
		scopes = nil // the server of tokens knows better what it gives
		token, err = t.ask(ctx, *t.known, nil)
	}
	if err != nil {
		return nil, err
	}
	t.wanted = scopes
	t.secrets.Grow(secret.Of(token.AccessToken))
	t.current.Store(token)
	return token, nil
}

// scopesWith returns the scopes that the server has named so far, and these. It returns nil if
// scopes are configured, because then only those are asked for.
func (t *tokenTransport) scopesWith(named []string) []string {
	if len(t.auth.Scopes) > 0 {
		return nil
	}
	all := slices.Clone(t.wanted)
	for _, scope := range named {
		if !slices.Contains(all, scope) && len(all) < maxScopes {
			all = append(all, scope)
		}
	}
	return all
}

// find asks the server where its tokens are.
func (t *tokenTransport) find(ctx context.Context) (*tokenPlace, error) {
	found, err := t.place.GetServerMetadata(ctx)
	if err != nil {
		return nil, fmt.Errorf("the server does not say where its tokens are: %w; expected auth.token_url", httpguard.WithoutURL(err))
	}
	methods := found.TokenEndpointAuthMethodsSupported
	if len(methods) == 0 && len(found.GrantTypesSupported) == 0 && len(found.ResponseTypesSupported) == 0 {
		// The library guesses; a secret does not go where somebody guesses.
		return nil, errors.New("the server does not say where its tokens are; expected auth.token_url")
	}
	if err := t.permit(found.TokenEndpoint); err != nil {
		return nil, err
	}
	style := oauth2.AuthStyleInHeader // what servers have to take, if they say nothing else
	if len(methods) > 0 && !slices.Contains(methods, "client_secret_basic") && slices.Contains(methods, "client_secret_post") {
		style = oauth2.AuthStyleInParams
	}
	return &tokenPlace{url: found.TokenEndpoint, audience: cmp.Or(found.Issuer, found.TokenEndpoint), style: style, resource: t.address}, nil
}

// permit says why a place that a server has named gets no secret: without encryption it
// may be on this machine, or belong to a server that is reached without encryption itself.
func (t *tokenTransport) permit(place string) error {
	to, err := url.Parse(place)
	if err != nil || to.Host == "" {
		return errors.New("the server names no usable address of its tokens; expected auth.token_url")
	}
	from, err := url.Parse(t.address)
	ip := net.ParseIP(to.Hostname())
	if to.Scheme == "https" || to.Hostname() == "localhost" || ip.IsLoopback() || err == nil && from.Scheme == "http" && from.Hostname() == to.Hostname() {
		return nil
	}
	return fmt.Errorf("the server wants our secret at %s://%s, where others can read it; if that is right, set it as auth.token_url", to.Scheme, to.Host)
}

// ask gets a token with the scopes that are configured, or else with these.
func (t *tokenTransport) ask(ctx context.Context, at tokenPlace, scopes []string) (*oauth2.Token, error) {
	if len(t.auth.Scopes) > 0 {
		scopes = t.auth.Scopes
	}
	c := clientcredentials.Config{
		ClientID: t.auth.ClientID, ClientSecret: t.auth.ClientSecret, TokenURL: at.url, Scopes: scopes,
		AuthStyle: at.style, EndpointParams: url.Values{},
	}
	if at.resource != "" {
		c.EndpointParams.Set("resource", at.resource)
	}
	if t.key != nil {
		signed, err := sign(t.key, t.auth, at.audience)
		if err != nil {
			return nil, err
		}
		c.AuthStyle = oauth2.AuthStyleInParams
		c.EndpointParams.Set("client_assertion_type", assertionType)
		c.EndpointParams.Set("client_assertion", signed)
	}
	token, err := c.Token(context.WithValue(ctx, oauth2.HTTPClient, t.web))
	if err != nil {
		return nil, t.explainToken(err, at)
	}
	if !strings.EqualFold(token.Type(), "Bearer") {
		return nil, fmt.Errorf("the server of tokens gives one of the kind %q; expected Bearer", t.secrets.RedactLine(token.Type(), MaxQuote))
	}
	return token, nil
}

// sign returns the signature of a client for a server of tokens (RFC 7523).
func sign(key crypto.Signer, auth mcpint.Auth, audience string) (string, error) {
	method, err := methodOf(key)
	if err != nil {
		return "", err
	}
	now := time.Now()
	claims := jwt.NewWithClaims(method, jwt.MapClaims{
		"iss": auth.ClientID, "sub": auth.ClientID, "aud": audience, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	})
	if auth.KeyID != "" {
		claims.Header["kid"] = auth.KeyID
	}
	signed, err := claims.SignedString(key)
	if err != nil {
		return "", fmt.Errorf("signing with auth.private_key_file: %w", err)
	}
	return signed, nil
}

// methodOf returns the way in which a key signs.
func methodOf(key crypto.Signer) (jwt.SigningMethod, error) {
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return jwt.SigningMethodRS256, nil
	case ed25519.PrivateKey:
		return jwt.SigningMethodEdDSA, nil
	case *ecdsa.PrivateKey:
		switch key.Curve.Params().BitSize {
		case 256:
			return jwt.SigningMethodES256, nil
		case 384:
			return jwt.SigningMethodES384, nil
		case 521:
			return jwt.SigningMethodES512, nil
		}
	}
	return nil, errors.New("auth.private_key_file is of a kind that no server of tokens takes; expected RSA, ECDSA with P-256, P-384 or P-521, or Ed25519")
}

// errScope is the code of a server of tokens that does not give a scope (RFC 6749).
var errScope = errors.New("invalid_scope")

// explainToken says in words why there is no token. What the server of tokens says beside
// its code is its own, and may hold what it was sent.
func (t *tokenTransport) explainToken(err error, at tokenPlace) error {
	host := "the server of tokens"
	if u, parsed := url.Parse(at.url); parsed == nil {
		host += " at " + u.Host
	}
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s has not answered: %w", host, httpguard.WithoutURL(err))
	case !ok: // as a text, because what it says of an address is not about the MCP server
		return fmt.Errorf("%s gives none: %s", host, Explain(explainTLS(httpguard.WithoutURL(err))).Error())
	}
	shown := "auth.client_secret_file"
	if t.key != nil {
		shown = "auth.private_key_file"
	}
	switch status := refused.Response.StatusCode; {
	case refused.ErrorCode == errScope.Error():
		return fmt.Errorf("%s refuses what is asked for (%w); check auth.scopes", host, errScope)
	case refused.ErrorCode == "invalid_client", refused.ErrorCode == "unauthorized_client", refused.ErrorCode == "invalid_grant", //nolint:misspell // RFC 6749
		status == http.StatusUnauthorized:
		return fmt.Errorf("%s does not let us in (%s); check auth.client_id and %s", host, cmp.Or(t.code(refused), fmt.Sprint(status)), shown)
	default:
		return fmt.Errorf("%s gives none (%s)", host, cmp.Or(t.code(refused), fmt.Sprint(status, " ", http.StatusText(status))))
	}
}

// code returns the code of a refusal with its description.
func (t *tokenTransport) code(refused *oauth2.RetrieveError) string {
	if refused.ErrorCode == "" {
		return ""
	}
	text := refused.ErrorCode
	if refused.ErrorDescription != "" {
		text += ": " + refused.ErrorDescription
	}
	return t.secrets.RedactLine(text, MaxQuote)
}
