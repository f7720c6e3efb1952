#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// A position in TOML text, both counted from 1. Line 0 means none.
struct ctoml_place {
    unsigned int line;
    unsigned int column;
};

/// Parses TOML text of `size` bytes and returns the same document as JSON text, to be released with
/// `ctoml_release`. On an error returns NULL, stores a message in `error`, also to be released, and the place of
/// the error in `place`. Dates and times become JSON strings.
char *ctoml_to_json(const char *text, unsigned long size, struct ctoml_place *place, char **error);

/// Finds where the value at `path`, `a.b[2].c` for example, begins in valid TOML text.
struct ctoml_place ctoml_find(const char *text, unsigned long size, const char *path);

/// Releases a string returned by `ctoml_to_json`. NULL is allowed.
void ctoml_release(char *string);

#ifdef __cplusplus
}
#endif
