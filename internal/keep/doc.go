// Package keep is the room of what outlives a restart: records of turns, recordings,
// timers, tasks that were stopped, turns marked as wrong. Its packages say what is kept and
// for how long; this one writes the files.
//
// A Store keeps small state (timers, a saved task, the mute switch) on disk so that it
// survives a restart, a kill at any moment and a full disk. One value is one JSON file that
// is replaced as a whole: a reader sees the old value or the new one, never a half. A new
// kind of state is a new name given to Save; nothing here needs to change. It is not for
// anything that grows. Something else that is kept is a package that is given the Store; if
// it is a list, a List does the work.
package keep
