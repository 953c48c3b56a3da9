// A sound card for tests: an ALSA I/O plugin with a clock, so that capture and
// playback run in real time, overflow like hardware when nobody reads, and give
// samples that can be checked one by one. It can be mapped into memory, since
// PortAudio starts only such cards again after an overrun.
//
//   pcm.mic { type simcard wav "/path/in.wav" gone "/path/flag" }
//   pcm.out { type simcard raw "/path/out.raw" }
//
// wav: what the microphone hears, once, then silence; without it a ramp
// (1, 2, 3 … 65535, 1 …) in which a single missing sample shows.
// say: a WAV that the microphone hears from the moment the file appears, in place of
// what it heard before; the file is removed then.
// raw: where the played samples are appended.
// gone: while this file exists the card is unplugged.
// busy: while this file exists another program has the card.
// rate, channels: what the card can do, 16000 and 1 if not given.
// only: the one channel, from 1, on which there is sound; all if not given.
// started: file that gets a line at each start of the card with the moment of
// its frame 0, in nanoseconds of CLOCK_REALTIME.
// open: file that exists while the card is open and running.
// stopped: file that gets a line when the card is stopped with something
// unplayed: the same clock, frames taken, frames played.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { WAV_HEADER = 44, RAMP = 65535 };

struct card {
	snd_pcm_ioplug_t plug;
	char *gone, *say, *started_file, *stopped_file, *open_file;
	int16_t *sound; // what the microphone hears, NULL for the ramp
	uint64_t sounds;
	uint64_t from; // sample of the stream at which sound begins
	int output; // file, -1 for none
	int timer;
	unsigned int only; // 0 for all
	int running;
	uint64_t moved; // samples of each channel given or taken since prepare
	struct timespec started;
};

static int unplugged(const struct card *c) { return c->gone != NULL && access(c->gone, F_OK) == 0; }

// clock_frames is how far real hardware would be since start.
static uint64_t clock_frames(const struct card *c) {
	if (!c->running)
		return 0;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t us = (int64_t)(now.tv_sec - c->started.tv_sec) * 1000000 + (now.tv_nsec - c->started.tv_nsec) / 1000;
	return (uint64_t)us * c->plug.rate / 1000000;
}

// note appends a line that begins with the time of day.
static void note(const char *path, const char *format, uint64_t a, uint64_t b) {
	if (path == NULL)
		return;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	FILE *f = fopen(path, "a");
	if (f == NULL)
		return;
	fprintf(f, "%llu", (unsigned long long)now.tv_sec * 1000000000 + now.tv_nsec);
	fprintf(f, format, (unsigned long long)a, (unsigned long long)b);
	fclose(f);
}

static int set_timer(struct card *c, long period_ns) {
	struct itimerspec every = {.it_interval = {period_ns / 1000000000, period_ns % 1000000000}};
	every.it_value = every.it_interval;
	return timerfd_settime(c->timer, 0, &every, NULL) < 0 ? -errno : 0;
}

static int card_prepare(snd_pcm_ioplug_t *plug) {
	struct card *c = plug->private_data;
	if (unplugged(c))
		return -ENODEV;
	c->moved = c->from = 0;
	c->running = 0;
	return 0;
}

static int card_start(snd_pcm_ioplug_t *plug) {
	struct card *c = plug->private_data;
	if (unplugged(c))
		return -ENODEV;
	clock_gettime(CLOCK_MONOTONIC, &c->started);
	c->running = 1;
	note(c->started_file, "\n", 0, 0);
	note(c->open_file, "\n", 0, 0);
	return set_timer(c, 1000000000L / plug->rate * plug->period_size);
}

static int card_stop(snd_pcm_ioplug_t *plug) {
	struct card *c = plug->private_data;
	uint64_t at = clock_frames(c);
	if (plug->stream == SND_PCM_STREAM_PLAYBACK && at < c->moved)
		note(c->stopped_file, " %llu %llu\n", c->moved, at);
	c->running = 0;
	return set_timer(c, 0);
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *plug) {
	struct card *c = plug->private_data;
	if (unplugged(c))
		return -ENODEV;
	uint64_t at = clock_frames(c);
	// A microphone overflows when it is a buffer ahead of its reader, a speaker
	// runs dry when it is ahead of its writer.
	uint64_t limit = c->moved + (plug->stream == SND_PCM_STREAM_CAPTURE ? plug->buffer_size : 0);
	if (at > limit)
		return -EPIPE;
	return at % plug->buffer_size;
}

static int load(struct card *c, const char *path);

// listen_to takes over what somebody says.
static void listen_to(struct card *c) {
	if (c->say == NULL || access(c->say, F_OK) != 0)
		return;
	free(c->sound);
	c->sound = NULL;
	c->sounds = 0;
	load(c, c->say);
	c->from = c->moved;
	unlink(c->say);
}

static snd_pcm_sframes_t card_transfer(snd_pcm_ioplug_t *plug, const snd_pcm_channel_area_t *areas,
		snd_pcm_uframes_t offset, snd_pcm_uframes_t frames) {
	struct card *c = plug->private_data;
	if (unplugged(c))
		return -ENODEV;
	int16_t *samples = (int16_t *)((char *)areas->addr + (areas->first + areas->step * offset) / 8);
	size_t channels = plug->channels;
	if (plug->stream == SND_PCM_STREAM_PLAYBACK) {
		if (c->output >= 0 && write(c->output, samples, frames * channels * 2) < 0)
			return -EIO;
	} else {
		listen_to(c);
		for (size_t i = 0; i < frames; i++) {
			uint64_t at = c->moved + i - c->from;
			int16_t v = (int16_t)(at % RAMP + 1);
			if (c->sound != NULL || c->say != NULL)
				v = at < c->sounds ? c->sound[at] : 0;
			for (size_t k = 0; k < channels; k++)
				samples[i * channels + k] = c->only == 0 || c->only == k + 1 ? v : 0;
		}
	}
	c->moved += frames;
	return frames;
}

static int card_revents(snd_pcm_ioplug_t *plug, struct pollfd *fds, unsigned int n, unsigned short *events) {
	struct card *c = plug->private_data;
	*events = 0;
	if (unplugged(c)) {
		*events = POLLERR | POLLHUP;
	} else if (n > 0 && fds[0].revents & POLLIN) {
		uint64_t ticks;
		if (read(c->timer, &ticks, sizeof ticks) > 0)
			*events = plug->stream == SND_PCM_STREAM_CAPTURE ? POLLIN : POLLOUT;
	}
	return 0;
}

static void card_free(struct card *c) {
	if (c->timer >= 0)
		close(c->timer);
	if (c->output >= 0)
		close(c->output);
	free(c->sound);
	if (c->open_file)
		unlink(c->open_file);
	free(c->open_file);
	free(c->gone);
	free(c->say);
	free(c->started_file);
	free(c->stopped_file);
	free(c);
}

static int card_close(snd_pcm_ioplug_t *plug) {
	card_free(plug->private_data);
	return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
	.prepare = card_prepare, .start = card_start, .stop = card_stop, .pointer = card_pointer,
	.transfer = card_transfer, .poll_revents = card_revents, .close = card_close,
};

static int load(struct card *c, const char *path) {
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return -errno;
	off_t bytes = lseek(file, 0, SEEK_END) - WAV_HEADER;
	if (bytes > 0 && (c->sound = malloc(bytes)) != NULL && pread(file, c->sound, bytes, WAV_HEADER) == bytes)
		c->sounds = bytes / 2;
	close(file);
	return c->sounds > 0 ? 0 : -EINVAL;
}

static int limit(struct card *c, unsigned int rate, unsigned int channels) {
	static const unsigned int access_types[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_RW_INTERLEAVED};
	static const unsigned int formats[] = {SND_PCM_FORMAT_S16_LE};
	snd_pcm_ioplug_t *p = &c->plug;
	int err = snd_pcm_ioplug_set_param_list(p, SND_PCM_IOPLUG_HW_ACCESS, 2, access_types);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_list(p, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_list(p, SND_PCM_IOPLUG_HW_RATE, 1, &rate);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(p, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(p, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 65536);
	if (err >= 0)
		err = snd_pcm_ioplug_set_param_minmax(p, SND_PCM_IOPLUG_HW_PERIODS, 2, 64);
	return err;
}

SND_PCM_PLUGIN_DEFINE_FUNC(simcard) {
	const char *wav = NULL, *say = NULL, *raw = NULL, *gone = NULL, *busy = NULL, *started = NULL, *stopped = NULL, *opened = NULL;
	long rate = 16000, channels = 1, only = 0;
	snd_config_iterator_t i, next;
	snd_config_for_each(i, next, conf) {
		snd_config_t *entry = snd_config_iterator_entry(i);
		const char *id;
		if (snd_config_get_id(entry, &id) < 0)
			continue;
		if (strcmp(id, "wav") == 0)
			snd_config_get_string(entry, &wav);
		else if (strcmp(id, "say") == 0)
			snd_config_get_string(entry, &say);
		else if (strcmp(id, "raw") == 0)
			snd_config_get_string(entry, &raw);
		else if (strcmp(id, "gone") == 0)
			snd_config_get_string(entry, &gone);
		else if (strcmp(id, "busy") == 0)
			snd_config_get_string(entry, &busy);
		else if (strcmp(id, "started") == 0)
			snd_config_get_string(entry, &started);
		else if (strcmp(id, "open") == 0)
			snd_config_get_string(entry, &opened);
		else if (strcmp(id, "stopped") == 0)
			snd_config_get_string(entry, &stopped);
		else if (strcmp(id, "only") == 0)
			snd_config_get_integer(entry, &only);
		else if (strcmp(id, "rate") == 0)
			snd_config_get_integer(entry, &rate);
		else if (strcmp(id, "channels") == 0)
			snd_config_get_integer(entry, &channels);
	}
	struct card *c = calloc(1, sizeof *c);
	if (c == NULL)
		return -ENOMEM;
	c->timer = c->output = -1;
	c->gone = gone ? strdup(gone) : NULL;
	c->say = say && stream == SND_PCM_STREAM_CAPTURE ? strdup(say) : NULL;
	c->started_file = started && stream == SND_PCM_STREAM_CAPTURE ? strdup(started) : NULL;
	c->open_file = opened && stream == SND_PCM_STREAM_CAPTURE ? strdup(opened) : NULL;
	c->stopped_file = stopped ? strdup(stopped) : NULL;
	c->only = only;
	int err = unplugged(c) ? -ENODEV : 0;
	if (err == 0 && busy != NULL && access(busy, F_OK) == 0)
		err = -EBUSY;
	if (err == 0 && stream == SND_PCM_STREAM_CAPTURE && wav != NULL)
		err = load(c, wav);
	// PortAudio opens every card for both directions to see what it can do, so
	// opening must not change the file.
	if (err == 0 && stream == SND_PCM_STREAM_PLAYBACK && raw != NULL &&
			(c->output = open(raw, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) < 0)
		err = -errno;
	if (err == 0 && (c->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) < 0)
		err = -errno;
	if (err < 0) {
		card_free(c);
		return err;
	}
	c->plug.version = SND_PCM_IOPLUG_VERSION;
	c->plug.name = "simulated sound card";
	c->plug.callback = &callbacks;
	c->plug.private_data = c;
	c->plug.poll_fd = c->timer;
	c->plug.poll_events = POLLIN;
	err = snd_pcm_ioplug_create(&c->plug, name, stream, mode);
	if (err < 0) {
		card_free(c);
		return err;
	}
	err = limit(c, rate, channels);
	if (err < 0) {
		snd_pcm_ioplug_delete(&c->plug); // closes, which frees
		return err;
	}
	*pcmp = c->plug.pcm;
	return 0;
}

SND_PCM_PLUGIN_SYMBOL(simcard);
