// The measure of push-to-talk: the same jobs in C, with nothing but libdbus, libpulse and system calls.
#pragma once
#include <stdint.h>

// A connection to the bus at `address`, for calls; NULL if there is none.
void *baseline_connect(const char *address);

// Calls a method of baseline_answer() without arguments and waits for its answer, which it reads to the end.
// Returns the time that it took in nanoseconds, or -1 if there was no answer within a second.
int64_t baseline_call(void *connection, const char *method);

// Answers method calls until the bus ends: `Status` with a dictionary like the status of pttd, every other
// one with an empty message.
int baseline_answer(const char *address);

// For each change of the property `Value` to 1, of the object at `path` or one below, starts `command`, or,
// if that is NULL, writes one message of the length of a BeginTransmitting call to standard output, until the
// bus ends. Does it once when ready.
int baseline_receive(const char *address, const char *path, char *const *command);

// The same, but holds the key F14 of a virtual device as long as `Value` is 1. The device is there before the
// connection.
int baseline_key(const char *address, const char *path);

// For each message on standard input, writes one as long as a transmissionBegan event to standard output.
int baseline_relay(void);

// The number of the `index`th processor that this process may use, from 0; -1 if there are not so many.
int processor_number(int index);

// Keeps the main thread of a process, 0 for the calling one, on one processor; -1 lets it run on all that
// this process could use when it first asked. Returns 0, or -1 with errno set.
int processor_pin(int process, int processor);

// The rest connects to the sound server of the environment, 48 kHz mono, and writes messages to standard
// output: a word, or an edge and its number, and the time of CLOCK_MONOTONIC in nanoseconds; "ready" first.
// They run until standard input ends where they read it, otherwise until they are killed.

// For each message on standard input, opens a microphone that delivers fragments of so many milliseconds, and
// closes it when that much has arrived: "captured". With `until_sound`, when a sample other than zero has.
int baseline_capture(const char *source, int milliseconds, int until_sound);

// The same, but plays a sample from the server's cache as soon as a millisecond has arrived: "played".
// Without a microphone, if `source` is empty, at once.
int baseline_play(const char *source, int milliseconds);

// Records all the time: "sound" at the first sample other than zero, "silence" after 50 ms of zeros.
int baseline_listen(const char *source, int milliseconds);

// Records several sources that deliver the same sound: "edge INDEX" when a loud part follows a quiet one.
int baseline_compare(int milliseconds, int count, char *const *sources);

// Copies a microphone, opened with one message on standard input, "copies", to a prepared stream into a sink,
// until the next, "stopped".
int baseline_copy(const char *source, const char *sink);

// Plays a WAV file without end into the pipe of PulseAudio's module-pipe-source, as a microphone would:
// nothing is stored while no program records.
int baseline_microphone(const char *path, const char *sound);
