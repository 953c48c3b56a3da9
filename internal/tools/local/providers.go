package local

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// provider is how one search service is asked and read.
type provider struct {
	url       string // its address; "" if every user has an instance of their own
	path      string
	keyHeader string // the header for the key: never the address, which ends up in errors and logs
	ask       func(cfg Search, query string, count int) url.Values
	read      func(body []byte) ([]found, error)
	denied    string // what to do about a 401 or 403
}

// hint says what to do after a refusal.
func (p provider) hint(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return p.denied
	case http.StatusTooManyRequests:
		return ": too many searches; try again later"
	}
	return ""
}

// providers lists the search services by name; "none" searches nowhere.
var providers = map[string]provider{
	"none": {},
	// https://docs.searxng.org/dev/search_api.html
	"searxng": {
		path: "/search",
		ask: func(_ Search, query string, _ int) url.Values {
			return url.Values{"q": {query}, "format": {"json"}}
		},
		read:   readSearxng,
		denied: ": add json to search.formats in the instance's settings.yml",
	},
	// The instant answer API: facts and topics, no key; not every query has one.
	"duckduckgo": {
		url: "https://api.duckduckgo.com", path: "/",
		ask: func(_ Search, query string, _ int) url.Values {
			return url.Values{"q": {query}, "format": {"json"}, "no_html": {"1"}, "skip_disambig": {"1"}, "t": {"voice-gateway"}}
		},
		read: readDuckDuckGo,
	},
	// https://developers.google.com/custom-search/v1/reference/rest/v1/cse/list
	"google": {
		url: "https://www.googleapis.com", path: "/customsearch/v1", keyHeader: "X-Goog-Api-Key",
		ask: func(cfg Search, query string, count int) url.Values {
			return url.Values{"cx": {cfg.EngineID}, "q": {query}, "num": {strconv.Itoa(count)}}
		},
		read:   readGoogle,
		denied: ": check the key in tools.search.key_file and that the Custom Search API is enabled for it",
	},
}

func readSearxng(body []byte) ([]found, error) {
	var answer struct {
		Results []struct{ Title, URL, Content string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	results := make([]found, 0, len(answer.Results))
	for _, r := range answer.Results {
		results = append(results, found{r.Title, r.URL, r.Content})
	}
	return results, nil
}

func readGoogle(body []byte) ([]found, error) {
	var answer struct {
		Items []struct{ Title, Link, Snippet string }
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	results := make([]found, 0, len(answer.Items))
	for _, r := range answer.Items {
		results = append(results, found{r.Title, r.Link, r.Snippet})
	}
	return results, nil
}

func readDuckDuckGo(body []byte) ([]found, error) {
	type topic struct{ Text, FirstURL string }
	var answer struct {
		Heading, AbstractText, AbstractURL string
		Definition, DefinitionURL          string
		Answer                             json.RawMessage // a string, or an object for some kinds
		RelatedTopics                      []struct {
			topic
			Topics []topic
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, err
	}
	var results []found
	add := func(title, address, text string) {
		if text != "" {
			results = append(results, found{title, address, text})
		}
	}
	var direct string
	if json.Unmarshal(answer.Answer, &direct) == nil {
		add("Answer", "", direct)
	}
	add(answer.Heading, answer.AbstractURL, answer.AbstractText)
	add("Definition", answer.DefinitionURL, answer.Definition)
	for _, t := range answer.RelatedTopics {
		add(answer.Heading, t.FirstURL, t.Text)
		for _, below := range t.Topics {
			add(answer.Heading, below.FirstURL, below.Text)
		}
	}
	return results, nil
}

// markup finds tags. It is made when it is first needed, because that takes 2 ms and 200 kB.
var markup = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]{0,500}>`) })

// textOfHTML makes one line of text of a piece of HTML: no tags, no entities, no
// control characters.
func textOfHTML(s string) string {
	// Twice, because escaped text may itself be markup (&lt;b&gt;).
	for range 2 {
		s = html.UnescapeString(markup().ReplaceAllString(s, " "))
	}
	s = strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || r == '<' || r == '>' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// shorten keeps at most n characters, ending at a word.
func shorten(s string, n int) string {
	at := 0
	for i := range s {
		if at == n {
			if space := strings.LastIndexByte(s[:i], ' '); space > 0 {
				return s[:space] + "…"
			}
			return s[:i] + "…"
		}
		at++
	}
	return s
}
