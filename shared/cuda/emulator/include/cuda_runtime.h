// CUDA C++ on a CPU: what a kernel file sees in place of NVIDIA's headers.
#pragma once
#include "emulator/copies.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "assert.h"
#include "emulator/arithmetic.h"
#include "emulator/atomics.h"
#include "emulator/keywords.h"
#include "emulator/launch.h"
#include "emulator/runtime_api.h"
#include "emulator/types.h"
#include "emulator/warp.h"

#define __trap() cuda_emulator::trap(__FILE__, __LINE__)
