package secret

import "testing"

func TestHideLikely(t *testing.T) {
	for text, want := range map[string]string{
		"no broker at 127.0.0.1:1883":                                    "no broker at 127.0.0.1:1883",
		"GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a is wrong": "GITHUB_TOKEN=*** is wrong",
		`{"api_key": "correcthorse"}`:                                    `{"api_key": "***"}`,
		"Authorization: Bearer aaaabbbbcccc":                             "Authorization: Bearer ***",
		"started with 7f3a9c1e5b2d8046af91c3e7":                          "started with ***",
		"token: none":                                                    "token: none",
		"cannot open /usr/share/keyboard/layouts":                        "cannot open /usr/share/keyboard/layouts",
	} {
		if got := HideLikely(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
