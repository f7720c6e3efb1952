#include <speex/speex_jitter.h>
