package config

import (
	"regexp"
	"strconv"
	"strings"
)

// plainKey matches a key that is written without quotes.
var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// KeyPath joins nested keys as `config set` takes them, such as gateway.id: a key with other
// signs than letters, digits, _ and - stands in double quotes.
func KeyPath(keys ...string) string {
	words := make([]string, 0, len(keys))
	for _, k := range keys {
		if !plainKey.MatchString(k) {
			k = strconv.Quote(k)
		}
		words = append(words, k)
	}
	return strings.Join(words, ".")
}
