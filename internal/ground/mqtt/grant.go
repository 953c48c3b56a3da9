package mqtt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/mochi-mqtt/server/v2/packets"
)

// ErrRefused says that a broker does not accept these credentials.
var ErrRefused = errors.New("it refused the credentials")

// ErrSilentOnRights says that a broker does not tell whether it takes a message: it
// speaks no MQTT 5.
var ErrSilentOnRights = errors.New("it does not tell what it grants, because it speaks no MQTT 5")

// version5 is MQTT 5, in which a broker reports that it refused a message.
const version5 = 5

// longestAnswer bounds a packet of the broker's, in bytes: an acknowledgement is short.
const longestAnswer = 64 << 10

// Granted asks a broker, for each topic, whether it accepts a message from a client with
// these credentials. It publishes an empty message, not retained, to each topic, so
// nothing may act on these topics. Without a user name it asks as an anonymous client,
// even if the configuration forbids that to the program itself.
func Granted(ctx context.Context, cfg Config, topics ...string) ([]bool, error) {
	cfg.AllowInsecure, cfg.Will, cfg.ClientID = true, nil, ""
	c, err := New(cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	conn, err := c.open(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting to broker %s: %w", c.broker, err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	granted, err := (&asking{conn: conn, from: bufio.NewReader(conn)}).all(c, topics)
	if err != nil {
		return nil, fmt.Errorf("asking broker %s for its rights: %w", c.broker, err)
	}
	return granted, nil
}

// asking is the connection over which a broker is asked for rights.
type asking struct {
	conn net.Conn
	from *bufio.Reader
}

func (a *asking) all(c *Client, topics []string) ([]bool, error) {
	hello := packets.Packet{
		FixedHeader: packets.FixedHeader{Type: packets.Connect}, ProtocolVersion: version5,
		Connect: packets.ConnectParams{
			ProtocolName: []byte("MQTT"), Clean: true, Keepalive: uint16(keepAlive.Seconds()), ClientIdentifier: c.cfg.ClientID,
			UsernameFlag: c.broker.username != "", Username: []byte(c.broker.username), PasswordFlag: c.broker.password != "", Password: []byte(c.broker.password),
		},
	}
	welcome, err := a.ask(hello.ConnectEncode, (*packets.Packet).ConnackDecode, packets.Connack)
	switch code := welcome.ReasonCode; {
	case err != nil:
		return nil, ErrSilentOnRights // an old broker closes the connection, or answers in its own version
	case code == packets.ErrUnsupportedProtocolVersion.Code || code == 1:
		return nil, ErrSilentOnRights
	case code == packets.ErrBadUsernameOrPassword.Code || code == packets.ErrNotAuthorized.Code || code == 4 || code == 5: // the last two are those of MQTT 3
		return nil, ErrRefused
	case code != 0:
		return nil, fmt.Errorf("it does not let us in, for the reason %#x", code)
	}
	granted := make([]bool, len(topics))
	for i, topic := range topics {
		word := packets.Packet{FixedHeader: packets.FixedHeader{Type: packets.Publish, Qos: 1}, ProtocolVersion: version5, TopicName: topic, PacketID: uint16(i + 1)}
		taken, err := a.ask(word.PublishEncode, (*packets.Packet).PubackDecode, packets.Puback)
		if err != nil {
			return nil, err
		}
		granted[i] = taken.ReasonCode < packets.ErrUnspecifiedError.Code // below it are successes
	}
	bye := packets.Packet{FixedHeader: packets.FixedHeader{Type: packets.Disconnect}, ProtocolVersion: version5}
	var text bytes.Buffer
	if bye.DisconnectEncode(&text) == nil {
		_, _ = a.conn.Write(text.Bytes()) // what was asked is answered
	}
	return granted, nil
}

// ask sends a packet and returns the answer, which is of one kind.
func (a *asking) ask(encode func(*bytes.Buffer) error, decode func(*packets.Packet, []byte) error, kind byte) (packets.Packet, error) {
	answer := packets.Packet{ProtocolVersion: version5}
	var text bytes.Buffer
	if err := encode(&text); err != nil {
		return answer, err
	}
	if _, err := a.conn.Write(text.Bytes()); err != nil {
		return answer, err
	}
	first, err := a.from.ReadByte()
	if err != nil {
		return answer, err
	}
	if err := answer.FixedHeader.Decode(first); err != nil {
		return answer, err
	}
	length, _, err := packets.DecodeLength(a.from)
	if err != nil || length > longestAnswer {
		return answer, errors.Join(err, fmt.Errorf("it answers with %d bytes", length))
	}
	answer.FixedHeader.Remaining = length
	body := make([]byte, length)
	if _, err := io.ReadFull(a.from, body); err != nil {
		return answer, err
	}
	if answer.FixedHeader.Type != kind {
		return answer, fmt.Errorf("it answers with a packet of the kind %d, not %d", answer.FixedHeader.Type, kind)
	}
	return answer, decode(&answer, body)
}
