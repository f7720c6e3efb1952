#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Runs in the new process, which shares the memory of this one until execvpe(3), with all signals blocked.
static void become(char *const *arguments, char *const *environment, const struct cspawn_stream streams[3], pid_t parent) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
    // The parent may have died before the kernel knew.
    if (getppid() != parent) _exit(127);

    // First away from 0 to 2, which may be among the given descriptors themselves.
    int moved[3];
    for (int i = 0; i < 3; i++) {
        int descriptor = streams[i].descriptor;
        if (streams[i].path) descriptor = open(streams[i].path, streams[i].flags | O_CLOEXEC, 0600);
        if (descriptor < 0) return;
        moved[i] = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        if (moved[i] < 0) return;
    }
    for (int i = 0; i < 3; i++) {
        if (dup2(moved[i], i) < 0) return;
    }

    // A handler of this process must not run here, and what a server ignores a program expects.
    struct sigaction action;
    for (int number = 1; number < NSIG; number++) {
        if (sigaction(number, NULL, &action) != 0) continue;
        if (action.sa_handler == SIG_IGN && number != SIGPIPE) continue;
        action.sa_handler = SIG_DFL;
        action.sa_flags = 0;
        sigaction(number, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvpe(arguments[0], arguments, environment);
}

int cspawn(char *const *arguments, char *const *environment, const struct cspawn_stream streams[3], int *end) {
    volatile int failure = 0;
    pid_t parent = getpid();
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // As posix_spawn(3) does, which cannot set the signal of the parent's death.
    pid_t child = vfork();
    if (child == 0) {
        become(arguments, environment, streams, parent);
        failure = errno;
        _exit(127);
    }
    if (child < 0) failure = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    if (child > 0 && failure == 0) {
        *end = (int)syscall(SYS_pidfd_open, child, 0);
        if (*end >= 0) return child;
        failure = errno;
        kill(child, SIGKILL);
    }
    if (child > 0) waitpid(child, NULL, 0);
    errno = failure;
    return -1;
}
