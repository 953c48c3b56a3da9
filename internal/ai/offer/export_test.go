package offer

// Plain is a name of a thing as it may stand before a language model.
func Plain(name string) string { return shortenName(name, nameWords) }
