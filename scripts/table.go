//go:build ignore

package main

import "time"

// The figures of peers, from the study that set the budgets: medians on the same
// kind of machine. They are not measured in this run.
var (
	hassil        = than("hassil's p50", 3*time.Millisecond)
	hassilTail    = than("hassil's p99", 7200*time.Microsecond)
	homeAssistant = than("Home Assistant's silence", 700*time.Millisecond)
)

// chapters is the table: every budget of the design, and what helps to read it.
var chapters = []struct {
	title string
	lines []line
}{
	{"End of speech, 20 spoken commands, to …", []line{
		{"sentence known to be over, p50", "e2e/voice-gateway SpokenCommand endpoint-p50-ns", span, bars(homeAssistant), false},
		{"sentence known to be over, p95", "e2e/voice-gateway SpokenCommand endpoint-p95-ns", span, bars(homeAssistant), false},
		{"transcript, p50", "e2e/voice-gateway SpokenCommand transcript-p50-ns", span, nil, false},
		{"transcript, p95", "e2e/voice-gateway SpokenCommand transcript-p95-ns", span, nil, false},
		{"first MQTT publish, p50", "e2e/voice-gateway SpokenCommand publish-p50-ns", span, bars(atMost(200*time.Millisecond), homeAssistant), false},
		{"first MQTT publish, p95", "e2e/voice-gateway SpokenCommand publish-p95-ns", span, bars(atMost(400*time.Millisecond), homeAssistant), false},
		{"device's own report, p50 (not bolts and blinds)", "e2e/voice-gateway SpokenCommand confirmed-p50-ns", span, nil, false},
		{"device's own report, p95 (not bolts and blinds)", "e2e/voice-gateway SpokenCommand confirmed-p95-ns", span, bars(atMost(600 * time.Millisecond)), false},
		{"commands understood and done", "e2e/voice-gateway SpokenCommand understood", share, nil, false},
		{"  of a core while they are spoken, the whole program", "e2e/voice-gateway SpokenCommand core-share", share, nil, false},
		{"with the neural recogniser: first MQTT publish, p50", "e2e/voice-gateway SpokenCommandNeural publish-p50-ns", span, bars(atMost(200 * time.Millisecond)), false},
		{"with the neural recogniser: first MQTT publish, p95", "e2e/voice-gateway SpokenCommandNeural publish-p95-ns", span, bars(atMost(400 * time.Millisecond)), false},
		{"  commands understood and done", "e2e/voice-gateway SpokenCommandNeural understood", share, nil, false},
		{"  of a core while they are spoken, the whole program", "e2e/voice-gateway SpokenCommandNeural core-share", share, nil, false},
		{"transcript to model's first sound, own share, p50", "internal/gateway ModelAnswer p50-ns", span, nil, false},
		{"transcript to model's first sound, own share, p95", "internal/gateway ModelAnswer p95-ns", span, bars(atMost(30 * time.Millisecond)), false},
		{"model's answer in a turn that may act, at the card, own share, p50", "e2e/voice-gateway ModelAnswerAloud own-p50-ns", span, nil, false},
		{"model's answer in a turn that may act, at the card, own share, p95", "e2e/voice-gateway ModelAnswerAloud own-p95-ns", span, bars(atMost(30 * time.Millisecond)), false},
		{"  heard before its third sentence has come", "e2e/voice-gateway ModelAnswerAloud before-third", share, nil, false},
		{"request to first sentence, ten turns, a server that keeps what it has read, p50", "internal/ai FirstToken/kept first-sentence-p50-ns", span, nil, false},
		{"  one that does not, p50", "internal/ai FirstToken/not_kept first-sentence-p50-ns", span, nil, false},
		{"  kB of the last request", "internal/ai FirstToken/kept request-kB", count, nil, false},
		{"  kB of them as in an earlier one", "internal/ai FirstToken/kept known-kB", count, nil, false},
	}},
	{"Hearing", []line{
		{"wake word, micro, one word, one frame", "internal/ear/wake MicroFrame/words=1 ns/op", span, nil, true},
		{"  of a core", "internal/ear/wake MicroFrame/words=1 ns/op", core, bars(atMost(0.01)), false},
		{"wake word, micro, six words at once, one frame", "internal/ear/wake MicroFrame/words=6 ns/op", span, nil, true},
		{"  of a core", "internal/ear/wake MicroFrame/words=6 ns/op", core, nil, false},
		{"is it speech, by the model, one frame", "internal/ear/vad Model ns/op", span, nil, true},
		{"is it the speaker or somebody behind, one frame", "internal/ear/endpoint Gate ns/op", span, nil, true},
		{"wake word, pocketsphinx, through its worker", "internal/ear/wake Detect ns/op", core, nil, true},
		{"recogniser, pocketsphinx, through its worker", "internal/ear/sphinx Push ns/op", core, nil, true},
		{"worker there and back, one frame", "internal/ground/worker RoundTrip ns/op", span, nil, true},
		{"endpoint, one frame", "internal/ear/endpoint Push ns/op", span, nil, true},
		{"turn, one frame of a quiet room", "internal/ear IdleFrame ns/op", span, nil, true},
		{"turn, wake word to idle, own share", "internal/ear Turn ns/op", span, nil, true},
		{"capture, 20 s beside two programs that want all of the machine: frames lost", "e2e/voice-gateway CaptureUnderLoad frames-lost", count, bars(atMost(0)), false},
		{"  the longest wait for a frame", "e2e/voice-gateway CaptureUnderLoad longest-ns", span, nil, false},
	}},
	{"Understanding", []line{
		{"local match, 20 devices, p50", "internal/intent MatchInHouse/devices=20 p50-ns", span, bars(hassil), true},
		{"local match, 20 devices, p99", "internal/intent MatchInHouse/devices=20 p99-ns", span, bars(hassilTail), false},
		{"local match, 200 devices, p50", "internal/intent MatchInHouse/devices=200 p50-ns", span, bars(atMost(100*time.Microsecond), hassil), true},
		{"local match, 200 devices, p99", "internal/intent MatchInHouse/devices=200 p99-ns", span, bars(atMost(time.Millisecond), hassilTail), false},
		{"local match, 2000 devices, p50", "internal/intent MatchInHouse/devices=2000 p50-ns", span, bars(hassil), true},
		{"local match, 2000 devices, p99", "internal/intent MatchInHouse/devices=2000 p99-ns", span, bars(hassilTail), false},
		{"Home Assistant's English, 20 devices, p50", "internal/intent HomeAssistantsSentences/lang=en/devices=20 p50-ns", span, bars(hassil), true},
		{"Home Assistant's English, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=en/devices=200 p50-ns", span, bars(atMost(100*time.Microsecond), hassil), true},
		{"Home Assistant's English, 200 devices, p99", "internal/intent HomeAssistantsSentences/lang=en/devices=200 p99-ns", span, bars(atMost(time.Millisecond), hassilTail), false},
		{"Home Assistant's English, 2000 devices, p50", "internal/intent HomeAssistantsSentences/lang=en/devices=2000 p50-ns", span, bars(hassil), true},
		{"Home Assistant's German, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=de/devices=200 p50-ns", span, bars(than("hassil's p50", 46*time.Millisecond)), true},
		{"Home Assistant's German, 200 devices, p99", "internal/intent HomeAssistantsSentences/lang=de/devices=200 p99-ns", span, bars(than("hassil's p99", 84*time.Millisecond)), false},
		{"Home Assistant's Spanish, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=es/devices=200 p50-ns", span, bars(than("hassil's p50", 4200*time.Microsecond)), true},
		{"Home Assistant's French, 200 devices, p50", "internal/intent HomeAssistantsSentences/lang=fr/devices=200 p50-ns", span, bars(than("hassil's p50", 3*time.Millisecond)), true},
		{"our English, read and compiled", "internal/intent Load/ours ns/op", span, nil, false},
		{"  kept in memory", "internal/intent Load/ours kept-MB", mem, nil, false},
		{"Home Assistant's English, read and compiled", "internal/intent Load/homeassistant/lang=en ns/op", span, bars(than("hassil's first sentence", 200*time.Millisecond)), false},
		{"  kept in memory", "internal/intent Load/homeassistant/lang=en kept-MB", mem, bars(than("hassil, resident", 24.0)), false},
		{"Home Assistant's German, read and compiled", "internal/intent Load/homeassistant/lang=de ns/op", span, nil, false},
		{"  kept in memory", "internal/intent Load/homeassistant/lang=de kept-MB", mem, nil, false},
		{"the same sentences in a house that changed", "internal/intent New ns/op", span, nil, true},
		{"the kind of a sentence that fits none", "internal/intent/reader Kind ns/op", span, bars(atMost(300 * time.Microsecond)), true},
		{"its weights, read when first needed", "internal/intent/reader Read ns/op", span, nil, false},
		{"  kept in memory", "internal/intent/reader Read kept-MB", mem, bars(atMost(4.0)), false},
		{"is the sentence complete, one partial", "internal/intent/grammar Judge ns/op", span, nil, true},
		{"misheard name among 200", "internal/intent/names Resolve ns/op", span, nil, true},
	}},
	{"MCP host", []line{
		{"call, client library alone, p50", "internal/mcpint/host Layer library-p50-ns", span, nil, false},
		{"call, through the gateway, p50", "internal/mcpint/host Layer gateway-p50-ns", span, nil, false},
		{"call, our layer above the library", "internal/mcpint/host Layer layer-ns", span, bars(atMost(20 * time.Microsecond)), false},
		{"spawn, tools of zwave-mcp-server listed, p50", "e2e/voice-gateway ServerStart/listed p50-ns", span, nil, false},
		{"spawn, first command confirmed, p50", "e2e/voice-gateway ServerStart/control p50-ns", span, nil, false},
	}},
	{"LangChain's MCP client, times ours (median of 9 rounds in turns, and range)", []line{
		{"program started to 17 tools listed", "internal/mcpint/host Peer cold-ratio", times, bars(atLeast(15)), false},
		{"  ours", "internal/mcpint/host Peer cold-ours", span, nil, false},
		{"  LangChain's", "internal/mcpint/host Peer cold-langchain", span, nil, false},
		{"spawn to tools listed, client running", "internal/mcpint/host Peer connect-ratio", times, nil, false},
		{"  ours", "internal/mcpint/host Peer connect-ours", span, nil, false},
		{"one call, p50", "internal/mcpint/host Peer call-p50-ratio", times, nil, false},
		{"  ours", "internal/mcpint/host Peer call-p50-ours", span, nil, false},
		{"one call, p99", "internal/mcpint/host Peer call-p99-ratio", times, nil, false},
		{"  ours", "internal/mcpint/host Peer call-p99-ours", span, nil, false},
		{"calls, 16 at once", "internal/mcpint/host Peer parallel-ratio", times, nil, false},
		{"  ours", "internal/mcpint/host Peer parallel-ours", pace, nil, false},
		{"memory, connected", "internal/mcpint/host Peer idle-ratio", times, nil, false},
		{"  ours", "internal/mcpint/host Peer idle-ours", octets, nil, false},
		{"  LangChain's", "internal/mcpint/host Peer idle-langchain", octets, nil, false},
		{"memory, after 5,050 calls", "internal/mcpint/host Peer after-ratio", times, nil, false},
		{"  ours", "internal/mcpint/host Peer after-ours", octets, nil, false},
		{"  LangChain's", "internal/mcpint/host Peer after-langchain", octets, nil, false},
	}},
	{"Z-Wave, 232 nodes", []line{
		{"state messages, in the model", "internal/zwave Handle ns/op", pace, bars(atLeast(20_000)), true},
		{"state messages, from a broker's socket", "internal/zwave/serve Intake messages/s", rate, bars(atLeast(20_000)), false},
		{"look-up by name", "internal/zwave LookUp/name ns/op", span, bars(atMost(100 * time.Microsecond)), true},
		{"look-up by room and name", "internal/zwave LookUp/room ns/op", span, bars(atMost(100 * time.Microsecond)), true},
		{"look-up, misspelt", "internal/zwave LookUp/misspelt ns/op", span, bars(atMost(100 * time.Microsecond)), true},
		{"list, one page of 50 devices", "internal/zwave List/page=1 ns/op", span, nil, true},
		{"getNodes of 10 MB, from message to model", "internal/zwave Refresh ns/op", span, nil, true},
		{"model and states, 60 values each", "internal/zwave Memory MB", mem, nil, false},
	}},
	{"Memory, idle", []line{
		{"daemon and audio worker, with micro, shared pages counted in parts", "e2e/voice-gateway IdleMemoryMicro both-pss-MB", mem, bars(atMost(40)), false},
		{"the same, resident", "e2e/voice-gateway IdleMemoryMicro both-MB", mem, nil, false},
		{"daemon and audio worker, four wake words with micro, shared pages counted in parts", "e2e/voice-gateway IdleMemoryFour both-pss-MB", mem, bars(atMost(40)), false},
		{"daemon and audio worker, wake word by pocketsphinx, resident", "e2e/voice-gateway IdleMemory both-MB", mem, bars(atMost(40), than("Linux Voice Assistant", 512.0)), false},
		{"the same, shared pages counted in parts", "e2e/voice-gateway IdleMemory both-pss-MB", mem, bars(atMost(40)), false},
		{"daemon alone", "e2e/voice-gateway IdleMemory daemon-MB", mem, nil, false},
		{"audio worker alone", "e2e/voice-gateway IdleMemory audio-MB", mem, nil, false},
		{"recognisers: wake word and commands", "e2e/voice-gateway IdleMemory recognisers-MB", mem, nil, false},
		{"the neural recogniser, beside them", "e2e/voice-gateway IdleMemoryNeural neural-MB", mem, nil, false},
		{"zwave-mcp-server", "e2e/voice-gateway IdleMemory server-MB", mem, nil, false},
	}},
	{"Voice", []line{
		{"a short sentence by espeak-ng", "internal/ear/tts EspeakSentence ns/op", span, nil, true},
	}},
}
