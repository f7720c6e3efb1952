#include "baseline.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pulse/pulseaudio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define RATE 48000
#define BYTES_PER_MILLISECOND (RATE / 1000 * 2)
#define UNSET ((uint32_t)-1)
#define WAV_HEADER 44

static const pa_sample_spec speech = {PA_SAMPLE_S16LE, RATE, 1};
static pa_mainloop *loop;
static pa_context *context;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// A message ends with a NUL byte.
static void report(const char *what, int64_t time) {
    char text[64];
    int length = snprintf(text, sizeof text, "%s %" PRId64, what, time);
    if (write(STDOUT_FILENO, text, (size_t)length + 1) < 0) exit(1);
}

static bool connect_to_server(void) {
    loop = pa_mainloop_new();
    context = pa_context_new(pa_mainloop_get_api(loop), "baseline");
    if (pa_context_connect(context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0) return false;
    while (pa_context_get_state(context) != PA_CONTEXT_READY) {
        if (!PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) || pa_mainloop_iterate(loop, 1, NULL) < 0) return false;
    }
    return true;
}

// Calls `requested` for each message on standard input, until that ends.
static int run(pa_io_event_cb_t requested) {
    pa_mainloop_api *api = pa_mainloop_get_api(loop);
    if (requested) api->io_new(api, STDIN_FILENO, PA_IO_EVENT_INPUT, requested, NULL);
    report("ready", now());
    int status = 0;
    pa_mainloop_run(loop, &status);
    return status;
}

static void read_request(void) {
    char buffer[1024];
    if (read(STDIN_FILENO, buffer, sizeof buffer) <= 0) exit(0);
}

static void ended(pa_stream *stream, void *data) {
    (void)data;
    if (pa_stream_get_state(stream) != PA_STREAM_FAILED) return;
    fprintf(stderr, "baseline: %s\n", pa_strerror(pa_context_errno(context)));
    exit(1);
}

static pa_stream *record(const char *source, int milliseconds, pa_stream_request_cb_t received, void *data) {
    pa_stream *stream = pa_stream_new(context, "baseline", &speech, NULL);
    pa_stream_set_state_callback(stream, ended, NULL);
    pa_stream_set_read_callback(stream, received, data);
    pa_buffer_attr attributes = {UNSET, UNSET, UNSET, UNSET, (uint32_t)(milliseconds * BYTES_PER_MILLISECOND)};
    if (pa_stream_connect_record(stream, source, &attributes, PA_STREAM_ADJUST_LATENCY) < 0) exit(1);
    return stream;
}

static void close_stream(pa_stream **stream) {
    if (!*stream) return;
    pa_stream_set_read_callback(*stream, NULL, NULL);
    pa_stream_disconnect(*stream);
    pa_stream_unref(*stream);
    *stream = NULL;
}

// The next samples, or NULL. `*count` is 0 if there are none; a hole of the server's record has no sound.
static const int16_t *peek(pa_stream *stream, size_t *count) {
    const void *samples = NULL;
    size_t bytes = 0;
    *count = 0;
    if (pa_stream_readable_size(stream) == 0 || pa_stream_peek(stream, &samples, &bytes) < 0) return NULL;
    *count = bytes / sizeof(int16_t);
    return samples;
}

// MARK: The microphone, opened for each request

static const char *microphone;
static int fragment;
static const char *sample;
static bool needs_sound;
static size_t needed, received;
static pa_stream *capture;

// Whether what has arrived by now is enough.
static bool is_enough(pa_stream *stream) {
    size_t count;
    bool has_sound = false;
    for (const int16_t *samples; samples = peek(stream, &count), count > 0; pa_stream_drop(stream)) {
        received += count;
        for (size_t index = 0; samples && index < count; index++) has_sound = has_sound || samples[index] != 0;
    }
    return needs_sound ? has_sound : received >= needed;
}

static void play_sample(void) {
    pa_operation *operation = pa_context_play_sample(context, sample, NULL, PA_VOLUME_NORM, NULL, NULL);
    if (operation) pa_operation_unref(operation);
    report("played", now());
}

static void captured(pa_stream *stream, size_t length, void *data) {
    (void)length;
    (void)data;
    int64_t time = now();
    if (!is_enough(stream)) return;
    if (sample) play_sample();
    else report("captured", time);
    close_stream(&capture);
}

static void open_microphone(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *data) {
    (void)api, (void)event, (void)descriptor, (void)flags, (void)data;
    read_request();
    close_stream(&capture);
    received = 0;
    if (microphone) capture = record(microphone, fragment, captured, NULL);
    else play_sample();
}

int baseline_capture(const char *source, int milliseconds, int until_sound) {
    microphone = source;
    fragment = milliseconds;
    needs_sound = until_sound;
    needed = (size_t)milliseconds * RATE / 1000;
    return connect_to_server() ? run(open_microphone) : 1;
}

// MARK: A sample

static void upload(pa_stream *stream, void *data) {
    (void)data;
    if (pa_stream_get_state(stream) != PA_STREAM_READY) return;
    int16_t samples[80 * RATE / 1000];
    for (int index = 0, count = sizeof samples / sizeof *samples; index < count; index++) {
        // It swells and fades for 5 ms, as the core's tones do.
        double edge = fmin(fmin(index, count - 1 - index), 240) / 240;
        samples[index] = (int16_t)(3277 * (1 - cos(M_PI * edge)) / 2 * sin(2 * M_PI * 880 * index / RATE));
    }
    pa_stream_write(stream, samples, sizeof samples, NULL, 0, PA_SEEK_RELATIVE);
    pa_stream_finish_upload(stream);
}

int baseline_play(const char *source, int milliseconds) {
    microphone = *source ? source : NULL;
    fragment = milliseconds;
    needed = RATE / 1000;
    if (!connect_to_server()) return 1;
    pa_stream *stream = pa_stream_new(context, "baseline", &speech, NULL);
    pa_stream_set_state_callback(stream, upload, NULL);
    pa_stream_connect_upload(stream, 80 * BYTES_PER_MILLISECOND);
    while (pa_stream_get_state(stream) != PA_STREAM_TERMINATED) {
        if (pa_stream_get_state(stream) == PA_STREAM_FAILED || pa_mainloop_iterate(loop, 1, NULL) < 0) return 1;
    }
    sample = "baseline";
    return run(open_microphone);
}

// MARK: Listening

#define QUIET (50 * RATE / 1000)

static void listen(pa_stream *stream, size_t length, void *data) {
    (void)length;
    static size_t zeros = 0;
    static bool is_silent = true;
    int64_t time = now();
    size_t count;
    for (const int16_t *samples; samples = peek(stream, &count), count > 0; pa_stream_drop(stream)) {
        for (size_t index = 0; index < count; index++) {
            if (samples && samples[index] != 0) {
                if (is_silent) report("sound", time);
                is_silent = false;
                zeros = 0;
            } else if (++zeros == QUIET) {
                if (!is_silent) report("silence", time);
                is_silent = true;
            }
        }
    }
    (void)data;
}

int baseline_listen(const char *source, int milliseconds) {
    if (!connect_to_server()) return 1;
    record(source, milliseconds, listen, NULL);
    return run(NULL);
}

// MARK: The same sound at several sources

#define LOW 4000
#define HIGH 8000

struct edges {
    int index;
    // How many samples in a row were quiet, and how many since the last that was zero.
    int quiet, nonzero;
};

static void find_edges(pa_stream *stream, size_t length, void *data) {
    (void)length;
    struct edges *state = data;
    int64_t time = now();
    // That of the sample, as if each had arrived at its time: two sources that deliver whole fragments are
    // otherwise a fragment apart, by chance.
    size_t later = pa_stream_readable_size(stream) / sizeof(int16_t);
    size_t count;
    for (const int16_t *samples; samples = peek(stream, &count), count > 0; pa_stream_drop(stream)) {
        for (size_t index = 0; index < count; index++, later--) {
            int level = samples ? abs(samples[index]) : 0;
            // The low level is never zero.
            state->nonzero = level ? state->nonzero + 1 : 0;
            if (level > HIGH && state->quiet > 20 * RATE / 1000) {
                char what[16];
                snprintf(what, sizeof what, "edge %d", state->index);
                report(what, time - (int64_t)later * 1000000000 / RATE);
            }
            state->quiet = level < LOW && state->nonzero ? state->quiet + 1 : 0;
        }
    }
}

int baseline_compare(int milliseconds, int count, char *const *sources) {
    if (!connect_to_server()) return 1;
    struct edges *edges = calloc((size_t)count, sizeof *edges);
    for (int index = 0; index < count; index++) {
        edges[index].index = index;
        record(sources[index], milliseconds, find_edges, &edges[index]);
    }
    return run(NULL);
}

// MARK: Copying the microphone into a sink

// As the core does it, in milliseconds: the fragments of the microphone, what the server stores, what it
// waits for.
#define COPIED 5
#define STORED 20
#define AHEAD 10

static pa_stream *playback;

static void copy(pa_stream *stream, size_t length, void *data) {
    (void)length;
    (void)data;
    size_t count;
    for (const int16_t *samples; samples = peek(stream, &count), count > 0; pa_stream_drop(stream)) {
        if (samples)
            pa_stream_write(playback, samples, count * sizeof *samples, NULL, 0, PA_SEEK_RELATIVE);
    }
}

static void toggle_copy(pa_mainloop_api *api, pa_io_event *event, int descriptor, pa_io_event_flags_t flags, void *data) {
    (void)api, (void)event, (void)descriptor, (void)flags, (void)data;
    read_request();
    bool ends = capture != NULL;
    if (ends) close_stream(&capture);
    else capture = record(microphone, COPIED, copy, NULL);
    pa_operation_unref(pa_stream_cork(playback, ends, NULL, NULL));
    if (ends) pa_operation_unref(pa_stream_flush(playback, NULL, NULL));
    report(ends ? "stopped" : "copies", now());
}

int baseline_copy(const char *source, const char *sink) {
    microphone = source;
    if (!connect_to_server()) return 1;
    playback = pa_stream_new(context, "baseline", &speech, NULL);
    pa_stream_set_state_callback(playback, ended, NULL);
    pa_buffer_attr attributes = {100 * BYTES_PER_MILLISECOND, STORED * BYTES_PER_MILLISECOND, AHEAD * BYTES_PER_MILLISECOND, UNSET, UNSET};
    pa_stream_flags_t flags = PA_STREAM_START_CORKED | PA_STREAM_ADJUST_LATENCY;
    if (pa_stream_connect_playback(playback, sink, &attributes, flags, NULL, NULL) < 0) return 1;
    while (pa_stream_get_state(playback) != PA_STREAM_READY) {
        if (pa_mainloop_iterate(loop, 1, NULL) < 0) return 1;
    }
    return run(toggle_copy);
}

// MARK: A microphone

#define TICK 5
#define LATE 40

int baseline_microphone(const char *path, const char *sound) {
    FILE *file = fopen(sound, "r");
    // For reading as well: without a reader writing would fail.
    int pipe = open(path, O_RDWR | O_NONBLOCK);
    if (!file || pipe < 0 || fseek(file, WAV_HEADER, SEEK_SET) != 0) return 1;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    report("ready", now());
    bool is_read = false;
    for (;;) {
        time.tv_nsec += TICK * 1000000;
        time.tv_sec += time.tv_nsec / 1000000000;
        time.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
        char samples[TICK * BYTES_PER_MILLISECOND], unread[PIPE_BUF];
        if (fread(samples, sizeof samples, 1, file) != 1 && fseek(file, WAV_HEADER, SEEK_SET) != 0) return 1;
        int waiting = 0;
        if (ioctl(pipe, FIONREAD, &waiting) < 0) return 1;
        if (waiting == 0) is_read = true;
        // A busy server reads late.
        else if (waiting > LATE * BYTES_PER_MILLISECOND) is_read = false;
        if (is_read) {
            if (write(pipe, samples, sizeof samples) < 0) return 1;
            continue;
        }
        // While no program records a microphone stores nothing. One sample of silence shows when one does.
        while (read(pipe, unread, sizeof unread) > 0) {}
        memset(unread, 0, sizeof(int16_t));
        if (write(pipe, unread, sizeof(int16_t)) < 0) return 1;
    }
}
