//go:build cgo

#include "glue.h"

#include <sphinxbase/feat.h>
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

int vg_cepstra(ps_decoder_t *decoder, const int16 *samples, size_t n, mfcc_t *out, int room) {
	fe_t *fe = fe_init_auto_r(ps_get_config(decoder));
	if (fe == NULL)
		return -1;
	if (fe_get_output_size(fe) > VG_CEPSTRA) {
		fe_free(fe);
		return -1;
	}
	int32 got = room - 1, last = 0; // the end may be one more
	mfcc_t *frames[room];
	for (int i = 0; i < room; i++)
		frames[i] = out + i * VG_CEPSTRA;
	fe_start_stream(fe);
	fe_start_utt(fe);
	fe_process_frames(fe, &samples, &n, frames, &got, NULL);
	fe_end_utt(fe, frames[got], &last);
	fe_free(fe);
	return got;
}

int vg_decode(ps_decoder_t *decoder, mfcc_t *frames, int count) {
	if (count <= 0)
		return 0;
	mfcc_t *rows[count];
	for (int i = 0; i < count; i++)
		rows[i] = frames + i * VG_CEPSTRA;
	return ps_process_cep(decoder, rows, count, FALSE, FALSE);
}

void vg_prior(ps_decoder_t *decoder, mfcc_t *mean) {
	cmn_t *cmn = ps_get_feat(decoder)->cmn_struct;
	for (int k = 0; k < cmn->veclen && k < VG_CEPSTRA; k++)
		mean[k] = cmn->cmn_mean[k];
}

void vg_normalise(ps_decoder_t *decoder, const mfcc_t *mean) {
	cmn_live_set(ps_get_feat(decoder)->cmn_struct, mean);
}
