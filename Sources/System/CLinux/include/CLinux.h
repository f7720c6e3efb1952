#pragma once

// What Swift's Glibc module lacks: some headers, and macros that need a C compiler.

#include <libintl.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>

/// `struct ucred` (unix(7), SO_PEERCRED), hidden behind _GNU_SOURCE, which Swift's importer does not define.
struct clinux_peer_credentials {
    int pid;
    unsigned int uid;
    unsigned int gid;
};

/// `accept4(2)` with SOCK_CLOEXEC and SOCK_NONBLOCK; also hidden behind _GNU_SOURCE.
int clinux_accept(int listening);

/// Limits the event codes of `type` that reach this descriptor (EVIOCSMASK). Returns 0, or -1 with errno.
static inline int clinux_evdev_set_mask(int fd, unsigned int type, const unsigned char *codes, unsigned int size) {
    struct input_mask mask = {.type = type, .codes_size = size, .codes_ptr = (unsigned long)codes};
    return ioctl(fd, EVIOCSMASK, &mask);
}

/// Reads what `clinux_evdev_set_mask` has set (EVIOCGMASK).
static inline int clinux_evdev_get_mask(int fd, unsigned int type, unsigned char *codes, unsigned int size) {
    struct input_mask mask = {.type = type, .codes_size = size, .codes_ptr = (unsigned long)codes};
    return ioctl(fd, EVIOCGMASK, &mask);
}

/// Sets the clock of the timestamps of events (EVIOCSCLOCKID).
static inline int clinux_evdev_set_clock(int fd, int clock) { return ioctl(fd, EVIOCSCLOCKID, &clock); }

/// Sets the physical location of a device that uinput is about to create (UI_SET_PHYS).
static inline int clinux_uinput_set_phys(int fd, const char *phys) { return ioctl(fd, UI_SET_PHYS, phys); }

/// A thread that waits for changes of the lines of a serial port.
struct clinux_line_wait;

/// Starts a thread that adds to the eventfd `wake_up` after each change of `lines`, which are `TIOCM_…` bits.
/// The call that it waits in (TIOCMIWAIT) is the only one that the kernel has for it, and no descriptor
/// becomes ready for it. A change within some milliseconds after another one may be missed. Returns NULL with
/// errno.
struct clinux_line_wait *clinux_line_wait_start(int port, int lines, int wake_up);

/// The error with which the thread has ended, after a last wake-up; 0 while it waits.
int clinux_line_wait_error(const struct clinux_line_wait *wait);

/// Ends the thread, and waits until it does not use the descriptors any more.
void clinux_line_wait_stop(struct clinux_line_wait *wait);
