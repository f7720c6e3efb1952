#define _GNU_SOURCE
#include "CLinux.h"

int clinux_accept(int listening) { return accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }
