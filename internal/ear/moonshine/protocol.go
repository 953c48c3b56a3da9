package moonshine

// Requests of the recogniser's worker. Sound is little-endian 16 bit, the rest JSON.
const (
	kindLoad    byte = iota + 1 // loadRequest; empty answer
	kindGrammar                 // speech.Automaton; empty answer
	kindDecode                  // sound; Result. A later one ends an earlier one, which is refused then
)

type loadRequest struct {
	Library string `json:"library"` // file of ONNX Runtime
	Dir     string `json:"dir"`     // of the model
}
