// EXPECTED: barrier
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 64
// A thread that is done leaves the loop; the others wait for it at the next barrier.
#include <cuda_runtime.h>

__global__ void settle(const float* x, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = x[t];
  for (int k = 0; k < 8; k++) {
    if (v > 0.5f) break;
    s[t] = v;
    __syncthreads();  // BUG
    v = s[t] + 0.25f;
  }
  out[t] = v;
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  settle<<<1, 64, 0, stream>>>(x, out);
  return cudaGetLastError();
}
