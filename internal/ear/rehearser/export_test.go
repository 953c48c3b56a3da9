package rehearser

// Fingerprint is fingerprint, for tests.
var Fingerprint = fingerprint
