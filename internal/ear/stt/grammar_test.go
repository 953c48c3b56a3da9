package stt_test

import (
	"strings"

	"voicegateway/internal/language/speech"
)

// house is a small grammar for the sentences of the recordings: lines with
// alternatives in parentheses and rules in angle brackets.
var house = map[string]string{
	"device": "kitchen light|hallway light|bathroom light|office light|office lights|bedroom lamp|living room lights|coffee machine|ceiling fan|heater",
	"light":  "kitchen light|hallway light|bathroom light|office light|bedroom lamp|living room lights",
	"room":   "kitchen|hallway|bathroom|office|bedroom|living room",
	"colour": "red|green|blue|white|warm white|yellow",
	"share":  "ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one hundred",
	"degree": "fifteen|sixteen|seventeen|eighteen|nineteen|twenty|twenty one|twenty two|twenty three|twenty four|twenty five",
	"minute": "one|two|three|five|ten|fifteen|twenty|thirty",
	"door":   "front door|back door|garage door",
	"cover":  "blinds|living room blinds|bedroom blinds|curtains|living room curtains|bedroom curtains|garage door",
}

var sentences = []string{
	"(turn|switch) (on|off) the <device>", "turn (on|off) all the lights",
	"dim the <light> to <share> percent", "set the <light> to <share> percent", "set the <light> to <colour>", "turn the <light> <colour>", "brighten the <light>",
	"set the (thermostat|bedroom thermostat) to <degree> degrees", "make it (warmer|cooler) in the <room>",
	"what's the (temperature|humidity) in the <room>", "what is the temperature outside",
	"is the (<door>|back window) (locked|open|closed)", "(lock|unlock) the <door>",
	"(open|close) the <cover>", "(open|close) the curtains in the <room>", "set the (blinds|bedroom blinds|living room blinds) to <share> percent",
	"what time is it", "what day is it", "set volume to <share> percent", "turn the volume (up|down)", "mute the speaker",
	"set a timer for <minute> minutes", "cancel the timer", "how much time is left", "(start|stop) the vacuum cleaner",
	"good night", "i am leaving", "activate movie night",
}

// grammarOf makes the JSGF and a judge of partial texts from the lines.
func grammarOf(lines []string) (speech.Grammar, func(string) speech.Completeness) {
	inline := strings.NewReplacer(inlineRules()...)
	var rules []string
	all := map[string]bool{}
	prefix := map[string]bool{}
	words := map[string]bool{}
	for _, line := range lines {
		line = inline.Replace(line)
		rules = append(rules, line)
		for _, s := range expand(line) {
			all[s] = true
			fields := strings.Fields(s)
			for i, w := range fields {
				words[w] = true
				if i > 0 {
					prefix[strings.Join(fields[:i], " ")] = true
				}
			}
		}
	}
	g := speech.Grammar{JSGF: "#JSGF V1.0;\ngrammar home;\npublic <command> = " + strings.Join(rules, "\n | ") + " ;\n"}
	for w := range words {
		g.Words = append(g.Words, w)
	}
	return g, func(text string) speech.Completeness {
		switch {
		case !all[text]:
			return speech.Incomplete
		case prefix[text]:
			return speech.Growable
		}
		return speech.Closed
	}
}

func inlineRules() []string {
	var pairs []string
	for name, body := range house {
		pairs = append(pairs, "<"+name+">", "("+body+")")
	}
	return pairs
}

// expand writes out the alternatives of a line.
func expand(line string) []string {
	open := strings.IndexByte(line, '(')
	if open < 0 {
		return []string{strings.Join(strings.Fields(line), " ")}
	}
	depth, start := 0, open+1
	var out []string
	for i := open; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 || depth == 1 && line[i] == '|' {
			rest := line[closing(line, open)+1:]
			out = append(out, expand(line[:open]+" "+line[start:i]+" "+rest)...)
			start = i + 1
		}
		if depth == 0 {
			break
		}
	}
	return out
}

func closing(line string, open int) int {
	depth := 0
	for i := open; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return len(line) - 1
}
