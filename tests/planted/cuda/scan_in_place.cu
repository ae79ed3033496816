// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A prefix sum in place: a thread writes what its neighbour is about to read.
#include <cuda_runtime.h>

__global__ void scan(const float* x, float* out) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[t];
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    if (t >= d) s[t] += s[t - d];  // BUG
  }
  out[t] = s[t];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  scan<<<1, 256, 0, stream>>>(x, out);
  return cudaGetLastError();
}
