package worker

import (
	"bufio"
	"bytes"
	"testing"
)

func FuzzFrame(f *testing.F) {
	for _, fr := range []frame{
		{typ: typeRequest, kind: 1, seq: 1, payload: []byte("hello")},
		{typ: typeEvent, kind: 255, seq: 1 << 31},
	} {
		var b bytes.Buffer
		if err := (&frameWriter{w: &b}).write(fr); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add([]byte("Q\x01\x01\x00\x00\x00\xff\xff\xff\xff"))
	f.Add([]byte("Expression 'ret' failed in 'src/hostapi/alsa'"))
	f.Fuzz(func(t *testing.T, b []byte) {
		fr, err := readFrame(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		var again bytes.Buffer
		w := &frameWriter{w: &again, events: fr.seq - 1} // events get their number from the writer
		if err := w.write(fr); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again.Bytes(), b[:again.Len()]) {
			t.Errorf("read and written again, %q is %q", b, again.Bytes())
		}
	})
}
