// EXPECTED: race
// RUN: int run(const float* x, float* out, int n, cudaStream_t stream)
// N: 256
// A tree without a barrier between its levels.
#include <cuda_runtime.h>

__global__ void sum(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = t < n ? x[t] : 0.0f;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2)
    if (t < d) s[t] += s[t + d];  // BUG
  if (t == 0) out[0] = s[0];
}

extern "C" int run(const float* x, float* out, int n, cudaStream_t stream) {
  sum<<<1, 256, 0, stream>>>(x, out, n);
  return cudaGetLastError();
}
