// EXPECTED: warp
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 32
// All lanes call a shuffle whose mask names the lower half.
#include <cuda_runtime.h>

__global__ void broadcast(const float* x, float* out) {
  float v = x[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(0x0000ffff, v, 0);  // BUG
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  broadcast<<<1, 32, 0, stream>>>(x, out);
  return cudaGetLastError();
}
