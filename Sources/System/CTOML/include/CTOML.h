#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Parses TOML text of `size` bytes and returns the same document as JSON text, to be released with
/// `ctoml_release`. On a syntax error returns NULL and stores a message with line and column in
/// `error`, also to be released. Dates and times become JSON strings.
char *ctoml_to_json(const char *text, unsigned long size, char **error);

/// Releases a string returned by `ctoml_to_json`. NULL is allowed.
void ctoml_release(char *string);

#ifdef __cplusplus
}
#endif
