#define _GNU_SOURCE
#include "baseline.h"
#include <sched.h>
#include <stdbool.h>

static const cpu_set_t *allowed(void) {
    static cpu_set_t set;
    static bool is_known;
    if (!is_known) is_known = sched_getaffinity(0, sizeof set, &set) == 0;
    return &set;
}

int processor_number(int index) {
    for (int number = 0; number < CPU_SETSIZE; number++) {
        if (CPU_ISSET(number, allowed()) && index-- == 0) return number;
    }
    return -1;
}

int processor_pin(int process, int processor) {
    cpu_set_t set = *allowed();
    if (processor >= 0) {
        CPU_ZERO(&set);
        CPU_SET(processor, &set);
    }
    return sched_setaffinity(process, sizeof set, &set);
}
