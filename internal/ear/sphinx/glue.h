// The few things cgo cannot do with PocketSphinx itself.
#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <sphinxbase/fe.h>

// vg_errors sends the library's log, a thousand lines a start, nowhere, but
// keeps the last error for vg_last_error.
void vg_errors(void);

// vg_last_error returns the last error since the previous call, or "". Not
// thread-safe beyond being always terminated.
const char *vg_last_error(void);

// vg_init makes a decoder from "-name", "value" pairs; NULL on failure.
ps_decoder_t *vg_init(int argc, char **argv);

// VG_CEPSTRA is the most coefficients a frame of sound may have; the packaged
// model has 13.
#define VG_CEPSTRA 64

// vg_cepstra computes the coefficients of n samples, which are at most room frames
// of VG_CEPSTRA numbers, and returns how many frames they are, -1 on failure.
int vg_cepstra(ps_decoder_t *decoder, const int16 *samples, size_t n, mfcc_t *out, int room);

// vg_decode decodes frames of vg_cepstra in the open utterance; negative on failure.
int vg_decode(ps_decoder_t *decoder, mfcc_t *frames, int count);

// vg_prior copies the mean that is subtracted before any sound is known.
void vg_prior(ps_decoder_t *decoder, mfcc_t *mean);

// vg_normalise makes mean what is subtracted from the sound of the next
// utterance.
void vg_normalise(ps_decoder_t *decoder, const mfcc_t *mean);
