package socket

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// CertificateError means that the certificate of Home Assistant is not known here, so that
// no token was sent.
type CertificateError struct {
	SHA256 string    // of the certificate, as Config.CertSHA256 takes it
	For    []string  // the names and addresses that it was made for
	Until  time.Time // when it expires
	Pinned bool      // the certificate is another one than that of Config.CertSHA256
	Err    error     // what is wrong with it
}

func (e *CertificateError) Error() string {
	if e.Pinned {
		return "home assistant shows another certificate than the one that HASS_CERT_SHA256 names: its SHA-256 is " + e.SHA256
	}
	return fmt.Sprintf("the certificate of Home Assistant is not known here (%v); its SHA-256 is %s", e.Err, e.SHA256)
}

func (e *CertificateError) Unwrap() error { return e.Err }

// errOther is what is wrong with a certificate that is not the pinned one.
var errOther = errors.New("it is not the pinned one")

// describe fills an error with what a person needs to recognise a certificate.
func describe(cert *x509.Certificate, err error) *CertificateError {
	e := &CertificateError{SHA256: fingerprint(cert), Until: cert.NotAfter, Err: err}
	for _, name := range cert.DNSNames {
		e.For = append(e.For, clip(name))
	}
	for _, ip := range cert.IPAddresses {
		e.For = append(e.For, ip.String())
	}
	return e
}

// explainCertificate makes a CertificateError of the error of a connection whose
// certificate was not taken; other errors stay as they are.
func explainCertificate(err error) error {
	if own, ok := errors.AsType[*CertificateError](err); ok {
		return own
	}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && len(bad.UnverifiedCertificates) > 0 {
		return describe(bad.UnverifiedCertificates[0], bad.Err)
	}
	return err
}

// fingerprint is the SHA-256 of a certificate as browsers and openssl show it.
func fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(pairs, ":")
}

// pin returns the SHA-256 that Config.CertSHA256 names, as bytes; nil if it names none.
func (c Config) pin() ([]byte, error) {
	if c.CertSHA256 == "" {
		return nil, nil
	}
	sum, err := hex.DecodeString(strings.NewReplacer(":", "", " ", "").Replace(c.CertSHA256))
	if err != nil || len(sum) != sha256.Size {
		return nil, errors.New("HASS_CERT_SHA256 is no SHA-256 of a certificate; expected 64 hexadecimal digits, with or without colons")
	}
	return sum, nil
}

// tls reads the authority at every connection, so that a renewed file is taken without a
// restart.
func (c Config) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	pin, err := c.pin()
	if err != nil {
		return nil, err
	}
	if pin != nil {
		config.InsecureSkipVerify = true //nolint:gosec // the pin is compared instead, which is stricter
		config.VerifyConnection = func(s tls.ConnectionState) error { return checkPin(s, pin) }
		return config, nil
	}
	if c.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the authority: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", c.CAFile)
	}
	return config, nil
}

// checkPin returns nil if the other side has the pinned certificate. The handshake has
// proved then that it has the key, too.
func checkPin(s tls.ConnectionState, pin []byte) error {
	if len(s.PeerCertificates) == 0 {
		return errOther
	}
	sum := sha256.Sum256(s.PeerCertificates[0].Raw)
	if subtle.ConstantTimeCompare(sum[:], pin) == 1 {
		return nil
	}
	e := describe(s.PeerCertificates[0], errOther)
	e.Pinned = true
	return e
}
