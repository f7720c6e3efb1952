#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A position in TOML text, both counted from 1. Line 0 means none.
struct ctoml_place {
    unsigned int line;
    unsigned int column;
};

/// Parses TOML text of `size` bytes and returns the same document as JSON text, to be released with
/// `ctoml_release`. On an error returns NULL, stores a message in `error`, also to be released, and the place
/// of the error in `place`. Dates and times become JSON strings.
char *ctoml_to_json(const char *text, unsigned long size, struct ctoml_place *place, char **error);

/// Finds where a value, or its key, or an array's element begins in valid TOML text. For each of `count`
/// steps from the outermost table on, `sizes` has the number of bytes of a key, which are the next ones of
/// `keys`, or -1 - INDEX. If a step leads nowhere, the place is that of the last value on the way, and
/// nowhere for the outermost table.
struct ctoml_place ctoml_find(const char *text, unsigned long size, const char *keys, const long *sizes,
                              unsigned long count, bool is_key);

/// Releases a string returned by `ctoml_to_json`. NULL is allowed.
void ctoml_release(char *string);

#ifdef __cplusplus
}
#endif
