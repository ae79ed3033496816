// The device that the emulator pretends to be: its numbers are those of one H100-class GPU.
#pragma once
#include <cstddef>
#include <cstring>

#include "emulator/errors.h"

namespace cuda_emulator {
constexpr unsigned max_threads_per_block = 1024;
constexpr unsigned max_block_z = 64;
constexpr unsigned max_grid_x = 0x7fffffff;
constexpr unsigned max_grid_yz = 65535;
constexpr int max_shared_default = 48 << 10;
constexpr int max_shared_opt_in = 227 << 10;
constexpr int num_multiprocessors = 132;
}  // namespace cuda_emulator

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  size_t sharedMemPerBlockOptin;
  size_t sharedMemPerMultiprocessor;
  size_t totalConstMem;
  int regsPerBlock;
  int regsPerMultiprocessor;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int maxThreadsPerMultiProcessor;
  int maxBlocksPerMultiProcessor;
  int multiProcessorCount;
  int major;
  int minor;
  int l2CacheSize;
  int memoryBusWidth;
  int concurrentKernels;
  int cooperativeLaunch;
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  using namespace cuda_emulator;
  if (device != 0) return cudaErrorInvalidDevice;
  cudaDeviceProp p = {};
  strcpy(p.name, "CUDA emulated on a CPU");
  p.totalGlobalMem = size_t(80) << 30;
  p.sharedMemPerBlock = max_shared_default;
  p.sharedMemPerBlockOptin = max_shared_opt_in;
  p.sharedMemPerMultiprocessor = 228 << 10;
  p.totalConstMem = 64 << 10;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = (int)max_threads_per_block;
  p.maxThreadsDim[2] = max_block_z;
  p.maxGridSize[0] = max_grid_x;
  p.maxGridSize[1] = p.maxGridSize[2] = max_grid_yz;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.multiProcessorCount = num_multiprocessors;
  p.major = 9;
  p.l2CacheSize = 50 << 20;
  p.memoryBusWidth = 5120;
  p.concurrentKernels = 1;
  *properties = p;
  return cudaSuccess;
}

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (cudaError_t error = cudaGetDeviceProperties(&p, device)) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = (int)p.sharedMemPerMultiprocessor;
      break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    default: return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}
