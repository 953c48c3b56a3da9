package serve

import (
	"errors"
	"log/slog"

	"voicegateway/internal/ground/mqtt"
	"voicegateway/internal/mcpint/houseserver"
	"voicegateway/internal/zwave"
)

// Config holds the settings of zwave-mcp-server, from a file or from environment
// variables of the same names.
type Config struct {
	Broker        string              `yaml:"mqtt_broker_url" env:"MQTT_BROKER_URL"`
	Username      string              `yaml:"mqtt_username" env:"MQTT_USERNAME"`
	Password      string              `yaml:"mqtt_password" env:"MQTT_PASSWORD" secret:"true"`
	CAFile        string              `yaml:"mqtt_ca_file" env:"MQTT_CA_FILE"`
	AllowInsecure bool                `yaml:"mqtt_allow_insecure" env:"MQTT_ALLOW_INSECURE"`
	Prefix        string              `yaml:"zwave_mqtt_topic" env:"ZWAVE_MQTT_TOPIC"`
	Gateway       string              `yaml:"zwave_gateway_name" env:"ZWAVE_GATEWAY_NAME"`
	Dangerous     bool                `yaml:"zwave_allow_dangerous" env:"ZWAVE_ALLOW_DANGEROUS"`
	Aliases       map[string][]string `yaml:"aliases"`

	houseserver.Settings `yaml:",inline"`
}

// Default returns the settings for zwave-js-ui and a broker on this machine.
func Default() Config {
	return Config{
		Broker:   "mqtt://127.0.0.1:1883",
		Prefix:   zwave.DefaultConfig().Prefix,
		Aliases:  map[string][]string{},
		Settings: houseserver.DefaultSettings(),
	}
}

// Validate says what is wrong with the settings, all at once.
func (c Config) Validate() error {
	_, brokerErr := mqtt.New(c.mqtt(), slog.New(slog.DiscardHandler))
	return errors.Join(c.zwave().Validate(), c.Settings.Validate(), brokerErr)
}

func (c Config) mqtt() mqtt.Config {
	return mqtt.Config{URL: c.Broker, Username: c.Username, Password: c.Password, CAFile: c.CAFile, AllowInsecure: c.AllowInsecure}
}

func (c Config) zwave() zwave.Config {
	z := zwave.DefaultConfig()
	z.Prefix, z.Gateway, z.AllowDangerous, z.Aliases = c.Prefix, c.Gateway, c.Dangerous, c.Aliases
	return z
}
