#define _GNU_SOURCE
#include "CLinux.h"

int clinux_peer_credentials(int fd, struct clinux_peer_credentials *credentials) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return -1;
    credentials->pid = peer.pid;
    credentials->uid = peer.uid;
    credentials->gid = peer.gid;
    return 0;
}

int clinux_accept(int listening) { return accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }
