// Package ground is the room of what any part of the programs may need from the world:
// child processes and workers, HTTP with its limits, MQTT and a broker, configuration,
// secrets, the service manager. Nothing in it knows what a house or a voice is. A new piece of
// the world is a package here if several rooms need it, else it stands with the one that
// does.
package ground
