#pragma once

#include <nettle/ccm.h>
