package denoise

// Delay is by how many samples Clean is late, besides samples that do not fill a
// hop.
const Delay = window - hop
