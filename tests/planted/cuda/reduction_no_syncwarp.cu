// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// The last warp of a tree counts on lockstep: no __syncwarp between the levels.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];  // BUG
    s[t] += s[t + 16];  // BUG
    s[t] += s[t + 8];  // BUG
    s[t] += s[t + 4];  // BUG
    s[t] += s[t + 2];  // BUG
    s[t] += s[t + 1];  // BUG
  }
  if (t == 0) out[0] = s[0];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 64, 0, stream>>>(x, out);
  return cudaGetLastError();
}
