// EXPECTED: uninitialised
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// Nobody sets the offset in shared memory, and what comes out of the arithmetic with it overflows.
#include <cuda_runtime.h>

__global__ void shifted(const float* x, float* out, int n) {
  __shared__ int offset[1];
  int start = offset[0];  // BUG
  int at = (start - (1 << 30)) * n + (int)threadIdx.x;
  out[threadIdx.x] = x[at & (n - 1)];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  shifted<<<1, 64, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
