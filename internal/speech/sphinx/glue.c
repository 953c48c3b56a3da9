//go:build cgo

#include "glue.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char last_error[512];

static void keep(void *user, err_lvl_t level, const char *format, ...) {
	(void)user;
	if (level < ERR_ERROR)
		return;
	va_list args;
	va_start(args, format);
	char text[sizeof last_error];
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (level == ERR_FATAL) // the library exits after this one
		fprintf(stderr, "%s", text);
	strncpy(last_error, text, sizeof last_error - 1);
}

void vg_errors(void) { err_set_callback(keep, NULL); }

const char *vg_last_error(void) {
	static char text[sizeof last_error];
	memcpy(text, last_error, sizeof text);
	last_error[0] = 0;
	return text;
}

ps_decoder_t *vg_init(int argc, char **argv) {
	cmd_ln_t *config = cmd_ln_parse_r(NULL, ps_args(), argc, argv, TRUE);
	if (config == NULL)
		return NULL;
	ps_decoder_t *decoder = ps_init(config);
	cmd_ln_free_r(config); // ps_init keeps its own reference
	return decoder;
}
