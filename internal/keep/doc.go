// Package keep is the room of what outlives a restart: records of turns, recordings,
// timers, tasks that were stopped, turns marked as wrong. Its packages say what is kept and
// for how long; store writes the files. Something else that is kept is a
// package here that is given the store.Store.
package keep
