#pragma once

#include <pulse/ext-stream-restore.h>
#include <pulse/pulseaudio.h>
