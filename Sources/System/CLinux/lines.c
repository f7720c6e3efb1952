#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct clinux_line_wait {
    int port;
    int lines;
    int wake_up;
    atomic_int error;
    atomic_bool is_stopping;
    pthread_t thread;
};

static void *wait_for_lines(void *context) {
    struct clinux_line_wait *wait = context;
    // A line that flaps wakes the process 200 times a second, and not as often as the driver can.
    const struct timespec rest = {.tv_nsec = 5000000};
    const uint64_t one = 1;
    while (!atomic_load(&wait->is_stopping)) {
        int error = ioctl(wait->port, TIOCMIWAIT, wait->lines) < 0 ? errno : 0;
        if (error == EINTR)
            continue;
        atomic_store(&wait->error, error);
        // It could fail only with 2^64 wake-ups that nobody has read: then there is one already.
        ssize_t written = write(wait->wake_up, &one, sizeof one);
        (void)written;
        if (error != 0)
            break;
        nanosleep(&rest, NULL);
    }
    return NULL;
}

// Its delivery is all that is needed: it interrupts the call.
static void do_nothing(int signal) { (void)signal; }

struct clinux_line_wait *clinux_line_wait_start(int port, int lines, int wake_up) {
    // Without SA_RESTART. Nothing else uses this signal.
    struct sigaction action = {.sa_handler = do_nothing};
    if (sigaction(SIGRTMIN, &action, NULL) != 0)
        return NULL;
    struct clinux_line_wait *wait = calloc(1, sizeof *wait);
    if (wait == NULL)
        return NULL;
    wait->port = port;
    wait->lines = lines;
    wait->wake_up = wake_up;
    // These cannot fail with these values.
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024);
    // All other signals are for the thread of the event loop.
    sigset_t mask, earlier;
    sigfillset(&mask);
    sigdelset(&mask, SIGRTMIN);
    pthread_sigmask(SIG_SETMASK, &mask, &earlier);
    int error = pthread_create(&wait->thread, &attributes, wait_for_lines, wait);
    pthread_sigmask(SIG_SETMASK, &earlier, NULL);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        return wait;
    free(wait);
    errno = error;
    return NULL;
}

int clinux_line_wait_error(const struct clinux_line_wait *wait) { return atomic_load(&wait->error); }

void clinux_line_wait_stop(struct clinux_line_wait *wait) {
    atomic_store(&wait->is_stopping, true);
    // A signal may come just before the call that it should interrupt: then another one follows.
    long milliseconds = 10;
    struct timespec limit;
    do {
        pthread_kill(wait->thread, SIGRTMIN);
        clock_gettime(CLOCK_MONOTONIC, &limit);
        limit.tv_nsec += milliseconds * 1000000;
        limit.tv_sec += limit.tv_nsec / 1000000000;
        limit.tv_nsec %= 1000000000;
        if (milliseconds < 1000)
            milliseconds *= 2;
    } while (pthread_clockjoin_np(wait->thread, NULL, CLOCK_MONOTONIC, &limit) == ETIMEDOUT);
    free(wait);
}
