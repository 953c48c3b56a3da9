// Package family keeps what a family leaves with its gateway: turns that it found wrong,
// wordings of its own, and tasks that were stopped in the middle. It exists so that each of
// them is a bounded list on the disk that survives a restart, and only its bounds are
// written here. It judges nothing and runs nothing: what a wording means, and how a turn
// goes today, is decided in the mind. To keep another kind of thing, make a keep.List with
// its bounds; to keep more of one, add a field to it in package record.
package family
