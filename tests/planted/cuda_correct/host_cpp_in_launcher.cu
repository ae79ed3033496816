// VALUES: copy
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A launcher in ordinary C++: a static variable, containers, atomics, a lock, an exception.
#include <cuda_runtime.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

__global__ void copy(const float* x, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = x[i];
}

static int count_multiprocessors() {
  int count = 0;
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  return count;
}

static std::atomic<int> calls{0};
static std::mutex lock;

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  static int num_blocks = count_multiprocessors();
  std::lock_guard<std::mutex> guard(lock);
  std::map<std::string, std::vector<int>> sizes{{"block", {64}}};
  auto size = std::make_shared<int>(sizes["block"][0]);
  int expected = ++calls;
  calls.compare_exchange_strong(expected, 7);
  try {
    if (calls == 7) throw std::runtime_error("caught below");
  } catch (const std::exception&) {
    copy<<<num_blocks, *size, 0, stream>>>(x, out, [&] { int all = n; return all; }());
  }
  return cudaGetLastError();
}
