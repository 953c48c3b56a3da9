package wyoming

// Config is one service.
type Config struct {
	URI string `yaml:"uri"` // tcp://host:port or unix:///path
}
