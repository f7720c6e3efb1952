// Timers as descriptors (timerfd_create(2)).
#include <sys/timerfd.h>
