package mqtt

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"
)

const (
	connectTimeout = 5 * time.Second  // TCP, TLS and CONNACK each; a silent host must not hold up the next try
	keepAlive      = 10 * time.Second // the broker sends the will after 1.5 of these
	pingTimeout    = 5 * time.Second
	writeTimeout   = 3 * time.Second // also how long the library can hold a publish of a connection that just died
	ackTimeout     = 10 * time.Second
	flushTimeout   = 400 * time.Millisecond // together with quiesce, within the second that a stop may take
	quiesce        = 250 * time.Millisecond
	qos            = 1
	refused        = 0x80 // SUBACK's return code for no
)

var errLost = errors.New("the connection was lost before the broker answered")

// session is one connection; it uses a client of the library once.
type session struct {
	paho  paho.Client
	sends sync.WaitGroup

	once sync.Once
	done chan struct{} // closed when the connection is gone
	why  error         // why it ended; set before done is closed
}

// connection makes one connection, waits until it ends and returns the reason.
// When it returns, nothing of the connection is left running.
func (c *Client) connection(ctx context.Context) error {
	if err := c.yield(ctx); err != nil {
		return err
	}
	s := &session{done: make(chan struct{})}
	opts := c.options(s)
	if w := c.cfg.Will; w != nil {
		opts.SetBinaryWill(w.Topic, w.Payload, qos, w.Retained)
	}
	if err := c.dial(ctx, s, opts); err != nil {
		return err
	}
	began := time.Now()
	c.adopt(s)
	if err := c.resubscribe(ctx, s); err == nil {
		c.setUp(true)
		c.log.Info("connected to the MQTT broker", "broker", c.broker.String())
		select {
		case <-s.done:
		case <-ctx.Done():
		}
	} else if !s.ended() {
		s.end(err)
	}
	if ctx.Err() == nil {
		c.rivalry.noteEnd(time.Since(began))
	}
	c.setUp(false)
	c.adopt(nil) // no send begins after this
	farewell := c.cfg.Will
	if c.cfg.QuietStop {
		farewell = nil
	}
	s.close(farewell)
	return fmt.Errorf("broker %s: %w", c.broker, s.why)
}

// dial opens the network connection and does the MQTT handshake. The library has no way
// to stop dialling, so we open the connection ourselves and close it when ctx ends.
func (c *Client) dial(ctx context.Context, s *session, opts *paho.ClientOptions) error {
	var dialErr error
	var stop func() bool
	opts.SetCustomOpenConnectionFn(func(*url.URL, paho.ClientOptions) (net.Conn, error) {
		var conn net.Conn
		if conn, dialErr = c.open(ctx); dialErr != nil {
			return nil, dialErr
		}
		stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
		return conn, nil
	})
	s.paho = paho.NewClient(opts)
	token := s.paho.Connect()
	<-token.Done() // ends with the dialling's and the handshake's time-outs
	if stop != nil {
		stop()
	}
	switch err := token.Error(); {
	case err == nil:
		return nil
	case dialErr != nil:
		return fmt.Errorf("connecting to broker %s: %w", c.broker, dialErr)
	default:
		return fmt.Errorf("connecting to broker %s: %w", c.broker, explain(err))
	}
}

// explain turns the library's errors into ones that say what to do.
func explain(err error) error {
	switch {
	case errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword), errors.Is(err, packets.ErrorRefusedNotAuthorised):
		return fmt.Errorf("%w: check mqtt.username and mqtt.password_file", ErrRefused)
	case errors.Is(err, packets.ErrorRefusedIDRejected):
		return errors.New("it refused the client id: another client may use it")
	case errors.Is(err, packets.ErrorRefusedServerUnavailable):
		return errors.New("it says that it is unavailable")
	case errors.Is(err, packets.ErrorNetworkError):
		return errors.New("it closed the connection during the handshake: is this an MQTT port, and is TLS right?")
	default:
		return err
	}
}

func (c *Client) options(s *session) *paho.ClientOptions {
	opts := paho.NewClientOptions()
	opts.Servers = []*url.URL{c.broker.url}
	opts.SetClientID(c.cfg.ClientID)
	opts.SetUsername(c.broker.username)
	opts.SetPassword(c.broker.password)
	opts.SetProtocolVersion(4)
	opts.SetCleanSession(true)
	opts.SetAutoReconnect(false)
	opts.SetConnectRetry(false)
	opts.SetOrderMatters(true)
	opts.SetConnectTimeout(connectTimeout)
	opts.SetKeepAlive(keepAlive)
	opts.SetPingTimeout(pingTimeout)
	opts.SetWriteTimeout(writeTimeout)
	opts.SetConnectionLostHandler(func(_ paho.Client, why error) { s.end(fmt.Errorf("connection lost: %w", why)) })
	opts.SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) {
		c.received(m.Topic(), m.Payload(), m.Retained())
	})
	return opts
}

// open makes the network connection. A websocket's cannot be interrupted and
// may delay a stop by the connect time-out.
func (c *Client) open(ctx context.Context) (net.Conn, error) {
	var config *tls.Config
	if c.broker.tls {
		var err error
		if config, err = c.tlsConfig(); err != nil {
			return nil, err
		}
	}
	if c.broker.ws {
		return paho.NewWebsocket(c.broker.url.String(), config, connectTimeout, nil, &paho.WebsocketOptions{})
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	plain := &net.Dialer{}
	if config != nil {
		return (&tls.Dialer{NetDialer: plain, Config: config}).DialContext(ctx, "tcp", c.broker.url.Host)
	}
	return plain.DialContext(ctx, "tcp", c.broker.url.Host)
}

// tlsConfig reads the authority at every connection, so that a renewed file is
// taken without a restart.
func (c *Client) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{ServerName: c.broker.url.Hostname(), MinVersion: tls.VersionTLS12}
	if c.cfg.CAFile == "" {
		return config, nil
	}
	pem, err := os.ReadFile(c.cfg.CAFile)
	if err != nil {
		return nil, fmt.Errorf("reading ca_file: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca_file %s holds no certificate in PEM form", c.cfg.CAFile)
	}
	return config, nil
}

func (c *Client) adopt(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = s
}

// resubscribe renews every subscription. One that the broker refuses is logged
// and does not keep the others from working.
func (c *Client) resubscribe(ctx context.Context, s *session) error {
	c.mu.Lock()
	subs := c.subs
	c.mu.Unlock()
	renewed := make(map[string]bool, len(subs))
	for _, sub := range subs {
		if renewed[sub.filter] {
			continue
		}
		renewed[sub.filter] = true
		err := s.subscribe(ctx, sub.filter)
		switch {
		case errors.Is(err, errRefused):
			c.log.Error("the broker refuses a subscription", "topic", sub.filter, "err", err)
		case err != nil:
			return fmt.Errorf("subscribing to %s: %w", sub.filter, err)
		}
	}
	return nil
}

var errRefused = errors.New("the broker does not allow it: check the user's rights there")

// subscribe asks for filter and waits for the broker's answer.
func (s *session) subscribe(ctx context.Context, filter string) error {
	token, ok := s.paho.Subscribe(filter, qos, nil).(*paho.SubscribeToken)
	if !ok {
		return errors.New("unexpected answer of the MQTT library")
	}
	timeout := time.NewTimer(ackTimeout)
	defer timeout.Stop()
	select {
	case <-token.Done():
		if err := token.Error(); err != nil {
			return err
		}
		if token.Result()[filter] == refused {
			return errRefused
		}
		return nil
	case <-s.done:
		return errLost
	case <-timeout.C:
		return fmt.Errorf("no answer from the broker within %v", ackTimeout)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// send publishes in a goroutine, because the library's own call can block for the
// write time-out. The outcome arrives on the returned channel.
func (s *session) send(m Message) <-chan error {
	sent := make(chan error, 1)
	s.sends.Go(func() {
		token := s.paho.Publish(m.Topic, qos, m.Retained, m.Payload)
		select {
		case <-token.Done():
			sent <- token.Error()
		case <-s.done:
			sent <- errLost
		}
	})
	return sent
}

// end marks the connection as gone; the first reason counts.
func (s *session) end(why error) {
	s.once.Do(func() {
		s.why = why
		close(s.done)
	})
}

func (s *session) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// close ends the connection, with a clean disconnect if it still lives, and waits
// for everything that used it.
func (s *session) close(will *Message) {
	if !s.ended() {
		s.flush(will)
		s.end(errors.New("closed"))
	}
	s.paho.Disconnect(uint(quiesce.Milliseconds()))
	s.sends.Wait()
}

// flush gives publishes that are under way, and then the will, a short time to be
// sent.
func (s *session) flush(will *Message) {
	if will != nil {
		s.send(*will)
	}
	flushed := make(chan struct{})
	go func() {
		s.sends.Wait()
		close(flushed)
	}()
	timeout := time.NewTimer(flushTimeout)
	defer timeout.Stop()
	select {
	case <-flushed:
	case <-s.done:
	case <-timeout.C:
	}
}
