// The few things cgo cannot do with PocketSphinx itself.
#include <pocketsphinx.h>
#include <sphinxbase/err.h>

// vg_errors sends the library's log, a thousand lines a start, nowhere, but
// keeps the last error for vg_last_error.
void vg_errors(void);

// vg_last_error returns the last error since the previous call, or "". Not
// thread-safe beyond being always terminated.
const char *vg_last_error(void);

// vg_init makes a decoder from "-name", "value" pairs; NULL on failure.
ps_decoder_t *vg_init(int argc, char **argv);
