// Preloaded into pttd: a disk that can hang, and that can become read-only, as its test wants.
//
// $PTT_DISK is a directory. Each fsync() makes a file `waited-for` in it, and waits until somebody has the
// pipe `gate` in it open for writing. While a file `read-only` is in it, no file of the state can be made or
// removed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_read_only(const char *path) {
    char switch_path[PATH_MAX];
    const char *disk = getenv("PTT_DISK");
    if (!disk || !strstr(path, "/state/pushtotalk/")) return false;
    snprintf(switch_path, sizeof switch_path, "%s/read-only", disk);
    return access(switch_path, F_OK) == 0;
}

int fsync(int descriptor) {
    int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
    char gate_path[PATH_MAX];
    const char *disk = getenv("PTT_DISK");
    if (disk) {
        char waited_for_path[PATH_MAX];
        snprintf(waited_for_path, sizeof waited_for_path, "%s/waited-for", disk);
        int waited_for = open(waited_for_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (waited_for >= 0) close(waited_for);
        snprintf(gate_path, sizeof gate_path, "%s/gate", disk);
        int gate = open(gate_path, O_RDONLY | O_CLOEXEC);
        if (gate >= 0) close(gate);
    }
    return next(descriptor);
}

int unlink(const char *path) {
    int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
    if (!is_read_only(path) || access(path, F_OK) != 0) return next(path);
    errno = EROFS;
    return -1;
}

static int open_next(const char *name, const char *path, int flags, mode_t mode) {
    int (*next)(const char *, int, ...) = dlsym(RTLD_NEXT, name);
    if (!(flags & O_CREAT) || !is_read_only(path)) return next(path, flags, mode);
    errno = EROFS;
    return -1;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_next("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return open_next("open64", path, flags, mode);
}
