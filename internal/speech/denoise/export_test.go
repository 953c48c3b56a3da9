package denoise

// Delay is how many samples Clean is behind, besides what does not fill a hop.
const Delay = window - hop
