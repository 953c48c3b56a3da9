package mqtt

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"

	"voicegateway/internal/fake"
)

func TestTLSWithAnAuthorityOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	writeCertificates(t, dir)
	m := newMosquitto(t, fmt.Sprintf("certfile %[1]s/cert.pem\nkeyfile %[1]s/key.pem", dir))
	m.start(t)
	address := "mqtts://" + m.addr
	connected(t, Config{URL: address, CAFile: filepath.Join(dir, "cert.pem")})

	for name, tc := range map[string]struct {
		cfg  Config
		want string
	}{
		"the system's authorities": {Config{URL: address}, "certificate"},
		"no such file":             {Config{URL: address, CAFile: filepath.Join(dir, "none.pem")}, "reading ca_file"},
		"not a certificate":        {Config{URL: address, CAFile: filepath.Join(dir, "key.pem")}, "no certificate"},
		"plain to a TLS port":      {Config{URL: m.url()}, "is TLS right?"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := running(t, tc.cfg)
			ctx := bounded(t)
			var err error
			for ctx.Err() == nil {
				if err = c.Publish(ctx, "a", nil); err != nil && strings.Contains(err.Error(), tc.want) {
					return
				}
				pause(ctx)
			}
			t.Errorf("error %v, want one with %q", err, tc.want)
		})
	}
}

// TestWebsocket uses the library of the embedded broker, because not every
// package of mosquitto has websockets.
func TestWebsocket(t *testing.T) {
	server := mochi.New(&mochi.Options{Logger: slog.New(slog.DiscardHandler)})
	if err := server.AddHook(&openDoor{}, nil); err != nil {
		t.Fatal(err)
	}
	address := fake.FreeAddr(t) // the library opens it itself
	if err := server.AddListener(listeners.NewWebsocket(listeners.Config{ID: "ws", Address: address})); err != nil {
		t.Fatal(err)
	}
	if err := server.Serve(); err != nil {
		t.Fatal(err)
	}
	c, stop := running(t, Config{URL: "ws://" + address + "/mqtt"})
	if err := c.AwaitConnected(bounded(t)); err != nil {
		t.Fatal(err)
	}
	ch := collect(t, c, "a")
	if err := c.Publish(bounded(t), "a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if g := next(t, ch); g.payload != "x" {
		t.Errorf("got %+v", g)
	}
	stop()
	if err := c.Publish(bounded(t), "a", nil); err == nil {
		t.Error("published after the end")
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

// openDoor is a hook that accepts every client.
type openDoor struct{ mochi.HookBase }

func (*openDoor) Provides(b byte) bool {
	return b == mochi.OnConnectAuthenticate || b == mochi.OnACLCheck
}
func (*openDoor) OnConnectAuthenticate(*mochi.Client, packets.Packet) bool { return true }
func (*openDoor) OnACLCheck(*mochi.Client, string, bool) bool              { return true }

// writeCertificates makes a certificate for this machine that is its own
// authority.
func writeCertificates(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "a house"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
