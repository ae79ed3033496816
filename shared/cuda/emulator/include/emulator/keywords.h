// CUDA's keywords and built-in variables.
#pragma once
#include "emulator/interface.h"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))

// What the kernel's own lines call: an access or a wait in it counts as one of theirs.
#define CUDA_EMULATOR_INLINE inline __attribute__((always_inline))

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080

// The runtime changes these between threads. To one thread they are constant, and each thread has
// registers and a stack of its own, so the compiler may keep what it read: hence `const`.
#define CUDA_EMULATOR_HIDDEN __attribute__((visibility("hidden")))
extern const uint3 threadIdx CUDA_EMULATOR_HIDDEN;
extern const uint3 blockIdx CUDA_EMULATOR_HIDDEN;
extern const dim3 blockDim CUDA_EMULATOR_HIDDEN;
extern const dim3 gridDim CUDA_EMULATOR_HIDDEN;
constexpr int warpSize = 32;
