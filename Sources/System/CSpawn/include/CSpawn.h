#pragma once

/// What becomes one of a program's standard streams.
struct cspawn_stream {
    /// An open descriptor of this process, used if `path` is NULL.
    int descriptor;
    /// A file, opened by the new process with the flags of open(2), and mode 0600 if it is created.
    const char *path;
    int flags;
};

/// Starts a program, which the kernel kills when the calling thread ends (PR_SET_PDEATHSIG in prctl(2)): call it on
/// a thread that lives as long as the process. The program has no signal blocked, and none ignored but those that
/// this process ignores other than SIGPIPE.
///
/// `arguments` and `environment` end with NULL; the first argument is a path or a name in this process's $PATH.
/// Returns its process ID and stores a descriptor that becomes readable when it ends (pidfd_open(2)), or returns -1
/// with errno, also if there is no such program.
int cspawn(char *const *arguments, char *const *environment, const struct cspawn_stream streams[3], int *end);
