// The kernel's messages about addresses, routes and links (rtnetlink(7)).
#include <linux/rtnetlink.h>
