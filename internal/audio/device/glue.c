//go:build cgo

#define _GNU_SOURCE
#include "glue.h"

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <pa_linux_alsa.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static char message[256];
static int messages;

static void keep(const char *text) {
	pthread_mutex_lock(&guard);
	messages++;
	snprintf(message, sizeof message, "%s", text);
	pthread_mutex_unlock(&guard);
}

static void from_alsa(const char *file, int line, const char *function, int code, const char *format, ...) {
	(void)file, (void)line;
	char text[160], whole[256];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	snprintf(whole, sizeof whole, "%.60s: %s%s%s", function, text, code ? ": " : "", code ? snd_strerror(code) : "");
	keep(whole);
}

static void drop(const char *text) {
	(void)text;
	pthread_mutex_lock(&guard);
	messages++;
	pthread_mutex_unlock(&guard);
}

void vg_quiet(void) {
	PaAlsa_SetRetriesBusy(2); // of 10 ms each; whoever waits longer does so where it can be stopped
	snd_lib_error_set_handler(from_alsa);
	// PortAudio may or may not be linked with JACK; we are not. What JACK says
	// is that there is no JACK server, which is no news.
	void (*set)(void (*)(const char *));
	*(void **)&set = dlsym(RTLD_DEFAULT, "jack_set_error_function");
	if (set)
		set(drop);
	*(void **)&set = dlsym(RTLD_DEFAULT, "jack_set_info_function");
	if (set)
		set(drop);
}

const char *vg_message(void) {
	static _Thread_local char copy[sizeof message];
	pthread_mutex_lock(&guard);
	memcpy(copy, message, sizeof copy);
	message[0] = 0;
	pthread_mutex_unlock(&guard);
	return copy;
}

int vg_messages(void) {
	pthread_mutex_lock(&guard);
	int n = messages;
	pthread_mutex_unlock(&guard);
	return n;
}

int vg_probe(const char *name, int output) {
	snd_pcm_t *pcm;
	int err = snd_pcm_open(&pcm, name, output ? SND_PCM_STREAM_PLAYBACK : SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK);
	if (err >= 0)
		snd_pcm_close(pcm);
	return err < 0 ? err : 0;
}

void vg_periods(int n) { PaAlsa_SetNumPeriods(n); }
