package wyoming_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"voicegateway/internal/ear/wyoming"
)

func read(s string) (wyoming.Event, error) {
	return wyoming.ReadEvent(bufio.NewReader(strings.NewReader(s)))
}

func TestReadEvent(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in, kind, data, payload string
	}{
		"bare":               {`{"type":"describe"}` + "\n", "describe", "", ""},
		"data in the line":   {`{"type":"transcript","data":{"text":"hi"}}` + "\n", "transcript", `{"text":"hi"}`, ""},
		"data after it":      {`{"type":"transcript","data_length":13}` + "\n" + `{"text":"hi"}`, "transcript", `{"text":"hi"}`, ""},
		"both, the second":   {`{"type":"t","data":{"a":1,"b":2},"data_length":7}` + "\n" + `{"b":3}`, "t", `{"a":1,"b":3}`, ""},
		"payload":            {`{"type":"audio-chunk","version":"1.7.0","data":{"rate":16000},"payload_length":4}` + "\n" + "\x01\n\x02\x03", "audio-chunk", `{"rate":16000}`, "\x01\n\x02\x03"},
		"null is absent":     {`{"type":"ping","version":null,"data":null,"data_length":null,"payload_length":null}` + "\n", "ping", "", ""},
		"keys nobody knows":  {`{"type":"x","extra":[1,{"y":2}]}` + "\n", "x", "", ""},
		"data of two lines":  {`{"type":"x","data_length":10}` + "\n" + "{\n\"a\": 1\n}", "x", `{"a":1}`, ""},
		"a line with spaces": {`  { "type" : "x" }  ` + "\n", "x", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := read(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if e.Type != tt.kind || string(e.Data) != tt.data || string(e.Payload) != tt.payload {
				t.Errorf("%q %s %q", e.Type, e.Data, e.Payload)
			}
		})
	}
}

func TestReadEventRefuses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 70<<10)
	for name, tt := range map[string]struct{ in, want string }{
		"nothing":              {"", "EOF"},
		"a cut line":           {`{"type":"x"`, "unexpected EOF"},
		"a web server":         {"HTTP/1.1 400 Bad Request\r\n\r\n", "not the JSON"},
		"an endless line":      {long, "over 65536 bytes"},
		"no type":              {"{}\n", "no type"},
		"a list":               {"[]\n", "not the JSON"},
		"data that is none":    {`{"type":"x","data":[1]}` + "\n", "no JSON object"},
		"cut data":             {`{"type":"x","data_length":10}` + "\n{", "unexpected EOF"},
		"cut payload":          {`{"type":"x","payload_length":10}` + "\nabc", "unexpected EOF"},
		"too much data":        {`{"type":"x","data_length":1048577}` + "\n", "0 to 1048576"},
		"too much payload":     {`{"type":"x","payload_length":99999999999}` + "\n", "0 to 1048576"},
		"less than nothing":    {`{"type":"x","payload_length":-1}` + "\n", "0 to 1048576"},
		"a length in words":    {`{"type":"x","payload_length":"many"}` + "\n", "not the JSON"},
		"garbage after a line": {`{"type":"x","data_length":4}` + "\n\xff\xfe\xfd\xfc", "no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := read(tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%+v, %v; expected %q", e, err, tt.want)
			}
		})
	}
}

func TestAStreamOfEvents(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for i := range 3 {
		e, err := wyoming.New("n", map[string]int{"i": i})
		if err != nil {
			t.Fatal(err)
		}
		e.Payload = bytes.Repeat([]byte{byte(i)}, i*1000)
		if err := wyoming.WriteEvent(&b, e); err != nil {
			t.Fatal(err)
		}
	}
	r := bufio.NewReader(&b)
	for i := range 3 {
		e, err := wyoming.ReadEvent(r)
		if err != nil || string(e.Data) != fmt.Sprintf(`{"i":%d}`, i) || len(e.Payload) != i*1000 {
			t.Fatalf("event %d: %+v, %v", i, e, err)
		}
	}
	if _, err := wyoming.ReadEvent(r); !errors.Is(err, io.EOF) {
		t.Errorf("after the last: %v, expected io.EOF", err)
	}
}

func TestWriteEventRefuses(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]wyoming.Event{
		"no type":     {},
		"a long type": {Type: strings.Repeat("x", 70<<10)},
		"much sound":  {Type: "audio-chunk", Payload: make([]byte, 2<<20)},
		"much data":   {Type: "x", Data: make([]byte, 2<<20)},
	} {
		if err := wyoming.WriteEvent(io.Discard, e); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

// FuzzReadEvent: no input breaks anything, and every event that could be read can
// be written and read again.
func FuzzReadEvent(f *testing.F) {
	for _, seed := range []string{
		`{"type":"describe"}` + "\n",
		`{"type":"transcript","data":{"text":"a"},"data_length":12}` + "\n" + `{"text":"b"}`,
		`{"type":"audio-chunk","data":{"rate":16000,"width":2,"channels":1},"payload_length":4}` + "\nabcd",
		`{"type":"x","data":{"a":"\u003c\ud800<>&"}}` + "\n", "{\n", "null\n", `{"type":"x","data_length":1e3}` + "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		first, err := wyoming.ReadEvent(bufio.NewReader(bytes.NewReader(in)))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := wyoming.WriteEvent(&b, first); err != nil {
			t.Fatalf("%+v was read and cannot be written: %v", first, err)
		}
		again, err := wyoming.ReadEvent(bufio.NewReader(&b))
		if err != nil {
			t.Fatalf("%+v was written and cannot be read: %v", first, err)
		}
		if again.Type != first.Type || !bytes.Equal(again.Data, first.Data) || !bytes.Equal(again.Payload, first.Payload) {
			t.Fatalf("%+v became %+v", first, again)
		}
	})
}
