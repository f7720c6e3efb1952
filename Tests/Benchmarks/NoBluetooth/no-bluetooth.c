// Preloaded into bluetoothd: replaces the kernel's Bluetooth sockets with sockets that never answer. So it
// runs where the kernel has no Bluetooth, and does not touch an adapter where there is one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>

#ifndef AF_BLUETOOTH
#define AF_BLUETOOTH 31
#endif

int socket(int domain, int type, int protocol) {
    if (domain == AF_BLUETOOTH) {
        int pair[2];
        // The other end stays open, so that nothing looks like an end.
        return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0 ? pair[0] : -1;
    }
    int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
    return next(domain, type, protocol);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t size) {
    if (address->sa_family == AF_BLUETOOTH) return 0;
    int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    return next(descriptor, address, size);
}
