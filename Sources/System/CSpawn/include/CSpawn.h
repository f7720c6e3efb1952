#pragma once

/// The descriptor that becomes one of a program's standard streams.
struct cspawn_stream {
    /// An open descriptor of this process, used if `path` is NULL.
    int descriptor;
    /// A file, opened by the new process with the flags of open(2), and mode 0600 if it is created.
    const char *path;
    int flags;
};

/// Starts a program, which the kernel kills when the calling thread ends (PR_SET_PDEATHSIG in prctl(2)): call
/// it on a thread that lives as long as the process. The program has no signal blocked, and none ignored but
/// those that this process ignores other than SIGPIPE.
///
/// `arguments` and `environment` end with NULL; the first argument is a path or a name in this process's
/// $PATH. Returns its process ID and stores a descriptor that becomes readable when it ends (pidfd_open(2)),
/// or returns -1 with errno, also if there is no such program.
int cspawn(char *const *arguments, char *const *environment, const struct cspawn_stream streams[3], int *end);

/// Leaves this thread, and what it starts, nothing but memory, the descriptors that are open, and the clock:
/// no file, no socket, no other process, no program, no code that was not loaded before. Other calls fail
/// with EPERM (seccomp(2)). There is no way back.
///
/// `memory` is the number of bytes of its data, `seconds` its processor time, after which the kernel kills
/// it, and `output` the size of the largest file that it writes (setrlimit(2)). To be called with one thread.
/// Returns 0, or -1 with errno: ENOSYS on a processor whose system calls are not listed here.
int cspawn_confine(unsigned long memory, unsigned long seconds, unsigned long output);

/// A file that is nowhere but in memory (memfd_create(2)), closed in programs that are started. Returns its
/// descriptor, or -1 with errno.
int cspawn_memory_file(const char *name);
