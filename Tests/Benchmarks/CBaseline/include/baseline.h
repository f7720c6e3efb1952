// What push-to-talk is measured against: the same jobs in C, with nothing but libdbus and system calls.
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

// For each change of the property `Value` of the object at `path`, writes one message of the length of a
// BeginTransmitting call to standard output, until the bus ends. Writes one message when ready.
int baseline_receive(const char *address, const char *path);

// For each message on standard input, writes one of the length of a transmissionBegan event to standard output.
int baseline_relay(void);

// The number of the `index`th processor that this process may use, from 0; -1 if there are not so many.
int processor_number(int index);

// Keeps the main thread of a process, 0 for the calling one, on one processor; -1 lets it run on all that this process
// could use when it first asked. Returns 0, or -1 with errno set.
int processor_pin(int process, int processor);
