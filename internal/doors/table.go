package doors

import (
	"voicegateway/internal/audio"
	"voicegateway/internal/ear/names"
	"voicegateway/internal/ear/wakes"
	"voicegateway/internal/ground/order"
	"voicegateway/internal/home"
	"voicegateway/internal/keep/family"
	"voicegateway/internal/keep/record"
	"voicegateway/internal/keep/timers"
	"voicegateway/internal/mcpint"
)

// Table lists what can be asked of a gateway.
var Table = []Row{
	Alive, Ready, Description, Page, PageFile, LoginPage, Login, Logout, Gateway,
	Ask, Control, Say, Listen, Hold, Stop, Muted, Mute, Loudness, SetVolume, Devices,
	LastTurns, StoppedTasks, Wrong, Remember, Replay, Marks, Mark, Unmark, Wordings, Reword, Forget,
	House, ShowArrangement, Arrange, Suggest, See, ListTimers, ChangeTimers, CancelTimers,
	ShowWakes, ShowRehearsal, StartRehearsal, Events,
	ListServers, ShowServer, ShowStderr, RetryServer, AcceptTools, RetryServers,
	EndSession, SessionStream, Metrics, Message,
}

// The health of the gateway, and what it is.
var (
	Alive = Operation[struct{}, life]{
		Entry: Entry{Name: "alive", Does: "The process is alive", Route: "GET /healthz", Open: true},
		Do:    live,
	}
	Ready = Operation[struct{}, Readiness]{
		Entry: Entry{Name: "ready", Does: "What is ready, part by part, and why not", Route: "GET /readyz", Command: "doctor"},
		Has:   func(p *Parts) bool { return p.Health != nil }, Do: judge, Code: Readiness.status,
	}
	Description = Handler{Entry{Name: "description", Does: "This description", Route: "GET /openapi.yaml"}}
	Metrics     = Handler{Entry{Name: "metrics", Does: "Counters and gauges for Prometheus", Route: "GET /metrics"}}
	Gateway     = Operation[struct{}, identity]{
		Entry: Entry{Name: "gateway", Does: "Which gateway this is, and what it can be asked", Route: "GET /api/gateway"},
		Has:   func(p *Parts) bool { return p.About != nil }, Do: identify,
	}
)

// What a browser is shown.
var (
	Page      = Handler{Entry{Name: "page", Does: "The page", Route: "GET /{$}"}}
	PageFile  = Handler{Entry{Name: "page_file", Does: "A file that the page is made of", Route: "GET /page/{file}", Open: true}}
	LoginPage = Handler{Entry{Name: "login_page", Does: "The page that asks for the token", Route: "GET /login", Open: true}}
	Login     = Handler{Entry{Name: "login", Does: "Log a browser in", Route: "POST /login", Open: true}}
	Logout    = Handler{Entry{Name: "logout", Does: "Log a browser out", Route: "POST /logout"}}
	Events    = Handler{Entry{Name: "events", Does: "What happens, as it happens", Route: "GET /api/events", Command: "listen"}}
)

// What is said to the gateway, and what it says.
var (
	Ask = Operation[AskRequest, record.Record]{
		Entry: Entry{
			Name: "ask", Does: "Carry out one turn from a text", Route: "POST /api/ask", Line: order.Acts, Within: answer,
			Verb: Verb{"ask", "text", "area"}, Command: "ask",
		},
		Has: func(p *Parts) bool { return p.Asker != nil }, Do: ask, OverHTTP: fitAsk,
	}
	Control = Operation[ControlRequest, Controlled]{
		Entry: Entry{
			Name: "control", Does: "Act on one thing of the house", Route: "POST /api/control", Line: order.Acts, Within: answer,
			Verb: Verb{"control", "thing do", "value"},
		},
		Has: hasControl, Do: control, OverHTTP: fitControl, OverMQTT: fitControl, Flaw: controlFlaw,
	}
	Say = Operation[Spoken, Spoken]{
		Entry: Entry{Name: "say", Does: "Speak a text", Route: "POST /api/say", Status: 202, Verb: Verb{"say", "text", ""}, Command: "say"},
		Has:   func(p *Parts) bool { return p.Sayer != nil }, Do: say, OverHTTP: func(in *Spoken) error { return fitText(&in.Text) },
	}
)

// The microphone and the speaker.
var (
	Listen = Operation[struct{}, listening]{
		Entry: Entry{
			Name: "listen", Does: "Open an utterance, as the wake word would (push to talk)", Route: "POST /api/listen", Status: 202,
			Verb: Verb{Name: "listen"}, Command: "listen",
		},
		Has: hasEar, Do: listen,
	}
	Hold = Operation[Held, Held]{
		Entry: Entry{Name: "hold", Does: "Talk while a button is held", Route: "POST /api/hold", Status: 202},
		Has:   hasEar, Do: holdButton, OverHTTP: fitHeld,
	}
	Stop = Operation[struct{}, stopped]{
		Entry: Entry{
			Name: "stop", Does: "End what is being heard or said", Route: "POST /api/stop", Status: 202,
			Verb: Verb{Name: "stop"}, Command: "stop", Usage: Usage{Use: "stop", Short: "End what the gateway is hearing or saying"},
		},
		Has: hasEar, Do: stop,
	}
	Muted = Operation[struct{}, MuteSwitch]{
		Entry: Entry{
			Name: "muted", Does: "Whether the microphone is closed on request", Route: "GET /api/mute",
			Command: "mute", Usage: Usage{
				Use: "mute [on|off]", Short: "Close or open the microphone, also for later starts; without an argument, show its state",
				JSON: "print the state as JSON",
			},
		},
		Has: hasEar, Do: readMute,
	}
	Mute = Operation[muting, MuteSwitch]{
		Entry: Entry{
			Name: "mute", Does: "Close the microphone, or open it again", Route: "POST /api/mute", Line: order.Mute,
			Verb: Verb{"mute", "on", ""}, Command: "mute",
		},
		Has: hasEar, Do: mute, Read: readMuting,
	}
	Loudness = Operation[struct{}, Level]{
		Entry: Entry{
			Name: "volume", Does: "How loud the speaker is", Route: "GET /api/volume",
			Command: "volume", Usage: Usage{Use: "volume [PERCENT]", Short: "Show the volume, or set it to a number from 0 to 100"},
		},
		Has: hasVolume, Do: readVolume,
	}
	SetVolume = Operation[loudness, Level]{
		Entry: Entry{
			Name: "set_volume", Does: "Set how loud the speaker is", Route: "POST /api/volume", Line: order.Acts, Within: 2 * quick,
			Verb: Verb{"volume", "level", ""}, Command: "volume",
		},
		Has: hasVolume, Do: setVolume, Read: readLoudness,
	}
	Devices = Operation[struct{}, audio.Equipment]{
		Entry: Entry{Name: "devices", Does: "The sound devices, and which are used and why", Route: "GET /api/devices", Within: slow, Command: "devices"},
		Has:   hasEar, Do: listDevices,
	}
	ShowWakes = Operation[struct{}, wakes.State]{
		Entry: Entry{
			Name: "wakes", Does: "Show how often the wake word was detected without being said, and how the thresholds moved", Route: "GET /api/wakes",
			Command: "wakes", Usage: Usage{
				Use: "wakes", Short: "Show how often the wake word was detected without being said, and how the thresholds moved", JSON: "print it as JSON",
			},
		},
		Has: func(p *Parts) bool { return p.Wakes != nil }, Do: showWakes,
	}
	ShowRehearsal = Operation[struct{}, names.State]{
		Entry: Entry{Name: "rehearsal", Does: "Which names of the house are confused by ear, and what else to call them", Route: "GET /api/rehearsal", Command: "rehearse"},
		Has:   hasRehearsal, Do: showRehearsal,
	}
	StartRehearsal = Operation[struct{}, names.State]{
		Entry: Entry{
			Name: "rehearse", Does: "Speak the names of the house and hear them, inside the gateway; nothing is played or carried out",
			Route: "POST /api/rehearsal", Status: 202, Empty: true, Command: "rehearse",
		},
		Has: hasRehearsal, Do: startRehearsal,
	}
)

// Turns, and what the family makes of them.
var (
	LastTurns = Operation[turnsWanted, []record.Record]{
		Entry: Entry{Name: "turns", Does: "The last turns, the newest first", Route: "GET /api/turns", Command: "turns"},
		Has:   hasTurns, Do: listTurns,
	}
	StoppedTasks = Operation[struct{}, []record.Task]{
		Entry: Entry{
			Name: "tasks", Does: "Turns that were stopped in the middle because a server was lost, the newest first", Route: "GET /api/tasks",
			Command: "turns --tasks",
		},
		Has: hasTurns, Do: listTasks,
	}
	Wrong = Operation[WrongTurn, record.Mark]{
		Entry: Entry{
			Name: "wrong", Does: "Mark one of the last turns as wrong, with what should have happened", Route: "POST /api/turns/{id}/wrong",
			Command: "wrong",
		},
		Has: hasLessons, Do: markWrong,
	}
	Remember = Operation[ByID, record.Wording]{
		Entry: Entry{
			Name: "remember", Does: "Keep the words of one of the last turns, which a language model has carried out", Route: "POST /api/turns/{id}/remember", Status: 201,
			Command: "remember",
		},
		Has: hasLessons, Do: remember,
	}
	Replay = Operation[ByID, record.Replay]{
		Entry: Entry{
			Name: "replay", Does: "Run one of the last turns, or a marked one, once more, and do nothing", Route: "POST /api/turns/{id}/replay",
		},
		Has: hasLessons, Do: replay,
	}
	Marks = Operation[struct{}, []record.Mark]{
		Entry: Entry{Name: "marks", Does: "List the turns that were marked as wrong, the newest first", Route: "GET /api/marks", Command: "marks"},
		Has:   hasLessons, Do: listMarks,
	}
	Mark = Operation[ByID, MarkWithHouse]{
		Entry: Entry{Name: "mark", Does: "A marked turn, and the house as it was", Route: "GET /api/marks/{id}", Command: "replay"},
		Has:   hasLessons, Do: showMark,
	}
	Unmark = Operation[ByID, none]{
		Entry: Entry{Name: "unmark", Does: "Remove a mark, with its sound", Route: "DELETE /api/marks/{id}", Status: 204, Command: "marks delete"},
		Has:   hasLessons, Do: unmark,
	}
	Wordings = Operation[struct{}, []record.Wording]{
		Entry: Entry{Name: "wordings", Does: "The family's own wordings, the newest first", Route: "GET /api/wordings", Command: "wordings"},
		Has:   hasLessons, Do: listWordings,
	}
	Reword = Operation[Rewording, record.Wording]{
		Entry: Entry{
			Name: "reword", Does: "Change the words of a wording, and the room in which they count", Route: "PUT /api/wordings/{id}",
			Command: "wordings edit",
		},
		Has: hasLessons, Do: reword,
	}
	Forget = Operation[ByID, none]{
		Entry: Entry{Name: "forget", Does: "Forget a wording", Route: "DELETE /api/wordings/{id}", Status: 204, Command: "wordings delete"},
		Has:   hasLessons, Do: forget,
	}
)

// The house, and the timers.
var (
	House = Operation[struct{}, home.Snapshot]{
		Entry: Entry{
			Name: "home", Does: "The house as it is known", Route: "GET /api/home",
			Command: "home", Usage: Usage{Use: "home", Short: "Show the house: areas, devices, states, reachable or not", JSON: "print the house as JSON"},
		},
		Has: func(p *Parts) bool { return p.Home != nil }, Do: showHouse,
	}
	ShowArrangement = Operation[struct{}, family.Arrangement]{
		Entry: Entry{Name: "arrangement", Does: "How the family wants to see its house", Route: "GET /api/arrangement"},
		Has:   hasArranger, Do: showArrangement,
	}
	Arrange = Operation[family.Arrangement, family.Arrangement]{
		Entry: Entry{Name: "arrange", Does: "Keep the order of the rooms, and what is hidden", Route: "POST /api/arrangement"},
		Has:   hasArranger, Do: arrange, OverHTTP: fitArrangement,
	}
	Suggest = Operation[struct{}, Sentences]{
		Entry: Entry{Name: "examples", Does: "Three sentences that work in this house", Route: "GET /api/examples"},
		Has:   hasGuide, Do: suggest,
	}
	See = Operation[SeenAlarms, SeenAlarms]{
		Entry: Entry{Name: "see", Does: "Say that a person has seen the alarms of some things; they ring no more", Route: "POST /api/alarms/seen"},
		Has:   hasAlarms, Do: see, OverHTTP: fitSeen,
	}
	ListTimers = Operation[struct{}, []timers.Timer]{
		Entry: Entry{
			Name: "timers", Does: "Timers, alarms, reminders and commands for later; what rings first, then the next", Route: "GET /api/timers",
			Tool: "list_timers", Command: "timers",
		},
		Has: hasTimers, Do: listTimers,
	}
	ChangeTimers = Operation[timers.Request, timers.Result]{
		Entry: Entry{
			Name: "change_timers", Does: "Start a timer, or change some", Route: "POST /api/timers", Line: order.Acts, Within: turn,
			Verb: Verb{"timer", "action", "timer name seconds at text area"}, Tool: "change_timer", Command: "timers",
		},
		Has: hasTimers, Do: changeTimers, Code: timersStatus, OverMQTT: fitTimerVerb, Flaw: timersFlaw,
	}
	CancelTimers = Operation[whichTimers, timers.Result]{
		Entry: Entry{Name: "cancel_timers", Does: "Cancel a timer, or all", Route: "DELETE /api/timers", Line: order.Acts, Within: turn, Command: "timers"},
		Has:   hasTimers, Do: cancelTimers,
	}
)

// The MCP servers behind the gateway, and the gateway as one.
var (
	ListServers = Operation[struct{}, mcpint.StatusList]{
		Entry: Entry{
			Name: "servers", Does: "Every MCP server and the state of all together", Route: "GET /mcp/servers", Tool: "list_servers",
			Command: "servers", Usage: Usage{
				Use: "servers", Short: "List MCP servers with state, next retry and last error", JSON: "print the servers as JSON", Needs: "no arguments, retry or accept",
			},
		},
		Has: hasServers, Do: listServers,
	}
	ShowServer = Operation[ByID, mcpint.Status]{
		Entry: Entry{Name: "server", Does: "One MCP server", Route: "GET /mcp/servers/{id}/status", Tool: "get_server_status", Command: "servers retry"},
		Has:   hasServers, Do: showServer,
	}
	ShowStderr = Operation[ByID, stderrLines]{
		Entry: Entry{Name: "stderr", Does: "What the process of a server wrote last to its stderr", Route: "GET /mcp/servers/{id}/stderr"},
		Has:   hasServers, Do: showStderr,
	}
	RetryServer = Operation[ByID, Retried]{
		Entry: Entry{
			Name: "retry", Does: "Start afresh with one server and try it at once", Route: "POST /mcp/servers/{id}/retry", Bare: true,
			Tool: "retry_server", Command: "servers retry",
		},
		Has: hasServers, Do: retryServer, Code: Retried.status,
	}
	AcceptTools = Operation[acceptance, mcpint.Status]{
		Entry: Entry{
			Name: "accept", Does: "Allow tools that are disabled because they are new or have changed", Route: "POST /mcp/servers/{id}/accept",
			Command: "servers accept", Usage: Usage{Use: "accept SERVER [TOOL]", Short: "Allow tools that are disabled because they are new or have changed"},
		},
		Has: hasServers, Do: acceptTools, Read: readAcceptance,
	}
	RetryServers = Operation[struct{}, mcpint.StatusList]{
		Entry: Entry{
			Name: "retry_all", Does: "Start afresh with every server that is not connected", Route: "POST /mcp/servers/retry-all", Status: 202, Bare: true,
			Verb: Verb{Name: "retry"}, Tool: "retry_all_servers", Command: "servers retry --all",
		},
		Has: hasServers, Do: retryServers,
	}
	Message       = Handler{Entry{Name: "mcp", Does: "One JSON-RPC message of an MCP host", Route: "POST /mcp", Line: order.Acts}}
	SessionStream = Handler{Entry{Name: "mcp_stream", Does: "The stream of what the server says by itself", Route: "GET /mcp"}}
	EndSession    = Handler{Entry{Name: "mcp_end", Does: "End a session", Route: "DELETE /mcp"}}
)
