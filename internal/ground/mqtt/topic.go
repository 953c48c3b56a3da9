package mqtt

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxTopic is the length MQTT 3.1.1 allows for a topic or a filter, in bytes.
const maxTopic = 65535

// checkTopic returns an error for a topic that may not be published to.
func checkTopic(topic string) error {
	if err := checkText(topic); err != nil {
		return fmt.Errorf("topic %q %w", topic, err)
	}
	if strings.ContainsAny(topic, "+#") {
		return fmt.Errorf("topic %q has a wildcard: + and # are for subscriptions", topic)
	}
	return nil
}

// checkFilter returns an error for a filter that may not be subscribed to.
func checkFilter(filter string) error {
	if err := checkText(filter); err != nil {
		return fmt.Errorf("filter %q %w", filter, err)
	}
	if strings.HasPrefix(filter, "$share/") {
		return fmt.Errorf("filter %q is a shared subscription, which this client does not do", filter)
	}
	levels := strings.Split(filter, "/")
	for i, level := range levels {
		switch {
		case level == "+", level == "#" && i == len(levels)-1:
		case strings.ContainsAny(level, "+#"):
			return fmt.Errorf("filter %q: + must fill a level, and # the last one", filter)
		}
	}
	return nil
}

func checkText(s string) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > maxTopic:
		return fmt.Errorf("is longer than %d bytes", maxTopic)
	case strings.ContainsRune(s, 0):
		return errors.New("has a zero byte")
	case !utf8.ValidString(s):
		return errors.New("is not UTF-8")
	}
	return nil
}

// matches reports whether a message on topic belongs to a valid filter. A
// wildcard at the front does not reach topics that begin with $ (MQTT 4.7.2).
func matches(filter, topic string) bool {
	if strings.HasPrefix(topic, "$") && (filter[0] == '+' || filter[0] == '#') {
		return false
	}
	for {
		f, restFilter, moreFilter := strings.Cut(filter, "/")
		if f == "#" {
			return true
		}
		t, restTopic, moreTopic := strings.Cut(topic, "/")
		if f != "+" && f != t {
			return false
		}
		switch {
		case !moreFilter && !moreTopic:
			return true
		case !moreTopic:
			return restFilter == "#" // a/# holds a itself
		case !moreFilter:
			return false
		}
		filter, topic = restFilter, restTopic
	}
}
