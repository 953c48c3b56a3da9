package client

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLimitLines(t *testing.T) {
	tests := map[string]struct {
		in string
		ok bool
	}{
		"short lines":      {"12345\n12345\n1234", true},
		"just too long":    {"12345\n123456\n", false},
		"too long, no end": {"1234567", false},
		"empty lines":      {"\n\n\n\n\n\n\n\n", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "by bytes": iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := io.ReadAll(limitLines(r, 5))
				if (err == nil) != tt.ok || tt.ok && string(got) != tt.in {
					t.Errorf("%s: got %q, %v", how, got, err)
				}
			}
		})
	}
}

func FuzzLimitLines(f *testing.F) {
	f.Add("12345\n1234567\n")
	f.Fuzz(func(t *testing.T, in string) {
		_, err := io.ReadAll(limitLines(iotest.HalfReader(strings.NewReader(in)), 5))
		long := slices.ContainsFunc(strings.Split(in, "\n"), func(line string) bool { return len(line) > 5 })
		if long != (err != nil) {
			t.Fatalf("a long line: %v, error: %v", long, err)
		}
	})
}

func TestLimitAnswer(t *testing.T) {
	tests := map[string]struct {
		in     string
		events bool
		ok     bool
	}{
		"short":           {"12\n45", false, true},
		"long":            {"123\n56", false, false},
		"long by lines":   {"\n\n\n\n\n\n", false, false},
		"short events":    {"1:3\n\n1:3\n\n", true, true},
		"other line ends": {"13\r\n\r\n13\r\n\r\n", true, false},
		"with other ends": {"1\r\n\r\n1\r\n\r\n1\r\n\r\n", true, true},
		"long event":      {"1\n2\n3\n", true, false},
		"heartbeats":      {"\n\n\n\n\n\n\n\n\n", true, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "by bytes": iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := io.ReadAll(limitAnswer(r, tt.events, 5))
				if (err == nil) != tt.ok || tt.ok && string(got) != tt.in {
					t.Errorf("%s: got %q, %v", how, got, err)
				}
			}
		})
	}
}
