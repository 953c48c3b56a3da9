package denoise

// Delay returns by how many samples Clean is late, not counting samples that do not fill
// a hop.
const Delay = window - hop
