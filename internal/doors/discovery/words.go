package discovery

// words are the names of the device and of its entities, by language.
var words = map[string]map[string]string{
	"en": {
		"device": "Voice gateway", "state": "State", "transcript": "Last command", "reply": "Last reply", "timers": "Timers", "servers": "Servers",
		"mute": "Microphone muted", "volume": "Volume", "ask": "Ask", "listen": "Listen", "stop": "Stop", "retry": "Retry servers", "wake": "Begins to listen", "turn": "Turn",
	},
	"de": {
		"device": "Sprachsteuerung", "state": "Zustand", "transcript": "Letzter Befehl", "reply": "Letzte Antwort", "timers": "Timer", "servers": "Server",
		"mute": "Mikrofon stumm", "volume": "Lautstärke", "ask": "Fragen", "listen": "Zuhören", "stop": "Stopp", "retry": "Server neu verbinden", "wake": "Beginnt zuzuhören", "turn": "Gespräch",
	},
	"fr": {
		"device": "Commande vocale", "state": "État", "transcript": "Dernière demande", "reply": "Dernière réponse", "timers": "Minuteurs", "servers": "Serveurs",
		"mute": "Micro coupé", "volume": "Volume", "ask": "Demander", "listen": "Écouter", "stop": "Arrêter", "retry": "Reconnecter les serveurs", "wake": "Commence à écouter", "turn": "Échange",
	},
	"es": {
		"device": "Control por voz", "state": "Estado", "transcript": "Última orden", "reply": "Última respuesta", "timers": "Temporizadores", "servers": "Servidores",
		"mute": "Micrófono silenciado", "volume": "Volumen", "ask": "Preguntar", "listen": "Escuchar", "stop": "Parar", "retry": "Reconectar los servidores", "wake": "Empieza a escuchar", "turn": "Conversación",
	},
}

// wordsOf returns the names in a language, in English where it has none.
func wordsOf(language string) map[string]string {
	if w, ok := words[language]; ok {
		return w
	}
	return words["en"]
}
