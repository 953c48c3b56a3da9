// The few things the Go binding of PortAudio does not offer.

// vg_quiet takes the messages of ALSA (85 at a start without a sound card) and
// of JACK off stderr, counts them and keeps the last one of ALSA. It also keeps
// PortAudio from waiting a second for a busy device. Go panics and PortAudio's
// own messages still reach stderr.
void vg_quiet(void);

// vg_message returns the last message, or "", and forgets it.
const char *vg_message(void);

// vg_messages is how many have been taken off stderr.
int vg_messages(void);

// vg_periods sets the number of periods of the devices opened from now on.
void vg_periods(int n);

// vg_probe opens ALSA's device of that name and closes it at once: 0 if that
// worked, else a negative errno. It costs much less than starting PortAudio.
int vg_probe(const char *name, int output);
