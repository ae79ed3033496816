// EXPECTED: memory
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// Four results a thread, and a loop that runs five times.
#include <cuda_runtime.h>

__global__ void powers(const float* x, float* out, int n, int count) {
  float p[4];
  int i = threadIdx.x;
  float v = 1;
  for (int k = 0; k <= count; k++) {
    v *= x[i];
    p[k] = v;  // BUG
  }
  if (i < n) out[i] = p[0] + p[1] + p[2] + p[3];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  powers<<<1, 256, 0, stream>>>(x, out, n, 4);
  return cudaGetLastError();
}
