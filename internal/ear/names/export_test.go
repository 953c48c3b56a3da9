package names

// Fingerprint is fingerprint, for tests.
var Fingerprint = fingerprint
