// Package care is the room of what is used by day: set-up, the doctor, changes of the
// configuration, models, tests of the wake word, the laboratory and the demonstration. None of it
// runs while the gateway serves the house. A new command of this kind is a package here and a
// line in cli.
package care
