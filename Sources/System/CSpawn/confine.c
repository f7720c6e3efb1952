#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Both architectures are little-endian: the lower half of an argument comes first.
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), RETURN(SECCOMP_RET_ALLOW)
// Memory, but none that is executed: the third argument of both calls is the protection.
#define ALLOW_WITHOUT_EXECUTION(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4), LOAD(args[2]), \
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), RETURN(SECCOMP_RET_ERRNO | EPERM), RETURN(SECCOMP_RET_ALLOW)

static int limit(int resource, rlim_t value) {
    struct rlimit limits = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(resource, &limits);
}

int cspawn_confine(unsigned long memory, unsigned long seconds, unsigned long output) {
#ifdef ARCHITECTURE
    struct sock_filter instructions[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        ALLOW(SYS_read), ALLOW(SYS_write), ALLOW(SYS_lseek), ALLOW(SYS_close),
        ALLOW(SYS_brk), ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_madvise),
        ALLOW(SYS_futex), ALLOW(SYS_rt_sigprocmask), ALLOW(SYS_rt_sigreturn), ALLOW(SYS_restart_syscall),
        ALLOW(SYS_clock_gettime), ALLOW(SYS_getrandom), ALLOW(SYS_sched_yield),
        ALLOW(SYS_exit), ALLOW(SYS_exit_group),
        ALLOW_WITHOUT_EXECUTION(SYS_mmap),
        ALLOW_WITHOUT_EXECUTION(SYS_mprotect),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog program = {
        .len = sizeof instructions / sizeof instructions[0],
        .filter = instructions,
    };
    if (limit(RLIMIT_DATA, memory) != 0 || limit(RLIMIT_CPU, seconds) != 0 || limit(RLIMIT_FSIZE, output) != 0
        || limit(RLIMIT_CORE, 0) != 0)
        return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
    (void)memory, (void)seconds, (void)output;
    errno = ENOSYS;
    return -1;
#endif
}

int cspawn_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }
