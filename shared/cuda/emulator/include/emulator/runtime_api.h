// The part of the CUDA runtime API that launchers use. There is one device, and every
// call has finished when it returns: streams have handles, but differ in nothing else.
#pragma once
#include <cstddef>
#include <cstring>
#include <tuple>
#include <utility>

#include "emulator/device.h"
#include "emulator/errors.h"
#include "emulator/interface.h"

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};
enum {
  cudaStreamDefault = 0,
  cudaStreamNonBlocking = 1,
  cudaEventDefault = 0,
  cudaEventDisableTiming = 2,
};

// ---- errors ---------------------------------------------------------------------------------
inline cudaError_t cudaGetLastError() { return (cudaError_t)cuda_emulator::last_error(true); }
inline cudaError_t cudaPeekAtLastError() { return (cudaError_t)cuda_emulator::last_error(false); }
inline const char* cudaGetErrorName(cudaError_t e) { return cuda_emulator::error_name(e); }
inline const char* cudaGetErrorString(cudaError_t e) { return cuda_emulator::error_string(e); }

namespace cuda_emulator {
// What a call that waits returns: an error that a kernel left behind, but no bad configuration.
inline cudaError_t wait_for_kernels() { return (cudaError_t)sticky_error(); }
}  // namespace cuda_emulator

// ---- device, streams, events ------------------------------------------------------------------
inline cudaError_t cudaDeviceSynchronize() { return cuda_emulator::wait_for_kernels(); }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return *stream = (cudaStream_t)cuda_emulator::create_stream(), cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return *least = 0, *greatest = -5, cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cuda_emulator::wait_for_kernels(); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cuda_emulator::wait_for_kernels(); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  return cuda_emulator::wait_for_kernels();
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = nullptr, cudaSuccess; }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr) {
  return cuda_emulator::wait_for_kernels();
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cuda_emulator::wait_for_kernels(); }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cuda_emulator::wait_for_kernels(); }
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 0.0f, cudaSuccess;
}

// ---- memory -----------------------------------------------------------------------------------
template <class T>
cudaError_t cudaMalloc(T** address, size_t num_bytes) {
  return (cudaError_t)cuda_emulator::allocate_device((void**)address, num_bytes, false);
}
template <class T>
cudaError_t cudaMallocAsync(T** address, size_t num_bytes, cudaStream_t) {
  return cudaMalloc(address, num_bytes);
}
template <class T>
cudaError_t cudaMallocManaged(T** address, size_t num_bytes, unsigned = 1) {
  return (cudaError_t)cuda_emulator::allocate_device((void**)address, num_bytes, true);
}
inline cudaError_t cudaFree(void* address) {
  return (cudaError_t)cuda_emulator::free_device(address);
}
inline cudaError_t cudaFreeAsync(void* address, cudaStream_t) { return cudaFree(address); }
// Pinned memory is the host's: both sides may use it on a GPU too.
template <class T>
cudaError_t cudaMallocHost(T** address, size_t num_bytes, unsigned = 0) {
  return cudaMallocManaged(address, num_bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T** address, size_t num_bytes, unsigned) {
  return cudaMallocManaged(address, num_bytes);
}
inline cudaError_t cudaFreeHost(void* address) { return cudaFree(address); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t num_bytes, cudaMemcpyKind) {
  return (cudaError_t)cuda_emulator::copy_memory(to, from, num_bytes);
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t num_bytes,
                                   cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, num_bytes, kind);
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  for (size_t row = 0; row < height; ++row) {
    cudaError_t code = cudaMemcpy((char*)to + row * to_pitch,
                                  (const char*)from + row * from_pitch, width, kind);
    if (code != cudaSuccess) return code;
  }
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                                     size_t from_pitch, size_t width, size_t height,
                                     cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemset(void* to, int value, size_t num_bytes) {
  return (cudaError_t)cuda_emulator::set_memory(to, value, num_bytes);
}
inline cudaError_t cudaMemsetAsync(void* to, int value, size_t num_bytes,
                                   cudaStream_t = nullptr) {
  return cudaMemset(to, value, num_bytes);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t num_bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  if (offset + num_bytes > sizeof(T)) return cudaErrorInvalidValue;
  return cudaMemcpy((char*)&symbol + offset, from, num_bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, size_t num_bytes,
                                    size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, num_bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t num_bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  if (offset + num_bytes > sizeof(T)) return cudaErrorInvalidValue;
  return cudaMemcpy(to, (const char*)&symbol + offset, num_bytes, kind);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** address, T& symbol) {
  return *address = (void*)&symbol, cudaSuccess;
}

// ---- kernels ----------------------------------------------------------------------------------
namespace cuda_emulator {

// The rewriter puts the kernel's name in front; it is empty if the argument is a pointer.
template <class Function>
cudaError_t set_function_attribute(const char* kernel, Function* function,
                                   cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  return (cudaError_t)allow_dynamic_shared(kernel, (const void*)function, value);
}

// No access of the kernel's own: the launch copies its arguments.
template <class... Parameters, size_t... Index>
__attribute__((no_sanitize("thread"))) void call_with(void (*kernel)(Parameters...), void** arguments, std::index_sequence<Index...>) {
  kernel(*static_cast<std::remove_reference_t<Parameters>*>(arguments[Index])...);
}

}  // namespace cuda_emulator

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                             void** arguments, size_t dynamic_shared = 0,
                             cudaStream_t stream = nullptr) {
  using Call = std::pair<void (*)(Parameters...), void**>;
  Call call(kernel, arguments);
  auto body = [](void* data) __attribute__((no_sanitize("thread"))) {
    Call& call = *static_cast<Call*>(data);
    cuda_emulator::call_with(call.first, call.second, std::index_sequence_for<Parameters...>());
  };
  cuda_emulator::run(
      {"", (const void*)kernel, grid, block, dynamic_shared, stream, body, &call, sizeof call});
  return (cudaError_t)cuda_emulator::last_error(false);
}

template <class Function>
cudaError_t cudaFuncSetCacheConfig(Function*, cudaFuncCache) {
  return cudaSuccess;
}
template <class Function>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid, int* block, Function*,
                                               size_t = 0, int limit = 0) {
  const int most = (int)cuda_emulator::max_threads_per_block;
  *block = limit > 0 && limit < most ? limit : most;
  *min_grid = 2 * cuda_emulator::num_multiprocessors;
  return cudaSuccess;
}
template <class Function>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, Function*,
                                                          int block, size_t) {
  *num_blocks = block > 0 ? 2048 / block : 0;
  return cudaSuccess;
}
