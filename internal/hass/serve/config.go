package serve

import (
	"errors"
	"fmt"
	"io"
	"os"

	"voicegateway/internal/hass"
	"voicegateway/internal/hass/socket"
	"voicegateway/internal/mcpint/houseserver"
)

// Config holds the settings of home-assistant-mcp-server, from a file or from environment
// variables.
type Config struct {
	URL                  string   `yaml:"hass_url" env:"HASS_URL"`
	Token                string   `yaml:"hass_token" env:"HASS_TOKEN" secret:"true"`
	TokenFile            string   `yaml:"hass_token_file" env:"HASS_TOKEN_FILE"`
	CAFile               string   `yaml:"hass_ca_file" env:"HASS_CA_FILE"`
	CertSHA256           string   `yaml:"hass_cert_sha256" env:"HASS_CERT_SHA256"`
	Dangerous            bool     `yaml:"hass_allow_dangerous" env:"HASS_ALLOW_DANGEROUS"`
	Scripts              []string `yaml:"hass_scripts" env:"HASS_SCRIPTS"`
	HostAsks             bool     `yaml:"hass_host_asks" env:"HASS_HOST_ASKS"`
	houseserver.Settings `yaml:",inline"`
}

// Default returns the settings for a Home Assistant that is found by its usual name.
func Default() Config {
	return Config{URL: hass.DefaultConfig().Socket.URL, Scripts: []string{}, Settings: houseserver.DefaultSettings()}
}

// Validate says what is wrong with the settings, all at once.
func (c Config) Validate() error {
	var wrong []error
	if (c.Token == "") == (c.TokenFile == "") {
		wrong = append(wrong, errors.New("exactly one of HASS_TOKEN_FILE and HASS_TOKEN has to be set: a file with a long-lived access token of Home Assistant, which you make in your profile there under Security, or the token itself"))
	}
	return errors.Join(append(wrong, c.House().Validate(), c.Settings.Validate())...)
}

// mostToken bounds a token's file, in bytes.
const mostToken = 8 << 10

// ReadToken reads the token at each attempt to connect, so that a new one is taken without a
// restart.
func (c Config) ReadToken() (string, error) {
	if c.TokenFile == "" {
		return c.Token, nil
	}
	f, err := os.Open(c.TokenFile)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	defer func() { _ = f.Close() }()
	body, err := io.ReadAll(io.LimitReader(f, mostToken))
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	return string(body), nil
}

// House is the house of these settings.
func (c Config) House() hass.Config {
	h := hass.DefaultConfig()
	h.Socket = socket.Config{URL: c.URL, CAFile: c.CAFile, CertSHA256: c.CertSHA256}
	h.Token, h.AllowDangerous, h.Scripts, h.HostAsks = c.ReadToken, c.Dangerous, c.Scripts, c.HostAsks
	return h
}
