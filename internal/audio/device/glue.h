// The few things the Go binding of PortAudio does not offer.

// vg_quiet takes the messages of ALSA (85 at a start without a sound card) and
// of JACK off stderr and keeps the last one. Go panics and PortAudio's own
// messages still reach stderr.
void vg_quiet(void);

// vg_message returns the last message, or "", and forgets it.
const char *vg_message(void);

// vg_periods sets the number of periods of the devices opened from now on.
void vg_periods(int n);
